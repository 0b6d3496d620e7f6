"""What may explain that a whole cohort became slower: its setup, and the changes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

# Smaller changes of the number of OSDs and of the fill are none: those of the comparison of rounds
# (bench/compare/comparable.py).
_MIX_SHARE = 0.05
_FILL_POINTS = 10.0


class SetupChange(NamedTuple):
    """``name`` was ``was`` and is ``now``, seen at ``at`` (unix seconds)."""

    at: float
    name: str
    was: str
    now: str


@dataclass(frozen=True)
class CohortSetup:
    """The setup of a cohort's OSDs. ``words`` has by name what is compared as text.

    An unknown value is None or not in ``words``, and no change.
    """

    osds: int
    fill_percent: Optional[float] = None
    words: Mapping[str, str] = field(default_factory=dict)


def changes(was: CohortSetup, now: CohortSetup, at: float) -> Iterator[SetupChange]:
    """What differs beyond the tolerances."""
    for name in sorted(was.words.keys() & now.words.keys()):
        if was.words[name] != now.words[name]:
            yield SetupChange(at, name, was.words[name], now.words[name])
    if abs(now.osds - was.osds) >= _MIX_SHARE * max(1, now.osds, was.osds):
        yield SetupChange(at, "OSDs", str(was.osds), str(now.osds))
    fill = was.fill_percent, now.fill_percent
    if fill[0] is not None and fill[1] is not None and abs(fill[1] - fill[0]) >= _FILL_POINTS:
        yield SetupChange(at, "fill", f"{fill[0]:.0f} %", f"{fill[1]:.0f} %")


def remembered(was: CohortSetup, now: CohortSetup) -> CohortSetup:
    """The setup to compare with next: values within the tolerance stay as they were.

    So slow changes, as of the fill, are told when they have added up.
    """
    told = {change.name for change in changes(was, now, 0.0)}
    keeps = "fill" not in told and was.fill_percent is not None
    return CohortSetup(
        now.osds if "OSDs" in told else was.osds,
        was.fill_percent if keeps else now.fill_percent,
        {**was.words, **now.words},
    )
