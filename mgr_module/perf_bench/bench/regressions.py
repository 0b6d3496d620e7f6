"""Which profiles have become slower: looked at when their rounds change, claimed until they do."""

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
        # Profiles that the store could not tell of.
        self._missed: set[str] = set()

    def look(self, profile: str) -> None:
        """Look at a profile: a round of it has ended or gone, or is its baseline now.

        Returns at once. What other tools measured is of no profile: nobody knows it was the same.
        """
        if profile in PROFILES:
            self._go_on(ProfileHistoryReader(profile))

    def claims(self) -> Sequence[Claim]:
        """What was found at the newest look; profiles that were missed are looked at again."""
        missed, self._missed = self._missed, set()
        for profile in missed:
            self.look(profile)
        return [claim for claim in list(self._found.values()) if claim is not None]

    def knows(self, profile: str) -> bool:
        """Whether it was looked at since this mgr became active."""
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
