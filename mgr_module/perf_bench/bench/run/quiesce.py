"""Quiesce: change settings for a round, and always put them back.

The order of steps guarantees it: a change is written to the journal, with the old value, *before*
it is made, and put back before it is removed from the journal. So the journal always names all
changes that may be in effect, and any mgr can put them back. The journal is read again before each
hold and each restore and once a minute, because a mgr that was replaced may still have written.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Callable, Optional

from ...errors import Busy, NotFound, NotNow
from ...model.coverage import Gap, Look, gap
from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import RESTORE_PENDING
from ...model.quiesce import (
    Changed,
    Entry,
    QuiesceState,
    QuiesceStatus,
    Restored,
    SettingChange,
)
from ...model.said import say
from ...settings.undo import Access, Undoer
from .quiesce_plan import Values, plan_changes
from .quiesce_sentences import by_hand, not_put_back, unreadable

# Seconds of putting back before it is reported: busy monitors take seconds for a setting.
_PATIENCE_SECONDS = 60.0
# Seconds between two readings of the journal while it is not used.
_READ_SECONDS = 60.0
# Seconds between two checks of settings whose change may still be executed.
_WATCH_SECONDS = 10.0
# Seconds between two checks who else has set held settings: Ceph 16 keeps 50 lines of that log.
_AUTHOR_SECONDS = 15.0
# The number of settings for which the commands that undo them are shown.
_MOST_COMMANDS = 8


class Quiesce:
    """Holds the settings of one round at a time. Thread-safe."""

    def __init__(
        self,
        access: Access,
        running: Callable[[], Optional[str]],
        every: float = _READ_SECONDS,
    ) -> None:
        """``running`` returns the token of the running round, if any.

        The journal is read again ``every`` that many seconds.
        """
        self._journal = access.journal
        self._settings = access.settings
        self._authority = access.authority
        self._clock = access.clock
        self._log = access.log
        self._running = running
        self._lock = threading.RLock()
        self._undoer = Undoer(access)
        self._every = every
        self._awake = False
        self._leaving = False
        self._released: Optional[str] = None
        # By holder the monotonic time at which its changes must be put back.
        self._deadlines: dict[str, float] = {}
        self._read_at = self._watched_at = self._authors_at = -math.inf
        self._pending_since: Optional[float] = None
        self._why = ""
        self._bad_since = access.clock.now()
        self._last: Optional[Restored] = None

    # --- for rounds --------------------------------------------------------------------------

    def hold(self, holder: str, wanted: Values, until: float) -> tuple[SettingChange, ...]:
        """Set the wanted values for a round; returns the changes.

        A round that another mgr began keeps its journal entries. After ``until`` (unix seconds)
        nothing is changed. Raises the errors of the journal and of settings, and NotNow while an
        earlier round's changes are not put back, or if another mgr is active; changes made so far
        are put back first.
        """
        with self._lock:
            if self._leaving:
                raise NotNow(say("mgr-stopping", "perf_bench is being stopped on this mgr"))
            self._authority.check()
            self._read()
            self._make_way_for(holder)
            if self._clock.now() >= until:
                self._restore(self._undoer.entries)
                return ()
            self._released = None
            self._deadlines[holder] = self._clock.monotonic() + until - self._clock.now()
            try:
                return self._make_all(holder, wanted, until)
            except Exception:
                self._released = holder
                self._restore(self._undoer.entries)
                raise

    def release(self, holder: str) -> Restored:
        """Put back all changes of the round. Raises nothing; failures are retried."""
        with self._lock:
            self._released = holder
            self._deadlines.pop(holder, None)
            return self._restore(self._of(holder))

    # --- for the module ----------------------------------------------------------------------

    def wake(self) -> None:
        """Read the journal once; call until it returns. Raises the keeper's errors."""
        if self._awake:  # changing settings takes seconds, for which those who ask need not wait
            return
        with self._lock:
            if not self._awake:
                self._read()

    def tick(self) -> Optional[Restored]:
        """Put back changes that no running round holds, or that are held for too long.

        Call every few seconds. Returns the outcome, None if nothing was to do. Raises only the
        keeper's errors at the first reading.
        """
        with self._lock:
            now = self._clock.monotonic()
            if not self._awake:
                self._read()
            elif now >= self._read_at + self._every:
                self._read_again()
            due = [entry for entry in self._undoer.entries if not self._is_held(entry)]
            if now < self._watched_at + _WATCH_SECONDS:
                due = [entry for entry in due if not self._undoer.is_watched(entry)]
            else:
                self._watched_at = now
            if now >= self._authors_at + _AUTHOR_SECONDS:
                self._authors_at = now
                self._undoer.look_for_authors(self._held())
            return self._restore(due) if due else None

    @property
    def is_empty(self) -> bool:
        """Whether the journal was empty when it was last read."""
        return self._awake and not self._undoer.entries and not self._undoer.unreadable

    def looks(self) -> Sequence[Look]:
        """The journal: whether it was read, and which of its entries cannot be."""
        bad = [one.key for one in self._undoer.unreadable]
        gaps: list[Gap] = []
        if not self._awake:
            why = say("journal-unread", "it is not read from the monitors yet")
            gaps.append(gap("unread", why, ("journal",)))
        elif bad:
            gaps.append(Gap("unreadable", unreadable(self._undoer.unreadable), "", tuple(bad), 1))
        return [
            Look(
                "restore",
                say("look-restore", "journal of the settings that rounds change"),
                "journal",
                1,
                (RESTORE_PENDING.code,),
                tuple(gaps),
            )
        ]

    def leave(self) -> Restored:
        """Put all back and change nothing any more, because the module stops. Raises nothing.

        If the module is being disabled, no other mgr would do it; after a failover the round holds
        its settings again.
        """
        with self._lock:
            self._leaving = True
            return self._restore(self._undoer.entries)

    def restore(self) -> Restored:
        """Put back now, on an operator's request. Raises Busy while a round holds settings."""
        with self._lock:
            self._read()
            if self._held():
                raise Busy(
                    say(
                        "held-by-round",
                        "a round is running and holds these settings: end it with 'ceph "
                        "perf-bench round abort', which puts them back",
                    )
                )
            done = self._restore(self._undoer.entries)
            bad = self._undoer.unreadable
            return replace(done, unsaved=done.unsaved or unreadable(bad)) if bad else done

    def status(self) -> QuiesceStatus:
        """The present status, without waiting. Raises NotNow until the journal is read."""
        state, shown = self.state(), self._shown()
        watched = tuple(
            entry.what for entry in self._undoer.entries if self._undoer.is_watched(entry)
        )
        if state is QuiesceState.IDLE:
            return QuiesceStatus(state, watched=watched, last=self._last)
        changes = [entry.change for entry in shown]
        last = list(reversed(changes))[:_MOST_COMMANDS]
        commands = [line for change in last for line in self._commands(change)]
        return QuiesceStatus(
            state,
            since=min((entry.since for entry in shown), default=None),
            until=max((entry.until for entry in shown), default=None),
            holder=shown[0].holder if shown else None,
            changed=tuple(self._changed(change) for change in changes),
            why="" if state is QuiesceState.HELD else self._reason(),
            commands=tuple(commands),
            watched=watched,
            last=self._last,
            more_changes=len(changes) - len(last),
        )

    def state(self) -> QuiesceState:
        """The present state; reads no setting. Raises NotNow until the journal is read."""
        if not self._awake:
            raise NotNow(
                say(
                    "journal-not-yet",
                    "perf_bench has not read its journal yet: try again in a few seconds",
                )
            )
        shown = self._shown()
        if any(not self._is_held(entry) for entry in shown) or self._undoer.unreadable:
            return QuiesceState.RESTORE_PENDING
        return QuiesceState.HELD if shown else QuiesceState.IDLE

    def claims(self) -> list[Claim]:
        """One claim while changes without a running round cannot be put back."""
        pending = [entry for entry in self._shown() if not self._is_held(entry)]
        bad = self._undoer.unreadable
        if not bad and (not pending or self._is_restoring()):
            return []
        parts: list[str] = []
        # For more settings 'ceph-perf-bench restore' is better.
        last = list(reversed(pending))[:_MOST_COMMANDS]
        commands = [line for one in last for line in self._commands(one.change)]
        if pending:
            names = [entry.what for entry in pending]
            parts.append(not_put_back(names, self._why))
        if bad:
            parts.append(unreadable(bad))
            commands += [f"ceph config-key get {one.key}" for one in bad[:_MOST_COMMANDS]]
        few = len(pending) <= _MOST_COMMANDS
        parts.append(by_hand(" && ".join(commands) if few else ""))
        since = min((entry.since for entry in pending), default=self._bad_since)
        return [
            Claim(
                RESTORE_PENDING.code,
                Severity.WARNING,
                Target("settings", "cluster"),
                say("both", "{parts:clauses}", parts=parts),
                {
                    "holder": pending[0].holder if pending else None,
                    "changed": [entry.what for entry in pending],
                    "unreadable": [one.key for one in bad],
                    "commands": commands,
                },
                since if self._pending_since is None else self._pending_since,
            )
        ]

    # --- inside ------------------------------------------------------------------------------

    def _read(self) -> None:
        self._undoer.refresh()
        self._read_at = self._clock.monotonic()
        self._awake = True
        if not self._shown():  # another process may have put back what was left
            self._pending_since, self._why = None, ""
        if not self._undoer.unreadable:
            self._bad_since = self._clock.now()

    def _read_again(self) -> None:
        """Read entries of other writers; on failure keep the known ones."""
        self._read_at = self._clock.monotonic()
        try:
            self._read()
        except Exception as error:  # noqa: BLE001 - it is read again later
            self._log.warning("the journal of changed settings cannot be read: %s", error)

    def _of(self, holder: str) -> list[Entry]:
        return [entry for entry in self._undoer.entries if entry.holder == holder]

    def _held(self) -> list[Entry]:
        return [entry for entry in self._undoer.entries if self._is_held(entry)]

    def _shown(self) -> list[Entry]:
        """The entries that may be in effect."""
        return [entry for entry in self._undoer.entries if not self._undoer.is_watched(entry)]

    def _is_held(self, entry: Entry) -> bool:
        holder = entry.holder
        if self._leaving or holder == self._released or holder != self._running():
            return False
        return self._clock.monotonic() < self._deadline_of(entry)

    def _deadline_of(self, entry: Entry) -> float:
        """The monotonic time at which it must be put back; the time of day may jump."""
        known = self._deadlines.get(entry.holder)
        if known is not None:
            return known
        left = min(max(0.0, entry.until - self._clock.now()), max(0.0, entry.until - entry.since))
        # A look at the status takes no lock: what ``hold`` has set meanwhile stays.
        return self._deadlines.setdefault(entry.holder, self._clock.monotonic() + left)

    def _is_restoring(self) -> bool:
        """Whether putting back is in progress without a failure, and not for long."""
        since = self._pending_since
        return since is not None and not self._why and self._clock.now() < since + _PATIENCE_SECONDS

    def _reason(self) -> str:
        bad = self._undoer.unreadable
        parts = [part for part in (self._why, unreadable(bad) if bad else "") if part]
        return say("both", "{parts:clauses}", parts=parts)

    def _changed(self, change: SettingChange) -> Changed:
        try:
            value = self._settings.read(change.what)
        except Exception as error:  # noqa: BLE001 - it is only shown
            self._log.info("%s cannot be read: %s", change.what, error)
            why = str(error) or repr(error)
            return Changed(change.what, change.was, change.want, None, why)
        return Changed(change.what, change.was, change.want, value)

    def _commands(self, change: SettingChange) -> list[str]:
        try:
            return self._settings.commands(change)
        except Exception as error:  # noqa: BLE001 - the message is useful without the commands
            self._log.info("the commands that undo %s are not known: %s", change.what, error)
            return []

    def _make_way_for(self, holder: str) -> None:
        """Put back an earlier round's changes. Raises NotNow if that cannot be done."""
        earlier = [entry for entry in self._undoer.entries if entry.holder != holder]
        if earlier:
            self._restore(earlier)
        if any(entry.holder != holder for entry in self._shown()):
            raise NotNow(
                say(
                    "earlier-not-put-back",
                    "changes of an earlier round are not put back yet: {why}",
                    why=self._why,
                )
            )
        if self._undoer.unreadable:
            raise NotNow(unreadable(self._undoer.unreadable))

    def _make_all(self, holder: str, wanted: Values, until: float) -> tuple[SettingChange, ...]:
        before = {entry.what: entry for entry in self._of(holder)}
        since = min((entry.since for entry in before.values()), default=self._clock.now())
        changed: list[SettingChange] = []
        for what, value in wanted.items():
            try:
                entry = before.get(what)
                if entry is None:
                    entry = self._change(holder, since, until, (what, value))
                else:
                    self._go_on_with(entry)
            except NotFound:
                continue  # a pool that was removed
            if entry is not None:
                changed.append(entry.change)
        if changed:
            self._journal.confirm(self._authority.writer, holder, until)
        return tuple(changed)

    def _change(
        self, holder: str, since: float, until: float, wanted: tuple[str, Optional[str]]
    ) -> Optional[Entry]:
        """Make one change: read the value, journal the change, read again, set."""
        what, value = wanted
        planned = plan_changes({what: self._settings.read(what)}, {what: value}, self._clock.now())
        if not planned:
            return None
        (change,) = planned
        self._authority.check()
        entry = self._undoer.add(holder, since, until, change)
        if not self._undoer.make(entry, change.was):  # an operator has set it meanwhile
            self._undoer.forget(entry)
            return None
        return entry

    def _go_on_with(self, entry: Entry) -> None:
        """Continue a change that another mgr recorded; make it if it was not made."""
        now = self._settings.read(entry.what)
        if now == entry.change.want:
            self._undoer.note_made(entry)
        elif now == entry.change.was and not self._undoer.is_made(entry):
            self._undoer.make(entry, now)

    def _restore(self, entries: Iterable[Entry]) -> Restored:
        """Put back these changes; failed ones stay in the journal."""
        ours = list(entries)
        if not ours:
            return Restored()
        goes_on = self._pending_since is not None
        if not goes_on and any(not self._undoer.is_watched(one) for one in ours):
            self._pending_since = self._clock.now()
        done = self._undoer.undo(ours)
        for left in done.left:
            state = "is gone" if left.gone else f"was set to {left.now} by {left.by or 'others'}"
            self._log.warning("%s %s: it is not put back", left.what, state)
        whys = [f"{waiting.change.what}: {waiting.why}" for waiting in done.waiting]
        self._why = "; ".join(whys) or (done.unsaved or "")
        if not self._shown():
            self._pending_since = None
        self._remember(done, goes_on)
        return done

    def _remember(self, done: Restored, goes_on: bool) -> None:
        """Keep the outcome for ``status``; with ``goes_on`` it is added to the last one."""
        last = self._last if goes_on and self._last is not None else Restored()
        if done.put_back or done.left:
            self._last = Restored((*last.put_back, *done.put_back), (*last.left, *done.left))
