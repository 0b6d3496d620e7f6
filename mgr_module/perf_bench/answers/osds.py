"""OSDs: ``ceph perf-bench osd ls``, ``show``, ``map`` and ``latency``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from ..bench.planning import Result
from ..bench.service import Bench
from ..doctor.relief import OsdRelief
from ..model import osd as model
from ..model.admission import WORDS, Relief, is_out
from ..model.cluster import Cluster
from ..model.finding import CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE, Gap
from ..model.history import DAY
from ..model.json_fields import Json
from ..model.osd import Selection, no_such_osd
from ..model.phrases import time_text
from ..model.plan import profile_named
from ..model.round import ClassRatios, OsdResult, RoundLine, Verdict
from ..model.verdict import OsdSnapshot, OsdState
from ..store.sqlite import StoreThread
from ..watch.service import Watch
from .findings import Finding, FindingAnswers, more_findings
from .paging import MAPS_AGE, WHOLE, Fields, Page
from .shape import Count, Stamp, copied
from .text import (
    GAP,
    NOTHING,
    clip_front,
    facts,
    iso,
    minute,
    number,
    rate,
    rounded,
    shown,
    table,
)

_OSD_SEARCH = ("osd", "host", "class", "device", "model", "enclosure", "serial")
# Significant digits in a map: the figures of 10,000 OSDs are most of its answer.
_MAP_DIGITS = {
    "bytes_per_second": 4, "iops": 4, "cv_percent": 3, "percent_of_peers": 3, "robust_z": 3,
}  # fmt: skip
# In whole percent, for the same reason.
_RATIOS = ("class_throughput_percent", "class_iops_percent")
_MAP = ("osd", "host", "rack", "class", "up", *_MAP_DIGITS, *_RATIOS, "round")
# For so many seconds a round's results are news, and so many slow OSDs of them are named.
_NEWS, _WORST = 7 * DAY, 5
_SEEN = ("osd", "state", "ratio", "risk", "commit_ms", "read_ms", "write_ms")
# Findings in the text about an OSD.
_FINDINGS = 5

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

    primary_affinity -- 0 to 1, in the OSD map.
    reweight -- 0 to 1, in the OSD map.
    relieved -- What 'osd relieve' changed; null: the journal was not read yet.
    slow_in_round -- The newest round that measured it as slow while the watch finds it as fast as
        its peers.
    sentences -- The sentences of explain, one by one.
    """

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


# --- the list ------------------------------------------------------------------------------------


def osd_keys(
    osd: model.Osd,
    bench: Optional[LastBench],
    snapshot: OsdSnapshot,
    no_data: Optional[Gap] = None,
) -> dict[str, Any]:
    """The fields that an OSD has in lists, and alone.

    ``no_data`` says why it has no verdict; ``since`` is then the end of its last data.
    """
    verdict = snapshot.verdict(osd.id)
    return {
        "osd": osd.id,
        "host": osd.host,
        "class_": osd.device_class,
        "up": osd.up,
        "in_": osd.in_cluster,
        "location": osd.location,
        "enclosure": osd.location.get("enclosure"),
        "device": osd.devices,
        "model": osd.model,
        "commit_ms": snapshot.latency_ms(osd.id, COMMIT),
        "apply_ms": snapshot.apply_ms(osd.id),
        "read_ms": snapshot.latency_ms(osd.id, CLIENT_READ),
        "write_ms": snapshot.latency_ms(osd.id, CLIENT_WRITE),
        "queue_ms": snapshot.latency_ms(osd.id, QUEUE),
        "ratio": rounded(verdict.ratio),
        "robust_z": rounded(verdict.robust_z),
        "risk": rounded(verdict.risk),
        "state": verdict.state,
        "since": iso(no_data.since if no_data else verdict.since),
        "last_bench": bench,
        "no_data": None if no_data is None else copied(NoData, no_data),
    }


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


