"""How long the largest cluster's pages take: the module's own handlers, as a mgr calls them."""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from typing import Any

from perf_bench import cli
from perf_bench.api import Api
from perf_bench.bench import Bench
from perf_bench.compare.summary import summarize
from perf_bench.conduct import World
from perf_bench.model.profile import profile_named
from perf_bench.model.request import Request
from perf_bench.model.round import OsdResult, Round, RoundState
from perf_bench.ports import RoundStore
from perf_bench.schedule.prepare import prepare
from perf_bench.store.desk import Desk
from perf_bench.store.memory import memory_store

from .figures import Figure, Target
from .simulate import (
    MAX_PARALLEL,
    REPEATS,
    NoProgress,
    SimulatedCluster,
    SystemClock,
    no_commands,
    waves_of_samples,
)

PROFILE = "osd-throughput"
CALLS = 30
_TARGET = Target(high=50.0)
_WAIT = 60.0
_BY_PEERS = "last_bench.percent_of_peers"
PAGES: Mapping[str, Mapping[str, Any]] = {
    "round show": {"prefix": "perf-bench round show", "id": "1"},
    "round show --limit 50": {"prefix": "perf-bench round show", "id": "1", "limit": 50},
    "osd ls": {"prefix": "perf-bench osd ls"},
    f"osd ls --sort {_BY_PEERS}": {"prefix": "perf-bench osd ls", "sort": _BY_PEERS},
}


def run() -> list[Figure]:
    """Every page in JSON and in plain, its slowest call against the target."""
    desk = Desk(memory_store())
    try:
        api = _api(desk)
        return [
            _page(api, f"{name}, {format_}", {**order, "format": format_})
            for name, order in PAGES.items()
            for format_ in ("json", "plain")
        ]
    finally:
        desk.close(_WAIT)


def _page(api: Api, name: str, order: Mapping[str, Any]) -> Figure:
    milliseconds = []
    size = 0
    gc.collect()  # what the page before has left is not this one's
    for _ in range(CALLS):
        began = time.perf_counter()
        code, out, err = cli.dispatch(api, order)
        milliseconds.append(1000 * (time.perf_counter() - began))
        if code:
            raise RuntimeError(f"{name}: {err}")
        size = len(out)
    note = f"slowest of {CALLS}; median {median(milliseconds):.1f} ms; {size / 1024:.0f} KiB"
    return Figure(name, max(milliseconds), "ms", _TARGET, note, {"milliseconds": milliseconds})


def _api(desk: Desk) -> Api:
    """The real handlers over a simulated cluster, with one ended round over all of it."""
    cluster, clock = SimulatedCluster(), SystemClock()
    world = World(cluster, no_commands, desk, NoProgress(), clock, logging.getLogger("bench"))
    bench = Bench(world, lambda: MAX_PARALLEL)
    desk.ask(lambda store: _add_round(store, cluster), _WAIT)
    bench.wake()
    return Api(bench, cluster, desk, clock, lambda: "20.2.4 tentacle")


def _add_round(store: RoundStore, cluster: SimulatedCluster) -> None:
    request = Request(PROFILE, repeats=REPEATS)
    prepared = prepare(request, cluster, MAX_PARALLEL, lambda _profile, _step: {})
    rows = [OsdResult.before(osd) for osd in prepared.targets]
    draft = Round(
        id=0,
        profile=PROFILE,
        kind="osd",
        state=RoundState.RUNNING,
        plan=prepared.plan,
        token="bench",  # noqa: S106 - no secret: it names a round before it has an ID
        started_at=1_790_000_000.0,
        environment=cluster.environment(),
    )
    round_ = store.add_round(draft, rows)
    samples = [sample for wave in waves_of_samples(prepared.plan) for sample in wave]
    store.add_samples(round_.id, samples)
    summary = summarize(prepared.plan, rows, samples, profile_named(PROFILE).max_cv_percent)
    ended = replace(
        round_,
        state=RoundState.DONE,
        ended_at=1_790_010_000.0,
        verdict=summary.verdict,
        reasons=summary.reasons,
        conclusions=summary.conclusions,
        summary=summary.figures,
    )
    store.end_round(ended, summary.results)
