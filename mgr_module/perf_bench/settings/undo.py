"""Undo the entries of the journal; each by its setting's present value.

The process that undoes may not be the one that wrote the journal. The writer may have died between
writing an entry and sending its command, so it is not always known whether the command was sent,
and a command that was sent may be executed later. Such an entry stays in the journal, and its
setting is watched for ``LATE`` seconds.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Optional, Union

from ..errors import NotFound, NotNow, PerfBenchError
from ..model.quiesce import (
    Contents,
    Entry,
    Left,
    Restored,
    SettingChange,
    UnreadableEntry,
    Waiting,
    same_value,
)
from ..model.relief import why_out
from ..model.said import say
from ..ports import Authority, Clock, JournalKeeper, Settings

# Seconds after which monitors no longer execute a command whose sender has died. They execute it
# within their lease and one election (5 s each by default) once they have it; a monitor that is
# paged out or partitioned takes longer, and forwards it when it is back.
LATE = 600.0
# Seconds that a reading stays valid for setting a value. Monitors wait 30 s for a mgr
# (mon_mgr_beacon_grace) before they name another one.
FRESH = 5.0
_TRIES = 3


# A change that is undone, overridden by somebody else, or pending; None if nothing was to do.
_Result = Union[SettingChange, Left, Waiting, None]


class Fate(Enum):
    """What to do with a change."""

    UNDO = "put back"
    NOTHING = "nothing to do"
    LEAVE = "somebody else has changed it"
    WATCH = "may still be carried out"


def fate(change: SettingChange, value: Optional[str], settled: bool) -> Fate:
    """What to do with a change whose setting has this value now.

    Only a setting that still has our value is put back. ``settled`` means that the command was
    executed, or can no longer be.
    """
    if same_value(value, change.want):
        return Fate.UNDO
    if not settled:
        return Fate.WATCH
    return Fate.NOTHING if same_value(value, change.was) else Fate.LEAVE


@dataclass
class _Known:
    """The state of an entry that is not in the journal."""

    since: float  # monotonic time at which it was first read
    # If its command has not been executed yet, it can no longer be.
    over: bool = False
    made: bool = False
    # A command of a writer that died may still be executed, also after the change was undone.
    doubtful: bool = False
    ordered_back: bool = False
    undone: bool = False
    watched: bool = False
    author: Optional[str] = None


@dataclass(frozen=True)
class Access:
    """The interfaces that are needed to change settings."""

    journal: JournalKeeper
    settings: Settings
    authority: Authority
    clock: Clock
    log: logging.Logger


class Undoer:
    """The journal's entries with their states; undoes them. Not thread-safe."""

    def __init__(self, access: Access, late: float = LATE, fresh: float = FRESH) -> None:
        """``late`` is the time in seconds that a command may take whose sender died.

        ``fresh`` is the time in seconds that a reading stays valid for setting a value.
        """
        self._journal = access.journal
        self._settings = access.settings
        self._authority = access.authority
        self._clock = access.clock
        self._log = access.log
        self._late = late
        self._fresh = fresh
        self._entries: dict[str, Entry] = {}
        self._known: dict[str, _Known] = {}
        # The keys of those whose change this process has ordered.
        self._ordered: set[str] = set()
        self.unreadable: tuple[UnreadableEntry, ...] = ()

    # --- entries -----------------------------------------------------------------------------

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries.values())

    def seen(self, entry: Entry) -> float:
        """The monotonic time at which this process first read the entry."""
        return self._known[entry.key].since

    def is_watched(self, entry: Entry) -> bool:
        """Whether its change has had no effect yet, and its setting is only watched."""
        known = self._known.get(entry.key)  # another thread may have removed it
        return known is not None and known.watched

    def is_made(self, entry: Entry) -> bool:
        """Whether its change is known to be made."""
        return self._known[entry.key].made

    def refresh(self) -> None:
        """Read the journal. Raises the keeper's errors; then nothing changes.

        Settings are read anew after that: somebody may have set one a moment ago.
        """
        self._settings.forget()
        journal: Contents = self._journal.read()
        now = self._clock.monotonic()
        for entry in journal.entries:
            known = self._known.get(entry.key)
            if known is None:
                known = self._known[entry.key] = _Known(now)
                if entry.writer == self._authority.writer:
                    # Its writing seemed to fail, so the command was not sent; or it was, and a
                    # monitor that was behind did not tell of the entry at the reading before.
                    known.undone = entry.key not in self._ordered
            known.made = known.made or entry.key in journal.made
        self._entries = {entry.key: entry for entry in journal.entries}
        self._known = {key: self._known[key] for key in self._entries}
        self.unreadable = journal.unreadable
        self._tidy_quietly()

    def add(self, holder: str, since: float, until: float, change: SettingChange) -> Entry:
        """Record a change before it is made. Raises the keeper's errors."""
        entry = self._journal.add(self._authority.writer, holder, since, until, change)
        self._entries[entry.key] = entry
        self._known[entry.key] = _Known(self._clock.monotonic())
        return entry

    def add_all(self, holder: str, changes: Sequence[SettingChange]) -> Sequence[Entry]:
        """Record several changes at once, before they are made. Raises the keeper's errors."""
        entries = self._journal.add_all(self._authority.writer, holder, changes)
        for entry in entries:
            self._entries[entry.key] = entry
            self._known[entry.key] = _Known(self._clock.monotonic())
        return entries

    def make(self, entry: Entry, now: Optional[str]) -> bool:
        """Make an entry's change; False if somebody has changed the value since it was ``now``."""
        if not same_value(self._read_to_set(entry.what), now):
            return False
        known = self._known[entry.key]
        known.doubtful = entry.writer != self._authority.writer
        # Also where it counted as undone: its writing timed out, and was done all the same.
        known.undone = known.ordered_back = False
        self._ordered.add(entry.key)
        self._settings.set(entry.what, entry.change.want)
        known.made = True
        known.watched = False
        return True

    def note_over(self, entry: Entry) -> None:
        """Note that the entry's command can no longer be executed if it has not been yet."""
        self._known[entry.key].over = True

    def is_lagging(self, entry: Entry) -> bool:
        """Whether it was put back, but daemons do not have the value yet."""
        known = self._known.get(entry.key)
        return known is not None and known.ordered_back and not known.undone

    def note_made(self, entry: Entry) -> None:
        """Note that the setting was read with the wanted value."""
        self._known[entry.key].made = True

    def forget(self, *entries: Entry) -> None:
        """Remove entries without undoing them. Raises the keeper's errors."""
        for entry in entries:
            self._known[entry.key].undone = True
        self._remove(*entries)

    def look_for_authors(self, entries: Iterable[Entry]) -> None:
        """Note who else has set the held values, before Ceph's logs lose it."""
        for entry in entries:
            known = self._known[entry.key]
            if known.author is None and known.made:
                known.author = self._author(entry.change)

    # --- undoing -----------------------------------------------------------------------------

    def undo(self, entries: Sequence[Entry], at_once: bool = False) -> Restored:
        """Undo these, the last one first. Raises nothing; failures are in the result.

        Each entry is removed as soon as it is undone. Otherwise a mgr that takes over could undo a
        value that an operator has set meanwhile. ``at_once`` removes all of them at the end, for
        entries that no mgr undoes by itself.
        """
        try:
            self._authority.check()
        except Exception as error:  # noqa: BLE001 - it is in the result, and tried again
            return Restored(unsaved=_text(error))
        done = Restored()
        unsaved: Optional[str] = None
        over: list[Entry] = []
        for entry in reversed(entries):
            result = self._undo(entry)
            if isinstance(result, Waiting):
                done = replace(done, waiting=(*done.waiting, result))
                continue
            if isinstance(result, Left):
                done = replace(done, left=(*done.left, result))
            elif isinstance(result, SettingChange):
                done = replace(done, put_back=(*done.put_back, result))
            if self._known[entry.key].watched:
                continue
            over.append(entry)
            if not at_once and unsaved is None:
                # After one failure, do not wait for the monitors again for every entry.
                unsaved = self._remove_quietly(over.pop())
        if at_once and over:
            unsaved = self._remove_quietly(*over)
        return replace(done, unsaved=unsaved or self._tidy_quietly())

    def _undo(self, entry: Entry) -> _Result:
        """Undo one entry; returns the change if it is undone now, None if nothing was to do."""
        known, change = self._known[entry.key], entry.change
        known.watched = False
        if known.undone:
            return None
        try:
            return self._decide(entry, known, self._settings.read(change.what))
        except NotFound:
            known.undone = True
            return Left(change.what, change.was, None, gone=True)
        except Exception as error:  # noqa: BLE001 - the other entries must be undone
            return Waiting(change, _text(error))

    def _decide(self, entry: Entry, known: _Known, value: Optional[str]) -> _Result:
        change = entry.change
        why = why_out(change, value)
        if why is not None:
            return Waiting(change, why)
        decision = fate(change, value, self._is_settled(known))
        if decision is Fate.UNDO and not self._is_held_by_another(entry):
            return self._put_back(entry, known)
        if known.ordered_back and same_value(value, change.was):
            return self._confirmed(entry, known)
        if decision in (Fate.UNDO, Fate.WATCH):
            known.watched = True
            return None
        if decision is Fate.LEAVE and self._settings.is_half_set(change, value):
            return self._set_back(entry, known, value)
        known.undone = True
        foreign = decision is Fate.LEAVE and not self._is_of_another(entry, value)
        return Left(change.what, change.was, value) if foreign else None

    def _put_back(self, entry: Entry, known: _Known) -> _Result:
        change = entry.change
        author = known.author or self._author(change)
        if author is not None:
            known.undone = True
            return Left(change.what, change.was, change.want, by=author)
        return self._set_back(entry, known, change.want)

    def _set_back(self, entry: Entry, known: _Known, found: Optional[str]) -> _Result:
        """Set the old value, if the present one is still ``found``."""
        change = entry.change
        value = self._read_to_set(change.what)
        if not same_value(value, found):
            return self._decide(entry, known, value)
        self._settings.set(change.what, change.was)
        known.ordered_back = True
        self._log.info("%s is %s again", change.what, change.was or "not set")
        return self._confirmed(entry, known)

    def _confirmed(self, entry: Entry, known: _Known) -> Union[SettingChange, Waiting]:
        """The change once the daemons have the old value, else Waiting."""
        lagging = self._settings.lagging(entry.change)
        if lagging is not None:
            return Waiting(entry.change, lagging)
        if known.doubtful and not self._is_over(known):
            known.watched = True
            known.ordered_back = False
        else:
            known.undone = True
        return entry.change

    def _read_to_set(self, what: str) -> Optional[str]:
        """Check the authority and read the value, right before it is set.

        Raises NotNow if that takes so long (this process was stopped, or the monitors are slow)
        that another mgr may be active by now.
        """
        for _ in range(_TRIES):
            began = self._clock.monotonic()
            self._authority.check()
            value = self._settings.read(what)
            if self._clock.monotonic() - began < self._fresh:
                return value
        raise NotNow(
            say(
                "monitors-slow",
                "the monitors take longer than {seconds:g} s to return {what}",
                seconds=self._fresh,
                what=what,
            )
        )

    def _author(self, change: SettingChange) -> Optional[str]:
        """Who else has set it; None if unknown. Raises nothing."""
        try:
            return self._settings.author(change)
        except Exception as error:  # noqa: BLE001 - undoing does not depend on the logs
            self._log.debug("it is unknown who has set %s: %s", change.what, error)
            return None

    def _is_settled(self, known: _Known) -> bool:
        return (known.made and not known.doubtful) or self._is_over(known)

    def _is_over(self, known: _Known) -> bool:
        return known.over or self._clock.monotonic() >= known.since + self._late

    def _is_held_by_another(self, entry: Entry) -> bool:
        """Whether a later entry holds the same setting, which must be undone first."""
        return any(
            other.what == entry.what
            and not self._known[other.key].undone
            and not self._known[other.key].watched
            and self._age(other) > self._age(entry)
            for other in self._entries.values()
        )

    def _is_of_another(self, entry: Entry, value: Optional[str]) -> bool:
        """Whether another entry has set this value, which is undone with that one.

        So it is where the command of a second change failed: nobody else has changed the setting.
        """
        return any(
            other.what == entry.what
            and not self._known[other.key].undone
            and same_value(value, other.change.want)
            for other in self._entries.values()
        )

    def _age(self, entry: Entry) -> tuple[float, float, str]:
        return self._known[entry.key].since, entry.change.at, entry.key

    def _remove_quietly(self, *entries: Entry) -> Optional[str]:
        """Remove entries that are undone; returns why they could not be."""
        try:
            self._remove(*entries)
        except Exception as error:  # noqa: BLE001 - it is tried again at the next refresh
            return _text(error)
        return None

    def _tidy_quietly(self) -> Optional[str]:
        try:
            self._journal.tidy(self.entries)
        except Exception as error:  # noqa: BLE001 - it is tried again at the next refresh
            return _text(error)
        return None

    def _remove(self, *entries: Entry) -> None:
        self._journal.remove(*entries)
        for entry in entries:
            self._entries.pop(entry.key, None)
            self._known.pop(entry.key, None)
            self._ordered.discard(entry.key)


def _text(error: Exception) -> str:
    said = error.message if isinstance(error, PerfBenchError) else str(error)
    return said or repr(error)
