"""Builds the wheel `ceph-perf-bench`; every word about it stands in pyproject.toml.

The wheel has the tab's files in the module's folder `tab`, from where the tool installs them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent


class BuildWithTab(build_py):  # type: ignore[misc] # setuptools has no types
    """The module's files, and the tab's as they are installed."""

    def run(self) -> None:
        super().run()
        sys.path.insert(0, str(HERE / "mgr_module"))
        from perf_bench.tool.install.payload import load  # noqa: PLC0415 - needs the path

        for name, content in load(HERE / "mgr_module" / "perf_bench").files.items():
            path = Path(self.build_lib) / "perf_bench" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o644)


os.umask(0o022)  # the same files make the same wheel
setup(cmdclass={"build_py": BuildWithTab})
