"""OSDs: ``ceph perf-bench osd …``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, Optional, Union

from ..bench.compare.distribution import class_ratios
from ..bench.planning import newest_of
from ..errors import InvalidValue
from ..model import osd as model
from ..model.admission import WORDS, Relief, is_out
from ..model.finding import CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE, Gap
from ..model.json_fields import iso
from ..model.osd import Selection, no_such_osd
from ..model.phrases import time_text
from ..model.plan import profile_named
from ..model.round import ClassRatios, OsdResult, RoundLine, RoundState, Verdict
from ..model.verdict import OsdSnapshot, OsdState, OsdWhy, OsdWhySampled, Stage
from .api import Api
from .findings import Finding, finding_lines, of_host
from .paging import WHOLE, Fields, Page
from .question import OsdId, Question
from .shape import Count, Stamp, copied, key_of
from .text import (
    GAP,
    Column,
    columns_of,
    facts,
    filled,
    minute,
    number,
    rounded,
    short_time,
    shown,
    table,
)

# Beside its name and the serial number of its drive.
_SEARCHED = ("osd", "host", "class", "device", "model", "enclosure")
# Significant digits in a map: the figures of 10,000 OSDs are most of its answer.
_MAP_DIGITS = {
    "bytes_per_second": 4, "iops": 4, "cv_percent": 3, "percent_of_peers": 3, "robust_z": 3,
}  # fmt: skip
# In whole percent, for the same reason.
_RATIOS = ("class_throughput_percent", "class_iops_percent")
_MAP = ("osd", "host", "rack", "class", "up", *_MAP_DIGITS, *_RATIOS, "round")
_SEEN = ("osd", "state", "ratio", "risk", "commit_ms", "read_ms", "write_ms")
# The last round that measured an OSD and its result, by OSD.
Newest = Mapping[int, tuple[RoundLine, OsdResult]]


@dataclass(frozen=True)
class LastBench:
    """What a round measured of an OSD."""

    round: Count
    profile: str
    verdict: Optional[Verdict]
    at: Optional[Stamp]
    bytes_per_second: Optional[float]
    iops: Optional[float]
    cv_percent: Optional[float]
    robust_z: Optional[float]
    percent_of_peers: Optional[float]


@dataclass(frozen=True)
class NoData:
    """A reason."""

    code: str
    why: str
    help: str


@dataclass(frozen=True)
class Osd:
    """An OSD in a list.

    Latencies are those of the newest minute; ratio is over what its peers take, robust_z positive
    for slower. Without data null.

    location -- CRUSH bucket names by bucket type.
    no_data -- Why it has no verdict, and what would help; null where it has one.
    """

    osd: Count
    host: str
    class_: Optional[str]
    up: bool
    in_: bool
    location: Mapping[str, str]
    enclosure: Optional[str]
    device: Optional[str]
    model: Optional[str]
    commit_ms: Optional[float]
    apply_ms: Optional[float]
    read_ms: Optional[float]
    write_ms: Optional[float]
    queue_ms: Optional[float]
    ratio: Optional[float]
    robust_z: Optional[float]
    risk: Optional[float]
    state: OsdState
    since: Optional[Stamp]
    last_bench: Optional[LastBench]
    no_data: Optional[NoData]


@dataclass(frozen=True)
class Relieved:
    """A relief of an OSD, as the journal has it."""

    what: Literal["primary_affinity", "reweight"]
    was: float
    set_to: float
    since: Stamp


@dataclass(frozen=True)
class OsdDetail(Osd):
    """One OSD with its history of rounds, newest first.

    serial -- Of its drive, as its host told it, else Ceph's device ID.
    primary_affinity -- 0 to 1, in the OSD map.
    reweight -- 0 to 1, in the OSD map.
    relieved -- What 'osd relieve' changed; null: the journal was not read yet.
    slow_in_round -- The newest round that measured it as slow while the watch finds it as fast as
        its peers.
    sentences -- The sentences of explain, one by one.
    """

    serial: Optional[str]
    primary_affinity: Optional[float]
    reweight: Optional[float]
    relieved: Optional[Sequence[Relieved]]
    history: Sequence[LastBench]
    findings: Sequence[Finding]
    slow_in_round: Optional[int]
    explain: str
    sentences: Sequence[str]


@dataclass(frozen=True)
class OsdMap:
    """All OSDs in columns; a row has a value for each of columns, in their order."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Optional[Union[str, float, bool]]]]


@dataclass(frozen=True)
class OsdLatency:
    """All OSDs as the watch sees them, in columns.

    A row has a value for each of columns, in their order. The state is its place in states.
    """

    columns: Sequence[str]
    states: Sequence[str]
    rows: Sequence[Sequence[Optional[float]]]


