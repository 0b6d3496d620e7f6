"""What clients will feel of a round, by the figures of the last comparable rounds. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.client_impact import ClientImpact, ImpactState, NotedLatency, PastRound
from ...model.plan import Plan
from ...model.round import Round
from .comparable import other_step

# Rounds that are shown: more say little about the next one.
_SHOWN = 5


def past_round(round_: Round) -> PastRound:
    """What is kept of an ended round."""
    return PastRound(
        round_.id,
        round_.ended_at,
        round_.verdict,
        round_.plan.step,
        max(map(len, round_.plan.waves), default=0),
        NotedLatency.of(round_.environment),
    )


def client_impact(plan: Plan, past: Sequence[PastRound]) -> ClientImpact:
    """What clients felt of the ``past`` rounds of the profile that did what ``plan`` does.

    Whatever the verdict: a round that the guard ended because clients suffered says most.
    """
    if plan.load is not None:
        return ClientImpact(ImpactState.OWN_CLIENTS)
    comparable = [one for one in past if not any(other_step(plan.step, one.step))]
    if not comparable:
        return ClientImpact(ImpactState.NO_ROUNDS)
    measured = [one for one in comparable if one.clients is not None]
    if not measured:
        return ClientImpact(ImpactState.NOT_MEASURED)
    return ClientImpact(ImpactState.KNOWN, tuple(measured[:_SHOWN]))
