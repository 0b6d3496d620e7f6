"""Combine several clients of one run into one figure, for the time in which all of them ran.

While a client has not started or has ended, the others are faster, so the sum of whole runs is too
high. Between two rows of a client, a second apart, its work is interpolated.
"""

from __future__ import annotations

import errno
from bisect import bisect_right
from collections.abc import Sequence

from ...errors import CommandFailed
from ...model import unmeasured
from ...model.rados import ClientRun, CombinedRun
from ...model.statistics import cv_percent


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
        raise CommandFailed(errno.EPROTO, unmeasured.not_together(len(runs)))
    done, waited = _sums(works, begin, end)
    if done <= 0:
        raise CommandFailed(errno.EPROTO, unmeasured.no_operation(seconds))
    size = runs[0].op_size
    per_second = tuple(
        size * _sums(works, begin + second, begin + second + 1)[0] for second in range(int(seconds))
    )
    first = min(run.started_at for run in runs)
    spans = sorted((span for work in works for span in work.spans()), key=lambda span: span[1])
    return CombinedRun(
        clients=len(runs),
        seconds=seconds,
        bytes_per_second=size * done / seconds,
        iops=done / seconds,
        mean_latency=waited / done,
        p50_latency=_percentile(spans, 50),
        p95_latency=_percentile(spans, 95),
        p99_latency=_percentile(spans, 99),
        min_latency=min(run.min_latency for run in runs),
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