# Less of the time is not worth a row.
_LEAST_SHARE = 0.001
_MOST_OTHERS = 3

# --- the list ------------------------------------------------------------------------------------


def last_bench(line: RoundLine, result: OsdResult) -> LastBench:
    """The result of one OSD in one round."""
    return copied(
        LastBench,
        result,
        round=line.id,
        profile=line.profile,
        verdict=line.verdict,
        at=iso(line.ended_at),
        bytes_per_second=result.median_bytes_per_second,
        iops=result.median_iops,
    )


def osd_fields(api: Api, newest: Newest) -> Fields[model.Osd]:
    """Functions that read a key of an OSD's answer from the OSD itself; None for no data.

    An answer is made of them, and lists are sorted by them: to sort 10,000 OSDs takes 50 ms, to
    make answers of them before that another 100 ms. ``since`` is the end of the last data of an
    OSD without a verdict.
    """
    snapshot = api.watch.osd_snapshot()

    def latency(channel: str) -> Callable[[model.Osd], Any]:
        return lambda osd: snapshot.latency_ms(osd.id, channel)

    def of_verdict(name: str) -> Callable[[model.Osd], Any]:
        return lambda osd: rounded(getattr(snapshot.verdict(osd.id), name))

    def of_result(name: str) -> Callable[[model.Osd], Any]:
        return lambda osd: getattr(newest[osd.id][1], name) if osd.id in newest else None

    def no_data(osd: model.Osd) -> Optional[Gap]:
        unjudged = snapshot.verdict(osd.id).state is OsdState.NO_DATA
        return api.watch.no_data(osd.id) if unjudged else None

    def since(osd: model.Osd) -> Optional[str]:
        why = no_data(osd)
        return iso(why.since if why else snapshot.verdict(osd.id).since)

    return {
        "osd": lambda osd: osd.id,
        "host": lambda osd: osd.host,
        "class": lambda osd: osd.device_class,
        "up": lambda osd: osd.up,
        "in": lambda osd: osd.in_cluster,
        "location": lambda osd: osd.location,
        "enclosure": lambda osd: osd.location.get("enclosure"),
        "device": lambda osd: osd.devices,
        "model": lambda osd: osd.model,
        "commit_ms": latency(COMMIT),
        "apply_ms": lambda osd: snapshot.apply_ms(osd.id),
        "read_ms": latency(CLIENT_READ),
        "write_ms": latency(CLIENT_WRITE),
        "queue_ms": latency(QUEUE),
        "ratio": of_verdict("ratio"),
        "robust_z": of_verdict("robust_z"),
        "risk": of_verdict("risk"),
        "state": lambda osd: snapshot.verdict(osd.id).state,
        "since": since,
        "last_bench": lambda osd: last_bench(*newest[osd.id]) if osd.id in newest else None,
        "no_data": lambda osd: (why := no_data(osd)) and copied(NoData, why),
        "last_bench.round": lambda osd: newest[osd.id][0].id if osd.id in newest else None,
        "last_bench.bytes_per_second": of_result("median_bytes_per_second"),
        "last_bench.iops": of_result("median_iops"),
        "last_bench.cv_percent": of_result("cv_percent"),
        "last_bench.robust_z": of_result("robust_z"),
        "last_bench.percent_of_peers": of_result("percent_of_peers"),
    }


def _answer(read: Fields[model.Osd], osd: model.Osd) -> dict[str, Any]:
    """The fields that an OSD has in lists, and alone."""
    return {one.name: read[key_of(one.name)](osd) for one in fields(Osd)}


# They are objects: nothing is sorted by them.
_NESTED = ("location", "last_bench", "no_data")


def osds(
    api: Api,
    page: Page = WHOLE,
    class_: Optional[str] = None,
    host: Optional[str] = None,
    profile: Optional[str] = None,
    osds: Optional[str] = None,
) -> tuple[list[Osd], int]:
    """List OSDs with their newest bench.

    ``class_``, ``host`` and ``osds`` (as ``--osds`` of a round) select OSDs. They are sorted by a
    key of the answer, dotted where nested.
    """
    if profile is not None:
        profile_named(profile)
    found = api.osds()
    terms = [_term(kind, name) for kind, name in (("class", class_), ("host", host)) if name]
    if osds or terms:
        found = Selection.parse("&".join([*terms, *([osds] if osds else [])])).select(found)
    of = osd_fields(api, api.bench.results.newest(profile))
    serials = api.hosts.serials() if page.search else {}
    read = {
        **{name: of[name] for name in _SEARCHED},
        "serial": lambda osd: serials.get(osd.id) or osd.device_id,
    }
    shown = {name: one for name, one in of.items() if name not in _NESTED}
    there, total = page.picked(found, shown, read, "osd")
    return [Osd(**_answer(of, osd)) for osd in there], total


