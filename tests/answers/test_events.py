"""What happened in a time."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Optional

import pytest

from asked import asking
from perf_bench.answers import period
from perf_bench.answers.cluster import MOST_EVENTS, Event, Happened, Trends, between
from perf_bench.model.admission import BALANCER_OPTION
from perf_bench.model.finding import ConfigChange, ConfigLog
from perf_bench.model.history import ClusterSpan

HOUR = 3600.0


class Rounds:
    """The list of rounds, newest first, called as the store's thread calls it."""

    def __init__(self, *lines: Any) -> None:
        self.pages = 0
        self._lines = lines

    def call(self, ask: Any) -> Any:
        return ask(self)

    def rounds(self, limit: int, offset: int = 0) -> Any:
        self.pages += 1
        return self._lines[offset : offset + limit], len(self._lines)


def line(began: Optional[float], ended: Optional[float], number: int = 7) -> Any:
    return SimpleNamespace(
        id=number,
        profile="osd-iops",
        label="",
        created_at=began or 1.0,
        started_at=began,
        ended_at=ended,
    )


def hourly(count: int) -> Rounds:
    """So many rounds, one in each hour, ten minutes long."""
    return Rounds(*(line(HOUR * n, HOUR * n + 600, n) for n in range(count, 0, -1)))


def happened(
    begin: float,
    end: float,
    rounds: Any = None,
    spans: Sequence[ClusterSpan] = (),
    log: Optional[ConfigLog] = None,
) -> Happened:
    watch = SimpleNamespace(findings=list)
    api = asking(watch=watch, store=rounds or Rounds(), config_log=lambda: log or ConfigLog())
    return between(api, begin, end, spans)


def of_kind(kind: str, found: Happened) -> list[Event]:
    return [one for one in found.events if one.kind == kind]


# --- rounds ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("began", "ended", "told"),
    [
        (50.0, 99.0, False),
        (50.0, 100.0, True),
        (50.0, None, True),  # it still runs
        (199.0, 300.0, True),
        (200.0, 300.0, False),
        (None, None, False),  # it has not begun
    ],
)
def test_a_round_is_told_if_it_ran_in_that_time(
    began: Optional[float], ended: Optional[float], told: bool
) -> None:
    found = happened(100.0, 200.0, Rounds(line(began, ended)))
    assert [event.id for event in found.events] == ([7] if told else [])
    assert found.configuration == "told"


def test_rounds_of_weeks_ago_are_told() -> None:
    found = happened(HOUR * 20, HOUR * 23, hourly(700))
    assert [event.id for event in found.events] == [22, 21, 20]


@pytest.mark.parametrize("more", [0, 22])
def test_rounds_that_are_left_out_are_counted(more: int) -> None:
    """A round every hour: three days have more than are told."""
    count = MOST_EVENTS + more
    found = happened(0.0, HOUR * (count + 1), hourly(count))
    assert [one.id for one in found.events] == list(range(count, more, -1))
    assert found.events_left_out == ({"round": more} if more else {})


# --- changes of the configuration ------------------------------------------------------------


def test_changes_of_the_balancer_are_those_of_rounds() -> None:
    log = ConfigLog(
        [
            ConfigChange(120.0, BALANCER_OPTION, None, "false"),
            ConfigChange(110.0, "osd/osd_max_backfills", "1", "8"),
        ]
    )
    (event,) = happened(100.0, 200.0, log=log).events
    assert (event.name, event.before, event.after) == ("osd/osd_max_backfills", "1", "8")


CUT_OFF = (
    "those before 1970-01-02 00:01 UTC, the oldest that is read of the monitors' log: "
    "'ceph config log 2000' prints more of it"
)


@pytest.mark.parametrize(("begins", "told"), [(None, "told"), (50.0, "told"), (86460.0, CUT_OFF)])
def test_a_log_of_changes_that_does_not_reach_back_is_not_all(begins: Any, told: str) -> None:
    """Each round writes entries, too: 200 are over within days."""
    log = ConfigLog([ConfigChange(90000.0, "osd/osd_max_backfills", "1", "8")], begins)
    found = happened(100.0, 1e5, log=log)
    assert [one.name for one in found.events] == ["osd/osd_max_backfills"]
    assert found.configuration == told


# --- restarts --------------------------------------------------------------------------------


def restarted(count: int) -> Happened:
    """An OSD goes down and restarts in each of so many spans of five minutes."""
    spans = [
        ClusterSpan(
            300 * n,
            300,
            6,
            (),
            restarted=((n % 6, 300 * n + 60),),
            went_down=((n % 6, 300 * n + 30),),
        )
        for n in range(count)
    ]
    return happened(0.0, 300.0 * count, spans=spans)


@pytest.mark.parametrize("count", [10, MOST_EVENTS, MOST_EVENTS + 10])
def test_the_newest_of_each_kind_are_told(count: int) -> None:
    found, most = restarted(count), min(count, MOST_EVENTS)
    assert [len(of_kind(kind, found)) for kind in ("restart", "down")] == [most, most]


def test_osds_of_a_span_that_are_not_kept_are_counted() -> None:
    """Also where all that are kept were outside of the time."""
    span = ClusterSpan(0, 300, 9, restarted=((1, 60), (2, 90)), more_restarted=7)
    (event,) = happened(0.0, 300.0, spans=[span]).events
    assert (event.osds, event.osds_left_out) == ([1, 2], 7)
    (event,) = happened(200.0, 300.0, spans=[span]).events
    assert (event.osds, event.osds_left_out) == ([], 7)
    assert event.at == "1970-01-01T00:03:20.000Z"


@pytest.mark.parametrize("more", [0, 10])
def test_a_report_says_that_restarts_are_left_out(
    more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = MOST_EVENTS + more
    whole = ClusterSpan(0, 300 * count, 6)
    answer = Trends(0.0, 300.0 * count, [whole], {}, restarted(count))
    monkeypatch.setattr(period, "trends", lambda *_arguments: answer)
    incomplete: list[str] = []
    period._latency(asking(), 300 * count, True, incomplete)
    said = [f"only the newest {MOST_EVENTS} changes of kind {kind}" for kind in ("down", "restart")]
    assert incomplete == (said if more else [])
