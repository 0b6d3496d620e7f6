"""`ceph-perf-bench monitoring` writes through no link that waits in the folder.

It runs as root, and the folder may be one of Grafana's or Prometheus' own users.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from perf_bench.tool.main import main
from perf_bench.tool.monitoring import DASHBOARD, RULES


@pytest.mark.parametrize("name", [RULES, DASHBOARD])
@pytest.mark.parametrize("there", [True, False])
def test_a_link_at_the_name_of_the_temporary_file(name: str, there: bool, tmp_path: Path) -> None:
    victim, folder = tmp_path / "shadow", tmp_path / "dashboards"
    folder.mkdir()
    if there:
        victim.write_text("root:secret\n")
        victim.chmod(0o600)
    (folder / f".{name}.new").symlink_to(victim)
    assert main(["monitoring", "--rules", str(folder), "--dashboards", str(folder)]) == 0
    assert victim.exists() == there
    if there:
        assert victim.read_text() == "root:secret\n"
        assert victim.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in folder.iterdir()} == {RULES, DASHBOARD}
    assert not any(path.is_symlink() for path in folder.iterdir())
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in folder.iterdir())
