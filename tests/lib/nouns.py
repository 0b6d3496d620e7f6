"""Nouns for tests: each with figures of a plausible cluster, where a test names none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from perf_bench.bench.stored_rounds import StoredRound
from perf_bench.model.osd import Osd
from perf_bench.model.plan import KIB, MIB, Phase, Plan, Reason, Sample, Step, writes
from perf_bench.model.round import OsdResult, Round, RoundState, Verdict
from perf_bench.store.sqlite import Store

STEP = writes(4 * MIB, 1024 * MIB)
SMALL_STEP = writes(4 * KIB, 12_288_000)
BEGAN = 1_700_000_000.0


def an_osd(number: int, host: str = "host-0", **named: Any) -> Osd:
    """An up OSD of class hdd under its host in rack-0."""
    location = {"host": host, "rack": "rack-0", "root": "default"}
    return Osd(number, host, **{"device_class": "hdd", "location": location, **named})


def some_osds(count: int, hosts: int = 3) -> list[Osd]:
    """OSDs that go round the hosts."""
    return [an_osd(number, f"host-{number % hosts}") for number in range(count)]


def a_plan(
    waves: Sequence[Sequence[int]], repeats: int = 3, step: Step = STEP, profile: str = ""
) -> Plan:
    return Plan(
        profile or "osd-throughput",
        (Phase(step, tuple(tuple(wave) for wave in waves)),),
        repeats,
        seconds=10.0 * repeats * len(waves),
        basis="osd_bench limits",
    )


def a_sample(
    osd: int,
    repeat: int = 1,
    rate: float = 100.0 * MIB,
    seconds: float = 10.0,
    step: Step = STEP,
    **named: Any,
) -> Sample:
    """A valid sample."""
    values: dict[str, Any] = {
        "phase": step.operation,
        "wave": 1,
        "started_at": BEGAN + repeat,
        "call_seconds": seconds + 0.25,
        "block_size": step.block_size,
        "bytes_written": step.total_bytes,
        "seconds": seconds,
        "bytes_per_second": rate,
        "iops": rate / step.block_size,
    }
    return Sample(osd=osd, repeat=repeat, **{**values, **named})


def no_sample(
    osd: int,
    repeat: int = 1,
    why: str = "is down",
    step: Step = STEP,
    reason: Optional[Reason] = None,
) -> Sample:
    """A sample that was not measured."""
    return Sample(
        osd=osd,
        phase=step.operation,
        repeat=repeat,
        wave=1,
        started_at=BEGAN + repeat,
        call_seconds=0.0,
        block_size=step.block_size,
        valid=False,
        why=f"osd.{osd} {why}",
        reason=reason,
    )


def a_round(
    plan: Optional[Plan] = None,
    state: RoundState = RoundState.QUEUED,
    key: str = "",
    summary: Optional[Mapping[str, Any]] = None,
    **named: Any,
) -> Round:
    """A round that is not stored yet; an ended one has times and a verdict. ``key``: its token."""
    plan = plan or a_plan([[0, 1], [2]])
    values: dict[str, Any] = {
        "id": 0,
        "profile": plan.profile,
        "kind": "osd",
        "created_at": BEGAN,
        "summary": dict(summary or {}),
        "token": f"token-{key}" if key else f"token-{plan.profile}-{state.value}",
    }
    if state != RoundState.QUEUED:
        values["started_at"] = BEGAN + 1
    if state.ended:
        values.update(ended_at=BEGAN + 61, verdict=Verdict.VALID)
    return Round(plan=plan, state=state, **{**values, **named})


def put_round(store: Store, draft: Round, rows: Sequence[OsdResult]) -> Round:
    """Store a round with these results, as its start and, if there are figures, its end do."""
    osds = [Osd(row.osd, row.host, row.device_class, model=row.model) for row in rows]
    round_ = store.add_round(draft, osds)
    if any(row != OsdResult(row.osd, row.host, row.device_class, row.model) for row in rows):
        store.end_round(round_, rows)
    return round_


def a_result(osd: int, rate: Optional[float] = 100.0 * MIB, **named: Any) -> OsdResult:
    """An OSD's row of an ended round; without a rate, one that was not measured."""
    if rate is None:
        return OsdResult(osd, f"host-{osd % 3}", **{"device_class": "hdd", **named})
    values: dict[str, Any] = {
        "device_class": "hdd",
        "samples": 3,
        "seconds": 30.0,
        "median_call_seconds": 10.25,
        "median_bytes_per_second": rate,
        "median_iops": rate / STEP.block_size,
        "cv_percent": 1.5,
        "robust_z": 0.0,
        "percent_of_peers": 100.0,
    }
    return OsdResult(osd, f"host-{osd % 3}", **{**values, **named})


def a_stored(
    round_: Round,
    results: Sequence[OsdResult] = (),
    samples: Sequence[Sample] = (),
    osds: Optional[int] = None,
) -> StoredRound:
    """A round as it is read: with these OSDs of so many, and without parts and clients."""
    many = len(results) if osds is None else osds
    return StoredRound(round_, results, many, many, samples, (), (), None)
