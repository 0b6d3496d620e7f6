"""The detector's thresholds, and the one table of its rules."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from ...errors import InvalidValue


@dataclass(frozen=True)
class Thresholds:
    """Each says what it does to whom. Ratios are times as slow as the peers; z counts scales.

    A scale is a robust standard deviation of the cohort's members in a window. docs/statistics.md
    has the rules on one page, docs/benchmarks.md what gets worse without each of them.
    """

    # An OSD with fewer operations a minute is "no data": a mean of n has an error of 1 / sqrt(n).
    min_ops: float = 32.0
    # Added to each wait in the queue: 0.1 ms and 0.4 ms are alike, 30 ms is not.
    queue_floor_ms: float = 1.0
    # An OSD is compared with its host, enclosure or rack if that has so many of its cohort, and
    # with the whole cohort if not.
    group_members: float = 6

    # Minutes. From this ratio and z on an OSD is named after 3 of 5 minutes.
    acute_ratio: float = 2.4
    acute_z: float = 6.0
    # Below it 8 of 10 are needed: a scrub and a compaction on one drive are at 2 for some minutes.
    weak_ratio: float = 2.0
    # So large ratios need a smaller z, but 8 of 10 minutes: OSDs that share an overloaded machine
    # differ by a factor of 4, and one that hangs is at 100 times.
    extreme_ratio: float = 10.0
    extreme_z: float = 3.0
    # The least ratio of these rules in the first hour, while the cohort's scale is hardly known.
    cold_ratio: float = 3.0
    # Segments of 15 minutes. From this ratio and z on an OSD is named after 3 of 4 segments. At 1.2
    # healthy neighbours of really slow drives were named; 1.28 is the mildest labelled one.
    sustained_ratio: float = 1.25
    sustained_z: float = 5.0
    # The median of 1 to 3 hours finds what noise hides from single segments, from this ratio on.
    hours_ratio: float = 1.4
    # Neither it nor a host is named for less than so many scales of a segment: healthy drives and
    # hosts of noisy cohorts wander by nearly as much for hours.
    noise_scales: float = 3.0
    # OSDs without five peers are named from so many times their own past on.
    small_ratio: float = 1.3
    # Frames of 15 s at so many times the peers, and so many scales of a minute, are a burst; OSDs
    # with so many of them in 24 h, beyond what chance makes of their cohort's (z), are named.
    burst_ratio: float = 2.0
    burst_noise: float = 7.7
    burst_z: float = 6.0
    burst_episodes: float = 4
    # Hosts, enclosures and racks are named from so many times their own past on, and from so many
    # times all others on if they were slow before the watch began.
    unit_ratio: float = 1.2
    unit_cross_ratio: float = 1.5

    # OSDs that recover or are beside a bench are no reference for others, and are named from this
    # ratio and z on only. A host is judged by its other OSDs.
    excluded_ratio: float = 2.0
    excluded_z: float = 8.0
    # A larger part of a cohort that is so is a reference after all, for lack of others.
    suspend_share: float = 0.3
    # Slow OSDs of several hosts whose positions are alike with at most this chance have a cause in
    # common, and their OSDs are told together, in an info.
    common_chance: float = 1e-4
    # More OSDs of a cohort than this part, and than 2, that are slow are told together too.
    cap_share: float = 0.05
    # A slow OSD without data for so long cannot be judged any more, and its finding closes.
    idle_hours: float = 2.0

    # The least scales, in ln: what cannot be told apart in quiet cohorts.
    minute_floor: float = 0.03
    segment_floor: float = 0.02
    # Latency grows with load to this power at most; so much is explained by it.
    slope_max: float = 1.5

    @classmethod
    def of(cls, pairs: Iterable[str]) -> Thresholds:
        """Return the thresholds with ``KEY=VALUE`` texts applied. Raises InvalidValue."""
        known = {field.name: field.default for field in fields(cls)}
        chosen: dict[str, float] = {}
        for pair in pairs:
            name, equals, text = pair.partition("=")
            if not equals or name not in known:
                names = ", ".join(sorted(known))
                raise InvalidValue(f"'{pair}' is not KEY=VALUE with KEY one of {names}", name)
            chosen[name] = _number(name, text)
        return replace(cls(), **chosen)


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise InvalidValue(f"{name} wants a number of at least 0, not '{text}'", name)
    if value < 1 and name.endswith(("_ratio", "_members", "_episodes")):
        raise InvalidValue(f"{name} must be at least 1, not {text}", name)
    return value


class Rule(NamedTuple):
    """``need`` of ``of`` windows at this ratio and z raise a flag.

    ``clear`` windows below ``calm`` times, without a hit between them, lower it.
    """

    name: str
    ratio: float
    z: float
    need: int
    of: int
    calm: float
    clear: int


def minute_rules(given: Thresholds) -> tuple[Rule, ...]:
    """The rules of OSDs for single minutes."""
    return (
        Rule("acute", given.acute_ratio, given.acute_z, 3, 5, 1.5, 5),
        Rule("weak", given.weak_ratio, given.acute_z, 8, 10, 1.5, 5),
        Rule("extreme", given.extreme_ratio, given.extreme_z, 8, 10, 1.5, 5),
    )


def segment_rules(given: Thresholds) -> tuple[Rule, ...]:
    """The rules of OSDs for segments, for the median of some hours, and against the own past."""
    return (
        Rule("sustained", given.sustained_ratio, given.sustained_z, 3, 4, 1.1, 4),
        Rule("hours", given.hours_ratio, given.sustained_z, 1, 1, 1.1, 4),
        # Of OSDs without five peers.
        Rule("own past", given.small_ratio, given.sustained_z, 3, 4, 1.1, 4),
    )


def unit_rules(given: Thresholds) -> tuple[Rule, ...]:
    """The rules of hosts, enclosures and racks: for minutes, and for segments."""
    return (
        Rule("acute", given.weak_ratio, given.acute_z, 3, 5, 1.5, 5),
        Rule("sustained", given.unit_ratio, given.sustained_z, 3, 4, 1.1, 4),
    )
