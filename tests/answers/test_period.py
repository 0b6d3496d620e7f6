"""The report of a time, from what a real bench stored."""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from asked import asking
from fakes.clock import FakeClock
from fakes.cluster import FSID
from fakes.database import file_store
from latencies import cluster_rows
from past import Series
from perf_bench.answers import command as cli
from perf_bench.answers import dashboard, period
from perf_bench.answers.api import Api
from perf_bench.answers.question import Rights
from perf_bench.errors import StoreUnavailable
from perf_bench.model.finding import Finding, FindingState, Severity, Target, Watched
from perf_bench.model.finding_kinds import SLOW_OSD
from perf_bench.model.history import DAY, FIVE_MINUTES, HOUR, ClusterSpan, WatchBatch
from roles import ADMINISTRATOR


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory, quick: None) -> Iterator[Series]:
    """Ten rounds within a day, a fifth slower from round 8 on; latencies of the last two hours."""
    made = Series(tmp_path_factory.mktemp("series") / "main.db")
    last = int(made.clock.now()) // HOUR * HOUR
    spans = [
        ClusterSpan(at, FIVE_MINUTES, 6, (("", "commit", 6, seconds, 0.004, 0.009),))
        for hours, seconds in ((2, 0.002), (1, 0.001))
        for at in range(last - hours * HOUR, last - (hours - 1) * HOUR, FIVE_MINUTES)
    ]
    batch = WatchBatch(at=last, spans=cluster_rows(spans), settled=last)
    made.store_thread.call(lambda store: store.watch.write(batch))
    yield made
    made.close()


def _report(series: Series, **arguments: str) -> Any:
    code, out, err = cli.dispatch(series.api, {"prefix": "perf-bench report", **arguments})
    assert (code, err) == (0, "")
    return out


def test_a_report_has_all_parts(series: Series) -> None:
    shape = json.loads(_report(series, since="30d", **{"as": "json"}))
    assert shape["fsid"] == FSID
    assert shape["rounds"]["total"] == 10
    assert shape["rounds"]["verdicts"] == {"valid": 10}
    assert [row["id"] for row in shape["rounds"]["rows"]] == list(range(10, 0, -1))
    (latency,) = shape["trends"]["latency"]
    assert [row[2] for row in latency["rows"]] == [2.0, 1.0]
    assert any("known for 2.0 of 720 hours" in words for words in shape["incomplete"])


def test_only_what_is_of_the_time(series: Series) -> None:
    shape = json.loads(_report(series, since="3h", **{"as": "json"}))
    assert 0 < shape["rounds"]["total"] < 5


def test_of_an_hour_that_is_known_in_part_the_part_counts(tmp_path: Path) -> None:
    """The watch was on for twenty minutes of each hour, as under an mgr that fails again and again.

    Hours are stored as whole ones.
    """
    last = 1_700_000_000 // HOUR * HOUR
    clock = FakeClock(float(last))
    spans = [
        ClusterSpan(last - hour * HOUR + part * FIVE_MINUTES, FIVE_MINUTES, 6)
        for hour in range(72, 0, -1)
        for part in range(4)
    ]
    store = file_store(tmp_path / "main.db")
    store.watch.write(WatchBatch(at=last, spans=cluster_rows(spans), settled=last))
    thread = SimpleNamespace(call=lambda ask, *_, **__: ask(store))
    watch = SimpleNamespace(findings=list, members=list, cluster_minutes=lambda *_: [])
    incomplete: list[str] = []
    api = asking(watch=watch, store=thread, clock=clock)
    period._latency(api, 72 * HOUR, True, incomplete)
    store.close()
    assert incomplete == ["latencies and restarts are known for 24.0 of 72 hours"]


