"""Relieve an OSD on request: less primary affinity or reweight, journalled first.

Nothing here acts or undoes by itself. The journal is at the monitors: another mgr can undo it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Optional

from ..errors import InvalidValue, NotFound, NotNow, PerfBenchError
from ..model.pacing import Every
from ..model.quiesce import Entry, Left, SettingChange, Waiting, same_value
from ..model.relief import REWEIGHT, WORDS, Relief, setting, stored
from ..model.said import say
from ..settings.undo import Access, Undoer

HOLDER = "relief"
# OSDs that may be relieved at once: more of them overload the others.
MOST = 100
# Seconds between reads of the journal, which another mgr or the host tool may have changed.
_EVERY = 60.0


class Undone(NamedTuple):
    """``put_back`` was set to what it was, ``as_before`` was that already.

    ``theirs`` were changed by somebody else since and stay; ``waiting`` cannot be put back now.
    """

    put_back: Sequence[SettingChange]
    as_before: Sequence[SettingChange]
    theirs: Sequence[Left] = ()
    waiting: Sequence[Waiting] = ()


class OsdRelief:
    """Thread-safe. ``tick`` only reads the journal."""

    def __init__(self, access: Access) -> None:
        """``access`` has a journal of its own."""
        self._settings = access.settings
        self._clock = access.clock
        self._log: logging.Logger = access.log
        # Entries are undone on request only, so pending commands need not be waited for.
        self._undoer = Undoer(access, late=0.0)
        self._lock = threading.Lock()
        self._reads = Every(_EVERY)
        self._noted: Optional[Sequence[Relief]] = None
        self._trouble = ""

    def tick(self) -> None:
        """Read the journal once a minute."""
        if not self._reads.is_due(self._clock.monotonic()):
            return
        try:
            with self._lock:
                self._read()
            self._trouble = ""
        except PerfBenchError as error:
            if str(error) != self._trouble:  # once, not every minute
                self._log.warning("the journal of relieved OSDs cannot be read: %s", error)
                self._trouble = str(error)

    def noted(self) -> Optional[Sequence[Relief]]:
        """The reliefs in the journal as it was read last, without what the map has now.

        None until it was read.
        """
        return self._noted

    def ls(self) -> Sequence[Relief]:
        """All reliefs, each with what the OSD map has now. Raises NotNow, CommandFailed."""
        with self._lock:
            self._read()
            return [self._asked(one) for one in self._noted or ()]

    def relieve(self, osd: int, what: str, value: float) -> Relief:
        """Set the value (0 to 1), after what it was is journalled.

        A second relief of the same kind keeps what was before the first, unless an operator has
        changed it since. Raises InvalidValue, NotFound for an unknown OSD, NotNow, CommandFailed.
        """
        want, name = stored(value), setting(osd, what)
        with self._lock:
            self._read()
            entries = self._undoer.entries
            now = self._settings.read(name)
            _check(osd, what, want, now)
            before = next((one for one in entries if one.what == name), None)
            if before is None and len(entries) >= MOST:
                raise NotNow(
                    say(
                        "relief-limit",
                        "{count} reliefs are in effect, at most {most} may be: undo some, see "
                        "'ceph perf-bench relief ls'",
                        count=len(entries),
                        most=MOST,
                    )
                )
            ours = before is not None and same_value(now, before.change.want)
            was = before.change.was if before is not None and ours else now
            change = SettingChange(name, was, want, self._clock.now())
            (entry,) = self._undoer.add_all(HOLDER, [change])
            if not self._undoer.make(entry, now):
                self._undoer.forget(entry)
                self._note()
                raise NotNow(
                    say(
                        "relief-changed",
                        "{what} of osd.{osd} was changed at this moment: try again",
                        what=WORDS[what],
                        osd=osd,
                    )
                )
            if before is not None:
                self._undoer.forget(before)
            self._note()
            return self._asked(_relief(entry))

    def undo(self, osd: int) -> Undone:
        """Put back what was before, of one OSD; what somebody else has changed since stays.

        Raises NotFound if it is not relieved, NotNow if the journal cannot be read or written.
        """
        with self._lock:
            self._read()
            entries = [one for one in self._undoer.entries if _relief(one).osd == osd]
            if not entries:
                raise NotFound(
                    say(
                        "no-relief",
                        "osd.{osd} is not relieved: 'ceph perf-bench relief ls' lists those that "
                        "are",
                        osd=osd,
                    )
                )
            done = self._undoer.undo(entries, at_once=True)
            self._note()
            if done.unsaved is not None:
                raise NotNow(
                    say("relief-journal", "the journal of relieved OSDs: {why}", why=done.unsaved)
                )
            known = {one.what for one in done.put_back} | {one.what for one in done.left}
            known |= {one.change.what for one in done.waiting}
            same = [one.change for one in entries if one.what not in known]
            return Undone(done.put_back, same, done.left, done.waiting)

    # --- inside ------------------------------------------------------------------------------

    def _read(self) -> None:
        self._undoer.refresh()
        self._note()
        if self._undoer.unreadable:
            bad = self._undoer.unreadable[0]
            raise NotNow(
                say(
                    "relief-journal-unread",
                    "the journal of relieved OSDs cannot be read: {key} ({why}); print it "
                    "with 'ceph config-key get {key}', put back what it names, then remove it",
                    key=bad.key,
                    why=bad.why,
                )
            )

    def _note(self) -> None:
        found = [_relief(one) for one in self._undoer.entries]
        self._noted = sorted(found, key=lambda one: (one.osd, one.what))

    def _asked(self, relief: Relief) -> Relief:
        """The relief with what the OSD map has now."""
        try:
            return replace(relief, now=self._settings.read(relief.change.what))
        except NotFound:
            return relief
        except PerfBenchError as error:
            return replace(relief, unread=str(error))


def _relief(entry: Entry) -> Relief:
    return Relief(entry.change, entry.change.at or entry.since)


def _check(osd: int, what: str, want: str, now: Optional[str]) -> None:
    """Raise InvalidValue unless this takes load off the OSD."""
    if same_value(want, now):
        raise InvalidValue(
            say(
                "relief-same",
                "{what} of osd.{osd} is {now} already",
                what=WORDS[what],
                osd=osd,
                now=str(now),
            ),
            field=what,
        )
    if now is not None and float(want) > float(now):
        if what == REWEIGHT and float(now) == 0:
            raise InvalidValue(
                say(
                    "relief-out",
                    "reweight of osd.{osd} is {now} (it is out): {want} would give it more load, "
                    "not less",
                    osd=osd,
                    now=now,
                    want=want,
                ),
                field=what,
            )
        raise InvalidValue(
            say(
                "relief-more",
                "{what} of osd.{osd} is {now}: {want} would give it more load, not less",
                what=WORDS[what],
                osd=osd,
                now=now,
                want=want,
            ),
            field=what,
        )