def _term(kind: str, name: str) -> str:
    """The term of an expression. Raises InvalidValue that names the argument."""
    term = f"{kind}={name}"
    try:
        Selection.parse(term)
    except InvalidValue as error:
        raise InvalidValue(error.message, field=kind) from None
    return term


def osd_map(api: Api, profile: Optional[str] = None) -> OsdMap:
    """Show every OSD with its newest bench, as rows of columns.

    Figures have as many digits as a map shows: at 10,000 OSDs the digits are the answer. Those of
    rounds that were aborted are left out: a map has no place to say so.
    """
    if profile is not None:
        profile_named(profile)
    every = api.bench.results.latest.items()
    latest = {key: one for key, one in every if one[0].state is not RoundState.ABORTED}
    newest = newest_of(latest, profile)
    osds = api.osds()
    classes = {osd.id: osd.device_class for osd in osds}
    ratios = class_ratios(latest, classes, profile)
    none = ClassRatios()
    rows = [_map_row(osd, newest.get(osd.id), ratios.get(osd.id, none)) for osd in osds]
    return OsdMap(_MAP, rows)


def latency(api: Api) -> OsdLatency:
    """Show every OSD with its latencies and its state, as rows of columns.

    ``states`` are named by their place; an answer of its own beside the map's, because 10,000
    OSDs with both are too much for one.
    """
    snapshot = api.watch.osd_snapshot()
    states = {state: place for place, state in enumerate(OsdState)}
    rows = [
        [osd.id, states[snapshot.verdict(osd.id).state], *_seen(osd.id, snapshot)]
        for osd in api.osds()
    ]
    return OsdLatency(_SEEN, [one.value for one in states], rows)


def show(api: Api, id_: OsdId) -> OsdDetail:
    """Show one OSD with its bench history.

    Raises NotFound.
    """
    osd = next((o for o in api.osds() if o.id == id_), None)
    if osd is None:
        raise no_such_osd(id_)
    past = api.store.call(lambda store: store.history(id_))
    # The history is that of the ID, which other OSDs had before.
    others = [line.id for line, _ in past if line.is_before(osd.created_at)]
    measured = (
        (line, result)
        for line, result in past
        if result.median_bytes_per_second is not None and line.id not in others
    )
    newest = next(measured, None)
    unseen = _slow_unseen(api, id_)
    sentences = [
        *([_unseen(*unseen)] if unseen else []),
        *api.watch.explain(id_),
        _explain(osd, newest and last_bench(*newest)),
        *_before(osd, others),
    ]
    noted = api.relief.noted()
    return OsdDetail(
        **_answer(osd_fields(api, {id_: newest} if newest else {}), osd),
        serial=api.hosts.serials(osd.host).get(id_) or osd.device_id,
        primary_affinity=osd.primary_affinity,
        reweight=osd.reweight,
        relieved=None if noted is None else [relieved(x) for x in noted if x.osd == id_],
        history=[last_bench(*one) for one in past],
        findings=of_host(api, osd.host, [id_])[0],
        slow_in_round=unseen[0].id if unseen else None,
        explain=" ".join(sentences),
        sentences=sentences,
    )


def _slow_unseen(api: Api, osd_id: int) -> Optional[tuple[RoundLine, OsdResult]]:
    """What a round measured of an OSD that the watch finds as fast as its peers."""
    if api.watch.osd_snapshot().verdict(osd_id).state is not OsdState.OK:
        return None
    return next((one for one in api.bench.results.slow if one[1].osd == osd_id), None)


def relieved(one: Relief) -> Relieved:
    """A relief as the journal has it."""
    return copied(
        Relieved, one, was=setting_figure(one.change.was), set_to=setting_figure(one.change.want)
    )


def setting_figure(text: Optional[str]) -> Optional[float]:
    """A value of a setting; None stays None."""
    return None if text is None else float(text)


def _unseen(line: RoundLine, result: OsdResult) -> str:
    return (
        f"Round {line.id} measured osd.{result.osd} as slow, at "
        f"{result.percent_of_peers:.0f} % of its peers; in what clients do the "
        "watch does not see it."
    )


