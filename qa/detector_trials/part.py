"""The part `detection`: the detector on labelled recordings, as they are and with faults in them.

The recordings are not ours to give away: `TRACES` names the folder with `cluster_A.csv.xz`,
`cluster_B.csv.xz` and `labels.csv`. Without it nothing is tried.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from reliability.trials import Order, Trial

from . import trials
from .trials import Outcome, Real

_SEED = 1
_MINUTE, _HOUR = 60.0, 3600.0


class Target(NamedTuple):
    """What is good enough: the share found within so many seconds, and the median delay."""

    least: float
    within: float = math.inf
    median: float = math.inf


TRIALS: Mapping[str, tuple[Callable[[Real], Outcome], Target]] = {
    "as it is": (trials.as_it_is, Target(1.0, median=60 * _MINUTE)),
    "x3 for 15 min": (partial(trials.acute, seed=_SEED), Target(0.5, median=5 * _MINUTE)),
    "30 s bursts, x3": (partial(trials.bursts, seed=_SEED), Target(0.95, within=24 * _HOUR)),
    "host-wide x1.3": (trials.host_wide, Target(0.9)),
    "1 of 3 OSDs x2": (trials.threes, Target(0.95, within=2 * _HOUR)),
}


def run(order: Order) -> Iterator[Trial]:
    """All trials on each recorded cluster."""
    if order.traces is None:
        print("   no recorded clusters: TRACES=DIR names their folder", flush=True)
        return
    for real in trials.load(order.traces):
        for name, (tried, target) in TRIALS.items():
            if (what := f"{real.name}: {name}") in order.held:
                continue
            began = time.monotonic()
            outcome = tried(real)
            faults, note = list(judged(outcome, target)), told(outcome)
            yield Trial(what, len(outcome.delays.seconds), time.monotonic() - began, faults, note)


def judged(outcome: Outcome, target: Target) -> Iterator[str]:
    """What misses the target."""
    share = min(outcome.delays.within(target.within), outcome.delays.found)
    if share < target.least:
        yield f"{share:.0%} found in time, not {target.least:.0%}"
    if outcome.delays.median > target.median:
        yield f"found after {outcome.delays.median / _MINUTE:.1f} min in the median"
    if outcome.ours.false:
        yield f"{outcome.ours.false} falsely accused"


def told(outcome: Outcome) -> str:
    """Found, falsely accused and missed; when; and hosts that were accused without a label."""
    delays = [delay for delay in outcome.delays.seconds if delay < math.inf]
    minutes = f"median {outcome.delays.median / _MINUTE:.1f} min" if delays else "none"
    late = f", at most {max(delays) / _MINUTE:.1f}" if delays else ""
    return f"{outcome.ours}, {minutes}{late}, {outcome.false_hosts} hosts accused"
