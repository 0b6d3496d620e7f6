"""Decide after each repeat whether the figures are precise enough, or another repeat is worth it.

The figure is an OSD's mean rate. Its interval (95 %, Student's t on logarithms) narrows with the
repeats, its CV does not. A round has the interval and the CV of the median OSD.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Optional

from ...model.bench import Sample
from ...model.phrases import plural
from ...model.plan import Plan
from ...model.round import Verdict
from ...model.statistics import median
from .evidence import (
    CONFIDENCE,
    LEAST_VALUES,
    percent,
    pooled_cv_percent,
    quantile,
    variance_of_mean,
)
from .summary import MIN_POOLED_SECONDS, Summary

# Half of the least change that is reported in a profile's history (5 %), so that two rounds that
# differ by it do not overlap; tuned clusters repeat within it (Stachecki 2024). It takes 3 repeats
# at a CV of 0.9 %, 6 at 2 %, 9 at 3 %.
ENOUGH_PERCENT = 2.5
_JUDGED = (Verdict.VALID, Verdict.NOISY)


@dataclass(frozen=True)
class Precision:
    """The precision of a round's figures so far. ``repeats`` are those of the median OSD.

    ``more``: another repeat is worth its wear. ``half_width_percent`` is half the interval of the
    median OSD, None if unknown. ``needed`` is the number of repeats that would be enough, by the
    CV. ``reason`` is a sentence.
    """

    repeats: int
    enough: bool
    more: bool
    reason: str
    half_width_percent: Optional[float] = None
    needed: Optional[int] = None


def precision(samples: Sequence[Sample], most: int, planned: int = LEAST_VALUES) -> Precision:
    """Judge the samples of a round so far, between two repeats.

    ``planned`` repeats are always made (LEAST_VALUES give a CV), and never more than ``most``. In
    between another one is worth it while the interval is too wide and, by the CV, ``most`` repeats
    can make it narrow enough.
    """
    groups = _logs(samples)
    repeats = int(median([len(group) for group in groups])) if groups else 0
    spreading = [group for group in groups if len(group) >= LEAST_VALUES]
    if not spreading or repeats < LEAST_VALUES:
        reason = (
            f"{plural(repeats, 'repeat is', 'repeats are')} too few for an interval: "
            f"{LEAST_VALUES} are needed"
        )
        return Precision(repeats, enough=False, more=repeats < most, reason=reason)
    width = median([percent(variance_of_mean(one).half_width()) for one in spreading])
    cv = median([pooled_cv_percent([group]) for group in spreading])
    needed = needed_repeats(cv, most)
    enough = width <= ENOUGH_PERCENT
    reached = f"figures are precise to {width:.1f} % after {repeats} repeats"
    if enough:
        more = repeats < min(planned, most)
        reason = f"{reached}: {ENOUGH_PERCENT} % is enough"
    elif repeats >= most:
        more = False
        reason = f"{reached}, and {most} is the limit"
    elif needed is None:
        more = repeats < min(planned, most)
        reason = f"{reached}: at a CV of {cv:.1f} % {most} would not reach {ENOUGH_PERCENT} %"
    else:
        more = True
        reason = f"{reached}: at a CV of {cv:.1f} % it takes {max(needed, repeats + 1)}"
    return Precision(repeats, enough, more, reason, width, needed)


def needed_repeats(cv_percent: float, most: int) -> Optional[int]:
    """The number of repeats that reach ENOUGH_PERCENT at this CV; None if over ``most``."""
    for repeats in range(LEAST_VALUES, most + 1):
        width = quantile(CONFIDENCE, repeats - 1) * cv_percent / 100 / math.sqrt(repeats)
        if percent(width) <= ENOUGH_PERCENT:
            return repeats
    return None


def another(plan: Plan, samples: Sequence[Sample]) -> Precision:
    """Judge the samples of a round so far, and decide whether another repeat is made.

    Short samples are pooled: while the median OSD was measured for less than MIN_POOLED_SECONDS in
    all, another repeat is made whatever the interval. If no sample is long enough, or an OSD did
    not answer, no repeat helps.
    """
    judged = precision(samples, plan.most, plan.repeats)
    pooled = _pooled_seconds(samples)
    failed = any(sample.seconds is None for sample in samples)
    if failed or not pooled or judged.repeats >= plan.most:
        return replace(judged, more=False)
    if pooled < MIN_POOLED_SECONDS:
        needed = math.ceil(judged.repeats * MIN_POOLED_SECONDS / pooled)
        reason = f"measured for {pooled:.2f} s in all (median): {MIN_POOLED_SECONDS} s are needed"
        return replace(judged, enough=False, more=True, needed=needed, reason=reason)
    return judged


def with_precision(summary: Summary, plan: Plan, samples: Sequence[Sample]) -> Summary:
    """The summary of a round that ran to its end, with the precision of its figures."""
    leading = [sample for sample in samples if sample.phase == plan.leading.name]
    judged = precision(leading, plan.most, plan.repeats)
    if summary.verdict not in _JUDGED or judged.half_width_percent is None:
        return summary
    figures = {"repeats": judged.repeats, "half_width_percent": judged.half_width_percent}
    return replace(
        summary, reasons=(*summary.reasons, judged.reason), figures={**summary.figures, **figures}
    )


def with_repeats(summary: Summary, samples: Sequence[Sample]) -> Summary:
    """The summary with the repeats that were made: of the median OSD, in the phase with most.

    A round that did not run to its end made fewer than planned, one of short samples more.
    """
    if "repeats" in summary.figures:
        return summary
    counts: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for sample in samples:
        if sample.seconds is not None:
            counts[sample.phase][sample.osd] += 1
    made = max((int(median(list(by_osd.values()))) for by_osd in counts.values()), default=0)
    return replace(summary, figures={**summary.figures, "repeats": made})


def _logs(samples: Sequence[Sample]) -> list[list[float]]:
    """The logarithms of the valid rates of each OSD that has any."""
    by_osd: dict[int, list[float]] = defaultdict(list)
    for sample in samples:
        if sample.valid and sample.bytes_per_second:
            by_osd[sample.osd].append(math.log(sample.bytes_per_second))
    return list(by_osd.values())


def _pooled_seconds(samples: Sequence[Sample]) -> float:
    """The seconds for which the median OSD was measured by valid samples; 0 without any."""
    seconds: dict[int, float] = defaultdict(float)
    for sample in samples:
        seconds[sample.osd] += sample.seconds or 0.0 if sample.valid else 0.0
    return median(list(seconds.values())) if seconds else 0.0
