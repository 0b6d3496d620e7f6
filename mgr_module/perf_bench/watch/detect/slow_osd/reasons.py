"""Why an OSD of a cohort cannot be judged, and what would help."""

from __future__ import annotations

from collections.abc import Mapping

from ....model.frame import Mark
from ....model.verdict import NoData
from .channel import ChannelState
from .thresholds import Thresholds
from .topology import Cohort

_PROBE = (
    "'ceph config set mgr mgr/perf_bench/probe true' lets the watch read from and write to idle "
    "OSDs"
)


def no_data_reason(
    settings: Thresholds, channel_states: Mapping[str, ChannelState], cohort: Cohort, marks: int
) -> NoData:
    """Return why an OSD without data has none; ``marks`` are those of its newest frame."""
    if marks & Mark.DOWN:
        return NoData("down", "down or out", "see 'ceph osd tree'")
    if marks & Mark.STALE:
        return NoData("silent", "no reports come to the mgr any more", "see the OSD's log")
    if marks & Mark.BENCHED:
        return NoData("benched", "a round measures it now", "wait for the end of the round")
    if cohort.size < 2:
        return NoData(
            "alone",
            "it has no peers of its class, model and release to compare it with",
            "rounds compare it with its own past ('ceph perf-bench round start osd-throughput')",
        )
    least = settings.cold_minutes
    minutes = [state.cohort_channels[cohort.name].minutes for state in channel_states.values()]
    if max(minutes, default=0) < least:
        return NoData(
            "cold",
            f"its cohort has had under {least} minutes with data",
            f"wait; {_PROBE}",
        )
    return NoData(
        "idle", f"fewer than {settings.min_ops:g} operations in each of the last minutes", _PROBE
    )
