"""What to change for a round. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Optional

from ...model.quiesce import SettingChange

# Names of settings to values; None means that it is not set.
Values = Mapping[str, Optional[str]]


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


def plan_changes(now: Values, wanted: Values, at: float = 0.0) -> list[SettingChange]:
    """What has to be changed, given how things are.

    What is as wanted already is the operator's and is not touched; nor is what there is not.
    """
    return [
        SettingChange(what, now[what], value, at)
        for what, value in wanted.items()
        if what in now and now[what] != value
    ]
