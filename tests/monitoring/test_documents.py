"""The alert rules and the Grafana dashboard: they fit what the module really tells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest
import yaml

from perf_bench.report.metrics import metrics
from readings import FULL

Promtool = Callable[..., tuple[int, str]]

METRIC = re.compile(r"\bceph_perf_bench_\w+")


@pytest.fixture
def documents(root: Path) -> Path:
    return root / "docs" / "monitoring"


@pytest.fixture
def dashboard(documents: Path) -> dict[str, Any]:
    text = (documents / "ceph-perf-bench-grafana.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def expressions(dashboard: dict[str, Any]) -> Iterator[str]:
    """What the panels ask Prometheus, with Grafana's own variables filled in."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield re.sub(r"\$(\w+)", lambda name: VARIABLES[str(name[1])], target["expr"])


VARIABLES = {"__rate_interval": "5m", "channel": "commit"}


def told() -> dict[str, set[str]]:
    """By metric the labels that its series have."""
    found: dict[str, set[str]] = {}
    for line in metrics(FULL).splitlines():
        if not line.startswith("#"):
            labels = set(re.findall(r'(\w+)="', line))
            found.setdefault(METRIC.findall(line)[0], set()).update(labels)
    return found


def rules(documents: Path) -> list[dict[str, Any]]:
    text = (documents / "ceph-perf-bench-alerts.yml").read_text(encoding="utf-8")
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


def strangers(expression: str) -> set[str]:
    """Metrics and labels of it that the module does not tell."""
    names = set(METRIC.findall(expression))
    known = told()
    labels = {label for name in names & known.keys() for label in known[name]}
    used = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"", expression))
    for group in re.findall(r"\bby \(([^)]*)\)", expression):
        used |= set(re.split(r",\s*", group))
    return (names - known.keys()) | (used - labels)


def test_strangers_are_seen() -> None:
    assert strangers('max by (pool, x) (ceph_perf_bench_pool_laggy_pgs{y="1"})') == {"x", "y"}
    assert strangers("ceph_perf_bench_none") == {"ceph_perf_bench_none"}


def test_the_alert_rules_are_good_and_say_what_they_should(
    promtool: Promtool, documents: Path
) -> None:
    code, words = promtool("check", "rules", documents / "ceph-perf-bench-alerts.yml")
    assert code == 0, words
    code, words = promtool("test", "rules", Path(__file__).with_name("alerts.yml"))
    assert code == 0, words


def test_the_alert_rules_ask_for_what_is_told(documents: Path) -> None:
    assert {rule["alert"]: strangers(rule["expr"]) for rule in rules(documents)} == {
        rule["alert"]: set() for rule in rules(documents)
    }


def test_every_alert_is_tried_firing_and_silent(documents: Path) -> None:
    text = Path(__file__).with_name("alerts.yml").read_text(encoding="utf-8")
    tried = [case for test in yaml.safe_load(text)["tests"] for case in test["alert_rule_test"]]
    alerts = {rule["alert"] for rule in rules(documents)}
    assert {case["alertname"] for case in tried if case.get("exp_alerts")} == alerts
    assert {case["alertname"] for case in tried if not case.get("exp_alerts")} == alerts


def test_every_panel_asks_for_what_is_told(dashboard: dict[str, Any]) -> None:
    asked = list(expressions(dashboard))
    assert {one: strangers(one) for one in asked if strangers(one)} == {}
    # And all that is told is shown somewhere.
    assert set(METRIC.findall(" ".join(asked))) == told().keys()


def test_prometheus_reads_what_the_panels_ask(
    promtool: Promtool, dashboard: dict[str, Any], tmp_path: Path
) -> None:
    recorded = [
        {"record": f"panel:{number}", "expr": expression}
        for number, expression in enumerate(expressions(dashboard))
    ]
    path = tmp_path / "panels.yml"

    def check() -> tuple[int, str]:
        groups = [{"name": "panels", "rules": recorded}]
        path.write_text(yaml.safe_dump({"groups": groups}), encoding="utf-8")
        return promtool("check", "rules", path)

    code, words = check()
    assert code == 0, words
    recorded.append({"record": "broken:1", "expr": "topk(10, "})
    assert check()[0] != 0


def test_panels_do_not_overlap_and_take_the_chosen_source(dashboard: dict[str, Any]) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {
            (place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])
        }
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells
        sources = [panel, *panel.get("targets", [])] if panel["type"] != "row" else []
        assert all(one["datasource"]["uid"] == "${datasource}" for one in sources)
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    assert [one["name"] for one in dashboard["templating"]["list"]] == ["datasource", "channel"]


def test_the_readme_lists_every_metric(documents: Path) -> None:
    text = (documents / "README.md").read_text(encoding="utf-8")
    table = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
    listed = set(re.findall(r"`(\w+)`", table.replace("(`backend`)", "")))
    names = {name.removeprefix("ceph_perf_bench_") for name in told()}
    assert names <= listed
    assert listed - names <= {label for labels in told().values() for label in labels}
