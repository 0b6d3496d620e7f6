"""Finds profiles that have become slower, each time their rounds change."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Optional

from ..core.loop import Loop, reply
from ..errors import StoreUnavailable
from ..model.coverage import Look, gap
from ..model.finding import Claim
from ..model.finding_kinds import REGRESSION
from ..model.profile import PROFILES
from ..store.sqlite import StoreThread
from .compare.history import LEAST_BEFORE, LEAST_LENGTH, ProfileHistoryReader

# Comparable rounds without which no regression can be seen.
LEAST_ROUNDS = LEAST_BEFORE + LEAST_LENGTH


class Regressions:
    """Looks for regressions: a reconciler on the loop. Its claims are read from any thread."""

    def __init__(self, loop: Loop, store_thread: StoreThread, log: logging.Logger) -> None:
        self._loop = loop
        self._store_thread = store_thread
        self._log = log
        self._found: dict[str, Optional[Claim]] = {}
        # By profile the number of its comparable rounds; None without any round.
        self._rounds: dict[str, Optional[int]] = {}
        # Profiles whose rounds have changed since they were judged.
        self._changed: set[str] = set()

    def look(self, profile: str) -> None:
        """Check a profile after one of its rounds has ended, was removed or is the baseline now.

        Returns at once. Imported rounds of other tools have no profile and are ignored.
        """
        if profile in PROFILES:
            self._loop.post(lambda: self._changed.add(profile))

    async def step(self) -> None:
        """The reconciler: judge the profiles whose rounds have changed."""
        for profile in sorted(self._changed):
            self._changed.discard(profile)
            try:
                await self._judge(profile)
            except StoreUnavailable:
                self._changed.add(profile)
                raise

    def claims(self) -> Sequence[Claim]:
        """Return the claims of the newest checks."""
        return [claim for claim in self._found.values() if claim is not None]

    def looks(self) -> Sequence[Look]:
        """Profiles against their own past; those that no round has measured are left out."""
        rounds = self._rounds
        ours = sorted(name for name in PROFILES if rounds.get(name, 0) is not None)
        unread = [name for name in ours if name not in rounds]
        few = [name for name in ours if name in rounds and (rounds[name] or 0) < LEAST_ROUNDS]
        gaps = (
            gap(
                "unread",
                "their rounds are not read from the database yet",
                unread,
            ),
            gap(
                "few-rounds",
                f"fewer than {LEAST_ROUNDS} rounds of them can be compared",
                few,
                "'ceph perf-bench schedule add' repeats rounds",
            ),
        )
        told = tuple(one for one in gaps if one.count)
        what = "profiles against their own past"
        return [Look("regressions", what, "profile", len(ours), (REGRESSION.code,), told)]

    def knows(self, profile: str) -> bool:
        """Whether the profile was checked since this mgr became active."""
        return profile in self._found

    async def _judge(self, profile: str) -> None:
        past = ProfileHistoryReader(profile)
        while await reply(self._store_thread.ask(past.read)):
            pass
        known = past.history()
        measured = known.points or known.left_out
        self._found = {**self._found, profile: past.regression(known)}
        self._rounds = {**self._rounds, profile: len(known.points) if measured else None}
