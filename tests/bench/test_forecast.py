"""What a dry run says of wear, of clients, and of the settings that are held."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nouns import BEGAN, STEP, a_plan, a_round, some_osds
from past import api_of
from perf_bench.bench.admission.wear import wear_by_class
from perf_bench.bench.compare.client_impact import client_impact, past_round
from perf_bench.errors import CommandFailed, StoreUnavailable
from perf_bench.model.admission import Rules, Situation, Space
from perf_bench.model.client_impact import ImpactState, NotedLatency
from perf_bench.model.request import Request
from perf_bench.model.round import RoundState, Verdict
from perf_bench.model.wear import Booking, WearLedger
from stage import Stage

GIB = 1 << 30
FELT = {"client_latency": {"before_ms": 4.0, "median_ms": 6.0, "highest_ms": 12.0}}
ROUND = Request("osd-throughput", repeats=1)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    made.bench.wake()
    yield made
    made.close()


def _now(**fields: Any) -> Situation:
    return Situation(at=BEGAN, **fields)


# --- wear -------------------------------------------------------------------------------------


def test_wear_is_told_by_class_for_the_osd_with_the_most() -> None:
    disk, *flash = some_osds(3)
    osds = [disk, *(replace(osd, device_class="ssd") for osd in flash)]
    now = _now(
        space={0: Space(1000 * GIB, 0), 1: Space(100 * GIB, 0)},
        wear=WearLedger((Booking("r", 1, BEGAN, 14 * GIB),)),
        endurance_used={1: 0.37},
    )
    hdd, ssd = wear_by_class(osds, {0: 5 * GIB, 1: 2 * GIB, 2: 3 * GIB}, now, Rules())
    assert (hdd.device_class, hdd.osds, hdd.full_write_percent) == ("hdd", 1, 0.5)
    assert hdd.rated_day_percent is None  # disks do not wear by writing
    assert (hdd.used_percent, hdd.used_unknown) == (None, 1)
    assert (ssd.osds, ssd.bytes_per_osd, ssd.device_bytes) == (2, 3 * GIB, 100 * GIB)
    assert (ssd.full_write_percent, ssd.sizes_unknown) == (2.0, 1)
    assert ssd.rated_day_percent == pytest.approx(2.0 / 0.3)
    assert (ssd.budget_bytes, ssd.budget_percent) == (64 * GIB, 25.0)  # 14 + 2 of 64
    assert (ssd.used_percent, ssd.used_unknown) == (37.0, 1)


def test_wear_that_is_not_known_is_none() -> None:
    (found,) = wear_by_class(some_osds(1), {0: GIB}, _now(), Rules(wear_bytes_per_day=0))
    assert (found.device_bytes, found.full_write_percent, found.sizes_unknown) == (None, None, 1)
    assert found.budget_percent is None
    nothing_left = _now(wear=WearLedger())
    (found,) = wear_by_class(some_osds(1), {0: GIB}, nothing_left, Rules(wear_bytes_per_day=0))
    assert found.budget_percent == 100.0


# --- clients ----------------------------------------------------------------------------------


def _past(**named: Any) -> Any:
    named = {"environment": FELT, "verdict": Verdict.VALID, **named}
    return past_round(a_round(state=RoundState.DONE, **named))


def test_clients_of_comparable_rounds_count_whatever_their_verdict() -> None:
    small = a_plan([[0]], step=replace(STEP, block_size=4096))
    past = [
        _past(id=4, verdict=Verdict.ABORTED),
        _past(id=3, plan=small),
        _past(id=2, environment={}),
        _past(id=1),
    ]
    found = client_impact(a_plan([[0]]), past)
    assert (found.state, [one.id for one in found.rounds]) == (ImpactState.KNOWN, [4, 1])
    assert found.rounds[0].at_once == 2
    assert client_impact(a_plan([[0]]), past[1:3]).state is ImpactState.NOT_MEASURED
    assert client_impact(a_plan([[0]]), past[1:2]).state is ImpactState.NO_ROUNDS


@pytest.mark.parametrize(
    "noted",
    [None, "fast", {}, {"before_ms": 1}, *({**FELT["client_latency"], "median_ms": bad}
     for bad in (None, "6", 0, -1, float("nan"), float("inf")))],
)  # fmt: skip
def test_a_note_that_is_not_usable_is_none(noted: Any) -> None:
    assert NotedLatency.of({"client_latency": noted}) is None


# --- the answer -------------------------------------------------------------------------------


def test_a_dry_run_has_all_that_a_start_would_do(stage: Stage) -> None:
    api = api_of(stage)
    assert api.rounds.plan(ROUND)["clients"] == {"state": "no-rounds", "rounds": []}
    stage.client_seconds = 0.004
    measure = stage.commands.measure

    def measured(*words: Any) -> Any:
        stage.client_seconds = 0.006
        stage.round_safety.tick()
        return measure(*words)

    stage.commands.measure = measured  # type: ignore[method-assign, assignment]
    stage.bench.start(ROUND)
    stage.ended()
    shape = api.rounds.plan(Request("osd-throughput", repeats=1, max_repeats=3))
    (felt,) = shape["clients"]["rounds"]
    assert shape["clients"]["state"] == "known"
    assert (felt["round"], felt["before_ms"], felt["median_ms"], felt["times"]) == (1, 4, 6, 1.5)
    assert {"what": "balancer", "was": None, "want": "off"} in shape["holds"]
    assert shape["held_seconds"] == 900 + 2 * shape["most_seconds"]
    assert shape["most_bytes"] == 3 * shape["bytes"]
    (wear,) = shape["wear"]
    assert (wear["class"], wear["osds"]) == ("hdd", 6)
    # the round before counts, too
    assert wear["budget_percent"] == pytest.approx(
        100 * (shape["bytes_per_osd"] + shape["most_bytes_per_osd"]) / wear["budget_bytes"]
    )


def test_what_cannot_be_read_is_said_not_to_be_known(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise CommandFailed(110, "the monitors do not answer")

    def away(*_: Any, **__: Any) -> Any:
        raise StoreUnavailable("the database is away")

    monkeypatch.setattr(stage.settings, "read", fail)
    monkeypatch.setattr(stage.store_thread, "call", away)
    shape = api_of(stage).rounds.plan(ROUND)
    assert (shape["holds"], shape["quiesce"]) == (None, [])
    assert shape["clients"] == {"state": "unread", "rounds": []}


def test_rounds_of_clients_do_not_tell_what_clients_will_feel(stage: Stage) -> None:
    shape = api_of(stage).rounds.plan(Request("rados-write", seconds=2))
    assert shape["clients"]["state"] == "own-clients"
    assert shape["wear"][0]["bytes_per_osd"] == shape["most_bytes_per_osd"]
