"""OSDs: ``ceph perf-bench osd …``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Optional, Union

from ..bench.planning import newest_of
from ..errors import InvalidValue
from ..model import osd as model
from ..model.admission import Relieved
from ..model.finding import CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE, Gap
from ..model.json_fields import Moment
from ..model.osd import Selection, no_such_osd
from ..model.phrases import time_text
from ..model.plan import profile_named
from ..model.round import OsdResult, RoundLine, RoundState
from ..model.verdict import OsdSnapshot, OsdState, OsdVerdict, OsdWhy, OsdWhySampled, Stage
from .api import Api
from .findings import Finding, finding_lines, of_host
from .paging import WHOLE, Page
from .question import OsdId, Question
from .shape import Keys
from .text import (
    GAP,
    Column,
    columns_of,
    facts,
    filled,
    listing,
    number,
    short_time,
    shown,
    table,
)

# Significant digits in a map: the figures of 10,000 OSDs are most of its answer.
_MAP_DIGITS = {
    "bytes_per_second": 4, "iops": 4, "cv_percent": 3, "percent_of_peers": 3, "robust_z": 3,
}  # fmt: skip
_MAP = ("osd", "host", "rack", "class", "up", *_MAP_DIGITS, "round")
_SEEN = ("osd", "state", "ratio", "risk", "commit_ms", "read_ms", "write_ms")


@dataclass(frozen=True)
class LastBench:
    """What a round measured of an OSD."""

    KEYS = (
        ("round", "line.id"), ("profile", "line.profile"), ("verdict", "line.verdict"),
        ("at", "line.ended_at"), ("bytes_per_second", "result.median_bytes_per_second"),
        ("iops", "result.median_iops"), ("cv_percent", "result.cv_percent"),
        ("robust_z", "result.robust_z"), ("percent_of_peers", "result.percent_of_peers"),
    )  # fmt: skip
    line: RoundLine
    result: OsdResult


def _latency(channel: str) -> property:
    def milliseconds(one: Osd) -> Optional[float]:
        return one.snapshot.latency_ms(one.of.id, channel)

    return property(milliseconds)


@dataclass(frozen=True)
class Osd:
    """An OSD in a list.

    Latencies are those of the newest minute; ratio is over what its peers take, robust_z positive
    for slower. Without data null.

    location -- CRUSH bucket names by bucket type.
    no_data -- Why it has no verdict, and what would help; null where it has one.
    """

    KEYS: ClassVar[Keys] = (
        ("osd", "of.id"), ("host", "of.host"), ("class", "of.device_class"), ("up", "of.up"),
        ("in", "of.in_cluster"), ("location", "of.location"), "enclosure",
        ("device", "of.devices"), ("model", "of.model"), "commit_ms", "apply_ms", "read_ms",
        "write_ms", "queue_ms", ("ratio", "verdict.ratio"), ("robust_z", "verdict.robust_z"),
        ("risk", "verdict.risk"), ("state", "verdict.state"), "since", "last_bench", "no_data",
    )  # fmt: skip
    of: model.Osd
    snapshot: OsdSnapshot
    last_bench: Optional[LastBench]
    why: Callable[[int], Optional[Gap]]  # one has no data

    commit_ms = _latency(COMMIT)
    read_ms = _latency(CLIENT_READ)
    write_ms = _latency(CLIENT_WRITE)
    queue_ms = _latency(QUEUE)

    @property
    def apply_ms(self) -> Optional[float]:
        return self.snapshot.apply_ms(self.of.id)

    @property
    def enclosure(self) -> Optional[str]:
        return self.of.location.get("enclosure")

    @cached_property
    def verdict(self) -> OsdVerdict:
        return self.snapshot.verdict(self.of.id)

    @property
    def since(self) -> Optional[Moment]:
        """The end of the last data of an OSD without a verdict."""
        return gap.since if (gap := self.no_data) else self.verdict.since

    @cached_property
    def no_data(self) -> Optional[Gap]:
        return self.why(self.of.id) if self.verdict.state is OsdState.NO_DATA else None


@dataclass(frozen=True)
class OsdDetail(Osd):
    """One OSD with its history of rounds, newest first.

    serial -- Of its drive, as its host told it, else Ceph's device ID.
    smart -- By kind what its drive counts, 1 for a warning that it gives (SMART, as its host told
        it); null: not told.
    primary_affinity -- 0 to 1, in the OSD map.
    reweight -- 0 to 1, in the OSD map.
    relieved -- What 'osd relieve' changed; null: the journal was not read yet.
    slow_in_round -- The newest round that measured it as slow while the watch finds it as fast as
        its peers.
    sentences -- The sentences of explain, one by one.
    """

    KEYS: ClassVar[Keys] = (
        *Osd.KEYS, "serial", "smart", ("primary_affinity", "of.primary_affinity"),
        ("reweight", "of.reweight"), "relieved", "history", "findings", "explain", "sentences",
    )  # fmt: skip
    serial: Optional[str]
    smart: Optional[Mapping[str, int]]
    relieved: Optional[Sequence[Relieved]]
    history: Sequence[LastBench]
    findings: Sequence[Finding]
    sentences: Sequence[str]

    @property
    def explain(self) -> str:
        return " ".join(self.sentences)


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

# --- the list ------------------------------------------------------------------------------------


def _seen_by(api: Api) -> Mapping[str, Any]:
    """What all OSDs of an answer are seen with."""
    return {"snapshot": api.watch.osd_snapshot(), "why": api.watch.no_data}


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
    newest, seen = api.bench.results.newest(profile), _seen_by(api)
    rows = [
        Osd(osd, last_bench=LastBench(*newest[osd.id]) if osd.id in newest else None, **seen)
        for osd in found
    ]
    serials = api.hosts.serials() if page.search else {}
    return page.of(rows, Osd, "osd", lambda one: serials.get(one.of.id) or one.of.device_id)


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
    return OsdMap(_MAP, [_map_row(osd, newest.get(osd.id)) for osd in api.osds()])


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
    # The ID may have been that of another OSD before.
    past = [
        LastBench(*one)
        for one in api.store.call(lambda store: store.history(id_))
        if not one[0].is_before(osd.created_at)
    ]
    measured = (one for one in past if one.result.median_bytes_per_second is not None)
    newest, noted = next(measured, None), api.relief.noted()
    return OsdDetail(
        osd,
        last_bench=newest,
        **_seen_by(api),
        serial=api.hosts.serials(osd.host).get(id_) or osd.device_id,
        smart=api.hosts.smart(osd),
        relieved=None if noted is None else [one for one in noted if one.osd == id_],
        history=past,
        findings=of_host(api, osd.host, [id_])[0],
        sentences=[*api.watch.explain(id_), _explain(id_, newest)],
    )


def _map_row(osd: model.Osd, bench: Optional[tuple[RoundLine, OsdResult]]) -> list[Any]:
    place = [osd.id, osd.host, osd.location.get("rack"), osd.device_class, osd.up]
    if bench is None:
        return [*place, *[None] * (len(_MAP) - len(place))]
    found = bench[1]
    figures = (
        found.median_bytes_per_second, found.median_iops, found.cv_percent,
        found.percent_of_peers, found.robust_z,
    )  # fmt: skip
    return [*place, *map(_short, figures, _MAP_DIGITS.values()), bench[0].id]


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


def _explain(osd: int, newest: Optional[LastBench]) -> str:
    """A sentence about the OSD's newest measurement."""
    if newest is None:
        return f"No round has measured osd.{osd} yet."
    line, found = newest.line, newest.result
    where = f"In round {line.id} ({line.profile}, {shown(line.verdict)})"
    if found.percent_of_peers is None:
        return f"{where} it had no peers of its device class and model to compare with."
    apart = "" if found.cv_percent is None else f", its repeats {found.cv_percent:.1f} % apart"
    reached = f"it reached {found.percent_of_peers:.0f} % of the median of its peers"
    return f"{where} {reached} (z {found.robust_z or 0.0:.1f}{apart})."


