"""Compute the figures and the verdict of a round of clients: of repeats, or of a search's runs.

The clients of a run are combined for the time in which all of them ran: while a client has not
started or has ended, the others are faster, so the sum of whole runs is too high. Between two rows
of a client, a second apart, its work is interpolated.
"""

from __future__ import annotations

import errno
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Optional

from ...errors import CommandFailed
from ...model.phrases import plural
from ...model.plan import Plan
from ...model.rados import (
    CONFIRMED,
    ClientRun,
    CombinedRun,
    LoadPlan,
    LoadPoint,
    LoadRun,
    LoadSample,
    SearchLoad,
    SearchResult,
    curve,
    highest,
    knee_of,
    least,
)
from ...model.round import Verdict
from ...model.statistics import cv_percent, median
from .summary import Summary


class _Work:
    """The operations of a client, and the sum of their latencies, by any moment of its run."""

    def __init__(self, run: ClientRun) -> None:
        # Rows at or after the end are left out.
        rows = [row for row in run.rows if 0 < row.second < run.seconds]
        self._at = [0.0, *(float(row.second) for row in rows), run.seconds]
        self._done = [0, *(row.finished for row in rows), run.operations]
        self._waited = [
            0.0,
            *(row.finished * row.mean_latency for row in rows),
            run.operations * run.mean_latency,
        ]
        self._run = run

    def between(self, begin: float, end: float) -> tuple[float, float]:
        """The operations that ended between two unix times, and the sum of their latencies."""
        done, waited = self._by(end)
        before, waited_before = self._by(begin)
        return done - before, waited - waited_before

    def spans(self) -> list[tuple[float, float]]:
        """Operations and mean latency of each second with operations."""
        seconds = []
        for index in range(1, len(self._at)):
            done = self._done[index] - self._done[index - 1]
            if done > 0:
                # The printed means are rounded, so their difference may be below 0.
                waited = max(0.0, self._waited[index] - self._waited[index - 1])
                seconds.append((float(done), waited / done))
        return seconds

    def _by(self, moment: float) -> tuple[float, float]:
        offset = min(max(moment - self._run.started_at, 0.0), self._run.seconds)
        index = min(bisect_right(self._at, offset), len(self._at) - 1)
        low, high = self._at[index - 1], self._at[index]
        share = (offset - low) / (high - low) if high > low else 1.0
        done = self._done[index - 1] + share * (self._done[index] - self._done[index - 1])
        waited = self._waited[index - 1] + share * (self._waited[index] - self._waited[index - 1])
        return done, waited


def together(runs: Sequence[ClientRun]) -> CombinedRun:
    """Combine the runs of at least one client.

    Raises CommandFailed if the clients never ran at the same time, or no operation ended.
    """
    begin = max(run.started_at for run in runs)
    end = min(run.ended_at for run in runs)
    seconds = end - begin
    works = [_Work(run) for run in runs]
    if seconds <= 0:
        raise CommandFailed(
            errno.EPROTO, f"the {plural(len(runs), 'client')} never ran at the same time"
        )
    done, waited = _sums(works, begin, end)
    if done <= 0:
        raise CommandFailed(errno.EPROTO, f"no operation ended in {seconds:.0f} s")
    size = runs[0].op_size
    per_second = tuple(
        size * _sums(works, begin + second, begin + second + 1)[0] for second in range(int(seconds))
    )
    first = min(run.started_at for run in runs)
    spans = sorted((span for work in works for span in work.spans()), key=lambda span: span[1])
    return CombinedRun(
        seconds=seconds,
        bytes_per_second=size * done / seconds,
        iops=done / seconds,
        mean_latency=waited / done,
        p50_latency=_percentile(spans, 50),
        p95_latency=_percentile(spans, 95),
        p99_latency=_percentile(spans, 99),
        max_latency=max(run.max_latency for run in runs),
        cv_percent=cv_percent(per_second),
        first_done=end - first,
        last_done=max(run.ended_at for run in runs) - first,
        per_second=per_second,
    )


def _sums(works: Sequence[_Work], begin: float, end: float) -> tuple[float, float]:
    parts = [work.between(begin, end) for work in works]
    return sum(done for done, _ in parts), sum(waited for _, waited in parts)


