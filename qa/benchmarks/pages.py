"""How long the largest cluster's pages take: the module's own handlers, as a mgr calls them.

And what a round of it costs to plan and to summarise.
"""

from __future__ import annotations

import gc
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from typing import Any

from cluster.waiting import wait_for
from perf_bench.bench.compare.summary import summarize
from perf_bench.bench.plan.osds import Last, prepare
from perf_bench.model.cluster import Cluster
from perf_bench.model.plan import Plan, Request, profile_named
from perf_bench.model.round import Round, RoundState
from perf_bench.store.sqlite import Store

from .crowd import Crowd, install, made_module, until_idle
from .figures import Figure, Target
from .simulate import MAX_PARALLEL, OSDS, REPEATS, unmeasured, waves_of_samples

PROFILE = "osd-throughput"
CALLS = 30
_TARGET = Target(high=50.0)
_CPU = Target(high=1.0)
# Filling the store takes half a minute, and longer on a busy machine.
_WAIT = 600.0
_BY_PEERS = "last_bench.percent_of_peers"
# So many rounds over the whole cluster are in the store, the last with all its samples.
ROUNDS = 50
PAGES: Mapping[str, Mapping[str, Any]] = {
    "round show": {"id": str(ROUNDS)},
    "round show --limit 50": {"id": str(ROUNDS), "limit": 50},
    "round show --limit 500": {"id": str(ROUNDS), "limit": 500},
    "osd ls": {},
    f"osd ls --sort {_BY_PEERS}": {"sort": _BY_PEERS},
}
# Told, not judged: no target was set for them.
MORE_PAGES: Mapping[str, Mapping[str, Any]] = {
    f"round ls, {ROUNDS} rounds": {},
    "osd show": {"id": "7777"},
    "doctor": {},
}


def run() -> list[Figure]:
    """Every page in JSON and in plain, its slowest call against the target."""
    crowd = Crowd(OSDS)
    install(crowd)
    module = made_module(crowd)
    threading.Thread(target=module.serve, daemon=True).start()
    services = module._application.services
    spent = services.store_thread.call(lambda store: _add_rounds(store, services.cluster), _WAIT)
    rounds = module._application.rounds
    rounds.reread()
    try:
        wait_for(lambda: rounds.bench.ready, _WAIT, lambda: "the rounds were not read")
        until_idle()
        note = f"CPU, {OSDS} OSDs x {REPEATS}"
        pages = [
            _page(module, name, {**order, "format": format_}, target)
            for pages, target in ((PAGES, _TARGET), (MORE_PAGES, None))
            for name, order in pages.items()
            for format_ in ("json", "plain")
        ]
        return [Figure("plan and summarise a round", spent, "s", _CPU, note), *pages]
    finally:
        module.shutdown()


def _page(module: Any, name: str, arguments: Mapping[str, Any], target: Target | None) -> Figure:
    words = re.split(",| -", name)[0]
    order = {"prefix": f"perf-bench {words}", **arguments}
    wall, cpu = [], []
    out = ""
    gc.collect()  # what the page before has left is not this one's
    for _ in range(CALLS):
        began, began_cpu = time.perf_counter(), time.process_time()
        code, out, err = module.handle_command("", order)
        cpu.append(1000 * (time.process_time() - began_cpu))
        wall.append(1000 * (time.perf_counter() - began))
        if code:
            raise RuntimeError(f"{name}: {err}")
    note = (
        f"slowest of {CALLS}; median {median(wall):.1f} ms, CPU {median(cpu):.1f} ms; "
        f"{len(out) / 1024:.0f} KiB"
    )
    name = f"{name}, {arguments['format']}"
    detail = {"milliseconds": wall, "cpu_milliseconds": cpu}
    return Figure(name, max(wall), "ms", target, note, detail)


def _add_rounds(store: Store, cluster: Cluster) -> float:
    """The CPU seconds that the plan of a round and its summary took."""
    request = Request(PROFILE, repeats=REPEATS)
    began = time.thread_time()
    prepared = prepare(request, cluster, MAX_PARALLEL, Last())
    planned = time.thread_time() - began
    rows = unmeasured(prepared.targets)
    samples = [sample for wave in waves_of_samples(prepared.plan) for sample in wave]
    began = time.thread_time()
    summary = summarize(prepared.plan, rows, samples, profile_named(PROFILE).max_cv_percent)
    spent = planned + time.thread_time() - began
    for number in range(1, ROUNDS + 1):
        round_ = store.add_round(_draft(number, prepared.plan, cluster), prepared.targets)
        if number == ROUNDS:
            store.add_samples(round_.id, samples)
        ended = replace(
            round_,
            state=RoundState.DONE,
            ended_at=round_.created_at + 10_000,
            verdict=summary.verdict,
            reasons=summary.reasons,
            conclusions=summary.conclusions,
            summary=summary.figures,
        )
        store.end_round(ended, summary.results)
    return spent


def _draft(number: int, plan: Plan, cluster: Cluster) -> Round:
    """A round a day."""
    created_at = 1_790_000_000.0 + 86_400 * number
    return Round(
        id=0,
        profile=PROFILE,
        kind="osd",
        state=RoundState.RUNNING,
        plan=plan,
        token=str(number),
        created_at=created_at,
        started_at=created_at,
        environment=cluster.environment(),
    )
