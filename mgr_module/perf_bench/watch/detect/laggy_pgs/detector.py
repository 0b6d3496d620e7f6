"""The detector of laggy PGs: reads the states of PGs at every tick and feeds the tracker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ....core.clock import Clock
from ....model.cluster import OsdHealth, PgStates
from ....model.coverage import Gap, Look
from ....model.detector import Detector, WatchTick
from ....model.finding import Claim
from ....model.finding_kinds import LAGGY_PGS
from ....model.pacing import Every
from ....model.said import say
from .tracker import LaggyTracker, count, wants_by_osd

# The states of PGs by OSD take 0.2 s for 262,144 PGs, in one call during which no other Python
# runs. The pause between two calls is this many times their duration: 2 % of the time.
_GROUPS_SHARE = 50.0
# Seconds between two looks for pools that were deleted or renamed, while no PG is laggy.
_POOLS_EVERY = 60.0


class LaggyPgDetector(Detector):
    """Owns the tracker; reads PGs by OSD only while some are laggy or waiting."""

    name = "laggy"

    def __init__(self, pgs: PgStates, health: OsdHealth, clock: Clock) -> None:
        self._pgs = pgs
        self._health = health
        self._clock = clock
        self._hosts: Mapping[int, str] = {}
        self._members: object = None
        self._groups_due = 0.0
        self._pools = Every(_POOLS_EVERY)
        # PGs of which no OSD has reported, and those whose OSDs are all down.
        self._unknown = self._stale = 0
        self.tracker = LaggyTracker(self._host_of)

    def _host_of(self, osd: int) -> Optional[str]:
        return self._hosts.get(osd)

    def tick(self, tick: WatchTick) -> None:
        if tick.members is not self._members:
            self._members = tick.members
            self._hosts = {member.osd: member.host for member in tick.members}
        by_state = self._pgs.by_state()
        self._unknown, self._stale = count(by_state, "unknown"), count(by_state, "stale")
        wanted = wants_by_osd(by_state)
        began = self._clock.monotonic()
        of_osds = None
        if wanted and began >= self._groups_due:
            of_osds = self._pgs.by_osd()
            took = self._clock.monotonic() - began
            self._groups_due = began + _GROUPS_SHARE * took
        if tick.clock_step:
            self.tracker.clock_stepped(tick.clock_step)
        self.tracker.step(
            tick.now,
            by_state,
            self._pgs.by_pool() if wanted or self._looks_for_pools(began) else {},
            of_osds,
            tick.stale,
            self._health.slow_ops(),
            tick.running_round,
        )

    def _looks_for_pools(self, now: float) -> bool:
        """Whether to see if the pools that are listed are still there.

        Not while PGs are unknown: a mgr that has just become active may not know all pools yet.
        """
        return not self._unknown and bool(self.tracker.pools()) and self._pools.is_due(now)

    def claims(self) -> Sequence[Claim]:
        return self.tracker.claims()

    def looks(self) -> Sequence[Look]:
        now = self.tracker.now()
        gaps = [
            Gap("unread", say("pgs-uncounted", "the watch has not counted them yet"))
            if now.at is None
            else None,
            Gap(
                "unknown",
                say("pgs-unreported", "no OSD has reported their state to the mgr"),
                count=self._unknown,
            )
            if self._unknown
            else None,
            Gap("stale", say("pgs-stale", "the OSDs that have them are down"), count=self._stale)
            if self._stale
            else None,
        ]
        told = tuple(gap for gap in gaps if gap is not None)
        return [
            Look(
                "laggy_pgs",
                say("look-pgs", "states of PGs"),
                "PG",
                now.pgs,
                (LAGGY_PGS.code,),
                told,
            )
        ]

    def save(self) -> Mapping[str, Any]:
        return self.tracker.save()

    def restore(self, state: Mapping[str, Any], now: float) -> None:
        if self.tracker.now().at is None:  # else its own data is newer
            self.tracker.restore(state, now)
