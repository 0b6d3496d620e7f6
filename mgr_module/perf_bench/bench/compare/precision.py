"""After each repeat: whether the figure is narrow enough, and whether more repeats make it so.

The figure is an OSD's mean rate; its interval (95 %, Student's t on logarithms) narrows with the
repeats, its CV does not. A round has the median OSD's interval, as it has the median OSD's CV.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from ...model.bench import Sample
from ...model.phrases import plural
from ...model.statistics import median
from .evidence import CONFIDENCE, LEAST_VALUES, percent, pooled_cv_percent
from .student_t import half_width, quantile, variance_of_mean

# Half of the least change that counts in a profile's history (5 %, DETECTION), so that two rounds
# that differ by it do not overlap; and what a tuned cluster repeats within (Stachecki 2024). It
# takes 3 repeats at CV 0.9 %, 6 at 2 %, 9 at 3 %.
ENOUGH_PERCENT = 2.5


@dataclass(frozen=True)
class Precision:
    """How sure a round's figures are now. ``repeats`` are those of the median OSD.

    ``more``: another repeat is worth what it writes. ``half_width_percent`` is how far the median
    OSD's figure may be off, None while that is not known. ``needed`` repeats would be enough, as
    far as the CV tells. ``reason`` is a sentence.
    """

    repeats: int
    enough: bool
    more: bool
    reason: str
    half_width_percent: Optional[float] = None
    needed: Optional[int] = None


def precision(samples: Sequence[Sample], most: int, planned: int = LEAST_VALUES) -> Precision:
    """Judge the samples of a round so far, asked between two repeats.

    ``planned`` repeats are always made (LEAST_VALUES tell a spread at all), more than ``most``
    never. In between another one is worth it while the interval is too wide and ``most`` can
    narrow it enough: the CV says how many that takes.
    """
    groups = _logs(samples)
    repeats = int(median([len(group) for group in groups])) if groups else 0
    spreading = [group for group in groups if len(group) >= LEAST_VALUES]
    if not spreading or repeats < LEAST_VALUES:
        reason = f"{plural(repeats, 'repeat')} cannot tell a spread: {LEAST_VALUES} are needed"
        return Precision(repeats, enough=False, more=repeats < most, reason=reason)
    width = median([percent(half_width(variance_of_mean(g), CONFIDENCE)) for g in spreading])
    cv = median([pooled_cv_percent([group]) for group in spreading])
    needed = needed_repeats(cv, most)
    enough = width <= ENOUGH_PERCENT
    found = f"figures are sure within {width:.1f} % after {repeats} repeats"
    if enough:
        more, reason = repeats < min(planned, most), f"{found}: {ENOUGH_PERCENT:g} % is enough"
    elif repeats >= most:
        more, reason = False, f"{found}, and more than {most} are not made"
    elif needed is None:
        more = repeats < min(planned, most)
        reason = f"{found}: at a CV of {cv:.1f} % {most} would not make it {ENOUGH_PERCENT:g} %"
    else:
        more, reason = True, f"{found}: at a CV of {cv:.1f} % it takes {max(needed, repeats + 1)}"
    return Precision(repeats, enough, more, reason, width, needed)


def needed_repeats(cv_percent: float, most: int) -> Optional[int]:
    """How many repeats of this CV are sure within ENOUGH_PERCENT; None if over ``most``."""
    for repeats in range(LEAST_VALUES, most + 1):
        width = quantile(CONFIDENCE, repeats - 1) * cv_percent / 100 / math.sqrt(repeats)
        if percent(width) <= ENOUGH_PERCENT:
            return repeats
    return None


def _logs(samples: Sequence[Sample]) -> list[list[float]]:
    """By OSD the logarithms of its valid rates; an OSD without any has no part in this."""
    found: dict[int, list[float]] = defaultdict(list)
    for sample in samples:
        if sample.valid and sample.bytes_per_second:
            found[sample.osd].append(math.log(sample.bytes_per_second))
    return list(found.values())
