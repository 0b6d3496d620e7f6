"""Why an OSD of a cohort cannot be judged, and what would help."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ....model.frame import Mark
from ....model.said import say
from ....model.verdict import NoData
from .channel import ChannelState
from .thresholds import Thresholds
from .topology import Cohort

IDLE = "idle"
_DOWN = NoData(
    "down",
    say("no-data-down", "down or out"),
    say("see-command", "see '{command}'", command="ceph osd tree"),
)
SILENT = NoData(
    "silent",
    say("no-data-silent", "no reports come to the mgr any more"),
    say("see-log", "see the OSD's log"),
)
PEERS_AWAY = NoData(
    "peers-away",
    say(
        "no-data-peers-away",
        "none of its peers has figures to compare it with: they are down, out, silent or measured",
    ),
    _DOWN.help,
)
_BENCHED = NoData(
    "benched",
    say("no-data-benched", "a round measures it, or did a minute ago"),
    say("wait-round", "wait until a minute after the end of the round"),
)
_ALONE = NoData(
    "alone",
    say("no-data-alone", "it has no peers of its class, model and release to compare it with"),
    say(
        "no-data-alone-help",
        "rounds compare it with its own past ('ceph perf-bench round start osd-throughput')",
    ),
)


def no_data_reason(
    settings: Thresholds, channel_states: Mapping[str, ChannelState], cohort: Cohort, marks: int
) -> NoData:
    """Return why an OSD without data has none; ``marks`` are those of its newest frame."""
    if marks & Mark.DOWN:
        return _DOWN
    if marks & Mark.STALE:
        return SILENT
    if marks & Mark.BENCHED:
        return _BENCHED
    if cohort.size < 2:
        return _ALONE
    minutes = [state.cohort_channels[cohort.name].minutes for state in channel_states.values()]
    if max(minutes, default=0) < settings.cold_minutes:
        return _cold(settings.cold_minutes)
    return _idle(settings.min_ops)


# There is one for each of 10,000 idle OSDs.
@cache
def _cold(least: int) -> NoData:
    why = say("no-data-cold", "its cohort has had under {minutes} minutes with data", minutes=least)
    return NoData("cold", why, say("wait", "wait"))


@cache
def _idle(least: float) -> NoData:
    why = say(
        "no-data-idle",
        "fewer than {operations} operations in each of the last minutes",
        operations=least,
    )
    return NoData(IDLE, why)
