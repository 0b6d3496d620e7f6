"""Whether a round needs another repeat, and how sure it is after its last."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ...model.bench import Sample
from ...model.plan import Plan
from ...model.round import Verdict
from ...model.statistics import median
from .precision import Precision, precision
from .summary import MIN_POOLED_SECONDS, Summary

_JUDGED = (Verdict.VALID, Verdict.NOISY)


def another(plan: Plan, samples: Sequence[Sample]) -> Precision:
    """Judge the samples of a round so far, between two repeats.

    Short samples are pooled: while an OSD (the median one) was measured for less than
    MIN_POOLED_SECONDS in all, another repeat is worth it whatever the spread. Where no sample is
    long enough to mean anything, or an OSD did not answer, no repeat helps the round.
    """
    found = precision(samples, plan.most, plan.repeats)
    pooled = _pooled_seconds(samples)
    failed = any(sample.seconds is None for sample in samples)
    if failed or not pooled or found.repeats >= plan.most:
        return replace(found, more=False)
    if pooled < MIN_POOLED_SECONDS:
        needed = math.ceil(found.repeats * MIN_POOLED_SECONDS / pooled)
        reason = f"measured for {pooled:.2f} s in all (median): {MIN_POOLED_SECONDS:g} s are needed"
        return replace(found, enough=False, more=True, needed=needed, reason=reason)
    return found


def _pooled_seconds(samples: Sequence[Sample]) -> float:
    """For how long the median OSD was measured by valid samples; 0 if it was not at all."""
    seconds: dict[int, float] = defaultdict(float)
    for sample in samples:
        seconds[sample.osd] += sample.seconds or 0.0 if sample.valid else 0.0
    return median(list(seconds.values())) if seconds else 0.0


def with_precision(summary: Summary, plan: Plan, samples: Sequence[Sample]) -> Summary:
    """The summary of a round that ran to its end, with how sure its figures are."""
    leading = [sample for sample in samples if sample.phase == plan.leading.name]
    found = precision(leading, plan.most, plan.repeats)
    if summary.verdict not in _JUDGED or found.half_width_percent is None:
        return summary
    sure = {"repeats": found.repeats, "half_width_percent": found.half_width_percent}
    return replace(
        summary, reasons=(*summary.reasons, found.reason), figures={**summary.figures, **sure}
    )
