"""How long the largest cluster's pages take: the module's own handlers, as a mgr calls them."""

from __future__ import annotations

import gc
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from typing import Any

from fakes.database import memory_store
from perf_bench.answers import command as cli
from perf_bench.answers.api import Api, ApiDeps
from perf_bench.bench.compare.summary import summarize
from perf_bench.bench.context import Leftovers, LoadServices, RoundContext
from perf_bench.bench.held import Access
from perf_bench.bench.plan.osds import Last, prepare
from perf_bench.bench.safety import RoundSafety, SafetyDeps
from perf_bench.bench.scheduler_service import RoundScheduler
from perf_bench.bench.service import Bench
from perf_bench.core.failing_parts import FailingParts
from perf_bench.doctor.mclock_tuning import MclockTuning
from perf_bench.doctor.relief import OsdRelief
from perf_bench.doctor.service import Doctor
from perf_bench.hardware.enclosures import EnclosureInventory
from perf_bench.hardware.host_facts import HostFactsRegistry
from perf_bench.model.options import SafetyOptions
from perf_bench.model.plan import Plan, Request, profile_named
from perf_bench.model.round import Round, RoundState
from perf_bench.store.care import Care
from perf_bench.store.sqlite import Store, StoreThread
from perf_bench.watch.osd_breakdown import OsdBreakdowns

from .figures import Figure, Target
from .simulate import (
    MAX_PARALLEL,
    REPEATS,
    NobodyDown,
    NoClients,
    NoProgress,
    Nothing,
    SimulatedCluster,
    SimulatedPatients,
    SystemClock,
    idle_crc,
    idle_watch,
    no_commands,
    running_loop,
    unmeasured,
    waves_of_samples,
)

PROFILE = "osd-throughput"
CALLS = 30
_TARGET = Target(high=50.0)
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
    store_thread = StoreThread(memory_store())
    try:
        api = _api(store_thread)
        return [
            _page(api, name, {**order, "format": format_}, target)
            for pages, target in ((PAGES, _TARGET), (MORE_PAGES, None))
            for name, order in pages.items()
            for format_ in ("json", "plain")
        ]
    finally:
        store_thread.close(_WAIT)


def _page(api: Api, name: str, arguments: Mapping[str, Any], target: Target | None) -> Figure:
    words = re.split(",| -", name)[0]
    order = {"prefix": f"perf-bench {words}", **arguments}
    wall, cpu = [], []
    out = ""
    gc.collect()  # what the page before has left is not this one's
    for _ in range(CALLS):
        began, began_cpu = time.perf_counter(), time.process_time()
        code, out, err = cli.dispatch(api, order)
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


def _api(store_thread: StoreThread) -> Api:
    """The real handlers over a simulated cluster, with ended rounds over all of it."""
    cluster, clock = SimulatedCluster(), SystemClock()
    log = logging.getLogger("bench")
    failing = FailingParts(clock.monotonic, log)
    nothing = Nothing()
    unused: Any = nothing  # no round of these changes a setting
    access = Access(unused, unused, unused, clock, log)
    loop, workers = running_loop(log)
    deps = SafetyDeps(nothing, access, lambda: None, loop)
    round_safety = RoundSafety(deps, SafetyOptions)
    leftovers = Leftovers(NoClients(), NoClients(), workers, log)
    loads = LoadServices(NoClients(), NoClients(), leftovers)
    world = RoundContext(
        cluster,
        no_commands,
        loop,
        workers,
        store_thread,
        NoProgress(),
        clock,
        log,
        round_safety,
        loads,
    )
    bench = Bench(world, lambda: MAX_PARALLEL)
    store_thread.call(lambda store: _add_rounds(store, cluster), _WAIT)
    loop.ask(bench.step)
    watch = idle_watch(store_thread, clock)
    round_scheduler = RoundScheduler(bench, loop, store_thread, nothing, clock, log)
    hosts = HostFactsRegistry(store_thread, clock, log)
    inventory = EnclosureInventory(hosts, cluster, NobodyDown(), clock)
    doctor = Doctor(SimulatedPatients(), bench, hosts, clock, lambda: None, lambda *_: ())
    return Api(
        ApiDeps(
            round_scheduler=round_scheduler,
            watch=watch,
            hosts=hosts,
            doctor=doctor,
            inventory=inventory,
            crc=idle_crc(hosts, inventory, clock),
            breakdowns=OsdBreakdowns(loop, unused, unused, unused, clock, failing),
            mclock_tuning=MclockTuning(doctor, loop, access),
            relief=OsdRelief(loop, access),
            options=unused,
            cluster=cluster,
            store_thread=store_thread,
            care=Care(store_thread, lambda: False, lambda: None, clock, failing),
            clock=clock,
            release=lambda: "20.2.4 tentacle",
            fsid=lambda: "00000000-0000-0000-0000-000000000000",
        )
    )


def _add_rounds(store: Store, cluster: SimulatedCluster) -> None:
    request = Request(PROFILE, repeats=REPEATS)
    prepared = prepare(request, cluster, MAX_PARALLEL, Last())
    rows = unmeasured(prepared.targets)
    samples = [sample for wave in waves_of_samples(prepared.plan) for sample in wave]
    summary = summarize(prepared.plan, rows, samples, profile_named(PROFILE).max_cv_percent)
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


def _draft(number: int, plan: Plan, cluster: SimulatedCluster) -> Round:
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
