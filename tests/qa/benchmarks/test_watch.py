"""The benchmark of the watch answers all that the module asks of a mgr today."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks.crowd import STOCK


@pytest.mark.skipif(not STOCK.is_dir(), reason="Ceph's packages are not installed")
def test_a_round_of_its_osds_is_stored(root: Path) -> None:
    path = f"{root}/qa:{root}/mgr_module:{root}/tests/lib"
    done = subprocess.run(
        ["/usr/bin/python3", "-m", "benchmarks.watch", "start", "20"],
        env={"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=root / "qa",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["starts"]) == 7
