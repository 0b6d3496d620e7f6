"""Compute the figures and the verdict of a round of clients from its repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from ...errors import CommandFailed
from ...model.phrases import plural
from ...model.plan import Plan
from ...model.rados import CombinedRun, LoadPlan, LoadSample
from ...model.round import Verdict
from ...model.statistics import cv_percent, median
from .combined_run import together
from .summary import Summary

# A row of a client is a second; under one there is no series, only totals.
MIN_SECONDS = 1.0
# A run that ended after less than this part of its time had nothing left to do.
_SHORT_PART = 0.9
_FIGURES = (
    "bytes_per_second", "iops", "mean_latency", "p50_latency", "p95_latency", "p99_latency",
    "max_latency", "cv_percent", "first_done", "last_done",
)  # fmt: skip


def measured(samples: Sequence[LoadSample]) -> tuple[list[CombinedRun], list[str]]:
    """The combined run of each repeat, and a sentence for each repeat without figures."""
    found: list[CombinedRun] = []
    lacking: list[str] = []
    for sample in samples:
        try:
            found.append(of_sample(sample))
        except CommandFailed as failure:
            lacking.append(f"repeat {sample.repeat}: {failure}")
    return found, lacking


def of_sample(sample: LoadSample) -> CombinedRun:
    """The combined run of a repeat. Raises CommandFailed if it has no figures."""
    if not sample.runs:
        raise CommandFailed(0, sample.why or "it was not measured")
    return together(sample.runs)


def summarize_load(
    plan: Plan, load: LoadPlan, samples: Sequence[LoadSample], max_cv_percent: float
) -> Summary:
    """Judge a round of clients that ran to its end."""
    found, lacking = measured(samples)
    if len(samples) < plan.repeats:
        lacking.append(f"{len(samples)} of {plural(plan.repeats, 'repeat')} measured")
    spread = cv_percent([one.bytes_per_second for one in found])
    if lacking or not found:
        verdict, reasons = Verdict.FAILED, lacking
    else:
        verdict, reasons = _verdict(load, found, spread, max_cv_percent)
    return Summary((), verdict, tuple(reasons), (), figures(load, found, spread))


def part_of_load(
    load: LoadPlan, samples: Sequence[LoadSample], verdict: Verdict, reason: str
) -> Summary:
    """The figures of a round that did not run to its end, without conclusions."""
    found, _ = measured(samples)
    spread = cv_percent([one.bytes_per_second for one in found])
    return Summary((), verdict, (reason,), (), figures(load, found, spread))


def figures(
    load: LoadPlan, found: Sequence[CombinedRun], spread: Optional[float]
) -> dict[str, Any]:
    """Medians over repeats; None without figures. Latencies are seconds."""
    medians = {name: _median([getattr(one, name) for one in found]) for name in _FIGURES}
    return {
        "clients": load.clients,
        "threads": load.threads,
        "operation": load.operation,
        "pool": load.pool,
        "repeats": len(found),
        "seconds": _median([one.seconds for one in found]),
        "median_bytes_per_second": medians.pop("bytes_per_second"),
        "median_iops": medians.pop("iops"),
        "spread_percent": spread,
        **medians,
    }


def _median(values: Sequence[Optional[float]]) -> Optional[float]:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _verdict(
    load: LoadPlan, found: Sequence[CombinedRun], spread: Optional[float], max_cv_percent: float
) -> tuple[Verdict, list[str]]:
    seconds = median([one.seconds for one in found])
    if seconds < MIN_SECONDS:
        told = f"the clients ran together for {seconds:.2f} s: {_why_short(load, found)}"
        return Verdict.TOO_SHORT, [f"{told}, so more --seconds help"]
    notes = []
    if seconds < _SHORT_PART * load.seconds:
        why = _why_short(load, found)
        notes.append(f"all ran together for {seconds:.1f} of {load.seconds} s: {why}")
    if spread is None:
        return Verdict.VALID, ["one repeat: the spread between repeats is not known", *notes]
    if spread > max_cv_percent:
        told = (
            f"repeats differ by {spread:.1f} % (CV); at most {max_cv_percent:g} % is called valid"
        )
        return Verdict.NOISY, [told, *notes]
    return Verdict.VALID, [f"CV {spread:.1f} % over {len(found)} repeats", *notes]


def _why_short(load: LoadPlan, found: Sequence[CombinedRun]) -> str:
    if median([one.first_done for one in found]) >= _SHORT_PART * load.seconds:
        apart = median([one.last_done - one.first_done for one in found])
        return f"they ended up to {apart:.1f} s apart, as they had started"
    if load.operation == "seq":
        return "all that had been written was read once"
    if load.operation == "write":
        return f"{load.bytes_per_repeat} bytes are the most it may write into the pool at a time"
    return "a client ended early"
