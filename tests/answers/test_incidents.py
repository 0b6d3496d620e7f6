"""A finding in full, and the cluster over time, on a watch that runs on fakes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import threads
from asked import asking, json_of
from fakes.clock import FakeClock
from fakes.counters import ALL, Pulse
from fakes.database import Faults, file_store
from fakes.members import member
from fakes.store_thread import ImpatientStoreThread
from latencies import cluster_rows
from lookout import Lookout, hosts
from perf_bench.answers import cluster
from perf_bench.answers.findings import named
from perf_bench.errors import CommandFailed, InvalidValue, NotFound, StoreUnavailable
from perf_bench.model.finding import ConfigChange, ConfigLog
from perf_bench.model.history import DAY, FIVE_MINUTES, HOUR, ClusterSpan, WatchBatch, merged
from perf_bench.model.json_fields import iso

MINUTE = 60.0
SLOW = 7


class World:
    """A cluster of 6 hosts with 4 OSDs each; osd.7 is slow since ``slowed``."""

    def __init__(self, path: Path) -> None:
        self.faults = Faults()
        self.store_thread = ImpatientStoreThread(
            file_store(path, self.faults), patience=threads.PATIENCE
        )
        self.lookout = Lookout(self.store_thread, FakeClock(), hosts(6, 4))
        self.clock = self.lookout.clock
        self.config: list[ConfigChange] = []
        self.config_away = False
        watch = self.lookout.watch
        self.api = asking(
            watch=watch,
            clock=self.clock,
            store=self.store_thread,
            config_log=self._config_log,
        )
        self.lookout.passes(30 * MINUTE)
        self.slowed = self.clock.now()
        self.config.append(ConfigChange(self.slowed - 60, "osd/osd_max_backfills", "1", "8"))
        self.lookout.slow_down(SLOW, 5.0)
        self.lookout.passes(20 * MINUTE)
        found = watch.findings()
        self.finding = found[0].id

    def _config_log(self) -> ConfigLog:
        if self.config_away:
            raise CommandFailed(110, "config log: no quorum")
        return ConfigLog(self.config)

    def close(self) -> None:
        self.faults.unblock()
        self.store_thread.close(threads.PATIENCE)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "main.db")
    yield made
    made.close()


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One for all tests that only look."""
    made = World(tmp_path_factory.mktemp("seen") / "main.db")
    yield made
    made.close()


def test_the_osds_that_open_findings_are_about(seen: World) -> None:
    assert named(seen.api) == {SLOW}


def test_an_incident_has_the_osd_against_the_band_of_its_peers(seen: World) -> None:
    shown = json_of(seen.api, "finding incident", id=seen.finding, since="1h")
    json.dumps(shown)
    series = shown["series"]
    assert (shown["osds"], series["osds"], series["peers"]) == ([SLOW], [SLOW], 23)
    began = seen.slowed
    before = [row for row in series["rows"] if row[0] + row[1] <= began]
    after = [row for row in series["rows"] if row[0] > began + 60]
    assert len(before) > 20
    assert len(after) > 15
    for _at, seconds, own, low, middle, high in before:
        assert seconds == 60
        assert low <= middle <= high
        assert 0.7 * middle < own < 1.4 * middle
    # The band is of the others: it does not rise with the slow one.
    for _at, _seconds, own, low, middle, high in after:
        assert own > 3 * high
        assert high < 1.5 * middle
        assert low > 0.6 * middle
    assert abs(seen.slowed - _unix(shown["began"])) < 300


def _unix(text: str) -> float:
    from datetime import datetime  # noqa: PLC0415

    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def test_what_changed_then(seen: World) -> None:
    shown = json_of(seen.api, "finding incident", id=seen.finding)
    by_kind = {event["kind"]: event for event in shown["events"]}
    change = by_kind["config"]
    assert (change["name"], change["before"], change["after"]) == (
        "osd/osd_max_backfills", "1", "8",
    )  # fmt: skip
    assert change["at"] == iso(seen.slowed - 60)
    assert by_kind["finding"]["id"] == seen.finding
    assert shown["configuration"] == "told"


def test_the_configuration_is_hidden_or_away(world: World) -> None:
    hidden = json_of(world.api, "finding incident", id=world.finding, config=False)
    assert hidden["configuration"] == "hidden"
    assert not [event for event in hidden["events"] if event["kind"] == "config"]
    world.config_away = True
    shown = json_of(world.api, "finding incident", id=world.finding, since="2h")
    assert shown["configuration"] == "config log: no quorum"


def test_questions_that_are_refused(world: World) -> None:
    with pytest.raises(NotFound):
        json_of(world.api, "finding incident", id=999)
    for wrong in ("31d", "x"):
        with pytest.raises(InvalidValue):
            json_of(world.api, "finding incident", id=world.finding, since=wrong)
    with pytest.raises(InvalidValue):
        json_of(world.api, "cluster latency", since="31d")
    with pytest.raises(InvalidValue):
        json_of(world.api, "cluster latency", since="1h", channel="nix")
    world.faults.failing = -1
    with pytest.raises(StoreUnavailable):
        json_of(world.api, "cluster latency", since="1d")


# --- the cluster -----------------------------------------------------------------------------


def test_latencies_of_the_cluster_and_the_work_of_clients(seen: World) -> None:
    shown = json_of(seen.api, "cluster latency", since="1h")
    json.dumps(shown)
    (group,) = shown["groups"]
    assert group["group"] == ""
    last = group["rows"][-1]
    _at, osds, middle, high, highest = last
    assert osds == 24
    assert highest > 3 * middle  # the slow OSD is the 99th percentile of 24
    assert high < 1.6 * middle
    place = shown["columns"].index("read_ops")
    assert {row[place] for row in shown["work"]} == {100.0}
    assert "config" in {event["kind"] for event in shown["events"]}
    day = json_of(seen.api, "cluster latency", since="1d", channel="read")
    assert {row[1] for row in day["work"]} <= {60, 300}
    starts = [row[0] for row in day["work"]]
    assert starts == sorted(set(starts))


