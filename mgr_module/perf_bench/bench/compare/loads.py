"""Compute the figures and the verdict of a round of clients from its repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from ...errors import CommandFailed
from ...model import unmeasured
from ...model.plan import Plan
from ...model.rados import CombinedRun, LoadPlan, LoadSample
from ...model.round import Verdict
from ...model.said import say
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
            lacking.append(
                say(
                    "repeat-lacks",
                    "repeat {repeat}: {why}",
                    repeat=sample.repeat,
                    why=failure.message,
                )
            )
    return found, lacking


def of_sample(sample: LoadSample) -> CombinedRun:
    """The combined run of a repeat. Raises CommandFailed if it has no figures."""
    if not sample.runs:
        raise CommandFailed(0, sample.why or unmeasured.not_measured())
    return together(sample.runs)


def summarize_load(
    plan: Plan, load: LoadPlan, samples: Sequence[LoadSample], max_cv_percent: float
) -> Summary:
    """Judge a round of clients that ran to its end."""
    found, lacking = measured(samples)
    if len(samples) < plan.repeats:
        lacking.append(
            say(
                "repeats-missing",
                "{made} of {planned|repeat|repeats} measured",
                made=len(samples),
                planned=plan.repeats,
            )
        )
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
        told = say(
            "clients-short",
            "the clients ran together for {seconds:.2f} s: {why}, so more --seconds help",
            seconds=seconds,
            why=_why_short(load, found),
        )
        return Verdict.TOO_SHORT, [told]
    notes = []
    if seconds < _SHORT_PART * load.seconds:
        notes.append(
            say(
                "clients-part",
                "all ran together for {seconds:.1f} of {planned} s: {why}",
                seconds=seconds,
                planned=load.seconds,
                why=_why_short(load, found),
            )
        )
    if spread is None:
        only = say("one-repeat", "one repeat: the spread between repeats is not known")
        return Verdict.VALID, [only, *notes]
    if spread > max_cv_percent:
        told = say(
            "clients-noisy",
            "repeats differ by {cv:.1f} % (CV); at most {most} % is called valid",
            cv=spread,
            most=max_cv_percent,
        )
        return Verdict.NOISY, [told, *notes]
    told = say(
        "clients-steady",
        "CV {cv:.1f} % over {repeats|repeat|repeats}",
        cv=spread,
        repeats=len(found),
    )
    return Verdict.VALID, [told, *notes]


def _why_short(load: LoadPlan, found: Sequence[CombinedRun]) -> str:
    if median([one.first_done for one in found]) >= _SHORT_PART * load.seconds:
        apart = median([one.last_done - one.first_done for one in found])
        return say(
            "clients-apart",
            "they ended up to {seconds:.1f} s apart, as they had started",
            seconds=apart,
        )
    if load.operation == "seq":
        return say("clients-read-all", "all that had been written was read once")
    if load.operation == "write":
        return say(
            "clients-wrote-most",
            "{bytes} bytes are the most it may write into the pool at a time",
            bytes=load.bytes_per_repeat,
        )
    return say("client-early", "a client ended early")
