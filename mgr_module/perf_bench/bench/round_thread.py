"""Executes one round on its own thread, until its verdict is stored."""

from __future__ import annotations

import errno
import threading
from collections.abc import Sequence
from dataclasses import asdict

from ..errors import CommandFailed, PerfBenchError
from ..model.bench import Done
from ..model.client_impact import NotedLatency
from ..model.guard import Alarm
from ..model.interim import ClientLatency
from ..model.quiesce import Restored, SettingChange
from ..model.round import Verdict
from ..model.statistics import median
from ..store.sqlite import Store
from .active_round import ActiveRound
from .client_round import ClientRound
from .compare.summary import alarms_of, conclusions_of
from .context import LEAVE_WAIT, SAVE_WAIT, RoundContext
from .finish import Ending
from .osd_round import OsdRound
from .progress import RoundEvents
from .run.osd_runner import End, Outcome

# So long a round waits for monitors that have no quorum, with a try so many seconds after another.
_QUORUM_SECONDS, _RETRY_SECONDS = 120.0, 2.0


class RoundExecution:
    """Runs one round through the stages run, record and compare."""

    def __init__(
        self, context: RoundContext, active: ActiveRound, leaving: threading.Event
    ) -> None:
        """``leaving`` is set when the mgr stops being active."""
        self._context = context
        self._active = active
        self._leaving = leaving
        self._events = RoundEvents(context, active)
        # Those that the guard of a mgr before has raised, which were saved with the round.
        self._before = alarms_of(active.round.conclusions)
        self._alarms: tuple[Alarm, ...] = self._before

    def conduct(self, done: Done) -> None:
        """Run what is not ``done``, judge and save the round. It ends after any error, too."""
        number, stop = self._active.round.id, self._active.stop
        try:
            outcome = self._measure(done)
        except PerfBenchError as error:
            outcome = stop.finish(Outcome(End.FAILED, str(error)))
        except Exception as error:
            self._context.log.exception("round %d failed", number)
            outcome = Outcome(End.FAILED, f"internal error, see the mgr's log: {error!r}")
            stop.finish(outcome)
        if outcome.end == End.LEFT:
            self._events.flush(LEAVE_WAIT)
            return
        Ending(self._context, self._active, self._events).save(outcome, self._alarms, self._leaving)
        self._context.progress.end(number, outcome.reason or None)

    def _recall(self) -> None:
        """Read the samples of the mgr before, for the interim figures alone."""
        number = self._active.round.id
        try:
            found = self._context.store_thread.call(lambda store: store.samples(number), SAVE_WAIT)
        except PerfBenchError as error:
            self._context.log.info("interim figures of round %d begin anew: %s", number, error)
        else:
            for sample in found:
                self._active.add_sample(sample)

    def _measure(self, done: Done) -> Outcome:
        parts = self._context, self._active, self._events
        load = self._active.round.plan.load
        try:
            if done.samples:
                self._recall()
            if load is None:
                return OsdRound(*parts).run(done, self._begin)
            return ClientRound(*parts).run(load, self._begin)
        finally:
            released = self._context.round_safety.release(self._active.round)
            self._alarms = self._all(released.alarms)
            self._note(released.settings)
            self._note_clients(released.clients)

    def _begin(self) -> None:
        """Suspend what would disturb the round, and record it in the round's environment."""
        self._events.running()
        active = self._active
        quiesced = [change.what for change in self._hold()]
        active.change(environment={**active.round.environment, "quiesced": quiesced})

    def _hold(self) -> Sequence[SettingChange]:
        """Change settings. Monitors that do not answer are waited for: they may elect a leader."""
        active, clock = self._active, self._context.clock
        until = clock.monotonic() + _QUORUM_SECONDS
        while True:
            try:
                return self._context.round_safety.hold(active.round, self._end, self._warned)
            except CommandFailed as error:
                if error.errno != errno.ETIMEDOUT or clock.monotonic() >= until:
                    raise
                self._context.log.warning("round %d waits: %s", active.round.id, error)
                active.stop.wait(_RETRY_SECONDS)
                if active.stop.outcome is not None:
                    raise

    def _all(self, alarms: Sequence[Alarm]) -> tuple[Alarm, ...]:
        """These alarms and those of mgrs before; each kind once."""
        codes = {alarm.code for alarm in self._before}
        return (*self._before, *(alarm for alarm in alarms if alarm.code not in codes))

    def _warned(self, alarms: Sequence[Alarm]) -> None:
        """Save the alarms so far: a mgr that takes over would not know what disturbed the round."""
        active = self._active
        active.change(conclusions=conclusions_of(self._all(alarms)))
        self._context.store_thread.submit(
            lambda store: save_wish(store, active), self._context.or_say("save an alarm")
        )

    def _end(self, reason: str) -> None:
        """End the round for the guard; a mgr that takes over meanwhile does not carry it on."""
        active = self._active
        active.stop.abort(reason)
        if active.stop.outcome != Outcome(End.ABORTED, reason):
            return  # it was ending already
        self._context.log.warning("round %d is %s", active.round.id, reason)
        active.change(verdict=Verdict.ABORTED, reasons=(reason,))
        self._context.store_thread.submit(
            lambda store: save_wish(store, active), self._context.or_say("save the abort")
        )

    def _note_clients(self, clients: ClientLatency) -> None:
        """Record in the round's environment what clients felt of it, where that is known."""
        known = [seconds for _, seconds in clients.points if seconds is not None]
        if clients.before is None or not known:
            return
        figures = (clients.before, median(known), max(known))
        noted = NotedLatency(*(round(1000 * seconds, 3) for seconds in figures)).noted
        active = self._active
        active.change(environment={**active.round.environment, **noted})

    def _note(self, settings: Restored) -> None:
        """Record in the round's environment which settings were restored."""
        if not (settings.put_back or settings.left or settings.waiting):
            return
        noted = {
            "put_back": [{"what": change.what, "now": change.was} for change in settings.put_back],
            "left": [asdict(left) for left in settings.left],
            "waiting": [waiting.change.what for waiting in settings.waiting],
        }
        active = self._active
        active.change(environment={**active.round.environment, "settings": noted})


def save_wish(store: Store, active: ActiveRound) -> None:
    """Save what is known of a round that runs; by then it may have ended.

    That is what is known now: several threads change it, and may ask for this in another order.
    """
    wish = active.round
    if not store.round(wish.id).state.ended:  # else the ended round would be running again
        store.save_round(wish)