def _percentile(spans: Sequence[tuple[float, float]], percent: float) -> float:
    """The latency percentile, weighted by operations; ``spans`` are sorted by latency."""
    wanted = sum(weight for weight, _ in spans) * percent / 100
    for weight, latency in spans:
        wanted -= weight
        if wanted <= 0:
            return latency
    return spans[-1][1]


# A row of a client is a second; under one there is no series, only totals.
MIN_SECONDS = 1.0
# A run that ended after less than this part of its time had nothing left to do.
_SHORT_PART = 0.9
_FIGURES = (
    "bytes_per_second", "iops", "mean_latency", "p50_latency", "p95_latency", "p99_latency",
    "max_latency", "cv_percent", "first_done", "last_done",
)  # fmt: skip


class Measured(NamedTuple):
    """A repeat, or a run of a search, with its combined run."""

    sample: LoadSample
    run: CombinedRun

    @property
    def under(self) -> LoadRun:
        """A run of a search for its curve."""
        load, run = self.sample.load or SearchLoad(0, 0), self.run
        figures = run.bytes_per_second, run.mean_latency, run.p99_latency, run.iops
        return LoadRun(load, *figures)


def combined(sample: LoadSample) -> tuple[Optional[CombinedRun], str]:
    """The combined run of a repeat; None and why, if it has no figures."""
    if not sample.runs:
        return None, sample.why or "it was not measured"
    try:
        return together(sample.runs), ""
    except CommandFailed as failure:
        return None, failure.message


def measured(samples: Sequence[LoadSample]) -> tuple[list[Measured], list[str]]:
    """The samples with figures, and a sentence for each without."""
    found: list[Measured] = []
    lacking: list[str] = []
    for sample in samples:
        run, why = combined(sample)
        if run is not None:
            found.append(Measured(sample, run))
        elif sample.load is None:
            lacking.append(f"repeat {sample.repeat}: {why}")
        else:
            lacking.append(
                f"run {sample.repeat} ({plural(sample.load.clients, 'client')} x "
                f"{plural(sample.load.threads, 'thread')}): {why}; the search ended there"
            )
    return found, lacking


def under_loads(samples: Sequence[LoadSample]) -> list[LoadRun]:
    """The runs of a search with figures, in order."""
    return [one.under for one in measured(samples)[0]]


def at_peak(found: Sequence[Measured]) -> list[CombinedRun]:
    """The runs of a search under the load with the highest throughput."""
    if not found:
        return []
    peak = conclude([one.under for one in found]).peak.load
    return [one.run for one in found if one.sample.load == peak]


def summarize_load(
    plan: Plan,
    load: LoadPlan,
    samples: Sequence[LoadSample],
    max_cv_percent: float,
    cut_short: Optional[tuple[Verdict, str]] = None,
) -> Summary:
    """Judge a round of clients; a search by its highest throughput.

    One that did not run to its end was ``cut_short``: it gets that verdict with its reason.
    """
    found, lacking = measured(samples)
    figures = _figures(load, found)
    if cut_short is not None:
        return Summary((), cut_short[0], (cut_short[1],), (), figures)
    notes: list[str] = []
    if load.saturates:
        notes = [plural(len(found), "run")]
        if not found and not lacking:
            lacking = ["no run was made"]
    elif len(samples) < plan.repeats:
        lacking.append(f"{len(samples)} of {plural(plan.repeats, 'repeat')} measured")
    if lacking or not found:
        verdict, reasons = Verdict.FAILED, lacking
    else:
        judge = _search_verdict if load.saturates else _verdict
        verdict, reasons = judge(load, found, max_cv_percent)
    return Summary((), verdict, (*reasons, *notes), (), figures)


def _figures(load: LoadPlan, found: Sequence[Measured]) -> dict[str, Any]:
    """Medians over repeats, or over a search's runs of its highest throughput.

    None without figures. Latencies are seconds.
    """
    runs, more = [one.run for one in found], {}
    if load.saturates and found:
        peak = conclude([one.under for one in found]).peak.load
        load = replace(load, clients=peak.clients, threads=peak.threads)
        runs, more = at_peak(found), {"runs": len(found)}
    medians = {name: _median([getattr(one, name) for one in runs]) for name in _FIGURES}
    return {
        "clients": load.clients,
        "threads": load.threads,
        "operation": load.operation,
        "pool": load.pool,
        "repeats": len(runs),
        "seconds": _median([one.seconds for one in runs]),
        "median_bytes_per_second": medians.pop("bytes_per_second"),
        "median_iops": medians.pop("iops"),
        "spread_percent": _spread(runs),
        **medians,
        **more,
    }


