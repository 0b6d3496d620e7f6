"""What planning and summarising the largest round costs: CPU and memory.

Each is measured in a process of its own, so that no earlier garbage counts.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from fakes.database import memory_store
from perf_bench.bench.compare.summary import Summary, summarize
from perf_bench.bench.plan.osds import Draft, Last, prepare
from perf_bench.model.plan import Request, Sample, profile_named
from perf_bench.model.round import OsdResult, Round, RoundState, Verdict
from perf_bench.store.sqlite import Store

from .figures import Figure, Target
from .simulate import MAX_PARALLEL, OSDS, REPEATS, SimulatedCluster, unmeasured, waves_of_samples

T = TypeVar("T")
PROFILE = "osd-throughput"
_TIMES = 5
_CPU = Target(high=1.0)
_MEMORY = Target(high=100.0)
_MIB = 2**20


def run() -> list[Figure]:
    """Measure in fresh processes: the CPU several times, the memory once (it does not vary)."""
    passes = [_child("cpu") for _ in range(_TIMES)]
    memory = _child("memory")
    return [
        *[_cpu(name, [p[name] for p in passes]) for name in ("plan", "summarise")],
        _cpu("plan + summarise", [p["plan"] + p["summarise"] for p in passes], _CPU),
        Figure(
            "plan + summarise, peak memory",
            memory["peak_mib"],
            "MiB",
            _MEMORY,
            f"with the {memory['samples']} samples it is made from",
        ),
        _cpu("store: new round", [p["add_round"] for p in passes]),
        _cpu("store: all samples", [p["add_samples"] for p in passes]),
        _cpu("store: read all back", [p["read"] for p in passes]),
        _cpu("store: end round", [p["end_round"] for p in passes]),
        Figure(
            "read + summarise + end, peak memory",
            memory["peak_with_store_mib"],
            "MiB",
            note="as at a round's end; the database itself is not in it",
        ),
        Figure(
            "whole process, peak resident",
            passes[0]["peak_rss_mib"],
            "MiB",
            note=f"{passes[0]['import_rss_mib']:.0f} MiB after import; the database in it",
        ),
    ]


def _cpu(name: str, seconds: list[float], target: Target | None = None) -> Figure:
    value = median(seconds)
    note = f"CPU, {OSDS} OSDs x {REPEATS}; {min(seconds):.3f} .. {max(seconds):.3f}"
    return Figure(name, value, "s", target, note, {"seconds": seconds})


def _child(what: str) -> dict[str, Any]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.planning", what],
        env=env,
        # Not from the repository: there `mgr_module` would be our folder.
        cwd=Path(__file__).parents[1],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _plan() -> Draft:
    """From what an operator types to waves; the last round's times are known, as usual."""
    cluster = SimulatedCluster()
    known = dict.fromkeys(range(OSDS), 6.5)
    request = Request(PROFILE, repeats=REPEATS)
    return prepare(request, cluster, MAX_PARALLEL, Last(lambda _profile, _step: known))


def _draft(prepared: Draft) -> Round:
    return Round(0, PROFILE, "osd", RoundState.RUNNING, prepared.plan, "t", started_at=1.0)


def _summarise(prepared: Draft, rows: list[OsdResult], samples: list[Sample]) -> Summary:
    most = profile_named(PROFILE).max_cv_percent
    summary = summarize(prepared.plan, rows, samples, most)
    if summary.verdict != Verdict.VALID:
        raise RuntimeError(f"the simulated round is {summary.verdict.value}: {summary.reasons}")
    return summary


def _ended(round_: Round, summary: Summary) -> Round:
    return Round(
        round_.id,
        PROFILE,
        "osd",
        RoundState.DONE,
        round_.plan,
        "t",
        started_at=1.0,
        ended_at=2.0,
        verdict=summary.verdict,
        reasons=summary.reasons,
        conclusions=summary.conclusions,
        summary=summary.figures,
    )


def _filled(prepared: Draft) -> tuple[Store, Round, dict[str, float]]:
    """A store with the round's samples, written wave by wave, and what that cost."""
    store, spent = memory_store(), {}
    store.schema_version()  # opens it
    spent["add_round"], round_ = _spent(lambda: store.add_round(_draft(prepared), prepared.targets))
    waves = list(waves_of_samples(prepared.plan))

    def write() -> None:
        for wave in waves:
            store.add_samples(round_.id, wave)

    spent["add_samples"], _ = _spent(write)
    return store, round_, spent


def _measure_cpu() -> dict[str, Any]:
    before = _peak_rss_mib()
    seconds, prepared = _spent(_plan)
    store, round_, spent = _filled(prepared)
    spent["plan"] = seconds
    spent["read"], (rows, samples) = _spent(
        lambda: (store.results(round_.id)[0], store.samples(round_.id))
    )
    spent["summarise"], summary = _spent(lambda: _summarise(prepared, rows, samples))
    spent["end_round"], _ = _spent(
        lambda: store.end_round(_ended(round_, summary), summary.results)
    )
    return {**spent, "import_rss_mib": before, "peak_rss_mib": _peak_rss_mib()}


def _measure_memory() -> dict[str, Any]:
    """Peaks of what Python holds: once without a store, once as at the end of a round."""
    tracemalloc.start()
    prepared = _plan()
    samples = [sample for wave in waves_of_samples(prepared.plan) for sample in wave]
    rows = unmeasured(prepared.targets)
    summary = _summarise(prepared, rows, samples)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    count = len(samples)
    del samples, rows, summary
    store, round_, _ = _filled(prepared)
    gc.collect()
    tracemalloc.start()
    rows, samples = store.results(round_.id)[0], store.samples(round_.id)
    summary = _summarise(prepared, rows, samples)
    store.end_round(_ended(round_, summary), summary.results)
    with_store = tracemalloc.get_traced_memory()[1]
    return {"peak_mib": peak / _MIB, "peak_with_store_mib": with_store / _MIB, "samples": count}


def _spent(work: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds of this process, with its answer."""
    began = time.process_time()
    answer = work()
    return time.process_time() - began, answer


def _peak_rss_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(json.dumps({"cpu": _measure_cpu, "memory": _measure_memory}[sys.argv[1]]()))
