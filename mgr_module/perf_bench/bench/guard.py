"""Find harm that a round does, and disturbances of the round. Pure.

Each snapshot is compared with the state at the start of the round, never with the last snapshot.
An improvement does not lower a limit: a forced round was started in spite of the first state, so
its return is not the round's fault.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Optional

from ..model.admission import TIME_OVER, Alarm, GuardRules, GuardSnapshot
from ..model.phrases import osd_names, plural

# The least rise of clients' latency in seconds that matters.
_FELT = 0.01
_LAGGY = frozenset(("laggy",))
_LOST = frozenset(("down", "incomplete"))
_MOVING = frozenset(("recovering", "recovery_wait", "backfilling", "backfill_wait"))
_UNKNOWN = frozenset(("unknown",))
# So few new OSD maps during benches may be late ones of the round's own settings.
_FEW_MAPS = 3


@dataclass(frozen=True)
class Limit:
    """The unix time at which the round must be over, and the message for that."""

    at: float
    message: str


@dataclass(frozen=True)
class _Counts:
    """Counts of a snapshot. ``unknown`` PGs are infinite while the mgr knows no PG."""

    unknown: float
    laggy: int
    lost: int
    moving: int
    slow_ops: int


class Guard:
    """The guard of one round. Raises each kind of alarm once.

    An OSD that was down before the round and goes down again is no alarm. Clients are compared only
    if their latency before the round is known. OSD maps count from ``benches_begin`` on;
    ``at_once`` is the number of OSDs that are benched at the same time; 0: maps are no alarm.
    """

    def __init__(
        self, before: GuardSnapshot, rules: GuardRules, limit: Limit, at_once: int = 0
    ) -> None:
        self._before = before
        self._counts = _counts(before)
        self._rules = rules
        self._limit = limit
        self._at_once = at_once
        self._epoch = math.inf
        self.alarms: list[Alarm] = []

    def benches_begin(self, epoch: int) -> None:
        """Count the OSD maps after this epoch: the round's own settings are made."""
        self._epoch = epoch

    def look(self, glance: GuardSnapshot, now: float) -> Optional[Alarm]:
        """Check a snapshot of ``now`` (unix seconds); returns an alarm that ends the round."""
        self._complete(_counts(glance))
        known = {alarm.code for alarm in self.alarms}
        fresh = [one for one in self._all(glance, now) if one.code not in known]
        self.alarms += fresh
        return next((alarm for alarm in fresh if alarm.ends), None)

    def _complete(self, now: _Counts) -> None:
        """Add to the state before the round what a new active mgr did not know then.

        OSDs report their PGs and slow operations to a new mgr within seconds. Until its first
        report a PG is unknown, whatever its state.
        """
        before = self._counts
        if now.unknown < before.unknown:
            self._counts = _Counts(
                unknown=now.unknown,
                laggy=max(before.laggy, now.laggy),
                lost=max(before.lost, now.lost),
                moving=max(before.moving, now.moving),
                slow_ops=max(before.slow_ops, now.slow_ops),
            )

    def _all(self, now: GuardSnapshot, moment: float) -> Iterator[Alarm]:
        counts = _counts(now)
        yield from self._placement_groups(counts)
        yield from self._slow_ops(counts, now.slow_ops)
        yield from self._osds(now)
        yield from self._clients(now)
        yield from self._maps(now.epoch - self._epoch)
        if moment >= self._limit.at:
            yield Alarm(TIME_OVER, self._limit.message, {"limit": self._limit.at}, True)

    def _placement_groups(self, now: _Counts) -> Iterator[Alarm]:
        laggy = now.laggy - self._counts.laggy
        if laggy > self._rules.laggy_pgs:
            message = f"{plural(laggy, 'PG')} more than before the round became laggy"
            yield Alarm("laggy-pgs", message, {"laggy_pgs": laggy}, True)
        lost = now.lost - self._counts.lost
        if lost > 0:
            message = f"{plural(lost, 'PG')} more than before the round cannot be used"
            yield Alarm("lost-pgs", message, {"lost_pgs": lost}, True)
        moving = now.moving - self._counts.moving
        if moving > 0:
            message = (
                f"{plural(moving, 'PG')} more than before the round were in recovery or backfill"
            )
            yield Alarm("recovery", message, {"moving_pgs": moving}, False)

    def _slow_ops(self, now: _Counts, by_osd: Mapping[int, int]) -> Iterator[Alarm]:
        # The sum over OSDs, because a slow operation may be resent to another OSD.
        slow = now.slow_ops - self._counts.slow_ops
        if slow > self._rules.slow_ops:
            before = self._before.slow_ops
            osds = sorted(osd for osd, count in by_osd.items() if count > before.get(osd, 0))
            message = f"{slow} more slow operations than before the round, on {osd_names(osds)}"
            yield Alarm("slow-ops", message, {"slow_ops": slow, "osds": osds}, True)

    def _osds(self, now: GuardSnapshot) -> Iterator[Alarm]:
        gone = sorted(self._before.up - now.up)
        if len(gone) > self._rules.osds_down:
            message = f"{plural(len(gone), 'OSD')} went down: {osd_names(gone)}"
            yield Alarm("osds-down", message, {"osds": gone}, True)
        elif gone:
            message = f"{osd_names(gone)} went down"
            yield Alarm("osd-down", message, {"osds": gone}, False)

    def _clients(self, now: GuardSnapshot) -> Iterator[Alarm]:
        times, was, is_ = self._rules.client_times, self._before.client_seconds, now.client_seconds
        if not times or was is None or is_ is None or was <= 0:
            return
        if is_ >= was * times and is_ - was >= _FELT:
            figures = {"before_ms": round(1000 * was, 2), "now_ms": round(1000 * is_, 2)}
            message = (
                f"clients' operations take {figures['now_ms']} ms, {is_ / was:.1f} times "
                f"the {figures['before_ms']} ms before the round"
            )
            yield Alarm("client-latency", message, figures, True)

    def _maps(self, new: float) -> Iterator[Alarm]:
        if new > _FEW_MAPS and new * self._at_once > self._rules.maps_met:
            message = (
                f"the OSD map changed {int(new)} times since the benches began, and Ceph "
                "can hang an OSD that gets a new map during a bench"
            )
            yield Alarm("osd-maps", message, {"maps": int(new)}, True)


def _counts(glance: GuardSnapshot) -> _Counts:
    return _Counts(
        unknown=_having(glance.pgs, _UNKNOWN) if glance.pgs else math.inf,
        laggy=_having(glance.pgs, _LAGGY),
        lost=_having(glance.pgs, _LOST),
        moving=_having(glance.pgs, _MOVING),
        slow_ops=sum(glance.slow_ops.values()),
    )


def _having(pgs: Mapping[str, int], words: frozenset[str]) -> int:
    return sum(count for state, count in pgs.items() if words.intersection(state.split("+")))
