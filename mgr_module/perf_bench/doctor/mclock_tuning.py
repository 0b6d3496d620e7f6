"""mClock's capacities, changed on demand: journalled at the monitors before, and reversible."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Callable, NamedTuple, Optional

from ..errors import NotNow, NotSupported
from ..model.capacity import UNUSED, Capacity
from ..model.quiesce import Entry, Left, Restored, SettingChange, Waiting, same_value
from ..settings.undo import Access, Undoer
from .checks.mclock import capacities
from .service import Doctor

# OSDs that one call changes: each order takes some milliseconds, and the client waits.
MOST = 200
HOLDER = "mclock"
# OSDs hear of an option within a second; the client and the module's other commands wait.
_LOOKS, _BETWEEN_LOOKS = 10, 0.3


class Applied(NamedTuple):
    """``changed`` are OSDs that were changed; ``left`` is how many another call would change."""

    changed: Sequence[int]
    left: int


class PutBack(NamedTuple):
    """``changed`` OSDs have again what they had; ``left`` is for another call.

    ``theirs`` were set by somebody else since and stay; ``waiting`` could not be put back now.
    """

    changed: Sequence[int]
    left: int
    theirs: Sequence[Left] = ()
    waiting: Sequence[Waiting] = ()


class MclockTuning:
    """May be asked from any thread."""

    def __init__(
        self, doctor: Doctor, access: Access, wait: Callable[[float], None] = time.sleep
    ) -> None:
        """``access`` has a journal that nothing else uses."""
        self._doctor = doctor
        self._wait = wait
        self._settings = access.settings
        # Nothing is put back by itself, so no late order has to be waited for.
        self._undoer = Undoer(access, late=0.0)
        self._clock = access.clock
        self._lock = threading.Lock()

    def capacities(self) -> Sequence[Capacity]:
        """All OSDs that are up. Raises CommandFailed without the monitors."""
        return capacities(self._doctor.chart())

    def proposed(self) -> Sequence[Capacity]:
        """Those for which there is a proposal. Raises NotSupported where no OSD uses mClock."""
        found = self.capacities()
        if found and all(one.verdict == UNUSED for one in found):
            raise NotSupported(
                "no OSD uses mClock: osd_op_queue is another scheduler on this release"
            )
        return [one for one in found if one.proposed is not None]

    def apply(self) -> Applied:
        """Set what is proposed, of at most 200 OSDs. What was before is journalled first.

        Raises NotNow where the journal cannot be read: what is in it would be lost.
        """
        with self._lock:
            found = self.proposed()
            now = found[:MOST]
            self._read()
            if now:
                self._apply(now)
            self._doctor.forget()
            return Applied([one.osd for one in now], len(found) - len(now))

    def restore(self) -> PutBack:
        """Put back what was set here; a value that is another by now stays. 200 OSDs a call."""
        with self._lock:
            self._read()
            entries = self._undoer.entries
            done = self._undo(entries[:MOST])
            if done.unsaved is not None:
                raise NotNow(f"the journal of capacities: {done.unsaved}")
            self._doctor.forget()
            changed = sorted(_osd_of(change.what) for change in done.put_back)
            return PutBack(changed, max(0, len(entries) - MOST), done.left, done.waiting)

    # --- inside ------------------------------------------------------------------------------

    def _undo(self, entries: Sequence[Entry]) -> Restored:
        """Undo these; an OSD hears of its option within moments, which are waited for."""
        done = self._undoer.undo(entries, at_once=True)
        for _ in range(_LOOKS):
            lagging = [one for one in self._undoer.entries if self._undoer.is_lagging(one)]
            if done.unsaved is not None or not lagging:
                break
            self._wait(_BETWEEN_LOOKS)
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
                f"the journal of capacities cannot be read: {bad.key} ({bad.why}); look at it with "
                f"'ceph config-key get {bad.key}', put back what it names, then remove it"
            )

    def _apply(self, ours: Sequence[Capacity]) -> None:
        before = {entry.what: entry for entry in self._undoer.entries}
        changes: list[SettingChange] = []
        seen: dict[str, Optional[str]] = {}
        for one in ours:
            what = f"config/osd.{one.osd}/{one.option}"
            now = seen[what] = self._settings.read(what)
            earlier = before.get(what)
            # What was before our first change is what there is to go back to; what an operator
            # has set since then is theirs, and is gone back to instead.
            is_ours = earlier is not None and same_value(now, earlier.change.want)
            was = earlier.change.was if earlier is not None and is_ours else now
            changes.append(SettingChange(what, was, str(one.proposed), self._clock.now()))
        entries = self._undoer.add_all(HOLDER, changes)
        replaced: list[Entry] = []
        for entry in entries:
            if not self._undoer.make(entry, seen[entry.what]):
                self._undoer.forget(entry)  # it was set by somebody at this very moment
            elif entry.what in before:
                replaced.append(before[entry.what])
        if replaced:
            self._undoer.forget(*replaced)


def _is_of(waiting: Waiting, entries: Sequence[Entry]) -> bool:
    return any(waiting.change.what == entry.what for entry in entries)


def _osd_of(what: str) -> int:
    return int(what.split("/")[1].partition(".")[2])
