"""The end of a round: judges it and saves it, with retries while the store is unavailable."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from ..errors import NotFound, PerfBenchError, StoreUnavailable
from ..model.guard import Alarm
from ..model.round import Round, RoundState, Verdict
from ..model.said import say
from .active_round import SAVING, ActiveRound
from .compare.summary import with_alarms
from .context import SAVE_WAIT, RoundContext
from .progress import RoundEvents
from .run.osd_runner import Outcome
from .verdict import Judge

_RETRY_SECONDS = 5.0
# Attempts to judge a round before it is saved as failed, without those that the store failed.
JUDGEMENTS = 3


class Ending:
    """Judges and saves the end of one round."""

    def __init__(self, context: RoundContext, active: ActiveRound, events: RoundEvents) -> None:
        self._context = context
        self._active = active
        self._events = events
        self._judge = Judge(context.store_thread, context.cluster)

    def save(self, outcome: Outcome, alarms: Sequence[Alarm], leaving: threading.Event) -> None:
        """Judge and save the round; retry until the store accepts it or ``leaving`` is set.

        A round that cannot be judged is saved as failed, with its samples: more attempts would
        fail again and prevent all other rounds.
        """
        self._active.phase = SAVING
        round_ = self._active.round
        round_ = replace(round_, ended_at=round_.ends_at(self._context.clock.now()))
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
            except Exception as error:  # any error: the samples are worth another attempt
                failures, problem = failures + 1, _named(error)
                log.exception("round %d cannot be judged", round_.id)
                leaving.wait(_RETRY_SECONDS)
            else:
                self._active.saved = True
                log.info("round %d ended: %s", round_.id, state)
                return

    def _give_up(self, round_: Round, problem: str) -> str:
        """Save a round that cannot be judged as failed; returns its state."""
        reason = say(
            "cannot-judge",
            "what it measured cannot be judged ({problem}); its samples are kept: "
            "'ceph perf-bench round export {round} --raw' prints them",
            problem=problem,
            round=round_.id,
        )
        ended = replace(round_, state=RoundState.FAILED, verdict=Verdict.FAILED, reasons=(reason,))
        self._context.store_thread.call(lambda store: store.end_round(ended, ()), SAVE_WAIT)
        return ended.state.value

    def _try(self, round_: Round, outcome: Outcome, alarms: Sequence[Alarm]) -> str:
        ask = self._context.store_thread.call
        if not self._events.flush(SAVE_WAIT):
            # Raises NotFound if the round was removed, which is then the reason.
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
    """Return the error's text, with the type if it is not one of ours; at most 300 characters."""
    text = str(error) if isinstance(error, PerfBenchError) else f"{type(error).__name__}: {error}"
    return text[:300]
