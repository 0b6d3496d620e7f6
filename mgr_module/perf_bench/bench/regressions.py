"""Finds profiles that have become slower, each time their rounds change."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Optional

from ..errors import StoreUnavailable
from ..model.finding import Claim
from ..model.profile import PROFILES
from ..ports import Store, StoreQueue
from .compare.profile_history_reader import ProfileHistoryReader


class Regressions:
    """Looks for regressions on the store thread, one piece per call. Safe from any thread."""

    def __init__(self, store_thread: StoreQueue, log: logging.Logger) -> None:
        self._store_thread = store_thread
        self._log = log
        self._found: dict[str, Optional[Claim]] = {}
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

    def knows(self, profile: str) -> bool:
        """Whether the profile was checked since this mgr became active."""
        return profile in self._found

    def _go_on(self, past: ProfileHistoryReader) -> None:
        more = False

        def order(store: Store) -> None:
            nonlocal more
            more = past.read(store)
            if not more:
                self._found[past.profile] = past.regression()

        def done(error: Optional[Exception]) -> None:
            if isinstance(error, StoreUnavailable):
                self._missed.add(past.profile)
            elif error is not None:
                self._log.error("the past of %s cannot be judged: %r", past.profile, error)
            elif more:
                self._go_on(past)

        self._store_thread.submit(order, done)