class _Spans:
    """A store that keeps the five minutes of two days, and hours for longer."""

    def __init__(self, now: int) -> None:
        self.now = now
        self.read: list[int] = []
        self.watch = self

    def rounds(self, **_asked: int) -> tuple[list[Any], int]:
        return [], 0

    def cluster_spans(self, level: int, begin: float, end: float) -> list[ClusterSpan]:
        self.read.append(level)
        first = self.now - 2 * DAY if level == FIVE_MINUTES else 0
        starts = range(int(max(begin, first)) // level * level, int(end), level)
        slow = ((7, level // 15),)
        return [
            ClusterSpan(
                at,
                level,
                24,
                (("", "commit", 24, 0.002, 0.004, 0.009), ("", "read", 24, 0.001, 0.002, 0.003)),
                apart=slow if at >= self.now - 5 * DAY else (),
            )
            for at in starts
        ]


def _cluster(now: int) -> tuple[Api, _Spans]:
    store = _Spans(now)
    thread = SimpleNamespace(call=lambda ask, *_, **__: ask(store))
    members = [Watched(7, "osd.7", "h", "hdd")]
    watch = SimpleNamespace(findings=list, members=lambda: members, cluster_minutes=lambda *_: [])
    return asking(watch=watch, store=thread, clock=FakeClock(float(now))), store


def test_a_report_reads_the_clusters_spans_once() -> None:
    api, store = _cluster(1_700_000_000 // HOUR * HOUR)
    trends, _ = period._latency(api, 72 * HOUR, True, [])
    assert [one["channel"] for one in trends] == ["commit", "read"]
    assert len(store.read) == 1


def test_it_is_read_as_a_page(series: Series) -> None:
    html = _report(series)
    assert html.startswith("<!DOCTYPE html>")
    assert f"cluster {FSID}" in html
    assert "<svg" in html
    for words in ("Findings", "Rounds", "Latency", "Changes", "Incomplete"):
        assert words in html


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"as": "pdf"}, "--as pdf: one of html, json is needed"),
        ({"since": "31d"}, "a report is about 1 hour to 30 days"),
        ({"since": "10m"}, "a report is about 1 hour to 30 days"),
    ],
)
def test_bad_input_is_one_sentence(arguments: dict[str, str], words: str, series: Series) -> None:
    order = {"prefix": "perf-bench report", **arguments}
    assert cli.dispatch(series.api, order) == (-errno.EINVAL, "", words)


def test_the_dashboard_has_a_file(series: Series) -> None:
    reply = dashboard.answer(series.api, "report", {"as": "html"}, ADMINISTRATOR)
    assert "<h1>Ceph performance" in reply["answer"]["text"]


def test_who_may_not_read_the_configuration_learns_no_changes(series: Series) -> None:
    rights: Rights = {"osd": ("read",)}
    reply = dashboard.answer(series.api, "report", {"as": "json"}, rights)
    shape = json.loads(reply["answer"]["text"])
    assert shape["changes"]["configuration"] == "hidden"
    assert any("your roles lack the right" in words for words in shape["incomplete"])


def test_a_round_that_cannot_be_read_has_no_verdict(tmp_path: Path, quick: None) -> None:
    path = tmp_path / "main.db"
    made = Series(path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE rounds SET plan = '{' WHERE id = 4")
    db.close()
    try:
        shape = json.loads(_report(made, since="30d", **{"as": "json"}))
        assert shape["rounds"]["verdicts"] == {"valid": 9, "unreadable": 1}
        assert "9 valid" in _report(made, since="30d")
    finally:
        made.close()


def test_without_the_database_there_is_no_report(
    series: Series, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_arguments: Any, **_named: Any) -> Any:
        raise StoreUnavailable("the database is away")

    monkeypatch.setattr(series.store_thread, "call", away)
    code, out, err = cli.dispatch(series.api, {"prefix": "perf-bench report"})
    assert (code < 0, out, err) == (True, "", "the database is away")


def test_rounds_that_are_not_counted_are_named(
    series: Series, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(period, "_ROUNDS", 4)
    shape = json.loads(_report(series, since="28d", **{"as": "json"}))
    assert shape["rounds"]["total"] == 4
    assert "only the newest 4 rounds are counted" in shape["incomplete"]


def test_a_round_as_a_page(series: Series) -> None:
    order = {"prefix": "perf-bench round export", "id": "8", "as": "html"}
    code, out, err = cli.dispatch(series.api, order)
    assert (code, err) == (0, "")
    assert f"cluster {FSID}, written " in out
    assert out.count("<svg") == 2
    asked = {"id": "8", "as": "html"}
    page = dashboard.answer(series.api, "round_export", asked, ADMINISTRATOR)
    assert page["answer"]["text"][:9] == "<!DOCTYPE"


def test_findings_that_are_not_kept_any_more_are_named(
    series: Series, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = series.clock.now()
    target = Target("osd", "1")
    closed = [
        Finding(n, SLOW_OSD.code, Severity.WARNING, target, "x", first_seen=now - 60 * n,
                state=FindingState.CLOSED, closed_at=now - 30 * n)
        for n in range(1, 4)
    ]  # fmt: skip
    monkeypatch.setattr(series.api.watch, "findings", lambda: closed)
    told = "only the newest 3 closed findings are kept"
    assert told not in json.loads(_report(series, since="26d", **{"as": "json"}))["incomplete"]
    monkeypatch.setattr(period, "CLOSED_KEPT", 3)
    assert told in json.loads(_report(series, since="26d", **{"as": "json"}))["incomplete"]
