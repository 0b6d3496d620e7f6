"""What is around a finding: its OSDs against their peers, what it hurts, what changed then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Optional

from ..errors import CommandFailed, InvalidValue
from ..model.doctor_snapshot import Advice
from ..model.finding import CHANNELS, CLIENT_READ, CLIENT_WRITE, COMMIT, check_channel
from ..model.finding import Finding as Found
from ..model.history import DAY, HOUR, ClusterSpan, figures
from ..model.json_fields import iso
from ..model.phrases import parse_duration
from . import cluster
from .api import Api
from .cluster import Happened
from .findings import began, found_of, osds_of
from .question import NO_CONFIGURATION, Allowed, FindingId, Question
from .shape import Count, Stamp, copied
from .watched import PeerSeries, peer_series

_LONGEST = 30 * DAY
# Seconds that an answer is used again: the band of 30 days takes 100 ms at 10,000 OSDs.
_FRESH = 30.0
# Seconds that the doctor's advice is used: a snapshot of 10,000 OSDs takes 0.6 s.
_ADVICE_AGE = 300.0
# How long before a finding began, and after, changes are of interest (seconds).
_BEFORE, _AFTER = 2 * HOUR, 900
_LISTED, _ADVISED = 100, 10
_CLIENTS = (CLIENT_READ, CLIENT_WRITE)


@dataclass(frozen=True)
class ClientChannel:
    """One of the clients' channels."""

    channel: str
    ms: float
    others_ms: Optional[float]


@dataclass(frozen=True)
class Hurts:
    """Placement groups and pools on its OSDs.

    Clients' latency there and on all other OSDs in the newest minute.
    """

    pgs: Optional[int]
    pools: Sequence[str]
    clients: Sequence[ClientChannel]


@dataclass(frozen=True)
class Scrubbing:
    """Placement groups that were scrubbed, on average, before and after it began."""

    before: Optional[float]
    after: Optional[float]


@dataclass(frozen=True)
class Incident(Happened):
    """A finding's OSDs against their peers, what it hurts, what is advised.

    What happened from two hours before it began.

    hurts -- Placement groups and pools on its OSDs, and clients' latency there and on all other
        OSDs in the newest minute.
    advice -- Null: the doctor cannot look.
    known_seconds -- How much of the time from changes_from to changes_to was watched.
    """

    finding: int
    began: Optional[Stamp]
    osds: Sequence[Count]
    osd_count: int
    series: Optional[PeerSeries]
    hurts: Hurts
    advice: Optional[Sequence[Advice]]
    more_advice: int
    changes_from: Optional[Stamp]
    changes_to: Optional[Stamp]
    known_seconds: float
    scrubbing: Optional[Scrubbing]


def incident(
    api: Api,
    id_: FindingId,
    since: Optional[str] = None,
    channel: Optional[str] = None,
    config: Allowed = True,
) -> Incident:
    """Show a finding's OSDs against their peers, what it hurts, and what changed then.

    ``config``: whether changes of the configuration are told. Raises InvalidValue, NotFound.
    """
    span = parse_duration(since, "since") if since else None
    if span is not None and span > _LONGEST:
        raise InvalidValue("OSDs are shown for 30 days at most", field="since")
    check_channel(channel)
    found = found_of(api, id_)
    question = ("incident", id_, span, channel, config)
    return api.kept.of(question, _FRESH, lambda: _incident(api, found, span, channel, config))


def _incident(
    api: Api, finding: Found, span: Optional[int], channel: Optional[str], config: bool
) -> Incident:
    now, at = api.clock.now(), began(finding)
    osds = sorted(osds_of(api, finding))
    begin, end = at - _BEFORE, min(at + _AFTER, now)
    spans = cluster.spans_between(api, begin, end)
    told = _advised(api, osds)
    return copied(
        Incident,
        cluster.between(api, begin, end, spans, config),
        finding=finding.id,
        began=iso(at),
        osds=osds[:_LISTED],
        osd_count=len(osds),
        series=_series(api, finding, osds, span, channel),
        hurts=_hurts(api, osds),
        advice=None if told is None else told[:_ADVISED],
        more_advice=max(0, len(told or ()) - _ADVISED),
        changes_from=iso(begin),
        changes_to=iso(end),
        known_seconds=_known(spans, begin, end),
        scrubbing=_scrubbing(spans, at),
    )


def _series(
    api: Api, finding: Found, osds: Sequence[int], span: Optional[int], channel: Optional[str]
) -> Optional[PeerSeries]:
    now = api.clock.now()
    span = span or _span_of(now - began(finding))
    return peer_series(api, osds, channel or _channel(finding), now - span, now)


def _hurts(api: Api, osds: Sequence[int]) -> Hurts:
    """Placement groups and pools on the OSDs, and clients' latency there and elsewhere."""
    placed = api.placed() if osds else {}
    there = [placed[osd] for osd in osds if osd in placed]
    snapshot = api.watch.osd_snapshot()
    own, clients = set(osds), []
    members = [member.osd for member in api.watch.members()]
    for channel in _CLIENTS:
        known = {osd: snapshot.latency_ms(osd, channel) for osd in members}
        mine = [ms for osd, ms in known.items() if ms is not None and osd in own]
        others = [ms for osd, ms in known.items() if ms is not None and osd not in own]
        if mine:
            elsewhere = median(others) if others else None
            clients.append(ClientChannel(channel, median(mine), elsewhere))
    return Hurts(
        pgs=sum(one.pgs for one in there) if there else None,
        pools=sorted({pool for one in there for pool in one.pools}),
        clients=clients,
    )


def _advised(api: Api, osds: Sequence[int]) -> Optional[list[Advice]]:
    """The doctor's advice about the OSDs, worst first; None where the doctor cannot look."""
    try:
        found = api.kept.of("advice", _ADVICE_AGE, api.doctor.advice)
    except CommandFailed:
        return None
    own = set(osds)
    return [one for one in found if own & set(one.osds)]


def _channel(finding: Found) -> str:
    told = finding.evidence.get("channel")
    return told if isinstance(told, str) and told in CHANNELS else COMMIT


def _span_of(age: float) -> int:
    """So long that what was before the begin is seen, too."""
    return next((span for span in (HOUR, DAY) if age <= 0.7 * span), _LONGEST)


def _scrubbing(spans: Sequence[ClusterSpan], began: float) -> Optional[Scrubbing]:
    """The mean number of placement groups that were scrubbed, before and after it began."""
    sides = [one for one in spans if one.end <= began], [one for one in spans if one.end > began]
    before, after = (figures(side).get(("work", "scrubbing"), []) for side in sides)
    return Scrubbing(_mean(before), _mean(after)) if before or after else None


def _known(spans: Sequence[ClusterSpan], begin: float, end: float) -> float:
    """How many seconds of the time were watched; of an hour known in part, its share."""
    return sum(
        max(0.0, min(one.end, end) - max(one.start, begin)) * one.known_seconds / one.seconds
        for one in spans
    )


def _mean(values: Sequence[float]) -> Optional[float]:
    return round(sum(values) / len(values), 1) if values else None


QUESTIONS = (
    Question(
        "finding incident",
        incident,
        rest="GET finding/ID/incident",
        without=NO_CONFIGURATION,
    ),
)
