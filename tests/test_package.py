"""The package offers its modules where ceph-mgr is, and forgives only that it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT_CEPH = "import perf_bench; print(hasattr(perf_bench, 'Module'))"
WITH_CEPH = """
from fakes.ceph import MgrWorld, installed
with installed(MgrWorld.captured("pacific")):
    import perf_bench
    print(perf_bench.__all__)
"""
# Something of ours, or of every ceph-mgr, is missing although Ceph is there.
BROKEN = """
import sys
from fakes.ceph import MgrWorld, installed
with installed(MgrWorld.captured("pacific")):
    sys.modules["yaml"] = None
    import perf_bench
"""


def _run(root: Path, code: str) -> str:
    """What a new Python says to that."""
    paths = [str(root / "mgr_module"), str(root / "tests" / "lib")]
    ran = subprocess.run(
        [sys.executable, "-B", "-c", code],
        cwd="/",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        check=False,
        capture_output=True,
        text=True,
    )
    return ran.stdout + ran.stderr.strip().split("\n")[-1]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (WITHOUT_CEPH, "False\n"),
        (WITH_CEPH, "['Module', 'StandbyModule']\n"),
        (BROKEN, "ModuleNotFoundError: import of yaml halted; None in sys.modules"),
    ],
    ids=["without Ceph", "with Ceph", "broken"],
)
def test_importing_it(code: str, said: str, root: Path) -> None:
    assert _run(root, code) == said
