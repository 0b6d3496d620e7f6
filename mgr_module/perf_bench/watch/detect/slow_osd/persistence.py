"""The M-of-N rule: a flag is raised if a threshold is exceeded in m of n windows.

Persistence separates slow OSDs from noise better than the size of the excess.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Callable, Generic, Optional, TypeVar

K = TypeVar("K")


@dataclass(frozen=True)
class Facts:
    """The figures of one window in which a rule held, in ln units.

    ``excess`` is ``level`` less ``peers`` less ``load``, the part that a higher load explains.
    ``members`` is the number of peers.
    """

    excess: float
    z: float
    level: float
    peers: float
    members: int
    load: float = 0.0


@dataclass
class Flag:
    """A rule that holds; times are unix seconds.

    ``facts`` are its newest figures, ``worst`` is its largest excess. ``calm_windows`` counts the
    windows without a hit since the last one (MOfNRule), ``bursts`` those of 24 h (Bursts).
    """

    since: float
    facts: Facts
    worst: float
    hits: int
    windows: int
    calm_windows: int = 0
    last_data: float = 0.0
    bursts: int = 0

    @property
    def share(self) -> float:
        """The part of the windows since ``since`` in which the rule held, 0 to 1."""
        return self.hits / self.windows if self.windows else 0.0


def flag_state(flag: Flag) -> list[Any]:
    """Return the flag as JSON-ready figures, for ``flag_of``.

    The saved format has one place for ``calm_windows`` and ``bursts``; a flag has only one of them.
    """
    count = flag.calm_windows or flag.bursts
    return [
        list(astuple(flag.facts)),
        *(flag.since, flag.worst, flag.hits, flag.windows, count, flag.last_data),
    ]


def flag_of(state: list[Any]) -> Flag:
    """Return the flag that ``flag_state`` saved for MOfNRule."""
    facts, since, worst, hits, windows, calm_windows, last_data = state
    return Flag(since, Facts(*facts), worst, hits, windows, calm_windows, last_data)


def burst_flag_of(state: list[Any]) -> Flag:
    """Return the flag that ``flag_state`` saved for Bursts."""
    flag = flag_of(state)
    return replace(flag, calm_windows=0, bursts=flag.calm_windows)


class MOfNRule(Generic[K]):
    """``need`` hits in ``window`` windows raise a flag, ``clear`` calm windows remove it.

    A hit resets the count of calm windows. Windows without data are ignored. With ``weak``, a
    pair (need, window) for hits of any strength, the first pair of numbers counts strong hits
    only, and either of the two raises the flag. ``mean()`` is over ``mean`` windows.
    """

    def __init__(
        self,
        need: int,
        window: int,
        clear: int,
        weak: Optional[tuple[int, int]] = None,
        mean: int = 0,
    ) -> None:
        self._need = need
        self._mean_windows = mean
        self._values: dict[K, list[float]] = {}  # the newest excesses, from the first hit on
        self._short = (1 << window) - 1
        self._weak_need, window = weak or (need, window)
        self._clear = clear
        self._full = (1 << window) - 1
        self.recent: dict[K, int] = {}  # a bit for each window with a hit, the newest is lowest
        self.flags: dict[K, Flag] = {}
        self._strong: dict[K, int] = {}  # the same for strong hits
        self._starts: dict[K, list[float]] = {}  # of the windows with a hit in ``recent``

    def step(
        self,
        start: float,
        hits: Mapping[K, Facts],
        value: Callable[[K], Optional[float]],
        calm_below: float,
        strong: Optional[Collection[K]] = None,
        sure: Collection[K] = (),
    ) -> None:
        """Add a window. ``value`` returns a key's excess, None for "no data".

        ``strong`` are the keys whose hit is strong; None means all of them. A hit of those in
        ``sure`` raises a flag.
        """
        for key in {*self.recent, *self.flags, *hits}:
            facts = hits.get(key)
            excess = facts.excess if facts else value(key)
            if excess is None:
                continue
            self._shift(key, start, facts, strong is None or key in strong)
            if self._mean_windows and key in self.recent:
                values = self._values.setdefault(key, [])
                values.append(excess)
                del values[: -self._mean_windows]
            if key in self.flags:
                self._keep(key, start, facts, excess < calm_below)
            elif facts and (key in sure or self._enough(key)):
                since = self._starts[key][0]
                windows = self.recent[key].bit_length()
                hits_ = _count(self.recent[key])
                self.flags[key] = Flag(since, facts, facts.excess, hits_, windows, 0, start)

    def mean(self, key: K, excess: float) -> float:
        """Return the mean of the last windows in a row with this excess in the next; NaN for fewer.

        Windows before the first hit do not count.
        """
        values = [*self._values.get(key, ()), excess][-self._mean_windows :]
        return sum(values) / len(values) if len(values) == self._mean_windows else math.nan

    def _enough(self, key: K) -> bool:
        strong = _count(self._strong.get(key, 0) & self._short)
        return strong >= self._need or _count(self.recent.get(key, 0)) >= self._weak_need

    def _shift(self, key: K, start: float, facts: Optional[Facts], strong: bool) -> None:
        strong = facts is not None and strong
        self._strong[key] = ((self._strong.get(key, 0) << 1) | strong) & self._full
        before = self.recent.get(key, 0)
        mask = ((before << 1) | (facts is not None)) & self._full
        if mask:
            starts = self._starts.setdefault(key, [])
            if facts:
                starts.append(start)
            # What was slow for a moment hours before is no begin.
            del starts[: -_count(mask)]
            self.recent[key] = mask
        else:
            for kept in (self.recent, self._strong, self._starts, self._values):
                kept.pop(key, None)

    def _keep(self, key: K, start: float, facts: Optional[Facts], calm: bool) -> None:
        flag = self.flags[key]
        flag.windows += 1
        flag.last_data = start
        if facts:
            flag.hits += 1
            flag.facts = facts
            flag.worst = max(flag.worst, facts.excess)
            flag.calm_windows = 0
        elif calm:
            flag.calm_windows += 1
            if flag.calm_windows >= self._clear:
                self.drop(key)

    def drop(self, key: K) -> None:
        for kept in self._kept():
            kept.pop(key, None)

    def take(self, key: K, other: MOfNRule[K]) -> None:
        """Go on with what another rule knows of a key."""
        for kept, its in zip(self._kept(), other._kept()):
            if key in its:
                kept[key] = its[key]

    def _kept(self) -> Sequence[dict[K, Any]]:
        return self.flags, self.recent, self._strong, self._starts, self._values

    def keep_only(self, wanted: Callable[[K], bool]) -> None:
        """Drop all keys that are not ``wanted``."""
        for key in [*self.recent, *self.flags]:
            if not wanted(key):
                self.drop(key)

    def forget_unfinished(self) -> None:
        """Drop the keys without a flag, as after a gap in the data; flags stay."""
        for key in [key for key in self.recent if key not in self.flags]:
            self.drop(key)

    def save(self, text: Callable[[K], Any]) -> list[list[Any]]:
        keys = {*self.recent, *self.flags}
        return [
            [
                text(key),
                self.recent.get(key, 0),
                self._strong.get(key, 0),
                self._starts[key][0] if key in self._starts else 0.0,
                flag_state(self.flags[key]) if key in self.flags else None,
                [round(value, 4) for value in self._values.get(key, ())],
                # Not read by older versions, which have the first one above.
                [*self._starts.get(key, ())],
            ]
            for key in keys
        ]

    def restore(self, state: list[list[Any]], key_of: Callable[[Any], K], now: float) -> None:
        for text, recent, strong, first, flag, *more in state:
            key = key_of(text)
            # Not in the state of an older version.
            values, starts = (more[at] if len(more) > at else () for at in range(2))
            mask = recent & self._full
            if mask:
                self.recent[key] = mask
                self._strong[key] = strong & self._full
                starts = (starts or [first] * _count(mask))[-_count(mask) :]
                self._starts[key] = [min(one, now) for one in starts]
                if values:
                    self._values[key] = list(values)
            if flag:
                held = flag_of(flag)
                self.flags[key] = replace(held, since=min(held.since, now))


def _count(mask: int) -> int:
    return bin(mask).count("1")
