"""The end of a round: judged, and saved however long the store is away."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from ..errors import NotFound, StoreUnavailable
from ..model.guard import Alarm
from ..model.round import Round
from .active_round import SAVING, ActiveRound
from .compare.alarms import with_alarms
from .context import SAVE_WAIT, RoundContext
from .progress import RoundEvents
from .run.osd_runner import Outcome
from .verdict import Judge

_RETRY_SECONDS = 5.0


class Ending:
    """Saves how one round ended."""

    def __init__(self, world: RoundContext, active: ActiveRound, notes: RoundEvents) -> None:
        self._world = world
        self._active = active
        self._notes = notes
        self._judge = Judge(world.desk, world.cluster)

    def save(self, outcome: Outcome, alarms: Sequence[Alarm], leaving: threading.Event) -> None:
        """Judge and save, again and again until the store takes it or the mgr is ``leaving``."""
        self._active.phase = SAVING
        round_ = replace(self._active.round, ended_at=self._world.clock.now())
        log = self._world.log
        while not leaving.is_set():
            try:
                state = self._try(round_, outcome, alarms)
            except NotFound:
                log.warning("round %d is gone from the database", round_.id)
                return
            except StoreUnavailable as error:
                log.warning("round %d cannot be saved yet: %s", round_.id, error)
                leaving.wait(_RETRY_SECONDS)
            except Exception:  # whatever it is, the samples are worth another try
                log.exception("round %d cannot be saved yet", round_.id)
                leaving.wait(_RETRY_SECONDS)
            else:
                self._active.saved = True
                log.info("round %d ended: %s", round_.id, state)
                return

    def _try(self, round_: Round, outcome: Outcome, alarms: Sequence[Alarm]) -> str:
        ask = self._world.desk.call
        if not self._notes.flush(SAVE_WAIT):
            # NotFound if that is why: then there is nothing to save them to.
            ask(lambda store: store.round(round_.id), SAVE_WAIT)
            raise StoreUnavailable(self._notes.problem() or "samples are not saved yet")
        state, summary = self._judge.judge(round_, outcome)
        summary = with_alarms(summary, alarms)
        ended = replace(
            round_,
            state=state,
            verdict=summary.verdict,
            reasons=summary.reasons,
            conclusions=summary.conclusions,
            summary=summary.figures,
        )
        written = self._judge.written(round_, outcome)
        ask(lambda store: store.end_round(ended, summary.results, written), SAVE_WAIT)
        return state.value