def osd_fields(
    newest: Newest,
    snapshot: OsdSnapshot,
    no_data: Callable[[model.Osd], Optional[Gap]] = lambda _osd: None,
) -> Fields[model.Osd]:
    """Functions that read a key of an OSD's answer from the OSD itself; None for no data.

    To sort 10,000 OSDs takes 50 ms, to make answers of them before that another 100 ms.
    """

    def latency(channel: str) -> Callable[[model.Osd], Any]:
        return lambda osd: snapshot.latency_ms(osd.id, channel)

    def of_verdict(name: str) -> Callable[[model.Osd], Any]:
        return lambda osd: getattr(snapshot.verdict(osd.id), name)

    def of_result(name: str) -> Callable[[model.Osd], Any]:
        return lambda osd: getattr(newest[osd.id][1], name) if osd.id in newest else None

    def since(osd: model.Osd) -> Optional[str]:
        verdict = snapshot.verdict(osd.id)
        why = no_data(osd) if verdict.state is OsdState.NO_DATA else None
        return iso(why.since if why else verdict.since)

    return {
        "osd": lambda osd: osd.id,
        "host": lambda osd: osd.host,
        "class": lambda osd: osd.device_class,
        "device": lambda osd: osd.devices,
        "model": lambda osd: osd.model,
        "up": lambda osd: osd.up,
        "enclosure": lambda osd: osd.location.get("enclosure"),
        "commit_ms": latency(COMMIT),
        "apply_ms": lambda osd: snapshot.apply_ms(osd.id),
        "read_ms": latency(CLIENT_READ),
        "write_ms": latency(CLIENT_WRITE),
        "queue_ms": latency(QUEUE),
        "ratio": of_verdict("ratio"),
        "robust_z": of_verdict("robust_z"),
        "risk": of_verdict("risk"),
        "state": lambda osd: snapshot.verdict(osd.id).state.value,
        "since": since,
        "last_bench.round": lambda osd: newest[osd.id][0].id if osd.id in newest else None,
        "last_bench.bytes_per_second": of_result("median_bytes_per_second"),
        "last_bench.iops": of_result("median_iops"),
        "last_bench.cv_percent": of_result("cv_percent"),
        "last_bench.robust_z": of_result("robust_z"),
        "last_bench.percent_of_peers": of_result("percent_of_peers"),
    }


class OsdAnswers:
    """What is asked of OSDs."""

    def __init__(  # noqa: PLR0913, PLR0917 - as many as an OSD is known from
        self,
        bench: Bench,
        watch: Watch,
        cluster: Cluster,
        store_thread: StoreThread,
        findings: FindingAnswers,
        relief: OsdRelief,
        serials: Callable[[], Mapping[int, str]] = dict,
    ) -> None:
        """``serials`` returns by OSD the serial number of its drive, as hosts tell it."""
        self._bench = bench
        self._serials = serials
        self._watch = watch
        self._findings = findings
        self._relief = relief
        self._cluster = cluster
        self._store_thread = store_thread

    def ls(
        self, expression: Optional[str] = None, profile: Optional[str] = None, page: Page = WHOLE
    ) -> tuple[list[Osd], int]:
        """A page of OSDs with their newest bench (of ``profile``), and how many there are.

        ``expression`` selects OSDs as ``--osds`` of a round does. They are sorted by a key of the
        answer, dotted where nested.
        """
        if profile is not None:
            profile_named(profile)
        osds = self._cluster.osds(MAPS_AGE)
        if expression is not None:
            osds = Selection.parse(expression).select(osds)
        newest = self._bench.results.newest(profile)
        snapshot = self._watch.osd_snapshot()
        fields = osd_fields(newest, snapshot, self._no_data)
        serials = self._serials() if page.search else {}
        read = {**fields, "serial": lambda osd: serials.get(osd.id) or osd.device_id}
        there, total = page.of(osds, fields, _OSD_SEARCH, "osd", read)
        benches = ((osd, newest.get(osd.id)) for osd in there)
        return [
            Osd(
                **osd_keys(
                    osd,
                    None if bench is None else last_bench(*bench),
                    snapshot,
                    self._no_data(osd),
                )
            )
            for osd, bench in benches
        ], total

    def map(self, profile: Optional[str] = None) -> OsdMap:
        """Every OSD with its newest bench (of ``profile``), a row of ``columns`` each.

        Figures have as many digits as a map shows: at 10,000 OSDs the digits are the answer.
        """
        if profile is not None:
            profile_named(profile)
        newest = self._bench.results.newest(profile)
        osds = self._cluster.osds(MAPS_AGE)
        classes = {osd.id: osd.device_class for osd in osds}
        ratios = self._bench.results.class_ratios(classes, profile)
        none = ClassRatios()
        rows = [_map_row(osd, newest.get(osd.id), ratios.get(osd.id, none)) for osd in osds]
        return OsdMap(_MAP, rows)

    def slow_in_rounds(self, now: float) -> Json:
        """The OSDs that rounds of the last week measured as slow and that no open finding is about.

        Their number and the slowest. A single round leads to no finding, and the watch sees an OSD
        that is slow only under load when it has load. ``now`` is unix seconds.
        """
        since = now - _NEWS
        found = [one for one in self._bench.results.slow if (one[0].ended_at or 0.0) >= since]
        slowest: dict[int, Result] = {}
        if found:
            known = {osd.id for osd in self._cluster.osds(MAPS_AGE)} - self._findings.named()
            for line, result in found:
                if result.osd in known:
                    slowest.setdefault(result.osd, (line, result))
        worst = [
            {
                "osd": result.osd,
                "round": line.id,
                "percent_of_peers": rounded(result.percent_of_peers, 1),
            }
            for line, result in list(slowest.values())[:_WORST]
        ]
        return {"osds": len(slowest), "worst": worst}

    def latency(self) -> OsdLatency:
        """Every OSD with its latencies and its state, a row of ``columns`` each.

        ``states`` are named by their place; an answer of its own beside the map's, because 10,000
        OSDs with both are too much for one.
        """
        snapshot = self._watch.osd_snapshot()
        states = {state: place for place, state in enumerate(OsdState)}
        rows = [
            [osd.id, states[snapshot.verdict(osd.id).state], *_seen(osd.id, snapshot)]
            for osd in self._cluster.osds(MAPS_AGE)
        ]
        return OsdLatency(_SEEN, [one.value for one in states], rows)

    def show(self, osd_id: int) -> OsdDetail:
        """One OSD with its history of rounds, newest first. Raises NotFound."""
        osd = next((o for o in self._cluster.osds(MAPS_AGE) if o.id == osd_id), None)
        if osd is None:
            raise no_such_osd(osd_id)
        past = self._store_thread.call(lambda store: store.history(osd_id))
        history = [last_bench(line, result) for line, result in past]
        # The history is that of the ID, which other OSDs had before.
        others = [line.id for line, _ in past if line.is_before(osd.created_at)]
        measured = [
            one for one in history if one.bytes_per_second is not None and one.round not in others
        ]
        newest = measured[0] if measured else None
        snapshot = self._watch.osd_snapshot()
        unseen = self._slow_unseen(osd_id)
        sentences = [
            *([_unseen(*unseen)] if unseen else []),
            *self._watch.explain(osd_id),
            _explain(osd, newest),
            *_before(osd, others),
        ]
        noted = self._relief.noted()
        return OsdDetail(
            **osd_keys(osd, newest, snapshot, self._no_data(osd)),
            primary_affinity=osd.primary_affinity,
            reweight=osd.reweight,
            relieved=None if noted is None else [relieved(x) for x in noted if x.osd == osd_id],
            history=history,
            findings=self._findings.of_osd(osd_id, osd.host),
            slow_in_round=unseen[0].id if unseen else None,
            explain=" ".join(sentences),
            sentences=sentences,
        )

    def _slow_unseen(self, osd_id: int) -> Optional[tuple[RoundLine, OsdResult]]:
        """What a round measured of an OSD that the watch finds as fast as its peers."""
        if self._watch.osd_snapshot().verdict(osd_id).state is not OsdState.OK:
            return None
        return next((one for one in self._bench.results.slow if one[1].osd == osd_id), None)

    def _no_data(self, osd: model.Osd) -> Optional[Gap]:
        """Why the watch has no verdict on it; None if it has one."""
        verdict = self._watch.osd_snapshot().verdict(osd.id)
        return self._watch.no_data(osd.id) if verdict.state is OsdState.NO_DATA else None


