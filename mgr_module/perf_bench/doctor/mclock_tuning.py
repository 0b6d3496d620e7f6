"""Set mClock's capacities on request; each change is journalled first and can be undone."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Callable, NamedTuple, Optional

from ..errors import NotNow, NotSupported
from ..model.capacity import UNUSED, Capacity
from ..model.quiesce import Entry, Left, Restored, SettingChange, Waiting, same_value
from ..model.said import say
from ..settings.undo import Access, Undoer
from .checks.mclock import capacities
from .service import Doctor

# OSDs that one call changes: each command takes some milliseconds, and the client waits.
MOST = 200
HOLDER = "mclock"
# Checks whether OSDs have the new value, and seconds between them; usually one second is enough.
_CHECKS, _BETWEEN_CHECKS = 10, 0.3


class Applied(NamedTuple):
    """``changed`` lists the changed OSDs; ``left`` counts those for another call.

    ``needs_consent`` lists OSDs whose proposal is out of Ceph's range and was not set.
    """

    changed: Sequence[int]
    left: int
    needs_consent: Sequence[int] = ()


class PutBack(NamedTuple):
    """``changed`` lists the OSDs put back; ``left`` counts those for another call.

    ``theirs`` were set by somebody else since and stay; ``waiting`` cannot be put back now.
    """

    changed: Sequence[int]
    left: int
    theirs: Sequence[Left] = ()
    waiting: Sequence[Waiting] = ()


class MclockTuning:
    """Thread-safe."""

    def __init__(
        self, doctor: Doctor, access: Access, wait: Callable[[float], None] = time.sleep
    ) -> None:
        """``access`` has a journal of its own."""
        self._doctor = doctor
        self._wait = wait
        self._settings = access.settings
        # Entries are undone on request only, so pending commands need not be waited for.
        self._undoer = Undoer(access, late=0.0)
        self._clock = access.clock
        self._lock = threading.Lock()

    def capacities(self) -> Sequence[Capacity]:
        """The capacities of all OSDs that are up. Raises CommandFailed without the monitors."""
        return capacities(self._doctor.snapshot())

    def proposed(self) -> Sequence[Capacity]:
        """The capacities with a proposal. Raises NotSupported if no OSD uses mClock."""
        all_ = self.capacities()
        if all_ and all(one.verdict == UNUSED for one in all_):
            raise NotSupported(
                say(
                    "no-mclock",
                    "no OSD uses mClock: osd_op_queue is another scheduler on this release",
                )
            )
        return [one for one in all_ if one.proposed is not None]

    def apply(self, beyond: bool = False) -> Applied:
        """Set the proposed values, of at most 200 OSDs; old values are journalled first.

        Those out of Ceph's range only with ``beyond``, the operator's consent.
        Raises NotNow if the journal cannot be read: its entries would be lost.
        """
        with self._lock:
            all_ = self.proposed()
            proposed = [one for one in all_ if beyond or not one.consent]
            kept = [one.osd for one in all_ if one.consent and not beyond]
            chosen = proposed[:MOST]
            self._read()
            changed = self._apply(chosen) if chosen else []
            self._doctor.forget()
            return Applied(changed, len(proposed) - len(chosen), kept)

    def restore(self) -> PutBack:
        """Put back the old values of at most 200 OSDs; values changed since then stay.

        Raises NotNow if the journal cannot be read or written.
        """
        with self._lock:
            self._read()
            entries = self._undoer.entries
            done = self._undo(entries[:MOST])
            if done.unsaved is not None:
                raise NotNow(
                    say("mclock-journal", "the journal of capacities: {why}", why=done.unsaved)
                )
            self._doctor.forget()
            changed = sorted(_osd_of(change.what) for change in done.put_back)
            return PutBack(changed, max(0, len(entries) - MOST), done.left, done.waiting)

    # --- inside ------------------------------------------------------------------------------

    def _undo(self, entries: Sequence[Entry]) -> Restored:
        """Undo these entries, and wait until the OSDs have the old values."""
        done = self._undoer.undo(entries, at_once=True)
        for _ in range(_CHECKS):
            lagging = [one for one in self._undoer.entries if self._undoer.is_lagging(one)]
            if done.unsaved is not None or not lagging:
                break
            self._wait(_BETWEEN_CHECKS)
            later = self._undoer.undo(lagging, at_once=True)
            done = Restored(
                (*done.put_back, *later.put_back),
                (*done.left, *later.left),
                (*(one for one in done.waiting if not _is_of(one, lagging)), *later.waiting),
                later.unsaved,
            )
        return done

    def _read(self) -> None:
        self._undoer.refresh()
        if self._undoer.unreadable:
            bad = self._undoer.unreadable[0]
            raise NotNow(
                say(
                    "mclock-journal-unread",
                    "the journal of capacities cannot be read: {key} ({why}); print it with "
                    "'ceph config-key get {key}', put back the settings it names, then remove it",
                    key=bad.key,
                    why=bad.why,
                )
            )

    def _apply(self, chosen: Sequence[Capacity]) -> Sequence[int]:
        """Set the proposed values; returns the OSDs that have them now."""
        before = {entry.what: entry for entry in self._undoer.entries}
        changes: list[SettingChange] = []
        seen: dict[str, Optional[str]] = {}
        for one in chosen:
            what = f"config/osd.{one.osd}/{one.option}"
            now = seen[what] = self._settings.read(what)
            earlier = before.get(what)
            # The value to go back to is the one before our first change, unless an operator has
            # set another value since then.
            is_ours = earlier is not None and same_value(now, earlier.change.want)
            was = earlier.change.was if earlier is not None and is_ours else now
            changes.append(SettingChange(what, was, str(one.proposed), self._clock.now()))
        entries = self._undoer.add_all(HOLDER, changes)
        replaced: list[Entry] = []
        changed: list[int] = []
        for entry in entries:
            if not self._undoer.make(entry, seen[entry.what]):
                self._undoer.forget(entry)  # somebody has set it meanwhile
                continue
            changed.append(_osd_of(entry.what))
            if entry.what in before:
                replaced.append(before[entry.what])
        if replaced:
            self._undoer.forget(*replaced)
        return changed


def _is_of(waiting: Waiting, entries: Sequence[Entry]) -> bool:
    return any(waiting.change.what == entry.what for entry in entries)


def _osd_of(what: str) -> int:
    return int(what.split("/")[1].partition(".")[2])
