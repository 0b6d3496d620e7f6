"""Compute the figures and the verdict of a search for saturation from its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Optional

from ...errors import CommandFailed
from ...model.rados import CombinedRun, LoadPlan, LoadSample
from ...model.round import Verdict
from ...model.said import say
from ...model.saturation import LoadRun, Saturation, SearchLoad
from ...model.statistics import cv_percent, median
from .loads import MIN_SECONDS, figures, of_sample
from .saturation import conclude
from .summary import Summary

_Found = Sequence[tuple[LoadRun, CombinedRun]]


def under_loads(samples: Sequence[LoadSample]) -> list[LoadRun]:
    """The runs with figures, in order."""
    return [run for run, _ in _measured(samples)[0]]


def under_load(sample: LoadSample) -> tuple[Optional[LoadRun], Optional[str]]:
    """One run, or why it has no figures."""
    try:
        one = of_sample(sample)
    except CommandFailed as failure:
        return None, failure.message
    return _run(sample.load, one) if sample.load else None, None


def summarize_search(
    load: LoadPlan, samples: Sequence[LoadSample], max_cv_percent: float
) -> Summary:
    """Judge a search that ran to its end; its figures are those of the highest throughput."""
    found, lacking = _measured(samples)
    if lacking or not found:
        verdict, reasons = Verdict.FAILED, lacking or [say("no-run", "no run was made")]
    else:
        verdict, reasons = _verdict(conclude([run for run, _ in found]), found, max_cv_percent)
    told = load.bounds.runs_text(len(found))
    return Summary((), verdict, (*reasons, told), (), _figures(load, found))


def part_of_search(
    load: LoadPlan, samples: Sequence[LoadSample], verdict: Verdict, reason: str
) -> Summary:
    """The figures of a search that did not run to its end, without conclusions."""
    return Summary((), verdict, (reason,), (), _figures(load, _measured(samples)[0]))


def at_peak(samples: Sequence[LoadSample]) -> list[CombinedRun]:
    """The runs of the load with the highest throughput."""
    found = _measured(samples)[0]
    return _under(conclude([run for run, _ in found]).peak.load, found) if found else []


def _measured(samples: Sequence[LoadSample]) -> tuple[list[tuple[LoadRun, CombinedRun]], list[str]]:
    """The combined runs, and a sentence for each run without figures."""
    found: list[tuple[LoadRun, CombinedRun]] = []
    lacking: list[str] = []
    for sample in samples:
        if sample.load is None:
            continue
        try:
            one = of_sample(sample)
        except CommandFailed as failure:
            lacking.append(
                say(
                    "run-lacks",
                    "run {run} ({clients|client|clients} x {threads|thread|threads}): {why}; "
                    "the search ended there",
                    run=sample.repeat,
                    clients=sample.load.clients,
                    threads=sample.load.threads,
                    why=failure.message,
                )
            )
        else:
            found.append((_run(sample.load, one), one))
    return found, lacking


def _run(load: SearchLoad, one: CombinedRun) -> LoadRun:
    return LoadRun(load, one.bytes_per_second, one.mean_latency, one.p99_latency)


def _figures(load: LoadPlan, found: _Found) -> dict[str, Any]:
    """The figures of the load with the highest throughput, and the number of all runs."""
    if not found:
        return figures(load, (), None)
    peak = conclude([run for run, _ in found]).peak.load
    runs = _under(peak, found)
    at_peak = replace(load, clients=peak.clients, threads=peak.threads)
    return {**figures(at_peak, runs, _spread(runs)), "runs": len(found)}


def _under(load: SearchLoad, found: _Found) -> list[CombinedRun]:
    return [one for run, one in found if run.load == load]


def _spread(runs: Sequence[CombinedRun]) -> Optional[float]:
    return cv_percent([one.bytes_per_second for one in runs])


def _verdict(result: Saturation, found: _Found, max_cv_percent: float) -> tuple[Verdict, list[str]]:
    seconds = median([one.seconds for _, one in found])
    if seconds < MIN_SECONDS:
        told = say(
            "search-short",
            "the clients ran together for {seconds:.2f} s only: more --seconds help",
            seconds=seconds,
        )
        return Verdict.TOO_SHORT, [told]
    if not result.confirmed:
        told = say(
            "search-unconfirmed",
            "the highest throughput or its knee was measured once only, for runs differ much: "
            "more --seconds help",
        )
        return Verdict.NOISY, [told]
    spread = _spread(_under(result.peak.load, found))
    cv, runs = spread or 0.0, result.peak.runs
    if spread is not None and spread > max_cv_percent:
        told = say(
            "search-noisy",
            "CV {cv:.1f} % over {runs|run|runs} of the highest throughput; at most {most} % is "
            "called valid",
            cv=cv,
            runs=runs,
            most=max_cv_percent,
        )
        return Verdict.NOISY, [told]
    told = say(
        "search-steady",
        "CV {cv:.1f} % over {runs|run|runs} of the highest throughput",
        cv=cv,
        runs=runs,
    )
    return Verdict.VALID, [told]
