"""Decide which settings to change for a round. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Optional

from ...model.quiesce import SettingChange

# Names of settings to values; None means that it is not set.
Values = Mapping[str, Optional[str]]


def wanted_for(
    moving_pools: Iterable[int], limits: Mapping[str, int], needed: Mapping[str, int]
) -> dict[str, Optional[str]]:
    """The settings that a round wants while it runs.

    ``moving_pools`` are the IDs of pools that the autoscaler is about to split or merge; it is
    switched off for each of them. The flag ``noautoscale`` of 17 and later is not used, because
    removing it has enabled pools that had been off before. ``limits`` are the present
    ``osd_bench_*`` options; they are raised to ``needed``, and never lowered.
    """
    raised = {
        f"config/osd/{option}": str(value)
        for option, value in sorted(needed.items())
        if limits.get(option, value) < value
    }
    pools = {f"pool/{pool}/pg_autoscale_mode": "off" for pool in sorted(moving_pools)}
    scrubs = {"flag/noscrub": "set", "flag/nodeep-scrub": "set"}
    return {**scrubs, "balancer": "off", **pools, **raised}


def plan_changes(now: Values, wanted: Values, planned_at: float = 0.0) -> list[SettingChange]:
    """The changes from the present values to the wanted ones.

    A setting that already has the wanted value, or does not exist, is left alone.
    """
    return [
        SettingChange(what, now[what], value, planned_at)
        for what, value in wanted.items()
        if what in now and now[what] != value
    ]
