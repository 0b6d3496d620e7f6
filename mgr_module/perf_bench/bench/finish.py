"""The end of a round: judged, and saved however long the store is away."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from ..errors import NotFound, PerfBenchError, StoreUnavailable
from ..model.guard import Alarm
from ..model.round import Round, RoundState, Verdict
from .active_round import SAVING, ActiveRound
from .compare.alarms import with_alarms
from .context import SAVE_WAIT, RoundContext
from .progress import RoundEvents
from .run.osd_runner import Outcome
from .verdict import Judge

_RETRY_SECONDS = 5.0
# Tries to judge a round before it is saved as failed; those that the store failed do not count.
JUDGEMENTS = 3


class Ending:
    """Saves how one round ended."""

    def __init__(self, context: RoundContext, active: ActiveRound, events: RoundEvents) -> None:
        self._context = context
        self._active = active
        self._events = events
        self._judge = Judge(context.store_thread, context.cluster)

    def save(self, outcome: Outcome, alarms: Sequence[Alarm], leaving: threading.Event) -> None:
        """Judge and save, again and again until the store takes it or the mgr is ``leaving``.

        A round that cannot be judged is saved as failed, with its samples: they do not change, so
        the same would fail for ever and keep every other round from starting.
        """
        self._active.phase = SAVING
        round_ = replace(self._active.round, ended_at=self._context.clock.now())
        log, failures, problem = self._context.log, 0, ""
        while not leaving.is_set():
            try:
                if failures < JUDGEMENTS:
                    state = self._try(round_, outcome, alarms)
                else:
                    state = self._give_up(round_, problem)
            except NotFound:
                log.warning("round %d is gone from the database", round_.id)
                return
            except StoreUnavailable as error:
                log.warning("round %d cannot be saved yet: %s", round_.id, error)
                leaving.wait(_RETRY_SECONDS)
            except Exception as error:  # whatever it is, the samples are worth another try
                failures, problem = failures + 1, _named(error)
                log.exception("round %d cannot be judged", round_.id)
                leaving.wait(_RETRY_SECONDS)
            else:
                self._active.saved = True
                log.info("round %d ended: %s", round_.id, state)
                return

    def _give_up(self, round_: Round, problem: str) -> str:
        """Save a round that cannot be judged: failed, with what is known of it."""
        reason = (
            f"what it measured cannot be judged ({problem}); its samples are kept: "
            f"'ceph perf-bench round export {round_.id} --raw' prints them"
        )
        ended = replace(round_, state=RoundState.FAILED, verdict=Verdict.FAILED, reasons=(reason,))
        self._context.store_thread.call(lambda store: store.end_round(ended, ()), SAVE_WAIT)
        return ended.state.value

    def _try(self, round_: Round, outcome: Outcome, alarms: Sequence[Alarm]) -> str:
        ask = self._context.store_thread.call
        if not self._events.flush(SAVE_WAIT):
            # NotFound if that is why: then there is nothing to save them to.
            ask(lambda store: store.round(round_.id), SAVE_WAIT)
            raise StoreUnavailable(self._events.problem() or "samples are not saved yet")
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


def _named(error: Exception) -> str:
    """An error in a few words; those of our own are sentences."""
    said = str(error) if isinstance(error, PerfBenchError) else f"{type(error).__name__}: {error}"
    return said[:300]
