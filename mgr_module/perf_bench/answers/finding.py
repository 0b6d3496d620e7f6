"""One finding as a whole: what it hurts, its OSDs against their peers, what changed then.

``ceph perf-bench finding show``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ..errors import CommandFailed, InvalidValue, StoreUnavailable
from ..model.doctor_snapshot import Advice
from ..model.finding import (
    CHANNELS,
    CLIENT_READ,
    CLIENT_WRITE,
    COMMIT,
    FindingState,
    Watched,
    check_channel,
)
from ..model.finding import Finding as Found
from ..model.finding_kinds import BY_CODE, EvidenceField
from ..model.history import (
    ALL_OSDS,
    CHUNK,
    DAY,
    FIVE_MINUTES,
    HOUR,
    SAMPLED_PEERS,
    WORK,
    BandPoint,
    ClusterSpan,
    Compared,
)
from ..model.json_fields import iso
from ..model.phrases import parse_duration
from ..model.statistics import median
from . import cluster
from .api import Api
from .cluster import Happened
from .findings import (
    HURTING,
    Finding,
    about,
    answers,
    began,
    found_of,
    noted,
    osds_of,
)
from .next_steps import steps_text
from .question import NO_CONFIGURATION, Allowed, FindingId, Question
from .shape import Count, Stamp, copied
from .text import GAP, duration, facts, filled, number, short_time, size
from .watched import LEVELS

_LONGEST = 30 * DAY
# Seconds that an answer is used again: the band of 30 days takes 100 ms at 10,000 OSDs.
_FRESH = 30.0
# Seconds that the doctor's advice is used: a snapshot of 10,000 OSDs takes 0.6 s.
_ADVICE_AGE = 300.0
# How long before a finding began, and after, changes are of interest (seconds).
_BEFORE, _AFTER = 2 * HOUR, 900
_LISTED, _ADVISED = 100, 10
_CLIENTS = (CLIENT_READ, CLIENT_WRITE)
# Seconds: the clients' figures of now are the mean of the newest minutes, those of before of the
# hour before it began.
_NOW, _HOUR_BEFORE = 300.0, 1.0 * HOUR
# A minute that began after the finding did has ended by then.
_FIRST = 120.0
_CHANNELS = ((CLIENT_READ, "reads"), (CLIENT_WRITE, "writes"))


@dataclass(frozen=True)
class FindingDetail(Finding):
    """A finding as one would tell it to a person, the evidence last.

    conclusion -- Who is at fault, and who suffers, as far as it is known.
    harm -- What the cluster's clients get now, against the hour before it began; null: it is over,
        or of a kind that slows no client.
    command -- The command to type first.
    """

    conclusion: str = ""
    harm: Optional[str] = None
    command: Optional[str] = None


@dataclass(frozen=True)
class PeerSeries:
    """OSDs over time against the band of their peers.

    Rows of columns, at in unix seconds, latencies in milliseconds: the median of the OSDs, then
    10th percentile, median and 90th percentile of the peers.

    osds -- Those that are shown.
    peers -- Peers that the band is of.
    """

    from_: Stamp
    to: Stamp
    channel: str
    cohort: str
    osds: Sequence[Count]
    peers: int
    all_peers: int
    columns: Sequence[str]
    rows: Sequence[Sequence[Optional[float]]]


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


def show(api: Api, id_: FindingId) -> FindingDetail:
    """Show a finding with its evidence.

    Raises NotFound.
    """
    found = found_of(api, id_)
    (plain,) = answers(api, [found])
    steps = plain.next_steps.check if plain.next_steps else ()
    commands = [step.command for step in steps if step.command]
    asks = None if found.evidence.get("why") else _asks_why(commands)
    return FindingDetail(
        **vars(plain),
        conclusion=_conclusion(found) if asks is None else _NOT_ASKED,
        harm=None if found.state is FindingState.CLOSED else harm(api, found),
        command=asks or next(iter(commands), None),
    )


# Of an OSD that is slow, before it is known what its operations wait for.
_NOT_ASKED = (
    "Who is at fault is not known yet, this OSD or one that it waits for: the command asks them."
)


def _asks_why(commands: Sequence[str]) -> Optional[str]:
    """The command that asks an OSD whom its operations wait for, if it is among them."""
    return next((one for one in commands if one.startswith("ceph perf-bench osd why")), None)


def _conclusion(found: Found) -> str:
    """Who is at fault and who suffers: what its OSD told, or else what such a finding means."""
    why = found.evidence.get("why")
    if isinstance(why, list) and why:
        return str(why[0])
    kind = BY_CODE.get(found.code)
    return kind.meaning if kind else ""


# --- what it does to clients ---------------------------------------------------------------------


def harm(api: Api, finding: Found, reads: bool = True) -> Optional[str]:
    """What the cluster's clients get now, against the hour before a finding began.

    Latencies are those of the median OSD: of many OSDs one that is slow does not change them.
    None for a finding that slows nobody down and, unless the database may be read (``reads``), for
    one whose hour before is not in memory.
    """
    if finding.state is FindingState.CLOSED or about(finding) not in HURTING:
        return None
    at, now = began(finding), api.clock.now()
    hour = at - _HOUR_BEFORE, at
    # What was before does not change.
    question = "before", finding.id, at
    before = api.kept.newest(question) or api.watch.cluster_minutes(*hour)
    if not before and reads:
        with suppress(StoreUnavailable):
            before = cluster.spans_of(api, *hour)
    if before:
        api.kept.keep(question, before)
    elif not reads:
        return None
    newest = api.watch.cluster_minutes(max(now - _NOW, at), now)
    if not newest and now < at + _FIRST:
        return "not known yet: it began less than two minutes ago"
    return _harm(newest, before)


def _harm(now: Sequence[ClusterSpan], before: Sequence[ClusterSpan]) -> str:
    parts = [
        _change(f"client {words}", _latency(now, name), _latency(before, name), " ms")
        for name, words in _CHANNELS
    ]
    parts.append(_change("client operations", _operations(now), _operations(before), "/s"))
    told = "; ".join(part for part in parts if part)
    return told or "not known: no operation of a client was seen"


def _change(what: str, now: Optional[float], before: Optional[float], unit: str) -> str:
    """As "client writes: 30 ms, before it began 6.0 ms"; empty where neither is known."""
    if now is None and before is None:
        return ""
    return f"{what}: {_figure(now, unit)}, before it began {_figure(before, unit)}"


def _figure(value: Optional[float], unit: str) -> str:
    if value is None:
        return "not known"
    return f"{number(value, 0 if value >= 10 else 1)}{unit}"


def _latency(spans: Sequence[ClusterSpan], channel: str) -> Optional[float]:
    """The median OSD's mean latency in milliseconds."""
    found = [
        1000 * middle
        for span in spans
        for group, name, _osds, middle, *_ in span.latency
        if group == ALL_OSDS and name == channel
    ]
    return median(found) if found else None