# --- as text -------------------------------------------------------------------------------------

# What the watch sees now, then the newest bench against its peers.
_OSDS = (
    Column("OSD", "of.id", "osd"),
    Column("HOST", lambda one: one.of.host.partition(".")[0], "word", 10, front=True),
    Column("CLASS", "of.device_class", "word"),
    Column("STATE", lambda one: one.verdict.state if one.of.up else "down", "word"),
    Column("COMMIT ms", "commit_ms", "0.0"),
    Column("READ ms", "read_ms", "0.0"),
    Column("RATIO", "verdict.ratio", "0.00"),
    Column("MiB/s", "last_bench.result.median_bytes_per_second", "rate"),
    Column("BENCH %", "last_bench.result.percent_of_peers", "0"),
)
_BENCHES = (
    Column("ROUND", "line.id", "word"),
    Column("PROFILE", "line.profile", "word"),
    Column("VERDICT", "line.verdict", "word"),
    Column("ENDED (UTC)", "line.ended_at", "time"),
    Column("MiB/s", "result.median_bytes_per_second", "rate"),
    Column("IOPS", "result.median_iops", "0"),
    Column("CV %", "result.cv_percent", "0.0"),
    Column("% PEERS", "result.percent_of_peers", "0"),
)


def osd_text(one: OsdDetail) -> str:
    """Text of ``osd show``."""
    osd = one.of
    up = ("up" if osd.up else "down") + (", in" if osd.in_cluster else ", out")
    since = "" if one.since is None else f" since {time_text(one.since)}"
    latencies = {
        "commit": one.commit_ms, "read": one.read_ms, "write": one.write_ms, "queue": one.queue_ms,
    }  # fmt: skip
    known = [f"{name} {number(ms, 2)} ms" for name, ms in latencies.items() if ms is not None]
    pairs = [
        ("state", f"{one.verdict.state.value}{since}, {up}"),
        ("host", osd.host),
        ("class", shown(osd.device_class)),
        ("device", " ".join(part for part in (osd.devices, osd.model) if part)),
        ("serial", one.serial or ""),
        ("smart", _smart(one.smart)),
        ("crush", " ".join(f"{kind}={name}" for kind, name in osd.location.items())),
        ("latency", ", ".join(known)),
        ("relieved", "'ceph perf-bench relief ls' says how" if one.relieved else ""),
        *finding_lines(one.findings),
        ("explain", one.explain),
    ]
    listed = table(_BENCHES, one.history) if one.history else "no round has measured it yet"
    return f"{osd.name}\n{facts(pairs)}{GAP}{listed}"


def _smart(counts: Optional[Mapping[str, int]]) -> str:
    """What a drive counts and warns of, as "pending sectors 8"; "" where it is not told."""
    errors = [
        f"{kind.replace('_', ' ')} {count}" for kind, count in (counts or {}).items() if count
    ]
    return ", ".join(errors) or ("no errors" if counts else "")


# --- why an OSD is slow --------------------------------------------------------------------------


def why(api: Api, id_: OsdId) -> OsdWhy:
    """Ask an OSD and its peers where its operations spend their time, and whom they wait for."""
    return api.breakdowns.why(id_)


def why_text(found: OsdWhy) -> str:
    """Text of ``osd why``: the conclusion, where the time goes, and who waits."""
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


QUESTIONS = (
    Question("osd ls", osds, text=listing(_OSDS), rest="GET osd", covers=("slow_osds",)),
    Question("osd show", show, text=osd_text, rest="GET osd/ID"),
    Question("osd why", why, text=why_text, rest="GET osd/ID/why"),
    Question("osd map", osd_map, rest="GET osd/map"),
    Question("osd latency", latency, rest="GET osd/latency"),
)
