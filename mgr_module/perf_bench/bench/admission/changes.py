"""Count how often OSDs and the OSD map change, and refuse rounds that would meet too many new maps.

An OSD that gets a new map while ``osd bench`` runs on it can hang, by a fault of Ceph
(docs/upstream/osd-bench-hang.md). Rounds cause no map during their benches, but others may:
snapshots and pools that come and go all the time.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Optional, Union

from ...model.admission import Ask, NewMaps, Refusal, Rules, Situation, Unknown
from ...model.phrases import span

# Seconds that changes are kept.
FLAP_SPAN = 3600.0


class FlapCounter:
    """Counts by OSD how often it went up or down. ``look`` is for one thread, ``counts`` for any.

    Sample every few seconds. Shorter changes are missed, but show in health checks and PG states.
    """

    def __init__(self) -> None:
        self._up: Optional[frozenset[int]] = None
        self._since = 0.0
        self._seen: deque[tuple[float, int]] = deque()

    def look(self, now: float, up: Iterable[int]) -> None:
        """Take the set of OSDs that are up at ``now`` (monotonic seconds)."""
        current = frozenset(up)
        if self._up is None:
            self._since = now
        else:
            self._seen.extend((now, osd) for osd in current ^ self._up)
        self._up = current
        while self._seen and now - self._seen[0][0] >= FLAP_SPAN:
            self._seen.popleft()

    def counts(self, now: float, span: float) -> Optional[Mapping[int, int]]:
        """By OSD its changes within ``span`` seconds (up to ``FLAP_SPAN``).

        None if sampling began later than that and no change was seen. An OSD that is new in the
        map, or was removed, counts as changed.
        """
        changes: dict[int, int] = {}
        for changed_at, osd in tuple(self._seen):
            if now - changed_at < span:
                changes[osd] = changes.get(osd, 0) + 1
        if not changes and (self._up is None or now - self._since < span):
            return None
        return changes


# Seconds that are looked back on.
MAPS_SPAN = 600.0
# Maps come in bursts, as when a pool is made or an OSD restarts: such a minute is no rule.
_LEAST_MINUTES = 3
_MINUTE = 60.0
# Shorter looks say nothing.
_LEAST_SECONDS = _LEAST_MINUTES * _MINUTE
# Seconds of a bench that no round has measured yet; the limits of Ceph allow for 30.
_BENCH_SECONDS = 2.0
# Settings of a round bring maps up to so many seconds after its end.
_AFTER_ROUND = 15.0


class _Seen(NamedTuple):
    """The new maps since the look before, which was so many seconds earlier."""

    at: float
    seconds: float
    maps: int


class MapCounter:
    """Counts new maps while no round runs. ``look`` is for one thread, ``maps`` for any."""

    def __init__(self) -> None:
        self._last: Optional[tuple[float, int]] = None
        self._round_until = -math.inf
        self._seen: deque[_Seen] = deque()

    def look(self, now: float, epoch: int, round_runs: bool) -> None:
        """Take the map's epoch at ``now`` (monotonic seconds)."""
        if round_runs:
            self._round_until = now + _AFTER_ROUND
        last, self._last = self._last, (now, epoch)
        if last is not None and now >= self._round_until:
            at, before = last
            self._seen.append(_Seen(now, now - at, max(0, epoch - before)))
        while self._seen and now - self._seen[0].at >= MAPS_SPAN:
            self._seen.popleft()

    def maps(self, now: float) -> Optional[NewMaps]:
        """The new maps of the last ``MAPS_SPAN`` seconds; None before the first look."""
        if self._last is None:
            return None
        seen = [one for one in tuple(self._seen) if now - one.at < MAPS_SPAN]
        minutes = {one.at // _MINUTE for one in seen if one.maps}
        return NewMaps(
            sum(one.maps for one in seen), len(minutes), sum(one.seconds for one in seen)
        )


def check_maps(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """An OSD map that changes all the time."""
    if not ask.benches or rules.maps_met is None:
        return
    if now.maps is None or now.maps.seconds < _LEAST_SECONDS:
        said = "it is not known how often the OSD map changes"
        yield Unknown("osd-maps", said)
        return
    count, minutes, seconds = now.maps
    met = ask.benches * min(1.0, (ask.bench_seconds or _BENCH_SECONDS) * count / seconds)
    if minutes >= _LEAST_MINUTES and met > rules.maps_met:
        yield Refusal(
            "osd-maps",
            f"the OSD map changed {count} times in {span(seconds)}, and Ceph can hang "
            "an OSD that gets a new map during a bench; 'ceph log last 50 info audit' "
            "shows what changes it",
        )
