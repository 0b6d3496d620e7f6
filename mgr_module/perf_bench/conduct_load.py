"""What a round of clients does next, and what its repeats come to: repeats alike, or a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from .compare.loads import part_of_load, summarize_load
from .compare.searches import part_of_search, summarize_search, under_loads
from .compare.summary import Summary
from .model.plan import Plan
from .model.profile import profile_named
from .model.rados import LoadPlan, LoadSample
from .model.round import Round, Verdict
from .model.saturation import Load
from .schedule.saturate import next_load


def following(plan: Plan, load: LoadPlan, there: Sequence[LoadSample]) -> Optional[Load]:
    """The load of the next repeat; None when there is none.

    It follows from the repeats that are there alone, so a mgr that carries the round on decides
    the same. A search ends with the first run that has no figure: a cluster that stood still
    under some load gets no further one.
    """
    if not load.saturates:
        return load.most if len(there) < plan.repeats else None
    runs = under_loads(there)
    return next_load(runs, load.bounds) if len(runs) == len(there) else None


def judge_ended(round_: Round, load: LoadPlan, samples: Sequence[LoadSample]) -> Summary:
    """What a round that ran to its end found."""
    most = profile_named(round_.profile).max_cv_percent
    if load.saturates:
        return summarize_search(load, samples, most)
    return summarize_load(round_.plan, load, samples, most)


def judge_unfinished(
    load: LoadPlan, samples: Sequence[LoadSample], verdict: Verdict, reason: str
) -> Summary:
    """What one that did not has found so far."""
    part = part_of_search if load.saturates else part_of_load
    return part(load, samples, verdict, reason)
