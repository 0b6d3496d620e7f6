"""Does a round do harm, or does something disturb it? Pure: looks are compared with the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Optional

from ..model.guard import Alarm, Glance, GuardRules
from ..model.naming import plural

# A latency of clients this much higher in seconds is felt, whatever it was before.
_FELT = 0.01
_LOST = frozenset(("down", "incomplete"))
_MOVING = frozenset(("recovering", "recovery_wait", "backfilling", "backfill_wait"))


@dataclass(frozen=True)
class Limit:
    """When the round must be over, in unix seconds, and the sentence for that."""

    at: float
    message: str


class Guard:
    """One round's. Tells each kind of alarm once."""

    def __init__(self, before: Glance, rules: GuardRules, limit: Limit) -> None:
        self._before = before
        self._rules = rules
        self._limit = limit
        self.alarms: list[Alarm] = []

    def look(self, glance: Glance, now: float) -> Optional[Alarm]:
        """Take a look at ``now`` (unix seconds); the alarm for which the round is to end."""
        known = {alarm.code for alarm in self.alarms}
        fresh = [one for one in self._all(glance, now) if one.code not in known]
        self.alarms += fresh
        return next((alarm for alarm in fresh if alarm.ends), None)

    def _all(self, now: Glance, at: float) -> Iterator[Alarm]:
        if now.pgs:  # a mgr that has just become active knows none
            yield from self._placement_groups(now)
        yield from self._osds(now)
        yield from self._clients(now)
        if at >= self._limit.at:
            yield Alarm("clock", self._limit.message, {"limit": self._limit.at}, True)

    def _placement_groups(self, now: Glance) -> Iterator[Alarm]:
        laggy = _more(self._before.pgs, now.pgs, frozenset(("laggy",)))
        if laggy > self._rules.laggy_pgs:
            message = f"{plural(laggy, 'PG')} more became laggy than were before the round"
            yield Alarm("laggy-pgs", message, {"laggy_pgs": laggy}, True)
        lost = _more(self._before.pgs, now.pgs, _LOST)
        if lost:
            message = f"{plural(lost, 'PG')} more than before the round cannot be used"
            yield Alarm("lost-pgs", message, {"lost_pgs": lost}, True)
        moving = _more(self._before.pgs, now.pgs, _MOVING)
        if moving:
            message = (
                f"{plural(moving, 'PG')} more than before the round were in recovery or backfill"
            )
            yield Alarm("recovery", message, {"moving_pgs": moving}, False)

    def _osds(self, now: Glance) -> Iterator[Alarm]:
        slow = sum(now.slow_ops.values()) - sum(self._before.slow_ops.values())
        if slow > self._rules.slow_ops:
            osds = sorted(now.slow_ops)
            message = f"{slow} more slow operations than before the round, on {_names(osds)}"
            yield Alarm("slow-ops", message, {"slow_ops": slow, "osds": osds}, True)
        gone = sorted(self._before.up - now.up)
        if len(gone) > self._rules.osds_down:
            message = f"{plural(len(gone), 'OSD')} went down: {_names(gone)}"
            yield Alarm("osds-down", message, {"osds": gone}, True)
        elif gone:
            yield Alarm("osd-down", f"{_names(gone)} went down", {"osds": gone}, False)

    def _clients(self, now: Glance) -> Iterator[Alarm]:
        times, was, is_ = self._rules.client_times, self._before.client_seconds, now.client_seconds
        if not times or was is None or is_ is None or was <= 0:
            return
        if is_ >= was * times and is_ - was >= _FELT:
            figures = {"before_ms": round(1000 * was, 2), "now_ms": round(1000 * is_, 2)}
            message = (
                f"clients' operations take {figures['now_ms']:g} ms, {is_ / was:.1f} times the "
                f"{figures['before_ms']:g} ms of before the round"
            )
            yield Alarm("client-latency", message, figures, True)


def _more(before: Mapping[str, int], now: Mapping[str, int], words: frozenset[str]) -> int:
    return _having(now, words) - _having(before, words)


def _having(pgs: Mapping[str, int], words: frozenset[str]) -> int:
    return sum(count for state, count in pgs.items() if words.intersection(state.split("+")))


def _names(osds: list[int]) -> str:
    shown = ", ".join(f"osd.{osd}" for osd in osds[:5])
    return shown + (f" and {len(osds) - 5} more" if len(osds) > 5 else "")
