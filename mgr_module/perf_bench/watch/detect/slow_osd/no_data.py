"""Says why OSDs have no verdict: since when, and what would help."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Optional

from ....model.coverage import SLOW_OSDS, Gap, Look, away, gap
from ....model.finding_kinds import SLOW_ENCLOSURE, SLOW_HOST, SLOW_OSD
from ....model.frame import NO_FIGURES
from ....model.said import say
from ....model.verdict import NoData
from .reasons import IDLE, PEERS_AWAY, SILENT, no_data_reason
from .topology import Cohort
from .verdicts import Detected, worst_now

_MINUTE = 60.0
UNSEEN = NoData(
    "unread",
    say("counters-unread", "the watch has not read the counters yet"),
    say("wait-minute", "wait a minute"),
)
_UNSETTLED = say(
    "osds-unsettled",
    "too many of their cohort recover, are new or restarted: only those are found that are at "
    "least twice as slow",
)


def no_data(detector: Detected, osd: int) -> Optional[NoData]:
    """Why this OSD has no verdict; None if it has one."""
    layout = detector.layout
    if layout is None or osd not in layout.place:
        return UNSEEN
    if osd in detector.judgement.accused:
        return None
    at = layout.place[osd]
    cohort = next(one for one in layout.cohorts if one.start <= at < one.end)
    return _of_member(detector, cohort, osd)


def look(detector: Detected) -> Look:
    """All OSDs: those without a verdict are the gaps, by reason."""
    layout = detector.layout
    if layout is None:
        return away(_look(0, ()), UNSEEN.code, UNSEEN.why, UNSEEN.help)
    by_code: dict[str, list[tuple[str, NoData]]] = {}
    for name, found in _all(detector):
        by_code.setdefault(found.code, []).append((name, found))
    gaps = [
        gap(
            code,
            found[0][1].why,
            [name for name, _ in found],
            found[0][1].help,
            min((one.since for _, one in found if one.since is not None), default=None),
        )
        for code, found in sorted(by_code.items(), key=lambda one: -len(one[1]))
    ]
    missing = {name for found in by_code.values() for name, _ in found}
    resting = [name for name in _resting(detector) if name not in missing]
    if resting:
        gaps.append(gap("unsettled", _UNSETTLED, resting, partly=True))
    return _look(len(layout.ids), tuple(gaps))


def _resting(detector: Detected) -> list[str]:
    """The OSDs of cohorts of which too many are excluded to judge lasting slowness."""
    return [
        member.name
        for cohort in (detector.layout.cohorts if detector.layout else ())
        if any(
            state.cohort_channels[cohort.name].resting for state in detector.channel_states.values()
        )
        for member in cohort.members
    ]


def _look(total: int, gaps: tuple[Gap, ...]) -> Look:
    codes = (SLOW_OSD.code, SLOW_HOST.code, SLOW_ENCLOSURE.code)
    what = say("look-slow-osds", "latencies of OSDs against their peers")
    return Look(SLOW_OSDS, what, "OSD", total, codes, gaps)


def _all(detector: Detected) -> Iterator[tuple[str, NoData]]:
    accused = detector.judgement.accused
    for cohort in detector.layout.cohorts if detector.layout else ():
        for member in cohort.members:
            if member.osd not in accused:
                found = _of_member(detector, cohort, member.osd)
                if found is not None:
                    yield member.name, found


def _of_member(detector: Detected, cohort: Cohort, osd: int) -> Optional[NoData]:
    if worst_now(detector, cohort, osd) is not None:
        return None
    found = SILENT if detector.quiet else reason_now(detector, cohort, osd)
    return replace(found, since=_since(detector, osd))


def reason_now(detector: Detected, cohort: Cohort, osd: int) -> NoData:
    """Why an OSD without data has none, while some OSDs report."""
    marks = detector.marks.get(osd, 0)
    found = no_data_reason(detector.settings, detector.channel_states, cohort, marks)
    if found.code == IDLE and _without_peers(detector, cohort, osd):
        return PEERS_AWAY
    return found


def _without_peers(detector: Detected, cohort: Cohort, osd: int) -> bool:
    """Whether no other OSD of its cohort has figures; in a large one hardly ever, and not asked."""
    if cohort.size > detector.settings.small_members:
        return False
    others = (member.osd for member in cohort.members if member.osd != osd)
    return all(detector.marks.get(other, 0) & NO_FIGURES for other in others)


def _since(detector: Detected, osd: int) -> Optional[float]:
    """The end of the OSD's last minute with data in any channel."""
    at = detector.layout.place[osd] if detector.layout else 0
    last = [state.last_data[at] for state in detector.channel_states.values()]
    known = [start for start in last if not math.isnan(start)]
    return max(known) + _MINUTE if known else None
