"""Executes one round on its own thread, until its verdict is stored."""

from __future__ import annotations

import threading
from dataclasses import asdict

from ..errors import PerfBenchError
from ..model.bench import Done
from ..model.guard import Alarm
from ..model.quiesce import Restored
from .active_round import ActiveRound
from .client_round import ClientRound
from .context import LEAVE_WAIT, RoundContext
from .finish import Ending
from .osd_round import OsdRound
from .progress import RoundEvents
from .run.osd_runner import End, Outcome


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
        self._alarms: tuple[Alarm, ...] = ()

    def conduct(self, done: Done) -> None:
        """Run what is not ``done``, judge and save the round. It ends after any error, too."""
        number = self._active.round.id
        try:
            outcome = self._measure(done)
        except PerfBenchError as error:
            outcome = self._active.stop.outcome or Outcome(End.FAILED, str(error))
        except Exception as error:
            self._context.log.exception("round %d failed", number)
            outcome = Outcome(End.FAILED, f"internal error, see the mgr's log: {error!r}")
        if outcome.end == End.LEFT:
            self._events.flush(LEAVE_WAIT)
            return
        Ending(self._context, self._active, self._events).save(outcome, self._alarms, self._leaving)
        self._context.progress.end(number, outcome.reason or None)

    def _measure(self, done: Done) -> Outcome:
        parts = self._context, self._active, self._events
        load = self._active.round.plan.load
        try:
            if load is None:
                return OsdRound(*parts).run(done, self._begin)
            return ClientRound(*parts).run(load, self._begin)
        finally:
            self._alarms, settings = self._context.round_safety.release(self._active.round)
            self._note(settings)

    def _begin(self) -> None:
        """Suspend what would disturb the round, and record it in the round's environment."""
        self._events.running()
        active = self._active
        held = self._context.round_safety.hold(active.round, active.stop.abort)
        quiesced = [change.what for change in held]
        active.change(environment={**active.round.environment, "quiesced": quiesced})

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
