"""Undoing what the journal names: decided for each entry by what is seen, then carried out.

Whoever undoes has read the journal, and may be another process than the one that wrote it. It
may have died between writing an entry and giving its order, so whether the order was given is
not always known, and an order that was given may be carried out later. Such an entry stays in the
journal and its setting is looked at for ``LATE`` seconds.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Optional, Union

from ..errors import NotFound, NotNow
from ..model.quiesce import (
    Contents,
    Entry,
    Left,
    Restored,
    SettingChange,
    Unreadable,
    Waiting,
    same_value,
)
from ..ports import Authority, Clock, JournalKeeper, Settings

# How long an order whose giver died may take until monitors carry it out. They do it within
# their lease and one election (5 s each by default) once they have it; a mon that is paged out
# or partitioned takes longer, and passes it on when it is back.
LATE = 600.0
# How old a look at a setting may be when it is set. Monitors give a mgr 30 s (mon_mgr_beacon_grace)
# before they name another one.
FRESH = 5.0
_TRIES = 3


# A change is undone, somebody else's, still to be undone; None: there was nothing to do.
_Result = Union[SettingChange, Left, Waiting, None]


class Fate(Enum):
    """What is to become of a change."""

    UNDO = "put back"
    NOTHING = "nothing to do"
    LEAVE = "somebody else's now"
    WATCH = "may still be carried out"


def fate(change: SettingChange, value: Optional[str], settled: bool) -> Fate:
    """What becomes of a change whose setting has this value now.

    Only what still is as we set it is put back. ``settled``: its order was carried out, or will
    not be any more.
    """
    if same_value(value, change.want):
        return Fate.UNDO
    if not settled:
        return Fate.WATCH
    return Fate.NOTHING if same_value(value, change.was) else Fate.LEAVE


@dataclass
class _Known:
    """What this process knows of an entry beyond what is in the journal."""

    since: float  # monotonic: when it was seen first
    # Its order, if it never was carried out, will not be any more.
    over: bool = False
    made: bool = False
    # An order of somebody who died may still come, whatever was seen since.
    doubtful: bool = False
    ordered_back: bool = False
    undone: bool = False
    watched: bool = False
    author: Optional[str] = None


@dataclass(frozen=True)
class Access:
    """What changing settings takes: where it is written down, how, by whose right."""

    journal: JournalKeeper
    settings: Settings
    authority: Authority
    clock: Clock
    log: logging.Logger


class Undoer:
    """The journal as this process knows it, and the one way to undo its entries. Not locked."""

    def __init__(self, access: Access, late: float = LATE, fresh: float = FRESH) -> None:
        """``late`` is how many seconds an order may take whose giver died.

        ``fresh`` is how old a look may be when what it saw is acted upon.
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
        self.unreadable: tuple[Unreadable, ...] = ()

    # --- what there is -----------------------------------------------------------------------

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries.values())

    def seen(self, entry: Entry) -> float:
        """When this process saw the entry first, in seconds of its monotonic clock."""
        return self._known[entry.key].since

    def is_watched(self, entry: Entry) -> bool:
        """Whether it was never seen to be carried out, and is only looked at for a while."""
        return self._known[entry.key].watched

    def is_made(self, entry: Entry) -> bool:
        """Whether its change is known to have been carried out."""
        return self._known[entry.key].made

    def refresh(self) -> None:
        """Read the journal. Raises what the keeper raises; then nothing is changed here."""
        found: Contents = self._journal.read()
        now = self._clock.monotonic()
        for entry in found.entries:
            known = self._known.get(entry.key)
            if known is None:
                known = self._known[entry.key] = _Known(now)
                if entry.writer == self._authority.writer:
                    # Writing it failed, so its change was not ordered; it was written after all.
                    known.undone = True
            known.made = known.made or entry.key in found.made
        self._entries = {entry.key: entry for entry in found.entries}
        self._known = {key: self._known[key] for key in self._entries}
        self.unreadable = found.unreadable
        self._tidy_quietly()

    def add(self, holder: str, since: float, until: float, change: SettingChange) -> Entry:
        """Write a change down, before it is made."""
        entry = self._journal.add(self._authority.writer, holder, since, until, change)
        self._entries[entry.key] = entry
        self._known[entry.key] = _Known(self._clock.monotonic())
        return entry

    def add_all(self, holder: str, changes: Sequence[SettingChange]) -> Sequence[Entry]:
        """Write many changes down at once, before they are made."""
        entries = self._journal.add_all(self._authority.writer, holder, changes)
        for entry in entries:
            self._entries[entry.key] = entry
            self._known[entry.key] = _Known(self._clock.monotonic())
        return entries

    def make(self, entry: Entry, now: Optional[str]) -> bool:
        """Order the change of an entry; False if the setting is not as it is ``now``: theirs."""
        if not same_value(self._look_to_act(entry.what), now):
            return False
        known = self._known[entry.key]
        known.doubtful = entry.writer != self._authority.writer
        self._settings.set(entry.what, entry.change.want)
        known.made = True
        known.watched = False
        return True

    def note_over(self, entry: Entry) -> None:
        """An order of it that was not carried out until now will not be: it is too old."""
        self._known[entry.key].over = True

    def is_lagging(self, entry: Entry) -> bool:
        """Whether it was put back, and is only waited for until the daemons go by it."""
        known = self._known.get(entry.key)
        return known is not None and known.ordered_back and not known.undone

    def note_made(self, entry: Entry) -> None:
        """It was seen as it is wanted."""
        self._known[entry.key].made = True

    def forget(self, *entries: Entry) -> None:
        """Remove entries of which nothing is to be undone. Raises what the keeper raises."""
        for entry in entries:
            self._known[entry.key].undone = True
        self._remove(*entries)

    def look_for_authors(self, entries: Iterable[Entry]) -> None:
        """Note who else has set what is held; Ceph's logs forget it after a while."""
        for entry in entries:
            known = self._known[entry.key]
            if known.author is None and known.made:
                known.author = self._author(entry.change)

    # --- undoing -----------------------------------------------------------------------------

    def undo(self, entries: Sequence[Entry], at_once: bool = False) -> Restored:
        """Undo these, the last one first. Raises nothing: what fails stays, and is told.

        Each is struck out as soon as it is undone. Else an operator who then sets it would have
        it undone by a mgr that takes over in the middle and reads the old journal. ``at_once``
        strikes all out at the end, for entries that no mgr undoes by itself.
        """
        try:
            self._authority.check()
        except Exception as error:  # noqa: BLE001 - it is told, and tried again
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
                # Monitors that are away are not waited for once more for every entry.
                unsaved = self._remove_quietly(over.pop())
        if at_once and over:
            unsaved = self._remove_quietly(*over)
        return replace(done, unsaved=unsaved or self._tidy_quietly())

    def _undo(self, entry: Entry) -> _Result:
        """Undo one entry: the change if it is undone now, None if there was nothing to do."""
        known, change = self._known[entry.key], entry.change
        known.watched = False
        if known.undone:
            return None
        try:
            return self._decide(entry, known, self._settings.read(change.what))
        except NotFound:
            known.undone = True
            return Left(change.what, change.was, None, gone=True)
        except Exception as error:  # noqa: BLE001 - the others are undone all the same
            return Waiting(change, _text(error))

    def _decide(self, entry: Entry, known: _Known, value: Optional[str]) -> _Result:
        change = entry.change
        what_now = fate(change, value, self._is_settled(known))
        if what_now is Fate.UNDO and not self._is_held_by_another(entry):
            return self._put_back(entry, known)
        if known.ordered_back and same_value(value, change.was):
            return self._confirmed(entry, known)
        if what_now in (Fate.UNDO, Fate.WATCH):
            known.watched = True
            return None
        known.undone = True
        return Left(change.what, change.was, value) if what_now is Fate.LEAVE else None

    def _put_back(self, entry: Entry, known: _Known) -> _Result:
        change = entry.change
        author = known.author or self._author(change)
        if author is not None:
            known.undone = True
            return Left(change.what, change.was, change.want, by=author)
        value = self._look_to_act(change.what)
        if not same_value(value, change.want):
            return self._decide(entry, known, value)
        self._settings.set(change.what, change.was)
        known.ordered_back = True
        self._log.info("%s is %s again", change.what, change.was or "not set")
        return self._confirmed(entry, known)

    def _confirmed(self, entry: Entry, known: _Known) -> Union[SettingChange, Waiting]:
        """It counts as put back when the daemons that it concerns go by it."""
        lagging = self._settings.lagging(entry.change)
        if lagging is not None:
            return Waiting(entry.change, lagging)
        if known.doubtful and not self._is_over(known):
            known.watched = True
            known.ordered_back = False
        else:
            known.undone = True
        return entry.change

    def _look_to_act(self, what: str) -> Optional[str]:
        """The value right before it is set, looked at by the right to set it.

        Raises NotNow where that right may have been lost since: this process was stopped, or the
        monitors took long, and another mgr may be the active one.
        """
        for _ in range(_TRIES):
            began = self._clock.monotonic()
            self._authority.check()
            value = self._settings.read(what)
            if self._clock.monotonic() - began < self._fresh:
                return value
        raise NotNow(f"the monitors take longer than {self._fresh:g} s to say what {what} is")

    def _author(self, change: SettingChange) -> Optional[str]:
        """Who else has set it, if that can be told; never a reason to do nothing."""
        try:
            return self._settings.author(change)
        except Exception as error:  # noqa: BLE001 - what the logs say is an extra
            self._log.debug("who set %s is not known: %s", change.what, error)
            return None

    def _is_settled(self, known: _Known) -> bool:
        return (known.made and not known.doubtful) or self._is_over(known)

    def _is_over(self, known: _Known) -> bool:
        return known.over or self._clock.monotonic() >= known.since + self._late

    def _is_held_by_another(self, entry: Entry) -> bool:
        """Whether a later entry holds the same setting: then that one's end is waited for."""
        return any(
            other.what == entry.what
            and not self._known[other.key].undone
            and not self._known[other.key].watched
            and self._age(other) > self._age(entry)
            for other in self._entries.values()
        )

    def _age(self, entry: Entry) -> tuple[float, float, str]:
        return self._known[entry.key].since, entry.change.at, entry.key

    def _remove_quietly(self, *entries: Entry) -> Optional[str]:
        """Remove entries that are undone; returns why they could not be."""
        try:
            self._remove(*entries)
        except Exception as error:  # noqa: BLE001 - it is tried again at the next look
            return _text(error)
        return None

    def _tidy_quietly(self) -> Optional[str]:
        try:
            self._journal.tidy(self.entries)
        except Exception as error:  # noqa: BLE001 - it is tried again at the next look
            return _text(error)
        return None

    def _remove(self, *entries: Entry) -> None:
        self._journal.remove(*entries)
        for entry in entries:
            self._entries.pop(entry.key, None)
            self._known.pop(entry.key, None)


def _text(error: Exception) -> str:
    return str(error) or repr(error)
