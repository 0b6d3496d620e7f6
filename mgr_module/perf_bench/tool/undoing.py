"""What the journals name, and undoing it entry by entry, as ``ceph-perf-bench restore`` does it."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple, Optional

from ..errors import NotFound, PerfBenchError
from ..model.quiesce import Entry, Restored, Unreadable, same_value
from ..ports import Authority, Monitors
from ..settings.journal import JOURNAL, Journal
from ..settings.kinds import ClusterSettings
from ..settings.undo import LATE, Access, Undoer

# How long daemons are waited for that have not heard yet that a setting is put back.
_LAG_SECONDS = 20.0
_LAG_EVERY = 1.0
# A look takes up to six runs of the client, each half a second and on a busy host more.
_FRESH = 25.0
# Entries of mClock capacities that are struck out of their key at once.
_AT_ONCE = 20


class Result(str, Enum):
    """What became of an entry; after WAITING and LATER something is left to do."""

    PUT_BACK = "put-back"
    LEFT = "left"
    GONE = "gone"
    NOTHING = "nothing"
    WAITING = "waiting"
    LATER = "later"


class SettingResult(NamedTuple):
    """``now`` is its value where others have set it (LEFT), ``by`` who did, where Ceph knows.

    ``until`` is when it is known that its order will not be carried out any more (LATER).
    """

    entry: Entry
    fate: Result
    now: Optional[str] = None
    by: Optional[str] = None
    why: Optional[str] = None
    until: Optional[float] = None


class Seen(NamedTuple):
    """An entry with its setting as it is now, or why that cannot be read, and what undoes it.

    ``by`` is who else has set it to the held value, where Ceph knows: then it stays.
    """

    entry: Entry
    now: Optional[str]
    unread: Optional[str]
    gone: bool
    commands: Sequence[str]
    by: Optional[str] = None


class HostClock:
    """The Clock of ``ports``."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


class Restorer:
    """Looks at one journal and undoes it. Raises what the monitors raise where it reads that."""

    def __init__(self, monitors: Monitors, authority: Authority, prefix: str = JOURNAL) -> None:
        self._journal = Journal(monitors, prefix)
        self._settings = ClusterSettings(monitors)
        self._clock = HostClock()
        log = logging.getLogger(__name__)
        access = Access(self._journal, self._settings, authority, self._clock, log)
        self._is_rounds = prefix == JOURNAL
        # Capacities are put back when somebody says so, and then whatever was ordered before.
        self._undoer = Undoer(access, LATE if self._is_rounds else 0.0, _FRESH)
        self.unsaved: Optional[str] = None

    def look(self) -> tuple[Sequence[Seen], Sequence[Unreadable]]:
        """All that the journal names; nothing is changed."""
        found = self._journal.read()
        for entry in found.entries:
            # First of all: the logs that tell it forget.
            self._author(entry)
        return [self._seen(entry) for entry in found.entries], found.unreadable

    def undo(self) -> Iterator[SettingResult]:
        """Undo entry by entry, the last one first; what was ordered and lags comes at the end."""
        self._undoer.refresh()
        entries = list(self._undoer.entries)
        for entry in entries:
            if self._clock.now() > entry.change.at + LATE:
                self._undoer.note_over(entry)
        size = 1 if self._is_rounds else _AT_ONCE
        lagging: list[Entry] = []
        while entries:
            yield from self._undo(entries[-size:], lagging)
            del entries[-size:]
        deadline = self._clock.monotonic() + _LAG_SECONDS
        while lagging and self._clock.monotonic() < deadline:
            time.sleep(_LAG_EVERY)
            again, lagging = lagging[::-1], []
            yield from self._undo(again, lagging)
        if lagging:
            yield from self._undo(lagging[::-1], None)

    # --- inside ------------------------------------------------------------------------------

    def _seen(self, entry: Entry) -> Seen:
        now: Optional[str] = None
        unread: Optional[str] = None
        commands: Sequence[str] = ()
        try:
            now = self._settings.read(entry.what)
        except NotFound:
            return Seen(entry, None, None, True, ())
        except PerfBenchError as error:
            unread = str(error)
        try:
            commands = self._settings.commands(entry.change)
        except PerfBenchError as error:
            unread = unread or str(error)
        by = self._author(entry) if same_value(now, entry.change.want) else None
        return Seen(entry, now, unread, False, commands, by)

    def _author(self, entry: Entry) -> Optional[str]:
        try:
            return self._settings.author(entry.change)
        except PerfBenchError:
            return None  # what the logs say is an extra

    def _undo(
        self, entries: Sequence[Entry], lagging: Optional[list[Entry]]
    ) -> Iterator[SettingResult]:
        """``lagging`` takes the entries that are ordered back and are to be looked at again."""
        done = self._undoer.undo(entries, at_once=not self._is_rounds)
        for entry in reversed(entries):
            if lagging is not None and self._undoer.is_lagging(entry):
                lagging.append(entry)
                continue
            outcome = _told(entry, done) or self._untold(entry, done)
            if outcome.fate is not Result.WAITING:
                self.unsaved = done.unsaved or self.unsaved
            yield outcome

    def _untold(self, entry: Entry, done: Restored) -> SettingResult:
        """What it means that nothing was told of an entry."""
        if done.unsaved is not None:
            return SettingResult(entry, Result.WAITING, why=done.unsaved)
        if entry not in self._undoer.entries:
            return SettingResult(entry, Result.NOTHING)
        if self._is_behind_another(entry):
            return SettingResult(
                entry, Result.WAITING, why="a later change of it is not put back yet"
            )
        return SettingResult(entry, Result.LATER, until=entry.change.at + LATE)

    def _is_behind_another(self, entry: Entry) -> bool:
        return any(
            other.what == entry.what and other != entry and not self._undoer.is_watched(other)
            for other in self._undoer.entries
        )


def _told(entry: Entry, done: Restored) -> Optional[SettingResult]:
    if entry.change in done.put_back:
        return SettingResult(entry, Result.PUT_BACK)
    for left in done.left:
        if (left.what, left.was) == (entry.what, entry.change.was):
            return SettingResult(
                entry, Result.GONE if left.gone else Result.LEFT, now=left.now, by=left.by
            )
    for waiting in done.waiting:
        if waiting.change == entry.change:
            return SettingResult(entry, Result.WAITING, why=waiting.why)
    return None
