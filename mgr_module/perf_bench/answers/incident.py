"""What is around a finding: its OSDs against their peers, and what changed then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from ..errors import InvalidValue
from ..model.finding import CHANNELS, COMMIT
from ..model.finding import Finding as Found
from ..model.history import DAY, HOUR, ClusterSpan
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
# How long before a finding began, and after, changes are of interest (seconds).
_BEFORE, _AFTER = 2 * HOUR, 900
_LISTED = 100


@dataclass(frozen=True)
class Incident(Happened):
    """A finding's OSDs against their peers, and what happened from two hours before it began.

    known_seconds -- How much of the time from changes_from to changes_to was watched.
    """

    finding: int
    began: Optional[Stamp]
    osds: Sequence[Count]
    series: Optional[PeerSeries]
    changes_from: Optional[Stamp]
    changes_to: Optional[Stamp]
    known_seconds: float


def incident(
    api: Api,
    id_: FindingId,
    since: str = "1d",
    config: Allowed = True,
) -> Incident:
    """Show a finding's OSDs against their peers, and what changed then.

    ``config``: whether changes of the configuration are told. Raises InvalidValue, NotFound.
    """
    span = parse_duration(since, "since")
    if span > _LONGEST:
        raise InvalidValue("OSDs are shown for 30 days at most", field="since")
    finding = found_of(api, id_)
    now, at = api.clock.now(), began(finding)
    osds = sorted(osds_of(api, finding))
    begin, end = at - _BEFORE, min(at + _AFTER, now)
    spans = cluster.spans_between(api, begin, end)
    return copied(
        Incident,
        cluster.between(api, begin, end, spans, config),
        finding=finding.id,
        began=iso(at),
        osds=osds[:_LISTED],
        series=peer_series(api, osds, _channel(finding), now - span, now),
        changes_from=iso(begin),
        changes_to=iso(end),
        known_seconds=_known(spans, begin, end),
    )


def _channel(finding: Found) -> str:
    told = finding.evidence.get("channel")
    return told if isinstance(told, str) and told in CHANNELS else COMMIT


def _known(spans: Sequence[ClusterSpan], begin: float, end: float) -> float:
    """How many seconds of the time were watched; of an hour known in part, its share."""
    return sum(
        max(0.0, min(one.end, end) - max(one.start, begin)) * one.known_seconds / one.seconds
        for one in spans
    )


QUESTIONS = (
    Question(
        "finding incident",
        incident,
        rest="GET finding/ID/incident",
        without=NO_CONFIGURATION,
    ),
)
