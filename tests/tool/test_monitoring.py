"""`ceph-perf-bench monitoring`: prints alert rules and dashboard."""

from __future__ import annotations

import pytest
import yaml

from perf_bench.tool.install.payload import load, monitoring_files
from perf_bench.tool.main import main

RULES = "ceph-perf-bench-alerts.yml"
OTHERS = {"ceph-perf-bench-grafana.json", "ceph-perf-bench-alertmanager.yml"}
Captured = pytest.CaptureFixture[str]


def test_they_are_listed_and_printed(capsys: Captured) -> None:
    assert main(["monitoring"]) == 0
    names = capsys.readouterr().out.split()
    assert names == sorted({RULES, *OTHERS})
    assert main(["monitoring", RULES]) == 0
    assert capsys.readouterr().out.encode() == monitoring_files()[RULES]
    assert main(["monitoring", "../x"]) == 2


def test_links_lead_to_the_pages_where_they_are_served(capsys: Captured) -> None:
    assert main(["monitoring", RULES, "--docs-url", "https://docs.example.com/pb/"]) == 0
    rules = yaml.safe_load(capsys.readouterr().out)
    links = [
        rule["annotations"]["runbook_url"] for group in rules["groups"] for rule in group["rules"]
    ]
    assert all(link.startswith("https://docs.example.com/pb/") for link in links)
    assert "https://docs.example.com/pb/health-checks.html#perf_bench_slow_osd" in links


def test_an_address_is_an_address() -> None:
    for url in ["docs", "javascript:x", 'https://a/"b', "https://a b", "https://"]:
        assert main(["monitoring", RULES, "--docs-url", url]) == 2


def test_a_wheel_has_them() -> None:
    files = load().files
    assert {f"tool/monitoring/{name}" for name in monitoring_files()} <= set(files)