def relieved(one: Relief) -> Relieved:
    """A relief as the journal has it."""
    return copied(Relieved, one, was=figure(one.change.was), set_to=figure(one.change.want))


def figure(text: Optional[str]) -> Optional[float]:
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


def osds_text(osds: Sequence[Osd]) -> str:
    """Text of ``osd ls``: what the watch sees now, then the newest bench against its peers."""
    rows = []
    for one in osds:
        bench = one.last_bench
        rows.append(
            [
                f"osd.{one.osd}",
                clip_front(one.host.partition(".")[0], 10),
                one.class_ or NOTHING,
                one.state.value if one.up else "down",
                number(one.commit_ms),
                number(one.read_ms),
                number(one.ratio, 2),
                rate(bench.bytes_per_second if bench else None),
                number(bench.percent_of_peers if bench else None, 0),
            ]
        )
    head = ["OSD", "HOST", "CLASS", "STATE", "COMMIT ms", "READ ms", "RATIO", "MiB/s", "BENCH %"]
    return table(head, rows)


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
        ("class", one.class_ or NOTHING),
        ("device", " ".join(part for part in (one.device, one.model) if part)),
        ("crush", " ".join(f"{kind}={name}" for kind, name in one.location.items())),
        ("latency", _latencies(one)),
        *[("relieved", relieved_line(relief, now)) for relief, now in reliefs],
        *[
            ("finding", f"{found.id} ({found.state.value}): {found.message}")
            for found in one.findings[:_FINDINGS]
        ],
        ("", more_findings(max(0, len(one.findings) - _FINDINGS))),
        ("explain", one.explain),
    ]
    rows = [
        [
            str(bench.round),
            bench.profile,
            bench.verdict.value if bench.verdict else NOTHING,
            minute(bench.at),
            rate(bench.bytes_per_second),
            number(bench.iops, 0),
            number(bench.cv_percent),
            number(bench.percent_of_peers, 0),
        ]
        for bench in one.history
    ]
    head = ["ROUND", "PROFILE", "VERDICT", "ENDED (UTC)", "MiB/s", "IOPS", "CV %", "% PEERS"]
    listed = table(head, rows) if rows else "no round has measured it yet"
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


# --- why it is slow -----------------------------------------------------------------------------
