"""Read the journals and undo them entry by entry, for ``ceph-perf-bench restore``."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple, Optional

from ..errors import NotFound, PerfBenchError
from ..model.quiesce import Entry, Restored, UnreadableEntry, same_value
from ..model.relief import why_out
from ..ports import Authority, Monitors
from ..settings.journal import JOURNAL, Journal
from ..settings.kinds import ClusterSettings
from ..settings.undo import LATE, Access, Undoer

# Seconds to wait for daemons that do not show the restored setting yet.
_LAG_SECONDS = 20.0
_LAG_EVERY = 1.0
# Seconds that a reading stays valid: it takes up to six runs of the client, 0.5 s and more each.
_FRESH = 25.0
# Entries of mClock capacities that are removed from their journal key in one write.
_AT_ONCE = 20


class Result(str, Enum):
    """The outcome of an entry; WAITING and LATER leave something to do."""

    PUT_BACK = "put-back"
    LEFT = "left"
    GONE = "gone"
    NOTHING = "nothing"
    WAITING = "waiting"
    LATER = "later"


class SettingResult(NamedTuple):
    """The outcome of one entry.

    ``now`` is the value that somebody else has set (LEFT), ``by`` who did, if Ceph knows.
    ``until`` is the unix time after which the pending command can no longer take effect (LATER).
    """

    entry: Entry
    fate: Result
    now: Optional[str] = None
    by: Optional[str] = None
    why: Optional[str] = None
    until: Optional[float] = None


class Seen(NamedTuple):
    """An entry, its setting's present value, and the commands that undo it.

    ``unread`` says why the value cannot be read. ``by`` is who else has set the setting to the
    held value, if Ceph knows: then it stays. ``out`` says that its OSD is out: then it waits, and
    no command is named, because it would take the OSD in.
    """

    entry: Entry
    now: Optional[str]
    unread: Optional[str]
    gone: bool
    commands: Sequence[str]
    by: Optional[str] = None
    out: Optional[str] = None


class HostClock:
    """Implements Clock with the host's clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


class Restorer:
    """Reads one journal and undoes it. Raises CommandFailed where the journal cannot be read."""

    def __init__(self, monitors: Monitors, authority: Authority, prefix: str = JOURNAL) -> None:
        self._journal = Journal(monitors, prefix)
        self._clock = HostClock()
        # Capacities are of each OSD: the configuration is not read anew for every one of them.
        self._settings = ClusterSettings(monitors, None if prefix == JOURNAL else self._clock)
        log = logging.getLogger(__name__)
        access = Access(self._journal, self._settings, authority, self._clock, log)
        self._is_rounds = prefix == JOURNAL
        # Capacities are put back on request only, without waiting for commands that are pending.
        self._undoer = Undoer(access, LATE if self._is_rounds else 0.0, _FRESH)
        self.unsaved: Optional[str] = None

    def look(self) -> tuple[Sequence[Seen], Sequence[UnreadableEntry]]:
        """All entries and unreadable keys of the journal; nothing is changed."""
        journal = self._journal.read()
        for entry in journal.entries:
            # Before anything else: our own commands push older lines out of the logs.
            self._author(entry)
        return [self._seen(entry) for entry in journal.entries], journal.unreadable

    def undo(self) -> Iterator[SettingResult]:
        """Undo entry by entry, the last one first; settings not yet in effect come at the end."""
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
        out = why_out(entry.change, now)
        if out is not None:
            return Seen(entry, now, unread, False, (), out=out)
        by = self._author(entry) if same_value(now, entry.change.want) else None
        return Seen(entry, now, unread, False, commands, by)

    def _author(self, entry: Entry) -> Optional[str]:
        try:
            return self._settings.author(entry.change)
        except PerfBenchError:
            return None  # the author is shown only if the logs can be read

    def _undo(
        self, entries: Sequence[Entry], lagging: Optional[list[Entry]]
    ) -> Iterator[SettingResult]:
        """Undo these; entries that are not in effect yet are appended to ``lagging`` instead."""
        done = self._undoer.undo(entries, at_once=not self._is_rounds)
        for entry in reversed(entries):
            if lagging is not None and self._undoer.is_lagging(entry):
                lagging.append(entry)
                continue
            outcome = _reported(entry, done) or self._unreported(entry, done)
            if outcome.fate is not Result.WAITING:
                self.unsaved = done.unsaved or self.unsaved
            yield outcome

    def _unreported(self, entry: Entry, done: Restored) -> SettingResult:
        """The outcome of an entry that ``done`` does not name."""
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


def _reported(entry: Entry, done: Restored) -> Optional[SettingResult]:
    """The outcome that ``done`` names for an entry, if any."""
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
