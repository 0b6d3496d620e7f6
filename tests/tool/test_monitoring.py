"""`ceph-perf-bench monitoring`: rules and dashboard in one step, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from perf_bench.tool.install.payload import load, monitoring_files
from perf_bench.tool.main import main
from perf_bench.tool.monitoring import DASHBOARD, RULES

Captured = pytest.CaptureFixture[str]


def _install(folder: Path, *more: str) -> int:
    named = ["--rules", str(folder), "--dashboards", str(folder)]
    return main(["monitoring", *named, *more])


def test_they_are_listed_and_printed(capsys: Captured) -> None:
    assert main(["monitoring"]) == 0
    names = capsys.readouterr().out.split()
    assert names == sorted(monitoring_files())
    assert {RULES, DASHBOARD, "ceph-perf-bench-alertmanager.yml"} == set(names)
    assert main(["monitoring", RULES]) == 0
    assert capsys.readouterr().out.encode() == monitoring_files()[RULES]
    assert main(["monitoring", "../x"]) == 2


def test_they_are_installed_in_one_step_and_again(tmp_path: Path, capsys: Captured) -> None:
    assert _install(tmp_path, "--docs-url", "https://docs.example.com/pb/") == 0
    assert {path.name for path in tmp_path.iterdir()} == {RULES, DASHBOARD}
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in tmp_path.iterdir())
    rules = yaml.safe_load((tmp_path / RULES).read_text())
    links = [
        rule["annotations"]["runbook_url"] for group in rules["groups"] for rule in group["rules"]
    ]
    assert all(link.startswith("https://docs.example.com/pb/") for link in links)
    assert "https://docs.example.com/pb/health-checks.html#perf_bench_slow_osd" in links
    capsys.readouterr()
    assert _install(tmp_path, "--docs-url", "https://docs.example.com/pb") == 0
    assert capsys.readouterr().out.count("was installed already") == 2
    assert _install(tmp_path) == 0  # without the address, links are relative again
    assert (tmp_path / RULES).read_bytes() == monitoring_files()[RULES]


@pytest.mark.parametrize("name", [RULES, DASHBOARD])
def test_files_of_others_stay(name: str, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / name).write_text("groups: []\n")
    assert _install(tmp_path) == 2
    assert "it is left as it is" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_wheel_has_them() -> None:
    files = load().files
    assert {f"tool/monitoring/{name}" for name in monitoring_files()} <= set(files)