def _map_row(
    osd: model.Osd, bench: Optional[tuple[RoundLine, OsdResult]], ratios: ClassRatios
) -> list[Any]:
    place = [osd.id, osd.host, osd.location.get("rack"), osd.device_class, osd.up]
    if bench is None:
        return [*place, *[None] * (len(_MAP) - len(place))]
    found = bench[1]
    figures = (
        found.median_bytes_per_second, found.median_iops, found.cv_percent,
        found.percent_of_peers, found.robust_z,
    )  # fmt: skip
    shown = map(_short, figures, _MAP_DIGITS.values())
    return [
        *place,
        *shown,
        *(None if ratio is None else round(ratio) for ratio in ratios),
        bench[0].id,
    ]


def _seen(osd: int, osd_snapshot: OsdSnapshot) -> list[Any]:
    verdict = osd_snapshot.verdict(osd)
    figures = (
        verdict.ratio, verdict.risk or None, osd_snapshot.latency_ms(osd, COMMIT),
        osd_snapshot.latency_ms(osd, CLIENT_READ), osd_snapshot.latency_ms(osd, CLIENT_WRITE),
    )  # fmt: skip
    return [_short(figure, 3) for figure in figures]


def _short(value: Optional[float], digits: int) -> Optional[float]:
    """Round to ``digits`` significant digits, without the ".0" of whole numbers."""
    if value is None:
        return None
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() else short


def _before(osd: model.Osd, rounds: Sequence[int]) -> list[str]:
    """A sentence about the rounds that measured another OSD with its ID, if any did."""
    if not rounds or osd.created_at is None:
        return []
    another = f"Rounds up to {max(rounds)} measured another OSD with the ID {osd.id}"
    return [f"{another}: this one was made at {time_text(osd.created_at)}."]


def _explain(osd: model.Osd, newest: Optional[LastBench]) -> str:
    """A sentence about the OSD's newest measurement."""
    if newest is None:
        return f"No round has measured osd.{osd.id} yet."
    verdict = newest.verdict.value if newest.verdict else None
    where = f"In round {newest.round} ({newest.profile}, {verdict})"
    if newest.percent_of_peers is None:
        return f"{where} it had no peers of its device class and model to compare with."
    apart = "" if newest.cv_percent is None else f", its repeats {newest.cv_percent:.1f} % apart"
    reached = f"it reached {newest.percent_of_peers:.0f} % of the median of its peers"
    return f"{where} {reached} (z {newest.robust_z or 0.0:.1f}{apart})."


# --- as text -------------------------------------------------------------------------------------

_OSDS = (
    Column("OSD", "osd", "osd"),
    Column("HOST", lambda one: one.host.partition(".")[0], "word", 10, front=True),
    Column("CLASS", "class_", "word"),
    Column("STATE", lambda one: one.state if one.up else "down", "word"),
    Column("COMMIT ms", "commit_ms", "0.0"),
    Column("READ ms", "read_ms", "0.0"),
    Column("RATIO", "ratio", "0.00"),
    Column("MiB/s", "last_bench.bytes_per_second", "rate"),
    Column("BENCH %", "last_bench.percent_of_peers", "0"),
)


def osds_text(found: Sequence[Osd]) -> str:
    """Text of ``osd ls``: what the watch sees now, then the newest bench against its peers."""
    return table(_OSDS, found)


_BENCHES = (
    Column("ROUND", "round", "word"),
    Column("PROFILE", "profile", "word"),
    Column("VERDICT", "verdict", "word"),
    Column("ENDED (UTC)", "at", "time"),
    Column("MiB/s", "bytes_per_second", "rate"),
    Column("IOPS", "iops", "0"),
    Column("CV %", "cv_percent", "0.0"),
    Column("% PEERS", "percent_of_peers", "0"),
)


def osd_text(one: OsdDetail) -> str:
    """Text of ``osd show``."""
    up = ("up" if one.up else "down") + (", in" if one.in_ else ", out")
    reliefs = [
        (relief, one.reweight if relief.what == "reweight" else one.primary_affinity)
        for relief in one.relieved or ()
    ]
    pairs = [
        ("state", f"{one.state.value}, {up}"),
        ("host", one.host),
        ("class", shown(one.class_)),
        ("device", " ".join(part for part in (one.device, one.model) if part)),
        ("serial", one.serial or ""),
        ("crush", " ".join(f"{kind}={name}" for kind, name in one.location.items())),
        ("latency", _latencies(one)),
        *[("relieved", relieved_line(relief, now)) for relief, now in reliefs],
        *finding_lines(one.findings),
        ("explain", one.explain),
    ]
    listed = table(_BENCHES, one.history) if one.history else "no round has measured it yet"
    return f"osd.{one.osd}\n{facts(pairs)}{GAP}{listed}"


