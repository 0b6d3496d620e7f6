"""Compute the result of a search from its runs: the peak, the knee, and the load to run at."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.said import Said, say
from ...model.saturation import CurvePoint, LoadRun, Saturation, curve, highest, knee_of, least

# The recommended load has nine tenths of the peak: the rest is for recovery and for peaks of
# clients, and near the knee a tenth of the throughput multiplies the latency.
_SHARE = 0.9


def conclude(runs: Sequence[LoadRun]) -> Saturation:
    """The result of a search with at least one run."""
    points = curve(runs)
    peak = highest(points)
    recommended = least(points, peak, _SHARE)
    return Saturation(points, peak, knee_of(points, peak), recommended, _reason(peak, recommended))


def _reason(peak: CurvePoint, recommended: CurvePoint) -> Said:
    if recommended is peak:
        return say(
            "search-peak",
            "no smaller load reaches {share:.0f} % of its throughput",
            share=100 * _SHARE,
        )
    return say(
        "search-share",
        "{share:.0f} % of the highest throughput at {latency:.0f} % of its latency, with "
        "{operations|operation|operations} in flight instead of {peak}",
        share=100 * recommended.bytes_per_second / peak.bytes_per_second,
        latency=100 * recommended.latency_seconds / peak.latency_seconds,
        operations=recommended.load.in_flight,
        peak=peak.load.in_flight,
    )