def _operations(spans: Sequence[ClusterSpan]) -> Optional[float]:
    """Operations a second of all clients, the mean of the time."""
    known = [span.work for span in spans if len(span.work) == len(WORK)]
    places = WORK.index("read_ops"), WORK.index("write_ops")
    found = [sum(work[place] or 0.0 for place in places) for work in known]
    return sum(found) / len(found) if found else None


# --- what went on around it ----------------------------------------------------------------------


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
    spans = cluster.spans_of(api, begin, end)
    told = _advised(api, osds)
    return copied(
        Incident,
        cluster.between(api, begin, end, spans, config),
        finding=finding.id,
        began=iso(at),
        osds=osds[:_LISTED],
        osd_count=len(osds),
        series=_series(api, finding, osds, span, channel) if osds else None,
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
    """Rows of [unix seconds, seconds, own, 10th percentile, median, 90th] in milliseconds."""
    members = api.watch.members()
    compared, cohort, peers = _compared(members, osds, channel or _channel(finding))
    if not compared.own:
        return None
    now = api.clock.now()
    span = span or _span_of(now - began(finding))
    points = _points(api, compared, now - span, now)
    return PeerSeries(
        from_=str(iso(now - span)),
        to=str(iso(now)),
        channel=compared.channel,
        cohort=cohort,
        osds=sorted(compared.own),
        peers=len(compared.peers),
        all_peers=peers,
        columns=["at", "seconds", "own_ms", "low_ms", "median_ms", "high_ms"],
        rows=[[one.start, one.seconds, *map(_ms, one[2:])] for one in points],
    )


def _points(api: Api, of: Compared, begin: float, end: float) -> list[BandPoint]:
    """As those of an OSD: recent minutes from memory, older spans from the store."""
    level = next(level for level, back in LEVELS if end - begin <= back)
    fresh = api.watch.band_minutes(of, begin, end) if level == FIVE_MINUTES else []
    until = fresh[0].start if fresh else end
    if until - begin <= FIVE_MINUTES:
        return fresh
    older = api.store.call(lambda store: store.watch.peer_band(of, level, begin, until))
    # Five minutes that are partly in memory would be shown twice.
    return [*(one for one in older if one.start + one.seconds <= until), *fresh]


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


def _compared(
    members: Sequence[Watched], osds: Sequence[int], channel: str
) -> tuple[Compared, str, int]:
    """The OSDs and those they are compared with, of two chunks at most; cohort, number of peers.

    Every row of the store has 64 OSDs, so OSDs of few chunks are read: the chunk with most of the
    OSDs, and the middle one of the others with peers.
    """
    cohort_of = {member.osd: member.cohort for member in members}
    own = {osd for osd in osds if osd in cohort_of}
    if not own:
        return Compared((), (), channel), "", 0
    cohort = Counter(cohort_of[osd] for osd in own).most_common(1)[0][0]
    alike = [osd for osd, name in cohort_of.items() if name == cohort]
    mine = [osd for osd in alike if osd in own]
    peers = [osd for osd in alike if osd not in own]
    chunk = Counter(osd // CHUNK for osd in mine).most_common(1)[0][0]
    others = sorted({osd // CHUNK for osd in peers} - {chunk})
    read = {chunk, *others[len(others) // 2 :][:1]}
    chosen = [osd for osd in peers if osd // CHUNK in read][:SAMPLED_PEERS]
    kept = [osd for osd in mine if osd // CHUNK == chunk]
    return Compared(frozenset(kept), frozenset(chosen), channel), cohort, len(peers)


def _scrubbing(spans: Sequence[ClusterSpan], began: float) -> Optional[Scrubbing]:
    """The mean number of placement groups that were scrubbed, before and after it began."""
    place = WORK.index("scrubbing")
    known = [
        (one, one.work[place])
        for one in spans
        if len(one.work) == len(WORK) and one.work[place] is not None
    ]
    before = [count for one, count in known if one.end <= began and count is not None]
    after = [count for one, count in known if one.end > began and count is not None]
    if not before and not after:
        return None
    return Scrubbing(_mean(before), _mean(after))


def _known(spans: Sequence[ClusterSpan], begin: float, end: float) -> float:
    """How many seconds of the time were watched; of an hour known in part, its share."""
    return sum(
        max(0.0, min(one.end, end) - max(one.start, begin)) * one.known_seconds / one.seconds
        for one in spans
    )


def _mean(values: Sequence[float]) -> Optional[float]:
    return round(sum(values) / len(values), 1) if values else None


def _ms(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else float(f"{1000 * seconds:.4g}")


# --- as text -------------------------------------------------------------------------------------


def finding_text(one: FindingDetail) -> str:
    """Text of ``finding show``: what a person would tell, then the evidence and the steps."""
    kind = BY_CODE.get(one.code)
    seen = f"{short_time(one.first_seen)} UTC, last seen {short_time(one.last_seen)}"
    muted = f", muted until {short_time(one.muted_until)} UTC" if one.muted_until else ""
    closed = f", closed {short_time(one.closed_at)} UTC" if one.closed_at else ""
    meaning = kind.meaning if kind else ""
    pairs = [
        ("conclusion", one.conclusion),
        ("hurts", one.harm),
        ("type first", one.command),
        ("since", seen),
        ("state", f"{one.severity.value}, {one.state.value}{muted}{closed}"),
        ("acknowledged", noted(one.acknowledged)),
        ("kind", one.code),
        ("meaning", "" if meaning == one.conclusion else meaning),
        ("what to do", kind.action if kind else ""),
    ]
    problem = filled(f"finding {one.id}: {one.message}", 0, 2)
    # The conclusion stands above.
    why = [words for words in one.evidence.get("why", ()) if words != one.conclusion]
    values = {**one.evidence, "why": why} if "why" in one.evidence else one.evidence
    evidence = _evidence(values, kind.evidence if kind else {})
    head = facts([(name, str(value or "")) for name, value in pairs], ("type first",))
    return f"{problem}\n{head}{evidence}{steps_text(one.next_steps)}"


_Known = Mapping[str, EvidenceField]


def _evidence(values: Mapping[str, Any], known: _Known) -> str:
    """The evidence in the table's words and order; a key that it does not have comes last."""
    order = [*(key for key in known if key in values), *sorted(values.keys() - known.keys())]
    if not order:
        return ""
    fields = [(_field(key, known), values[key]) for key in order]
    pairs = [(field.words, _value(value, field.unit, known)) for field, value in fields]
    commands = [field.words for field, _ in fields if field.unit == "command"]
    return f"{GAP}evidence\n{facts(pairs, commands)}"


def _field(key: str, known: _Known) -> EvidenceField:
    return known.get(key) or EvidenceField(key.replace("_", " "), "")


def _value(value: Any, unit: str, known: _Known) -> str:
    """A value of evidence as text; what is not known is left out by ``facts``."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(
            f"{field.words} {_value(one, field.unit, known)}"
            for field, one in ((_field(key, known), one) for key, one in value.items())
        )
    if isinstance(value, (list, tuple)):
        entries = [_value(one, unit, known) for one in value]
        apart = " / " if any(isinstance(one, Mapping) for one in value) else ", "
        if all(entry.endswith(".") for entry in entries):
            apart = " "  # sentences
        return (" && " if unit == "command" else apart).join(entries)
    if isinstance(value, (int, float)):
        return _FIGURES.get(unit, _plain)(value)
    return str(value)


def _plain(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3g}"


_FIGURES: Mapping[str, Callable[[float], str]] = {
    "fraction": lambda value: f"{100 * value:.3g} %",
    "percent": lambda value: f"{value:.3g} %",
    "ratio": lambda value: f"x{value:.3g}",
    "s": duration,
    "ms": lambda value: f"{value:.3g} ms",
    "B": size,
    "B/s": lambda value: f"{size(value)}/s",
    "time": lambda value: f"{short_time(iso(value))} UTC",
}

QUESTIONS = (
    Question("finding show", show, text=finding_text, rest="GET finding/ID"),
    Question(
        "finding incident",
        incident,
        rest="GET finding/ID/incident",
        without=NO_CONFIGURATION,
    ),
)
