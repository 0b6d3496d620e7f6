"""What to change for a round and what to put back after it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Optional

from ..model.quiesce import Change, Journal

# Names of settings to values; None means that it is not set.
Values = Mapping[str, Optional[str]]

# A change that was ordered and cannot be seen may still be on its way: the mgr that ordered it
# was killed, or gave up waiting. Monitors carry out what they have got within their lease and
# one election (5 s each by default); after this it was never ordered.
SETTLE = 30.0


class Fate(Enum):
    """What is to become of a change when it is restored."""

    PUT_BACK = "put back"
    NOTHING = "nothing to do"
    LEAVE = "somebody else's now"
    WAIT = "may still come"


def wanted_for(
    moving_pools: Iterable[int], limits: Mapping[str, int], needed: Mapping[str, int]
) -> dict[str, Optional[str]]:
    """What a round wants while it runs.

    ``moving_pools`` are IDs of pools that the autoscaler would split or merge. Each is told to
    stand still by itself: the flag ``noautoscale`` of 17 and later is not used, for taking it
    away has switched pools on that had been off before. ``limits`` are the ``osd_bench_*``
    options as they are; one is raised to what is ``needed`` and never lowered.
    """
    raised = {
        f"config/osd/{option}": str(value)
        for option, value in sorted(needed.items())
        if limits.get(option, value) < value
    }
    pools = {f"pool/{pool}/pg_autoscale_mode": "off" for pool in sorted(moving_pools)}
    scrubs = {"flag/noscrub": "set", "flag/nodeep-scrub": "set"}
    return {**scrubs, "balancer": "off", **pools, **raised}


def plan_changes(now: Values, wanted: Values, at: float = 0.0) -> list[Change]:
    """What has to be changed, given how things are.

    What is as wanted already is the operator's and is not touched; nor is what there is not.
    """
    return [
        Change(what, now[what], value, at)
        for what, value in wanted.items()
        if what in now and now[what] != value
    ]


def fate(change: Change, value: Optional[str], at: float) -> Fate:
    """What becomes of a change whose setting has this value now (unix seconds).

    Only what still is as we set it is put back. Who sets a thing to the very value that we hold
    it at cannot be told from us: it is put back to what it was before.
    """
    if value == change.want:
        return Fate.PUT_BACK
    if not change.made and at < change.at + SETTLE:
        return Fate.WAIT
    return Fate.NOTHING if value == change.was else Fate.LEAVE


def restore_steps(journal: Journal, now: Values, at: float) -> list[tuple[str, Optional[str]]]:
    """What has to be set to what, in this order, to undo the journal: the last change first."""
    return [
        (change.what, change.was)
        for change in reversed(journal.changes)
        if change.what in now and fate(change, now[change.what], at) is Fate.PUT_BACK
    ]
