"""Looks after the database: reads it through now and then, and tells what is wrong with it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Callable, Optional

from ..model.damage import UnreadableRow
from ..model.finding import Claim, Severity, Target
from ..model.finding_kinds import STORE
from ..ports import Clock, RowPlace, Store, StoreQueue

# It is read through when a mgr becomes active, and once a week.
CHECK_SECONDS = 7 * 86400.0
# Rows that are named in one sentence, and in the evidence.
_NAMED, _LISTED = 3, 20


class StoreKeeper:
    """Ticks on the serve loop's thread; reads on the store's, a short piece at a tick.

    ``busy`` says that a round runs: its OSDs would feel the reading.
    """

    def __init__(
        self, desk: StoreQueue, busy: Callable[[], bool], clock: Clock, log: logging.Logger
    ) -> None:
        self._desk = desk
        self._busy = busy
        self._clock = clock
        self._log = log
        self._due = clock.monotonic()
        self._place: Optional[RowPlace] = None
        self._reading = self._asked = False
        self._unreadable: Sequence[UnreadableRow] = ()
        self._since = 0.0

    def tick(self) -> None:
        """One piece more of a check that is under way or due."""
        if self._asked or (self._reading and self._busy()):
            return
        if not self._reading:
            if self._clock.monotonic() < self._due or self._busy():
                self._look()
                return
            self._reading, self._place = True, None
        self._asked = True
        self._desk.submit(self._piece, self._done)

    def claims(self) -> Sequence[Claim]:
        """What an operator should know of the database."""
        return [self._rows_claim()] if self._unreadable else []

    def _look(self) -> None:
        """Take over what was met since; a question to the store costs the cluster nothing."""
        self._asked = True
        self._desk.submit(self._take, self._done)

    def _piece(self, store: Store) -> None:
        self._place = store.check_rows(self._place)
        self._take(store)
        if self._place is None:
            self._reading = False
            self._due = self._clock.monotonic() + CHECK_SECONDS

    def _take(self, store: Store) -> None:
        if not self._unreadable:
            self._since = self._clock.now()
        self._unreadable = store.unreadable()

    def _done(self, error: Optional[Exception]) -> None:
        self._asked = False
        if error is not None:
            self._log.debug("the database cannot be read through now: %s", error)

    def _rows_claim(self) -> Claim:
        found = self._unreadable
        named = "; ".join(f"{row} ({row.why})" for row in found[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        count = "1 row" if len(found) == 1 else f"{len(found)} rows"
        return Claim(
            code=STORE.code,
            severity=Severity.WARNING,
            target=Target("store", "rows"),
            message=f"{count} of the database cannot be read and are passed over: {named}{more}. "
            "What to do about each is in docs/store.md",
            evidence={
                "count": len(found),
                "rows": [f"{row}: {row.why}" for row in found[:_LISTED]],
            },
            since=self._since,
        )