def test_the_strip_shows_who_was_slow_and_when(seen: World) -> None:
    shown = json_of(seen.api, "cluster strip")
    assert (shown["columns"], shown["left_out"]) == (96, 0)
    assert 3 <= shown["columns_known"] <= 5
    (row,) = shown["rows"]
    assert (row["osd"], row["host"], len(row["cells"])) == (SLOW, "host-1", 96)
    # Before the watch began there is no data, and it does not look calm.
    assert row["cells"].startswith("-" * 90)
    assert row["cells"].rstrip("-")[-1] in "23"
    assert "0" in row["cells"]


def test_osds_that_the_strip_has_no_row_for_are_counted(
    seen: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_MOST_ROWS", 0)
    seen.clock.advance(60)  # the answer is kept for a minute
    shown = json_of(seen.api, "cluster strip")
    seen.clock.advance(60)
    assert (shown["rows"], shown["left_out"]) == ([], 1)


@pytest.mark.parametrize("failover", [False, True])
def test_before_an_osd_was_there_the_strip_has_no_data_of_it(world: World, failover: bool) -> None:
    new = 24
    world.lookout.members.set([*hosts(6, 4), member(new, "host-5")])
    world.lookout.pulses[new] = Pulse(new, ALL)
    world.lookout.passes(60 * MINUTE)
    if failover:
        world.lookout.leave()
        world.lookout.watch = world.api.watch = world.lookout.another()
        world.lookout.passes(30 * MINUTE)
    world.lookout.slow_down(new, 5.0)
    world.lookout.passes(30 * MINUTE)
    cells = {row["osd"]: row["cells"] for row in json_of(world.api, "cluster strip")["rows"]}
    old, young = (cells[osd].strip("-") for osd in (SLOW, new))
    assert len(old) - len(young) >= 3  # columns of 15 minutes: 50 minutes without it
    assert re.fullmatch("0{3,}[123]+", young)


def test_what_outlives_a_mgr(world: World) -> None:
    world.lookout.leave()
    watch = world.lookout.another()
    later = asking(watch=watch, store=world.store_thread, clock=world.clock)
    rows = json_of(later, "cluster latency", since="1h")["groups"][0]["rows"]
    assert len(rows) >= 8  # five minutes instead of minutes
    assert json_of(later, "cluster strip")["rows"] == []  # nobody is watched yet


@pytest.mark.parametrize("since", ["1h", "6h"])
def test_an_osd_that_restarted_just_now_is_told(since: str, world: World) -> None:
    world.lookout.pulses[3].restart()
    world.lookout.passes(10 * MINUTE)
    events = json_of(world.api, "cluster latency", since=since)["events"]
    assert [one["osds"] for one in events if one["kind"] == "restart"] == [[3]]


def test_restarts_around_a_finding_of_last_week_are_told(world: World) -> None:
    """Spans of five minutes are kept for two days, hours for a month."""
    began = _unix(json_of(world.api, "finding incident", id=world.finding)["began"])
    start = int(began) // FIVE_MINUTES * FIVE_MINUTES - HOUR
    hour = start // HOUR * HOUR
    five = ClusterSpan(
        start, FIVE_MINUTES, 24, restarted=((3, start + 70),), went_down=((3, start + 40),)
    )
    restarted = merged(hour, HOUR, [five])
    write = WatchBatch(at=world.clock.now(), spans=cluster_rows([restarted]))
    world.store_thread.call(lambda store: store.watch.write(write))
    watched = json_of(world.api, "finding incident", id=world.finding)["known_seconds"]
    world.clock.advance(5 * DAY)
    settle = WatchBatch(at=world.clock.now(), settled=int(world.clock.now()))
    for _ in range(2):
        world.store_thread.call(lambda store: store.watch.write(settle))
    world.api.watch = world.lookout.another()  # which has no minutes in its memory
    assert not world.store_thread.call(
        lambda store: store.watch.cluster_spans(FIVE_MINUTES, start, start + HOUR)
    )

    shown = json_of(world.api, "finding incident", id=world.finding)
    others = [(one["kind"], one["osds"]) for one in shown["events"] if one["kind"] != "finding"]
    assert others == [("config", []), ("restart", [3]), ("down", [3])]
    # Of an hour only so much is known as it was watched.
    assert 30 * MINUTE < shown["known_seconds"] < watched + 2 * FIVE_MINUTES


def test_five_minutes_that_are_kept_are_not_left_for_hours(world: World) -> None:
    """An hour counts whole, also where the watch began within it."""
    before = json_of(world.api, "finding incident", id=world.finding)
    world.clock.advance(DAY)
    after = json_of(world.api, "finding incident", id=world.finding)
    assert DAY < world.clock.now() - _unix(after["changes_from"]) < 2 * DAY
    assert after["changes_to"] == before["changes_to"]
    assert after["known_seconds"] <= before["known_seconds"] + FIVE_MINUTES


def test_an_incident_says_how_much_of_its_time_was_watched(world: World) -> None:
    shown = json_of(world.api, "finding incident", id=world.finding)
    asked = _unix(shown["changes_to"]) - _unix(shown["changes_from"])
    assert 30 * MINUTE < shown["known_seconds"] < asked  # the watch began half an hour before
