"""Finds profiles that have become slower, each time their rounds change."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Optional

from ..errors import StoreUnavailable
from ..model.coverage import Look, gap
from ..model.finding import Claim
from ..model.finding_kinds import REGRESSION
from ..model.profile import PROFILES
from ..model.said import say
from ..store.sqlite import Store, StoreThread
from .compare.history import LEAST_BEFORE, LEAST_LENGTH, ProfileHistoryReader

# Comparable rounds without which no regression can be seen.
LEAST_ROUNDS = LEAST_BEFORE + LEAST_LENGTH


class Regressions:
    """Looks for regressions on the store thread, one piece per call. Safe from any thread."""

    def __init__(self, store_thread: StoreThread, log: logging.Logger) -> None:
        self._store_thread = store_thread
        self._log = log
        self._found: dict[str, Optional[Claim]] = {}
        # By profile the number of its comparable rounds; None without any round.
        self._rounds: dict[str, Optional[int]] = {}
        # Profiles that could not be read from the store.
        self._missed: set[str] = set()

    def look(self, profile: str) -> None:
        """Check a profile after one of its rounds has ended, was removed or is the baseline now.

        Returns at once. Imported rounds of other tools have no profile and are ignored.
        """
        if profile in PROFILES:
            self._go_on(ProfileHistoryReader(profile))

    def claims(self) -> Sequence[Claim]:
        """Return the claims of the newest checks; checks that the store failed begin again."""
        missed, self._missed = self._missed, set()
        for profile in missed:
            self.look(profile)
        return [claim for claim in list(self._found.values()) if claim is not None]

    def looks(self) -> Sequence[Look]:
        """Profiles against their own past; those that no round has measured are left out."""
        rounds = dict(self._rounds)
        ours = sorted(name for name in PROFILES if rounds.get(name, 0) is not None)
        unread = [name for name in ours if name not in rounds]
        few = [name for name in ours if name in rounds and (rounds[name] or 0) < LEAST_ROUNDS]
        gaps = (
            gap(
                "unread",
                say("rounds-unread", "their rounds are not read from the database yet"),
                unread,
            ),
            gap(
                "few-rounds",
                say(
                    "few-rounds",
                    "fewer than {least} rounds of them can be compared",
                    least=LEAST_ROUNDS,
                ),
                few,
                say("repeat-help", "'ceph perf-bench schedule add' repeats rounds"),
            ),
        )
        told = tuple(one for one in gaps if one.count)
        what = say("look-regressions", "profiles against their own past")
        return [Look("regressions", what, "profile", len(ours), (REGRESSION.code,), told)]

    def knows(self, profile: str) -> bool:
        """Whether the profile was checked since this mgr became active."""
        return profile in self._found

    def _go_on(self, past: ProfileHistoryReader) -> None:
        more = False

        def order(store: Store) -> None:
            nonlocal more
            more = past.read(store)
            if not more:
                known = past.history()
                self._found[past.profile] = past.regression(known)
                measured = known.points or known.left_out
                self._rounds[past.profile] = len(known.points) if measured else None

        def done(error: Optional[Exception]) -> None:
            if isinstance(error, StoreUnavailable):
                self._missed.add(past.profile)
            elif error is not None:
                self._log.error("the past of %s cannot be judged: %r", past.profile, error)
            elif more:
                self._go_on(past)

        self._store_thread.submit(order, done)
