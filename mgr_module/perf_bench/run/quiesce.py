"""Quiesce: a small machine that changes settings for a round and puts them back, come what may.

The order of things is all there is to it. A change is written to the journal, with the value it
had, *before* it is made; it is put back before it is struck out. So at every moment the journal
names all that may be ours, and whoever reads it can go on: this mgr, or the one after it.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from typing import Callable, Optional, Union

from ..errors import Busy, NotFound, NotNow
from ..model.finding import Claim, Severity, Target
from ..model.quiesce import (
    RESTORE_PENDING,
    Change,
    Changed,
    Journal,
    Left,
    QuiesceState,
    QuiesceStatus,
    Restored,
    Waiting,
)
from ..ports import Clock
from .quiesce_plan import Fate, Values, fate, plan_changes
from .quiesce_ports import JournalKeeper, Settings

# Putting back may take so long before it is told: busy monitors take seconds for a setting.
_PATIENCE_SECONDS = 60.0


class Quiesce:
    """Holds the cluster still for one round at a time. Safe to call from any thread."""

    def __init__(
        self,
        keeper: JournalKeeper,
        settings: Settings,
        clock: Clock,
        running: Callable[[], Optional[str]],
        log: logging.Logger,
    ) -> None:
        """``running`` tells the token of the round that runs at this moment, if one does."""
        self._keeper = keeper
        self._settings = settings
        self._clock = clock
        self._running = running
        self._log = log
        self._lock = threading.RLock()
        self._journal: Optional[Journal] = None
        self._awake = False
        self._leaving = False
        self._released: Optional[str] = None
        # Whether the kept journal may be another one than ours.
        self._unsaved = False
        self._pending_since: Optional[float] = None
        self._why = ""

    # --- for rounds --------------------------------------------------------------------------

    def hold(self, holder: str, wanted: Values, until: float) -> tuple[Change, ...]:
        """Make what is wanted true for a round; returns what was changed for it.

        A round that another mgr began goes on with what the journal says. After ``until`` (unix
        seconds) nothing is changed any more. Raises what the journal or a setting raises, and
        NotNow while an earlier round's changes are not put back; all is put back before.
        """
        with self._lock:
            if self._leaving:
                raise NotNow("perf_bench is being stopped on this mgr")
            self.wake()
            if self._journal is not None and self._journal.holder != holder:
                self._restore()
            if self._journal is not None and self._journal.holder != holder:
                raise NotNow(f"what an earlier round changed is not put back yet: {self._why}")
            if self._clock.now() >= until:
                self._restore()
                return ()
            self._released = None
            try:
                return self._make_all(holder, wanted, until)
            except Exception:
                self._released = holder
                self._restore()
                raise

    def release(self, holder: str) -> Restored:
        """Put all back that the round changed. Raises nothing: what failed is tried again."""
        with self._lock:
            self._released = holder
            if self._journal is None or self._journal.holder != holder:
                return Restored()
            return self._restore()

    # --- for the module ----------------------------------------------------------------------

    def wake(self) -> None:
        """Read the journal, once. Raises what the keeper raises; to be called until it returns."""
        with self._lock:
            if not self._awake:
                saved = self._keeper.load()
                journal = None if saved is None else Journal.from_json(saved)
                self._journal = journal if journal is not None and journal.changes else None
                self._awake = True

    def tick(self) -> Optional[Restored]:
        """Put back what no running round holds, or what is held for too long.

        To be called every few seconds. Returns what came of it, None when nothing was to be
        done. Raises only what the keeper raises at the first reading.
        """
        with self._lock:
            self.wake()
            if self._journal is not None and not self._is_held(self._journal):
                return self._restore()
            if self._unsaved:
                self._save_quietly()
            return None

    def leave(self) -> Restored:
        """Put all back and change nothing any more, because the module stops. Raises nothing.

        Nobody would, were it disabled; the round that is carried on elsewhere holds it again.
        """
        with self._lock:
            self._leaving = True
            return self._restore()

    def restore(self) -> Restored:
        """Put back now, because an operator says so. Raises Busy while a round holds it."""
        with self._lock:
            self.wake()
            if self._journal is None:
                return Restored()
            if self._is_held(self._journal):
                raise Busy(
                    "a round is running and holds these settings: end it with "
                    "'ceph perf-bench round abort', and they are put back"
                )
            return self._restore()

    def status(self) -> QuiesceStatus:
        """How things stand; waits for no restore. Raises NotNow before the journal was read."""
        state, journal = self.state(), self._journal
        if journal is None:
            return QuiesceStatus(QuiesceState.IDLE)
        return QuiesceStatus(
            state,
            journal.since,
            journal.until,
            journal.holder,
            tuple(self._changed(change) for change in journal.changes),
            "" if state is QuiesceState.HELD else self._why,
        )

    def state(self) -> QuiesceState:
        """The same as one word; no setting is read for it."""
        if not self._awake:
            raise NotNow("perf_bench has not read its database yet: try again in a few seconds")
        journal = self._journal
        if journal is None:
            return QuiesceState.IDLE
        held = self._is_held(journal)
        return QuiesceState.HELD if held else QuiesceState.RESTORE_PENDING

    def claims(self) -> list[Claim]:
        """One while anything of ours is set without a running round and cannot be put back."""
        journal = self._journal
        if journal is None or not journal.changes or self._is_held(journal) or self._is_at_it():
            return []
        names = ", ".join(change.what for change in journal.changes)
        why = f" ({self._why})" if self._why else ""
        since = journal.since if self._pending_since is None else self._pending_since
        return [
            Claim(
                RESTORE_PENDING,
                Severity.WARNING,
                Target("settings", "cluster"),
                f"no round runs, and what one changed is not put back yet: {names}{why}",
                {"holder": journal.holder, "changed": [c.what for c in journal.changes]},
                since,
            )
        ]

    # --- inside ------------------------------------------------------------------------------

    def _is_held(self, journal: Journal) -> bool:
        holder = journal.holder
        in_time = self._clock.now() < journal.until and not self._leaving
        return in_time and holder != self._released and holder == self._running()

    def _is_at_it(self) -> bool:
        """Whether all is being put back, which failed nowhere so far and does not last long."""
        since = self._pending_since
        return since is not None and not self._why and self._clock.now() < since + _PATIENCE_SECONDS

    def _changed(self, change: Change) -> Changed:
        value: Optional[str] = None
        try:
            value = self._settings.read(change.what)
        except Exception as error:  # noqa: BLE001 - it is only shown
            self._log.info("%s cannot be read: %s", change.what, error)
        return Changed(change.what, change.was, change.want, value)

    def _make_all(self, holder: str, wanted: Values, until: float) -> tuple[Change, ...]:
        journal = self._journal or Journal(holder, self._clock.now(), until)
        before = {change.what: change for change in journal.changes}
        for what, value in wanted.items():
            try:
                if what not in before:
                    journal = self._change(journal, what, value)
                elif not before[what].made:
                    journal = self._go_on_with(journal, before[what])
            except NotFound:
                continue  # a pool that was removed
        if journal.changes or self._unsaved:
            self._save(journal if journal.changes else None)  # that the last one is made
        return journal.changes

    def _change(self, journal: Journal, what: str, value: Optional[str]) -> Journal:
        """Make one change: look, write it down, look again, do it."""
        now = {what: self._settings.read(what)}
        planned = plan_changes(now, {what: value}, self._clock.now())
        if not planned:
            return journal
        (change,) = planned
        intended = replace(journal, changes=(*journal.changes, change))
        self._save(intended)
        if self._settings.read(what) != change.was:  # an operator was faster, and it is theirs
            self._journal = journal if journal.changes else None
            self._unsaved = True
            return journal
        self._settings.set(what, change.want)
        return self._made(intended, change)

    def _go_on_with(self, journal: Journal, change: Change) -> Journal:
        """Another mgr wrote a change down, and nobody knows whether it still made it."""
        now = self._settings.read(change.what)
        if now == change.was:
            self._settings.set(change.what, change.want)
        elif now != change.want:
            return journal
        return self._made(journal, change)

    def _made(self, journal: Journal, change: Change) -> Journal:
        """Note that a change is made; it is kept with the next one, or at the end."""
        changes = (replace(one, made=one.made or one == change) for one in journal.changes)
        self._journal = replace(journal, changes=tuple(changes))
        return self._journal

    def _save(self, journal: Optional[Journal]) -> None:
        """Keep a journal, then go by it; when it may not be kept we still go by the old one."""
        self._unsaved = True
        self._keeper.save(None if journal is None else journal.to_json())
        self._unsaved = False
        self._journal = journal

    def _save_quietly(self) -> Optional[str]:
        """Bring the kept journal up to date; returns why it could not be."""
        try:
            self._save(self._journal)
        except Exception as error:  # noqa: BLE001 - it is tried again at the next tick
            return str(error) or repr(error)
        return None

    def _restore(self) -> Restored:
        """Put back what is ours, the last change first; what cannot be now stays in the journal.

        Each one is struck out as soon as it is put back. Else an operator who then sets it would
        have it undone by a mgr that takes over in the middle and reads the old journal.
        """
        journal = self._journal
        if journal is None:
            return Restored()
        if self._pending_since is None:
            self._pending_since = self._clock.now()
        done = Restored()
        for change in reversed(journal.changes):
            fate_ = self._put_back(change)
            if isinstance(fate_, Waiting):
                done = replace(done, waiting=(*done.waiting, fate_))
                continue
            if isinstance(fate_, Left):
                done = replace(done, left=(*done.left, fate_))
            elif fate_ is not None:
                done = replace(done, put_back=(*done.put_back, fate_))
            journal = replace(
                journal, changes=tuple(one for one in journal.changes if one.what != change.what)
            )
            self._journal = journal if journal.changes else None
            # A database that is away is not waited for once more for every setting.
            done = replace(done, unsaved=done.unsaved or self._save_quietly())
        self._note(done)
        return done

    def _put_back(self, change: Change) -> Union[Change, Left, Waiting, None]:
        """Put one change back: itself if that was done, None if there was nothing to do."""
        try:
            now = self._settings.read(change.what)
            what_now = fate(change, now, self._clock.now())
            if what_now is Fate.PUT_BACK:
                self._settings.set(change.what, change.was)
                return change
        except NotFound:
            return Left(change.what, change.was, None, gone=True)
        except Exception as error:  # noqa: BLE001 - the others are put back all the same
            return Waiting(change, str(error) or repr(error))
        if what_now is Fate.LEAVE:
            return Left(change.what, change.was, now)
        if what_now is Fate.WAIT:
            return Waiting(change, "it was ordered a moment ago and may still be carried out")
        return None

    def _note(self, done: Restored) -> None:
        for change in done.put_back:
            self._log.info("%s is %s again", change.what, change.was or "not set")
        for left in done.left:
            state = "is gone" if left.gone else f"was set to {left.now} by somebody else: it stays"
            self._log.warning("%s %s", left.what, state)
        whys = [f"{waiting.change.what}: {waiting.why}" for waiting in done.waiting]
        self._why = "; ".join(whys) or (done.unsaved or "")
        if self._journal is None:
            self._pending_since = None
