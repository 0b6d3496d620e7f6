"""Convert another tool's results into a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from ...errors import InvalidValue
from ...model.phrases import not_one_of
from ...model.plan import MOST_JOBS, TOOLS, Imported, Job, Phase, Plan, Step
from ...model.round import Round, RoundState, Verdict
from . import elbencho, fio, warp

# How a file with fewer results is made.
_FEWER = {
    "fio": "run fio with --group_reporting",
    "elbencho": "give fewer lines of the file",
    "warp": "let warp analyze --analyze.op choose the operation",
}
# Seconds that a host's clock may be ahead.
_AHEAD_SECONDS = 86400.0
# Seconds; shorter jobs are not meaningful, as in rounds of clients.
_LEAST_SECONDS = 1.0
_READERS: Mapping[str, Callable[[str], Imported]] = {
    "fio": fio.results_of,
    "elbencho": elbencho.results_of,
    "warp": warp.results_of,
}


def round_from(text: str, tool: str, label: str, token: str, now: float) -> Round:
    """The round to store; ``now`` is unix seconds. Raises InvalidValue."""
    reader = _READERS.get(tool)
    if reader is None:
        raise not_one_of("as", tool, TOOLS)
    found = reader(text)
    _check(found, now)
    first = max(found.jobs, key=lambda job: job.bytes)
    seconds = sum(job.seconds for job in found.jobs)
    step = Step(first.operation, first.block_size, first.bytes)
    verdict, reason = _verdict(found)
    return Round(
        id=0,
        profile=found.tool,
        kind=found.tool,
        state=RoundState.DONE,
        plan=Plan(found.tool, (Phase(step, ()),), 1, seconds, "as reported", imported=found),
        token=token,
        label=label,
        created_at=now,
        started_at=found.began,
        ended_at=found.ended,
        verdict=verdict,
        reasons=(reason,),
        environment={"tool": found.tool, "version": found.version},
        summary=_summary(found.jobs),
    )


def _check(found: Imported, now: float) -> None:
    if not found.jobs:
        raise InvalidValue(
            f"no job of these results of {found.tool} moved any data",
            "results",
        )
    if len(found.jobs) > MOST_JOBS:
        raise InvalidValue(
            f"{len(found.jobs)} results are over the {MOST_JOBS} that a round takes: "
            f"{_FEWER[found.tool]}",
            "results",
        )
    if not 0 <= found.began <= found.ended <= now + _AHEAD_SECONDS:
        raise InvalidValue("the results' time is in the future: is a clock wrong?", "results")


def _verdict(found: Imported) -> tuple[Verdict, str]:
    shortest = min(job.seconds for job in found.jobs)
    if shortest < _LEAST_SECONDS:
        return Verdict.TOO_SHORT, f"as {found.tool} reported it; a job took {shortest:.2f} s only"
    return Verdict.VALID, (
        f"as {found.tool} reported it, not measured here: the spread between runs is not known"
    )


def _summary(jobs: tuple[Job, ...]) -> dict[str, Any]:
    """The figures of a single job; whether several ran at once or in turn is not told."""
    if len(jobs) > 1:
        return {"jobs": len(jobs)}
    (job,) = jobs
    return {
        "jobs": 1,
        "median_bytes_per_second": job.bytes_per_second,
        "median_iops": job.iops,
        "seconds": job.seconds,
        "mean_latency": job.mean_latency,
        "p50_latency": job.p50_latency,
        "p95_latency": job.p95_latency,
        "p99_latency": job.p99_latency,
        "max_latency": job.max_latency,
    }
