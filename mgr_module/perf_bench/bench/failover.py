"""After a failover: resumes or ends the rounds that another mgr left unfinished."""

from __future__ import annotations

import threading
from collections.abc import MutableMapping, Sequence
from dataclasses import replace
from typing import Optional

from ..model.bench import Done
from ..model.round import Round, RoundState, Verdict
from .context import SAVE_WAIT, RoundContext
from .run.client_runner import namespace_of

# A round whose mgr stopped this many times is not resumed again.
MAX_RESUMES = 3


def settle(
    context: RoundContext, unfinished: Sequence[Round], resumed: MutableMapping[str, int]
) -> Optional[tuple[Round, Done]]:
    """End all unfinished rounds but one; returns that one, which is resumed, and its samples.

    ``resumed`` keeps by token how often rounds were resumed before this mgr: after
    StoreUnavailable, which this raises, its own try may be stored all the same.
    """
    unfinished = [
        replace(one, resumed=resumed.setdefault(one.token, one.resumed)) for one in unfinished
    ]
    carried = next((r for r in unfinished if r.resumed < MAX_RESUMES), None)
    for round_ in unfinished:
        if round_ is not carried:
            _give_up(context, round_)
    return None if carried is None else _taken_over(context, carried)


def _taken_over(context: RoundContext, round_: Round) -> tuple[Round, Done]:
    if round_.verdict == Verdict.ABORTED:
        context.log.info("round %d was being aborted: that is finished now", round_.id)
        return round_, Done()
    done = context.store_thread.call(lambda store: store.sampled(round_.id), SAVE_WAIT)
    again = round_.state == RoundState.RUNNING
    carried = replace(round_, resumed=round_.resumed + 1) if again else round_
    context.store_thread.call(lambda store: store.save_round(carried), SAVE_WAIT)
    context.log.info("round %d is carried on, %d samples are there", round_.id, len(done.samples))
    return carried, done


def _give_up(context: RoundContext, round_: Round) -> None:
    reason = (
        f"its mgr stopped {round_.resumed + 1} times while it ran"
        if round_.resumed >= MAX_RESUMES
        else "another round was unfinished when its mgr stopped"
    )
    failed = replace(
        round_,
        state=RoundState.FAILED,
        verdict=Verdict.FAILED,
        reasons=(reason,),
        ended_at=round_.ends_at(context.clock.now()),
    )
    context.store_thread.call(lambda store: store.save_round(failed), SAVE_WAIT)


def clear_traces(context: RoundContext, carried: Optional[Round]) -> None:
    """Remove leftovers of client rounds, except those of the resumed round, on a thread."""
    kept = namespace_of(carried.token) if carried is not None else None
    threading.Thread(
        target=context.loads.traces.clear_others,
        args=(kept,),
        name="perf-bench-traces",
        daemon=True,
    ).start()
