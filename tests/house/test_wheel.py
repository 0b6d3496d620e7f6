"""The wheel carries the module and the host tool, and nothing of the tests."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(root: Path, tree: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: setuptools leaves its traces beside the sources."""
    copy = tmp_path_factory.mktemp("source")
    for name in tree:
        if name in SOURCES or name.startswith("mgr_module/"):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, copy / name)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", str(copy)]
    built = subprocess.run(command, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    (file,) = (copy / "dist").iterdir()
    return file


def _read(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (member,) = (m for m in archive.namelist() if m.endswith(f".dist-info/{name}"))
        return archive.read(member).decode()


def test_name_version_and_licence(wheel: Path, root: Path) -> None:
    version = runpy.run_path(str(root / "mgr_module" / "perf_bench" / "version.py"))["VERSION"]
    assert wheel.name == f"ceph_perf_bench-{version}-py3-none-any.whl"
    said = HeaderParser().parsestr(_read(wheel, "METADATA"))
    assert said["Name"] == "ceph-perf-bench"
    assert said["Version"] == version
    assert said["Requires-Python"] == ">=3.9"
    assert said["License-Expression"] == "LGPL-2.1-or-later"
    assert said.get_all("Requires-Dist") is None


def test_the_host_tool_is_its_only_script(wheel: Path) -> None:
    assert _read(wheel, "entry_points.txt").split("\n")[:2] == [
        "[console_scripts]",
        "ceph-perf-bench = perf_bench.tool.main:main",
    ]


def test_it_holds_the_module_whole_and_nothing_else(wheel: Path, tree: list[str]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    folder = "mgr_module/"
    ours = {name[len(folder) :] for name in tree if name.startswith(f"{folder}perf_bench/")}
    assert "perf_bench/model/__init__.py" in inside
    assert inside == ours
