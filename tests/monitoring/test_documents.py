"""The alert rules and the Grafana dashboard: they fit what the module really tells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest
import yaml

import golden
from documentation import findings as finding_docs
from fakes.metered import full
from perf_bench.model.finding_kinds import KINDS

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
    for line in full().text().splitlines():
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


def test_what_is_made_of_the_kinds_is_in_the_docs(documents: Path) -> None:
    alerts = documents / "ceph-perf-bench-alerts.yml"
    made = {
        alerts: finding_docs.alert_rules(alerts.read_text(encoding="utf-8")),
        documents.parent / "health-checks.md": finding_docs.health_checks(),
    }
    for path, text in made.items():
        if golden.writing():
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: write it with WRITE_GOLDEN"


@pytest.mark.parametrize("severity", ["warning", "info"])
def test_every_kind_has_an_alert_for_warnings(
    promtool: Promtool, documents: Path, tmp_path: Path, severity: str
) -> None:
    labels = f'severity="{severity}", kind="osd", target="osd.3"'
    series = [
        {
            "series": f'{finding_docs.SERIES}{{code="{kind.code}", {labels}}}',
            "values": "_x4 240x20",
        }
        for kind in KINDS
    ]
    fires = {
        kind.alert: {
            "exp_labels": {
                "severity": "warning",
                "type": "ceph_perf_bench",
                "kind": "osd",
                "target": "osd.3",
            },
            "exp_annotations": {
                "summary": f"{kind.title}: osd osd.3",
                "description": f"{kind.meaning} First seen 1970-01-01 00:04:00 +0000 UTC. "
                f"{kind.action}",
                "runbook_url": f"health-checks.html#{kind.code.lower()}",
            },
        }
        for kind in KINDS
    }
    cases = [
        {
            "eval_time": at,
            "alertname": alert,
            "exp_alerts": [fired] if at == "5m" and severity == "warning" else [],
        }
        for alert, fired in fires.items()
        for at in ("3m", "5m")
    ]
    path = tmp_path / "kinds.yml"
    tests = [{"interval": "1m", "input_series": series, "alert_rule_test": cases}]
    rule_files = [str(documents / "ceph-perf-bench-alerts.yml")]
    path.write_text(yaml.safe_dump({"rule_files": rule_files, "tests": tests}), encoding="utf-8")
    code, words = promtool("test", "rules", path)
    assert code == 0, words


def test_runbooks_lead_to_headings_of_the_docs(documents: Path) -> None:
    for rule in rules(documents):
        page, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        path = documents.parent / page.replace(".html", ".md")
        headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}
        assert "{{" in anchor or anchor in anchors, rule["alert"]


def test_alertmanager_sends_what_the_rules_have(documents: Path) -> None:
    text = (documents / "ceph-perf-bench-alertmanager.yml").read_text(encoding="utf-8")
    found = yaml.safe_load(text)
    routes = [found["route"], *found["route"]["routes"]]
    receivers = {one["name"] for one in found["receivers"]}
    assert {one["receiver"] for one in routes} == receivers
    labels = [rule["labels"] for rule in rules(documents)]
    for route in found["route"]["routes"]:
        wanted = dict(re.findall(r'^(\w+)="(\w+)"$', "\n".join(route["matchers"]), re.MULTILINE))
        assert len(wanted) == len(route["matchers"])
        assert [one for one in labels if wanted.items() <= one.items()], route


def test_alertmanager_reads_its_example_and_routes_by_it(
    amtool: Promtool, documents: Path, tmp_path: Path
) -> None:
    path = documents / "ceph-perf-bench-alertmanager.yml"
    code, words = amtool("check-config", path)
    assert (code, "SUCCESS" in words) == (0, True), words
    routes = ("config", "routes", "test", f"--config.file={path}", "type=ceph_perf_bench")
    for severity, receiver in (
        ("critical", "storage-pager"),
        ("warning", "storage-mail"),
        ("info", "storage-mail"),
    ):
        code, words = amtool(*routes, f"--verify.receivers={receiver}", f"severity={severity}")
        assert code == 0, words
    assert amtool(*routes, "--verify.receivers=storage-mail", "severity=critical")[0] != 0
    broken = tmp_path / "broken.yml"
    text = path.read_text(encoding="utf-8")
    broken.write_text(text.replace("name: storage-pager", "name: nobody"), encoding="utf-8")
    assert amtool("check-config", broken)[0] != 0


def test_every_other_alert_is_tried_firing_and_silent(documents: Path) -> None:
    text = Path(__file__).with_name("alerts.yml").read_text(encoding="utf-8")
    tried = [case for test in yaml.safe_load(text)["tests"] for case in test["alert_rule_test"]]
    alerts = {rule["alert"] for rule in rules(documents)} - {kind.alert for kind in KINDS}
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


def listed_names(text: str) -> set[str]:
    """What stands in code in the rows of tables."""
    table = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
    return set(re.findall(r"`(\w+)`", table.replace("(`backend`)", "")))


def test_the_readme_lists_every_metric(documents: Path) -> None:
    endpoint, files = (documents / "README.md").read_text(encoding="utf-8").split("`round export")
    names = {name.removeprefix("ceph_perf_bench_") for name in told()}
    assert names <= listed_names(endpoint)
    assert listed_names(endpoint) - names <= {label for one in told().values() for label in one}
    exported = "".join(
        (golden.FOLDER / f"round-{name}.om").read_text("utf-8") for name in ("export", "load")
    )
    of_files = set(re.findall(r"# HELP ceph_perf_bench_(\w+) (?!Deprecated)", exported))
    assert of_files == listed_names(files) - set(re.findall(r'(\w+)="', exported))
