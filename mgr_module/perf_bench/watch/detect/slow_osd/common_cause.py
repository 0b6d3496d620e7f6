"""Finds what OSDs of different hosts that are slow together have in common: positions or hosts.

If slow OSDs are independent, two of them are at the same position of their hosts, or on the same
host, no more often than by chance. The number of such pairs is compared with a Poisson law.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Callable, Optional

from .persistence import Flag
from .thresholds import Thresholds
from .topology import Cohort

# Above this mean the Poisson law is taken for normal, after Anscombe's transformation.
_LARGE_MEAN = 200.0
# A position is one of those in common if so many times the usual part of its OSDs is slow.
_MORE = 1.5


@dataclass(frozen=True)
class Common:
    """OSDs with a cause in common: places in the cohort, and the positions or hosts they share.

    One of ``positions`` and ``hosts`` can be empty.
    """

    places: frozenset[int]
    positions: tuple[str, ...]
    hosts: tuple[str, ...]

    def with_(self, other: Common) -> Common:
        """Return both as one cause."""
        if not other.places:
            return self
        return Common(
            self.places | other.places,
            tuple(sorted({*self.positions, *other.positions}, key=_natural)),
            tuple(sorted({*self.hosts, *other.hosts})),
        )


NONE = Common(frozenset(), (), ())


def common_cause(
    cohort: Cohort, slow: Iterable[int], settings: Thresholds, known: Collection[str] = ()
) -> Common:
    """Return which of the ``slow`` places have a cause in common across hosts; NONE for none.

    Hosts of which most are slow are left out: they have a cause of their own. At positions that
    are ``known`` for a cause in common, a few on different hosts are enough.
    """
    places = _without_slow_hosts(cohort, slow, settings.unit_share)
    hosts = Counter(cohort.members[place].host for place in places)
    if len(hosts) < settings.common_hosts:
        return NONE
    positions = Counter(cohort.position_of[place] for place in places)
    found: set[int] = set()
    shared = [
        position
        for position, count in positions.items()
        if position in known and count >= settings.common_hosts
    ]
    if len(places) >= settings.common_members and _more_pairs(
        positions, cohort.position_sizes, cohort.size, settings.common_chance
    ):
        least = _MORE * len(places) / cohort.size
        shared += [
            position
            for position, count in positions.items()
            if count >= max(settings.common_hosts, least * cohort.position_sizes[position])
            and position not in shared
        ]
    found.update(place for place in places if cohort.position_of[place] in shared)
    several = [host for host, count in hosts.items() if count > 1]
    if (
        len(several) >= settings.common_hosts
        and len(places) >= settings.common_members
        and 2 * sum(hosts[host] for host in several) >= len(places)
        and _more_pairs(hosts, cohort.host_sizes, cohort.size, settings.common_chance)
    ):
        found.update(place for place in places if hosts[cohort.members[place].host] > 1)
    else:
        several = []
    if not found:
        return NONE
    return Common(frozenset(found), tuple(sorted(shared, key=_natural)), tuple(sorted(several)))


def _without_slow_hosts(cohort: Cohort, slow: Iterable[int], share: float) -> list[int]:
    places = sorted(set(slow))
    hosts = Counter(cohort.members[place].host for place in places)
    left_out = {host for host, count in hosts.items() if count >= share * cohort.host_sizes[host]}
    return [place for place in places if cohort.members[place].host not in left_out]


def _more_pairs(
    counts: Mapping[str, int], sizes: Mapping[str, int], total: int, chance: float
) -> bool:
    """Whether so many pairs share a key with at most this ``chance``."""
    some = sum(counts.values())
    pairs = sum(count * (count - 1) // 2 for count in counts.values())
    alike = sum((size / total) ** 2 for size in sizes.values())
    return poisson_tail(pairs, some * (some - 1) / 2 * alike) <= chance


def poisson_tail(count: int, mean: float) -> float:
    """Return the probability of at least ``count`` events where ``mean`` are expected."""
    if mean > _LARGE_MEAN:
        z = 2 * (math.sqrt(count + 0.375) - math.sqrt(mean + 0.375))
        return math.erfc(z / math.sqrt(2)) / 2
    term = math.exp(-mean)
    below = 0.0
    for number in range(count):
        below += term
        term *= mean / (number + 1)
    # Far in the tail the sum of the terms from count on is exact where 1 - below is not.
    tail, number = 0.0, count
    while term > tail * 1e-12 and number < count + 1000:
        tail += term
        number += 1
        term *= mean / number
    return min(1.0, tail) if tail < 0.5 else 1.0 - below


def _natural(text: str) -> tuple[int, str]:
    """Sorts ``disk9`` before ``disk10``."""
    return len(text), text


class Folded:
    """The flagged OSDs of one rule that have a cause in common; kept after the cause has ended.

    A flag is folded if the cause is seen while the flag is young, within ``young`` windows, and
    stays folded until it is removed, or until the OSD was slow without the others for ``hold``
    windows. OSDs that were slow one after the other have a cause in common too.
    """

    def __init__(self, hold: float, young: float) -> None:
        self._hold = hold
        self._young = young
        # By OSD the age of its flag, in windows, when it was last slow with the others.
        self.seen: dict[int, int] = {}
        self.common = NONE  # the newest cause
        self._positions: dict[str, float] = {}  # by position when it last had one
        self._brief: dict[int, float] = {}  # by OSD when it last had a young flag

    def known(self, now: float, settings: Thresholds) -> list[str]:
        """Return the positions that had a cause in common in the last days."""
        oldest = now - settings.common_memory_days * 86400
        return [position for position, at in self._positions.items() if at >= oldest]

    def note(self, now: float, common: Common) -> None:
        """Remember the positions of a cause in common."""
        self._positions.update(dict.fromkeys(common.positions, now))

    def update(
        self,
        now: float,
        flags: Mapping[int, Flag],
        cohort: Cohort,
        common: Common,
        spared: Container[int] = (),
        known: Container[str] = (),
    ) -> None:
        """Add a window with the ``common`` cause of those that are slow in it.

        ``spared`` are OSDs that are slower than the cause explains. A new flag at a position that
        is ``known`` for a cause in common is folded until it was slow without the others: it may
        be the first of them.
        """
        if common.places:
            self.common = common
            self.note(now, common)
        together = {cohort.members[place].osd for place in common.places}

        def position_of(osd: int) -> Optional[str]:
            return cohort.position_of[cohort.place[osd]] if osd in cohort.place else None

        for osd, flag in flags.items():
            young = flag.windows <= self._young
            if osd in spared:
                self.seen.pop(osd, None)
            elif osd in together and (young or osd in self.seen):
                self.seen[osd] = flag.windows
            elif flag.windows <= self._hold and position_of(osd) in known:
                self.seen.setdefault(osd, flag.windows)
        for osd, age in list(self.seen.items()):
            if osd not in flags or flags[osd].windows - age > self._hold:
                del self.seen[osd]
        if not self.seen:
            self.common = NONE

    def in_turn(
        self,
        now: float,
        flags: Mapping[int, Flag],
        cohort: Cohort,
        settings: Thresholds,
        begun: Optional[Callable[[int], bool]] = None,
    ) -> Common:
        """Return the common cause of all OSDs that had a young flag in the last days.

        Those whose flags became old, or that were slow before, do not count.
        """
        oldest = now - settings.common_memory_days * 86400
        place = cohort.place
        for osd, flag in flags.items():
            if flag.windows > self._young and osd not in self.seen:
                self._brief.pop(osd, None)
            elif osd in place and (osd in self._brief or begun is None or begun(place[osd])):
                self._brief[osd] = now
        self._brief = {osd: at for osd, at in self._brief.items() if at >= oldest}
        places = [place[osd] for osd in self._brief if osd in place]
        return common_cause(cohort, places, settings) if flags else NONE

    def members(self, cohort: Cohort) -> Collection[int]:
        """Return the folded OSDs and those that the newest cause includes without a flag."""
        return {*self.seen, *(cohort.members[place].osd for place in self.common.places)}

    def adopt(self, before: Cohort, cohort: Cohort) -> None:
        """Continue with another list of members."""
        kept = [before.members[place].osd for place in self.common.places]
        places = frozenset(cohort.place[osd] for osd in kept if osd in cohort.place)
        self.common = Common(places, self.common.positions, self.common.hosts)
        self.seen = {osd: at for osd, at in self.seen.items() if osd in cohort.place}
        self._brief = {osd: at for osd, at in self._brief.items() if osd in cohort.place}

    def save(self) -> dict[str, Any]:
        return {
            "seen": [[osd, age] for osd, age in self.seen.items()],
            "places": sorted(self.common.places),
            "positions": list(self.common.positions),
            "hosts": list(self.common.hosts),
            "brief": [[osd, at] for osd, at in self._brief.items()],
            "known": [[position, at] for position, at in self._positions.items()],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.seen = dict(state["seen"])
        self.common = Common(
            frozenset(state["places"]), tuple(state["positions"]), tuple(state["hosts"])
        )
        self._positions = dict(state["known"])
        self._brief = dict(state["brief"])
