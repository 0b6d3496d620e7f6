"""Rounds of clients from `round start` to what is shown and exported, on fakes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Callable

import pytest

import golden
from asked import ask, asking, json_of
from fakes.loads import Run, steady
from perf_bench.answers import comparing as comparison
from perf_bench.answers import export, plans
from perf_bench.answers.api import Api
from perf_bench.answers.rounds import Round, round_text
from perf_bench.answers.shape import to_json
from perf_bench.bench.comparisons import Comparisons
from perf_bench.model.plan import Request
from perf_bench.model.rados import ClientRun, LoadOrder
from perf_bench.model.round import Comparison, RoundState, Verdict
from stage import Stage

WRITE = Request("rados-write", clients=2, threads=8, seconds=4, repeats=2)


@pytest.fixture
def stage(path: Path) -> Iterator[Stage]:
    made = Stage(path)
    made.wake()
    made.sweep()
    yield made
    made.close()


def api(stage: Stage) -> Api:
    return asking(
        bench=stage.bench,
        store_thread=stage.store_thread,
        cluster=stage.cluster,
        clock=stage.clock,
    )


def comparisons(stage: Stage) -> Comparisons:
    return Comparisons(stage.store_thread, stage.clock, stage.bench.regressions)


def compared(stage: Stage) -> Comparison:
    return comparisons(stage).rounds(1, 2)


def shown(stage: Stage, number: int = 1) -> Round:
    found: Round = ask(api(stage), "round show", id=number)[0]
    return found


def test_a_round_is_run_judged_and_kept(stage: Stage) -> None:
    stage.bench.start(WRITE)
    stage.ended()
    round_ = stage.round()
    assert (round_.kind, round_.state, round_.verdict) == ("rados", RoundState.DONE, Verdict.VALID)
    assert round_.reasons == ("CV 0.0 % over 2 repeats",)
    assert round_.summary["median_iops"] == 200
    assert round_.environment["pool"]["compression"] == "none"  # of the pool that it has made
    assert round_.environment["messenger"] == {"ms_client_mode": "crc secure"}
    assert stage.loader.objects == {}
    assert stage.traces.kept == {}
    assert stage.opened == 0  # nothing was asked of an OSD


def test_what_is_shown_and_exported(stage: Stage) -> None:
    stage.bench.start(WRITE)
    stage.ended()
    whole = shown(stage)
    shape = to_json(whole)
    assert shape["load"]["threads"] == 8
    assert shape["per_osd"] == []
    assert [(one["target"], one["repeat"]) for one in shape["samples"]] == [
        ("pool.perf_bench", 1),
        ("pool.perf_bench", 2),
    ]
    first = shape["samples"][0]
    assert first["bytes_per_second"] == shape["summary"]["median_bytes_per_second"]
    assert first["bytes"] == round(first["bytes_per_second"] * first["seconds"])
    assert (first["latency_ms"], first["valid"], first["why"]) == (10.0, True, None)
    assert [(c["repeat"], c["client"]) for c in shape["clients"]] == [
        *[(1, 0), (1, 1)],
        *[(2, 0), (2, 1)],
    ]
    assert shape["clients"][0]["series"][-1] == [4, 400, 0.01]
    json.dumps(shape)
    golden.compare("round-show-load.txt", round_text(whole) + "\n")
    golden.compare("round-load.om", export.written(whole, "openmetrics"))
    rows = list(csv.DictReader(io.StringIO(export.written(whole, "csv"))))
    assert [row["repeat"] for row in rows] == ["1", "2"]
    assert {float(row["latency_ms"]) for row in rows} == {10.0}


def test_a_dry_run_says_what_it_would_do(stage: Stage) -> None:
    shape = ask(api(stage), "round start", dry_run=True, **vars(WRITE))
    assert stage.pools.ensured == []
    golden.compare("round-start-load.txt", plans.plan_text(shape) + "\n")


def varying(*rates: float) -> list[Run]:
    """Runs of so many operations a second and client, one after the other."""
    return [steady(rate, 8 / rate) for rate in rates]


def test_two_rounds_of_clients_are_compared_by_their_repeats(stage: Stage) -> None:
    stage.loader.runs = varying(100, 101, 99, 100, 80, 81, 79, 80)
    for _ in range(2):
        stage.bench.start(replace(WRITE, repeats=4))
        stage.ended()
    found = compared(stage)
    shape = to_json(found)
    assert shape["verdict"] == "worse", shape["why"]
    assert shape["change_percent"] == pytest.approx(-20, abs=1)
    assert (shape["osds"], shape["per_osd"]) == (0, [])
    assert shape["latency"]["verdict"] == "worse"  # by Little's law
    assert shape["latency"]["change_percent"] == pytest.approx(25, abs=1)
    low, high = shape["latency"]["interval_percent"]
    assert low < 25 < high
    golden.compare("round-compare-load.txt", comparison.comparison_text(found) + "\n")


def test_the_clients_of_a_round_are_not_its_victims(stage: Stage) -> None:
    """The guard looks at how long clients take, and most of them are the round's own."""
    stage.client_seconds = 0.001

    def slow(order: LoadOrder, ended: Callable[[], bool]) -> Sequence[ClientRun]:
        stage.client_seconds = 1.0
        stage.guard()
        assert not ended()
        return steady()(order, ended)

    stage.loader.runs = [slow]
    stage.bench.start(WRITE)
    stage.ended()
    assert stage.round().verdict is Verdict.VALID


SEARCH = Request("rados-saturate", clients=4, threads=16, seconds=4)


def saturating(order: LoadOrder, ended: Callable[[], bool]) -> Sequence[ClientRun]:
    """200 operations a second with four in flight, a little more with more of them."""
    in_flight = order.clients * order.threads
    rate = 50.0 * min(in_flight, 4) + min(in_flight, 16) / 4
    return steady(rate / order.clients, in_flight / rate)(order, ended)


def test_a_search_finds_the_knee_and_the_load_to_run_at(stage: Stage) -> None:
    stage.loader.runs = [saturating]
    stage.bench.start(SEARCH)
    stage.ended()
    whole = shown(stage)
    shape = to_json(whole)
    assert (shape["state"], shape["verdict"]) == ("done", "valid"), shape["reasons"]
    found = shape["saturation"]
    assert [run["repeat"] for run in found["runs"]] == list(range(1, len(found["runs"]) + 1))
    assert len(found["runs"]) <= found["most_runs"] == 7
    assert found["peak"]["in_flight"] >= 16
    assert (found["knee"]["clients"], found["knee"]["threads"]) == (1, 4)
    assert found["recommended"] in found["curve"]
    assert found["confirmed"]
    assert {client["repeat"] for client in shape["clients"]} == {
        run["repeat"] for run in found["runs"]
    }
    assert shape["summary"]["threads"] == found["peak"]["threads"]
    json.dumps(shape)
    golden.compare("round-show-saturate.txt", round_text(whole) + "\n")
    golden.compare("round-saturate.cbt.json", export.written(whole, "cbt"))
    # the table needs no client's seconds, and the curve is there all the same
    brief = json_of(api(stage), "round show", id=1, samples=False)[0]
    assert brief["clients"] == []
    assert brief["saturation"] == found


def test_the_dry_run_of_a_search(stage: Stage) -> None:
    shape = ask(api(stage), "round start", dry_run=True, **vars(SEARCH))
    golden.compare("round-start-saturate.txt", plans.plan_text(shape) + "\n")