def _median(values: Sequence[Optional[float]]) -> Optional[float]:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _spread(found: Sequence[CombinedRun]) -> Optional[float]:
    return cv_percent([one.bytes_per_second for one in found])


def _verdict(
    load: LoadPlan, found: Sequence[Measured], max_cv_percent: float
) -> tuple[Verdict, list[str]]:
    runs = [one.run for one in found]
    spread, seconds = _spread(runs), median([one.seconds for one in runs])
    if seconds < MIN_SECONDS:
        why = f"{_why_short(load, runs)}, so more --seconds help"
        return Verdict.TOO_SHORT, [f"the clients ran together for {seconds:.2f} s: {why}"]
    notes = []
    if seconds < _SHORT_PART * load.seconds:
        why = _why_short(load, runs)
        notes = [f"all ran together for {seconds:.1f} of {load.seconds} s: {why}"]
    if spread is None:
        only = "one repeat: the spread between repeats is not known"
        return Verdict.VALID, [only, *notes]
    if spread > max_cv_percent:
        told = (
            f"repeats differ by {spread:.1f} % (CV); at most {max_cv_percent:g} % is called valid"
        )
        return Verdict.NOISY, [told, *notes]
    return Verdict.VALID, [f"CV {spread:.1f} % over {plural(len(runs), 'repeat')}", *notes]


def _why_short(load: LoadPlan, found: Sequence[CombinedRun]) -> str:
    if median([one.first_done for one in found]) >= _SHORT_PART * load.seconds:
        apart = median([one.last_done - one.first_done for one in found])
        return f"they ended up to {apart:.1f} s apart, as they had started"
    if load.operation == "write":
        return f"{load.bytes_per_repeat} bytes are the most it may write into the pool at a time"
    return "a client had read all or ended early"


def _search_verdict(
    _load: LoadPlan, found: Sequence[Measured], max_cv_percent: float
) -> tuple[Verdict, list[str]]:
    result = conclude([one.under for one in found])
    seconds = median([one.run.seconds for one in found])
    if seconds < MIN_SECONDS:
        told = f"the clients ran together for {seconds:.2f} s only: more --seconds help"
        return Verdict.TOO_SHORT, [told]
    if not result.confirmed:
        once = "the highest throughput or its knee was measured once only"
        return Verdict.NOISY, [f"{once}, for runs differ much: more --seconds help"]
    spread = _spread(at_peak(found)) or 0.0
    told = f"CV {spread:.1f} % over {plural(result.peak.runs, 'run')} of the highest throughput"
    if spread > max_cv_percent:
        return Verdict.NOISY, [f"{told}; at most {max_cv_percent:g} % is called valid"]
    return Verdict.VALID, [told]


# The recommended load has nine tenths of the peak: the rest is for recovery and for peaks of
# clients, and near the knee a tenth of the throughput multiplies the latency.
_SHARE = 0.9


def conclude(runs: Sequence[LoadRun]) -> SearchResult:
    """The result of a search with at least one run."""
    points = curve(runs)
    peak = highest(points)
    knee, recommended = knee_of(points, peak), least(points, peak, _SHARE)
    reason, confirmed = _search_reason(peak, recommended), min(peak.runs, knee.runs) >= CONFIRMED
    return SearchResult(points, peak, knee, recommended, reason, confirmed)


def _search_reason(peak: LoadPoint, recommended: LoadPoint) -> str:
    if recommended is peak:
        return f"no smaller load reaches {100 * _SHARE:.0f} % of its throughput"
    return (
        f"{100 * recommended.bytes_per_second / peak.bytes_per_second:.0f} % of the "
        "highest throughput at "
        f"{100 * recommended.mean_latency / peak.mean_latency:.0f} % of its "
        f"latency, with {plural(recommended.in_flight, 'operation')} in flight "
        f"instead of {peak.in_flight}"
    )