def _latencies(one: Osd) -> str:
    known = {
        "commit": one.commit_ms,
        "read": one.read_ms,
        "write": one.write_ms,
        "queue": one.queue_ms,
    }
    return ", ".join(
        f"{name} {number(value, 2)} ms" for name, value in known.items() if value is not None
    )


def relieved_line(one: Relieved, now: Optional[float]) -> str:
    """A relief in ``osd show``; ``now`` is the value in the OSD map."""
    found = "" if now == one.set_to else f", but it is {shown(now)} in the OSD map"
    if is_out(one.what, now):
        found = ", but it is out, and has that when it is in again"
    return (
        f"{WORDS[one.what]} {one.set_to:g}, was {one.was:g}, since {minute(one.since)} UTC{found}"
    )


# --- why an OSD is slow --------------------------------------------------------------------------


def why(api: Api, id_: OsdId) -> OsdWhy:
    """Ask an OSD and its peers where its operations spend their time, and whom they wait for."""
    return api.breakdowns.why(id_)


def why_text(found: OsdWhy) -> str:
    """Text of ``osd why``: the conclusion, where the time goes, who waits, the counters."""
    until = short_time(found.until)
    asked = (
        f"asked until {until} (UTC)"
        if found.is_complete
        else f"being asked until {until} (UTC); the same command then shows all"
    )
    parts = [
        f"osd.{found.osd}: {asked}\n{_lines(found.sentences)}",
        _stages(found),
        _waits(found),
        _counters(found),
        _headed("not known", found.not_told),
        _headed("of the others", [problem for peer in found.peers for problem in peer.problems]),
    ]
    return GAP.join(part for part in parts if part)


def _headed(head: str, sentences: Sequence[str]) -> str:
    return f"{head}\n{_lines(sentences)}" if sentences else ""


def _lines(sentences: Sequence[str]) -> str:
    return "\n".join(filled(one, 2, 2) for one in sentences)


def _stages(found: OsdWhy) -> str:
    """Seconds and shares of the stages that take any time."""
    sides = ((found.operations, found.sampled), (found.sub_operations, found.sub_sampled))
    rows = [
        (
            stage.value.replace("_", " "),
            *(cell for shares, of in sides for cell in _time(shares.get(stage.value), of)),
        )
        for stage in Stage
        if any(shares.get(stage.value, 0.0) >= _LEAST_SHARE for shares, _ in sides)
    ]
    if not rows:
        return ""
    clients, replica = (str(of.operations) for _, of in sides)
    rows.append(("(operations)", clients, "", replica, ""))
    heads = ("STAGE", "OF CLIENTS s", "%", "AS REPLICA s", "%")
    return table(columns_of(heads, words=1), rows)


def _time(share: Optional[float], of: OsdWhySampled) -> tuple[str, str]:
    if share is None:
        return number(None), number(None)
    return number(share * of.seconds, 3), number(100 * share)


_WAITS = (
    Column("SUB-OPERATIONS", lambda pair: f"{pair[0]} osd.{pair[1].osd}", "word"),
    Column("s", lambda pair: pair[1].seconds, "0.000"),
    Column("%", lambda pair: 100 * pair[1].share, "0.0"),
    Column("OPERATIONS", lambda pair: pair[1].operations, "count"),
)


def _waits(found: OsdWhy) -> str:
    """Whom its operations wait for, and the asked OSDs that wait for it."""
    sides = (("waits for", found.waits_for), ("waited for by", found.waited_for_by))
    rows = [(name, wait) for name, waits in sides for wait in waits]
    return table(_WAITS, rows) if rows else ""


def _counters(found: OsdWhy) -> str:
    if not found.counters:
        return ""
    others = sorted({one.osd for row in found.counters for one in row.others})[:_MOST_OTHERS]
    rows = []
    for row in found.counters:
        theirs = {one.osd: one.ms for one in row.others}
        means = [number(theirs.get(osd), 2) for osd in others]
        rows.append((row.words, str(row.operations), number(row.ms, 2), *means))
    seconds = found.counter_seconds
    span = "since its start" if seconds is None else f"of {number(seconds)} s"
    heads = ("COUNTER", "COUNT", *[f"osd.{osd} ms" for osd in (found.osd, *others)])
    return f"{table(columns_of(heads, words=1), rows)}\n({span})"


QUESTIONS = (
    Question("osd ls", osds, text=osds_text, rest="GET osd", covers=("slow_osds",)),
    Question("osd show", show, text=osd_text, rest="GET osd/ID"),
    Question("osd why", why, text=why_text, rest="GET osd/ID/why"),
    Question("osd map", osd_map, rest="GET osd/map"),
    Question("osd latency", latency, rest="GET osd/latency"),
)
