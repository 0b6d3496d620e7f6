"""Rounds: ``ceph perf-bench round …``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Optional, Union

from ..bench.compare import reference
from ..bench.stored_rounds import Repeat, StoredRound, Wanted
from ..model import plan as bench
from ..model import round as noun
from ..model.json_fields import iso
from ..model.phrases import not_one_of, plural
from ..model.plan import READ, WRITE, Imported, Request, Step
from ..model.rados import LoadPlan, Saturation
from ..model.round import (
    KINDS,
    ClientLatency,
    Conclusion,
    Interim,
    MeasuredPhase,
    OsdResult,
    RoundState,
    Verdict,
)
from ..model.statistics import median
from ..store.sqlite import RESULT_SORTS, ROUND_SORTS
from . import loads
from .api import Api
from .loads import LoadClient, LoadWorker
from .paging import WHOLE, Page, page_of, sort_key
from .plans import Plan, plan_answer, plan_text, step_text
from .question import (
    NO_RAISING,
    OF_ROUND,
    Argument,
    ArgumentKind,
    File,
    Question,
    RoundId,
    Use,
    needed,
    optional,
    rest_only,
)
from .settings import outcome_text
from .shape import ABSENT, Count, Maybe, Stamp, copied
from .text import GAP, Column, duration, facts, figure_text, listing, number, short_time, table

# OSDs of a round by default, more than of other lists: a few racks fit on one page.
_SHOWN = 200
_STATES = [state.value for state in RoundState]
# Of reasons in the environment, for the guard; earlier versions kept whole sentences.
_CODES = ("forced_codes", "forced_said")


@dataclass(frozen=True)
class Summary:
    """A round in a few figures, medians over OSDs.

    Or over repeats of clients (latencies in seconds, of the peak in a search); empty until it has
    some.
    """

    osds: Maybe[int] = ABSENT
    osds_measured: Maybe[int] = ABSENT
    median_bytes_per_second: Maybe[Optional[float]] = ABSENT
    median_iops: Maybe[Optional[float]] = ABSENT
    median_cv_percent: Maybe[Optional[float]] = ABSENT
    slowest_osd: Maybe[Optional[int]] = ABSENT
    slowest_percent_of_peers: Maybe[Optional[float]] = ABSENT
    clients: Maybe[Count] = ABSENT
    threads: Maybe[Count] = ABSENT
    operation: Maybe[str] = ABSENT
    pool: Maybe[str] = ABSENT
    repeats: Maybe[Count] = ABSENT
    runs: Maybe[Count] = ABSENT
    spread_percent: Maybe[Optional[float]] = ABSENT
    mean_latency: Maybe[Optional[float]] = ABSENT
    p50_latency: Maybe[Optional[float]] = ABSENT
    p95_latency: Maybe[Optional[float]] = ABSENT
    p99_latency: Maybe[Optional[float]] = ABSENT
    max_latency: Maybe[Optional[float]] = ABSENT
    cv_percent: Maybe[Optional[float]] = ABSENT
    first_done: Maybe[Optional[float]] = ABSENT
    last_done: Maybe[Optional[float]] = ABSENT
    seconds: Maybe[Optional[float]] = ABSENT
    jobs: Maybe[Count] = ABSENT


@dataclass(frozen=True)
class RoundLine:
    """A round in a list.

    unreadable -- Why the stored round cannot be read; the rest is what could be.
    """

    id: Count
    profile: str
    kind: Literal["osd", "rados", "fio", "elbencho", "warp"]
    state: RoundState
    verdict: Optional[Verdict]
    label: str
    created_at: Optional[Stamp]
    started_at: Optional[Stamp]
    ended_at: Optional[Stamp]
    took_seconds: Optional[float]
    summary: Annotated[Mapping[str, Any], Summary]
    unreadable: Optional[str]
    block_size: int


@dataclass(frozen=True)
class Sample:
    """One measurement: of an OSD, or of all clients of a repeat.

    What was not measured is null; why says what happened.

    latency_ms -- Mean of an operation; clients only.
    clients -- Clients only: so many ran.
    threads -- Clients only: operations in flight of each.
    """

    target: str
    phase: str
    repeat: int
    wave: int
    started_at: Optional[Stamp]
    bytes: int
    block_size: int
    seconds: Optional[float]
    call_seconds: Optional[float]
    bytes_per_second: Optional[float]
    iops: Optional[float]
    valid: bool
    why: Optional[str]
    latency_ms: Maybe[Optional[float]] = ABSENT
    clients: Maybe[int] = ABSENT
    threads: Maybe[int] = ABSENT


@dataclass(frozen=True)
class PartFigures:
    """One operation of a part.

    The median over its OSDs, and what they reach of what each reached before.
    """

    median_bytes_per_second: Optional[float]
    median_iops: Optional[float]
    percent_of_before: Optional[float]


@dataclass(frozen=True)
class Part:
    """A part of a round that has several, after the rest before it.

    seconds_since_load counts from the end of the part in which all worked together.
    """

    name: str
    rest_seconds: float
    started_at: Optional[Stamp]
    ended_at: Optional[Stamp]
    osds: Sequence[int]
    seconds_since_load: Optional[float]
    writes: Optional[PartFigures]
    reads: Optional[PartFigures]


@dataclass(frozen=True)
class Round(RoundLine):
    """A round with a page of its OSDs, slowest against their peers first unless sorted.

    With their samples.

    environment -- What was true of the cluster when the round started.
    osds -- How many OSDs the round has in all.
    found -- How many of its OSDs match the search; per_osd is a page of these.
    forced -- What it was started in spite of.
    phases -- Its parts where it has several, else none.
    load -- Null but for rounds of kind rados.
    clients -- Every client of every repeat, of kind rados.
    workers -- What each worker did in each repeat; empty where there is none.
    saturation -- Null but for searches.
    imported -- Null but for rounds of other tools.
    tolerated -- Health checks that stood when it started and were tolerated.
    beside -- What others published for the same bench of OSDs of this class; empty without that.
    """

    reasons: Sequence[str]
    conclusions: Sequence[Conclusion]
    resumed: int
    repeats: int
    step: Step
    waves: Sequence[Sequence[Count]]
    environment: Mapping[str, Any]
    osds: int
    found: int
    per_osd: Sequence[OsdResult]
    samples: Sequence[Sample]
    max_repeats: int
    forced: Sequence[str]
    phases: Sequence[Part]
    load: Optional[LoadPlan]
    clients: Sequence[LoadClient]
    workers: Sequence[LoadWorker]
    saturation: Optional[Saturation]
    imported: Optional[Imported]
    tolerated: Sequence[str]
    beside: str


@dataclass(frozen=True)
class Started:
    """The round that was started, aborted or removed."""

    id: Count


@dataclass(frozen=True)
class LiveClient:
    """A client of the repeat that runs; rows of series as of LoadClient."""

    client: Count
    series: Sequence[Sequence[float]]


@dataclass(frozen=True)
class Live:
    """A running round as far as it is; null or empty where it does not run.

    client_latency -- Null for rounds of clients, whose operations are most of all.
    """

    id: Count
    phase: Optional[str] = None
    repeat: Optional[int] = None
    clients: Sequence[LiveClient] = ()
    wave: Optional[int] = None
    waves: Optional[int] = None
    osds: Interim = field(default_factory=Interim)
    client_latency: Optional[ClientLatency] = None


def round_line(line: noun.RoundLine) -> RoundLine:
    """A round in a list."""
    return copied(RoundLine, line, took_seconds=took(line), block_size=line.step.block_size)


def took(line: noun.RoundLine) -> Optional[float]:
    """How many seconds a round took; None before its end."""
    if line.started_at is None or line.ended_at is None:
        return None
    return round(line.ended_at - line.started_at, 3)


def whole(stored: StoredRound) -> Round:
    """A round with a page of its OSDs and their samples, or with its clients."""
    of, plan, environment = stored.round, stored.round.plan, stored.round.environment
    load = plan.load
    samples = (
        [sample(one) for one in stored.samples]
        if load is None
        else [_repeat(load, one) for one in stored.repeats]
    )
    repeats = () if load is None else [repeat.sample for repeat in stored.repeats]
    return Round(
        **vars(round_line(of.line)),
        reasons=of.reasons,
        conclusions=of.conclusions,
        resumed=of.resumed,
        repeats=plan.repeats,
        step=plan.step,
        waves=plan.waves,
        environment={key: value for key, value in environment.items() if key not in _CODES},
        osds=stored.osds,
        found=stored.found,
        per_osd=stored.results,
        samples=samples,
        max_repeats=plan.most,
        forced=environment.get("forced", ()),
        phases=[part(one) for one in stored.parts],
        load=load,
        clients=loads.clients(repeats),
        workers=[] if load is None else loads.workers(stored.loads),
        saturation=stored.search,
        imported=plan.imported,
        tolerated=environment.get("tolerated", ()),
        beside=_beside(of),
    )


def _beside(of: noun.Round) -> str:
    """The median OSD against what others have published, for rounds of one device class."""
    classes = {group["class"] for group in of.environment.get("peer_groups", ())}
    rate = of.line.summary.get("median_bytes_per_second")
    found = reference.alike(of.plan.step, classes.pop() or "") if len(classes) == 1 else None
    if found is None or not rate or of.verdict not in (Verdict.VALID, Verdict.NOISY):
        return ""
    figure, published = found
    theirs = figure_text(of.plan.step.block_size, published, published / of.plan.step.block_size)
    by = f"osd bench ({figure.hardware}; {figure.source})"
    return f"{rate / published:.2f} times the {theirs} that others had by {by}"


def sample(of: bench.Sample) -> Sample:
    """A sample of an OSD."""
    return copied(Sample, of, target=f"osd.{of.osd}", bytes=of.bytes_written)


def _repeat(load: LoadPlan, repeat: Repeat) -> Sample:
    """A repeat of clients in the form of a sample, with the figures of the time all clients ran.

    ``bytes`` are those of that time.
    """
    of, done = repeat.sample, repeat.together
    under = of.load or load.most
    return Sample(
        target=f"pool.{load.pool}",
        phase=load.operation,
        repeat=of.repeat,
        wave=1,
        started_at=iso(of.started_at),
        call_seconds=done.last_done if done else None,
        bytes=round(done.bytes_per_second * done.seconds) if done else 0,
        block_size=load.size,
        seconds=done.seconds if done else None,
        bytes_per_second=done.bytes_per_second if done else None,
        iops=done.iops if done else None,
        valid=done is not None,
        why=repeat.why or None,
        latency_ms=1000 * done.mean_latency if done else None,
        clients=under.clients,
        threads=under.threads,
    )


def part(of: noun.Part) -> Part:
    """A part with the medians of its OSDs."""
    return copied(
        Part,
        of,
        seconds_since_load=of.since_load,
        writes=_figures(of.measured.get(WRITE), of.percent_of_before.get(WRITE)),
        reads=_figures(of.measured.get(READ), of.percent_of_before.get(READ)),
    )


_Measured = Optional[Mapping[int, MeasuredPhase]]


def _figures(found: _Measured, percent_of_before: Optional[float]) -> Optional[PartFigures]:
    if found is None:
        return None
    rates = [one.bytes_per_second for one in found.values()]
    iops = [one.iops for one in found.values()]
    return PartFigures(
        median(rates) if rates else None, median(iops) if iops else None, percent_of_before
    )


# --- what is asked -------------------------------------------------------------------------------


def start(api: Api, **asked: Any) -> Union[Started, Plan]:
    """Start a round of a profile, or show with --dry-run what it would do."""
    dry_run = asked.pop("dry_run", False)
    request = Request(**asked)
    if not dry_run:
        return Started(api.bench.start(request).id)
    prepared, forecast = api.bench.planner.foresee(request)
    return plan_answer(prepared.plan, prepared.admission, forecast)


def take(api: Api, as_: str, results: File, label: Optional[str] = None) -> Started:
    """Take over what fio, elbencho or warp measured, of its JSON with -i, as a round of its own.

    Raises InvalidValue with the path of the bad field; then nothing is stored.
    """
    return Started(api.stored.take(results, as_, label).id)


def ls(
    api: Api,
    kind: Optional[str] = None,
    state: Optional[str] = None,
    comparable: Optional[RoundId] = None,
    page: Page = WHOLE,
) -> tuple[list[RoundLine], int]:
    """List rounds, newest first.

    ``comparable``: only those that can be compared with this round, of the newest 200. What is
    searched for is looked for, whatever its case, in what a table of rounds shows of each.
    """
    if kind is not None and kind not in KINDS:
        raise not_one_of("kind", kind, KINDS)
    if state is not None and state not in _STATES:
        raise not_one_of("state", state, _STATES)
    wanted = None if state is None else RoundState(state)
    first, count = page_of(page.limit, page.offset)
    order = page.sort or "-id"
    sort_key(order, ROUND_SORTS)
    if comparable is None:
        place = first, count
        lines, total = api.stored.lines(kind, wanted, place, page.search or "", order)
        return [round_line(line) for line in lines], total
    lines = [
        line
        for line in api.comparisons.comparable(comparable)
        if kind in {None, line.kind} and wanted in {None, line.state}
    ]
    return page.of(list(map(round_line, lines)), RoundLine, order)


def show(
    api: Api, id_: RoundId, page: Page = WHOLE, samples: bool = True, osd: Optional[int] = None
) -> tuple[Round, int]:
    """Show a round with its OSDs, slowest against their peers first."""
    first, count = page_of(page.limit if page.limit is not None else _SHOWN, page.offset)
    if page.sort:
        sort_key(page.sort, RESULT_SORTS)
    # The samples of one OSD are few, and are always included.
    samples = samples or osd is not None
    wanted = Wanted(count, first, samples, osd, page.search or "", page.sort or "")
    found = whole(api.stored.read(id_, wanted))
    return found, found.found


def live(api: Api, id_: RoundId) -> Live:
    """Show what a running round has measured so far, and what clients feel of it."""
    active = api.bench.active
    if active is None or active.round.id != id_:
        return Live(id_)
    if active.round.plan.load is not None:
        rows = dict(active.rows)
        running = [LiveClient(client, loads.series(rows[client])) for client in sorted(rows)]
        return Live(id_, active.phase, active.done + 1, running)
    repeat, wave, waves = active.place() or (None, None, None)
    felt = api.safety.client_latency()
    return Live(id_, active.phase, repeat, (), wave, waves, active.interim(api.osds()), felt)


def abort(api: Api, id_: Optional[RoundId] = None) -> Started:
    """End the running round."""
    return Started(api.bench.abort(id_).id)


def rm(api: Api, id_: RoundId) -> Started:
    """Delete an ended round and its samples."""
    api.bench.remove(id_)
    return Started(id_)


# --- as text ---------------------------------------------------------------------------------


def _median_text(one: RoundLine) -> str:
    rates = one.summary.get("median_bytes_per_second"), one.summary.get("median_iops")
    return figure_text(one.block_size, *rates)


ROUNDS = (
    Column("ID", "id", "word"),
    Column("PROFILE", "profile", "word"),
    # The verdict of an ended round, the state of another.
    Column(
        "VERDICT", lambda one: "unreadable" if one.unreadable else one.verdict or one.state, "word"
    ),
    Column("STARTED (UTC)", "started_at", "time"),
    Column("OSDS", lambda one: one.summary.get("osds"), "0"),
    Column("MEDIAN", _median_text, "count"),
    Column("LABEL", "label", "word", 10),
)


def round_facts(of: Round) -> list[tuple[str, str]]:
    """What a round is, its figures, and why it ended as it did, as pairs."""
    took_ = "" if of.took_seconds is None else f", took {duration(of.took_seconds)}"
    settings = of.environment.get("settings")
    started = f"{short_time(of.started_at)} UTC" if of.started_at else ""
    reasons = [("because", reason) for reason in of.reasons]
    if of.imported is not None:
        measured = loads.imported_text(of.imported)
        return [("label", of.label), ("started", started), ("measured", measured), *reasons]
    return [
        ("label", of.label),
        ("started", started and f"{started}{took_}"),
        ("measured", _measured(of)),
        ("sample", step_text(of.step) if of.load is None else loads.load_text(of.load)),
        ("cluster", _cluster(of.environment)),
        # Rounds of earlier versions did not record it.
        ("put back", "" if settings is None else outcome_text(settings)),
        ("clients", _felt(of.environment)),
        ("carried on", f"{of.resumed} x after its mgr stopped" if of.resumed else ""),
        *[("forced", f"although {reason}") for reason in of.forced],
        *[("tolerated", check) for check in of.tolerated],
        *[
            ("not measured", f"repeat {one.repeat}: {one.why}")
            for one in of.samples
            if of.load is not None and one.why
        ],
        *reasons,
        *([("figures", _figures_text(of))] if of.load is None else loads.load_facts(of.summary)),
        ("beside", of.beside),
        *loads.search_facts(of.saturation),
        *[(one.code, one.message) for one in of.conclusions],
    ]


def round_tables(of: Round) -> list[tuple[str, Sequence[Column], Sequence[Any]]]:
    """The tables of a round with their titles."""
    tables: list[tuple[str, Sequence[Column], Sequence[Any]]] = [
        ("Jobs", loads.JOBS, of.imported.jobs if of.imported else ()),
        ("Phases", _PHASES, of.phases),
        ("OSDs, slowest against their peers first", _PER_OSD, of.per_osd),
        ("Clients", loads.CLIENTS, of.clients),
    ]
    search = of.saturation
    if search and search.curve:  # what each run did says less
        tables = [("Loads", loads.curve(search), search.curve)]
    return [one for one in tables if one[2]]


def round_text(of: Round) -> str:
    """Text of ``round show``."""
    head = f"round {of.id}: {of.profile}, {of.state.value}"
    if of.verdict and of.verdict.value != of.state.value:
        head += f", {of.verdict.value}"
    tables = [table(columns, rows) for _title, columns, rows in round_tables(of)]
    return GAP.join([f"{head}\n{facts(round_facts(of))}", *tables])


def _measured(of: Round) -> str:
    repeats = of.summary.get("repeats", of.repeats)
    if of.saturation is not None:
        return f"{plural(len(of.saturation.runs), 'run')}, at most {of.saturation.most_runs}"
    if of.load is not None:
        return f"{repeats} of {plural(of.repeats, 'repeat')}"
    parts = plural(len(of.phases), "phase") if of.phases else plural(len(of.waves), "wave")
    return f"{plural(of.osds, 'OSD')} in {parts} x {plural(repeats, 'repeat')}"


def _figures_text(of: Round) -> str:
    """The median of the OSDs, and the slowest one; empty while there is none."""
    slowest, percent = map(of.summary.get, ("slowest_osd", "slowest_percent_of_peers"))
    slow = "" if percent is None else f", slowest osd.{slowest} at {percent:.0f} % of its peers"
    return "" if of.summary.get("median_iops") is None else f"median OSD {_median_text(of)}{slow}"


def _felt(environment: Mapping[str, Any]) -> str:
    """The mean latency of clients before the round, its median and its highest meanwhile."""
    felt = environment.get("client_latency")
    if felt is None:
        return ""
    before, usual, most = (felt[name] for name in ("before_ms", "median_ms", "highest_ms"))
    return f"{before:.3g} ms before, {usual:.3g} ms meanwhile, at worst {most:.3g} ms"


def _cluster(environment: Mapping[str, Any]) -> str:
    """The recorded state of the cluster, and the setup's hash."""
    fill, up = environment.get("fill_percent"), environment.get("osds_up")
    parts = [
        environment.get("release", ""),
        environment.get("health", ""),
        "" if up is None else f"{up} of {plural(environment.get('osds', up), 'OSD')} up",
        "" if fill is None else f"{number(fill, 0)} % full",
        f"setup {environment['hash']}" if "hash" in environment else "",
    ]
    return ", ".join(part for part in parts if part)


_PER_OSD = (
    Column("OSD", "osd", "osd"),
    Column("HOST", "host", "word", 20),
    Column("CLASS", "device_class", "word"),
    Column("MiB/s", "median_bytes_per_second", "rate"),
    Column("IOPS", "median_iops", "0"),
    Column("CV %", "cv_percent", "0.0"),
    Column("z", "robust_z", "0.0"),
    Column("% OF PEERS", "percent_of_peers", "0"),
    Column("SAMPLES", "samples", "count"),
)
_PHASES = (
    Column("PHASE", "name", "count"),
    Column("REST", lambda part: part.rest_seconds or None, "duration"),
    Column("SINCE LOAD", "seconds_since_load", "duration"),
    Column("OSDS", lambda part: len(part.osds), "count"),
    Column("WRITE MiB/s", "writes.median_bytes_per_second", "rate"),
    Column("%", "writes.percent_of_before", "0"),
    Column("READ MiB/s", "reads.median_bytes_per_second", "rate"),
    Column("%", "reads.percent_of_before", "0"),
)


def _started_text(answer: Union[Started, Plan]) -> str:
    if isinstance(answer, Plan):
        return plan_text(answer)
    return f"round {answer.id} started: 'ceph perf-bench round show {answer.id}' follows it"


QUESTIONS = (
    Question(
        "round start",
        start,
        (
            *needed("profile"),
            *optional("osds", "pool"),
            *optional("clients", "threads", "seconds", kind=ArgumentKind.NUMBER),
            *optional("workers"),
            *optional("size", kind=ArgumentKind.SIZE),
            *optional("repeats", "max_repeats", kind=ArgumentKind.NUMBER),
            *optional("rest"),
            *optional("rests", kind=ArgumentKind.NUMBER),
            *optional("solo", "label"),
            *optional("dry_run", "force", "foreign_pool", kind=ArgumentKind.FLAG),
        ),
        _started_text,
        rest="POST round",
        writes=True,
        needs=OF_ROUND,
        without=NO_RAISING,
    ),
    Question(
        "round ls",
        ls,
        text=listing(
            ROUNDS, "no rounds yet: 'ceph perf-bench round start osd-throughput' makes one"
        ),
        rest="GET round",
    ),
    Question(
        "round show",
        show,
        rest_only(
            (
                *optional("samples", kind=ArgumentKind.FLAG),
                *optional("osd", kind=ArgumentKind.NUMBER),
            )
        ),
        round_text,
        rest="GET round/ID",
        rows="per_osd",
        # The text shows no samples, and they are most of the work.
        in_text={"samples": False},
    ),
    Question("round live", live, rest="GET round/ID/live"),
    Question(
        "round abort",
        abort,
        (Argument("id", ArgumentKind.ROUND_ID, rest=Use.NEEDED),),
        lambda answer: f"round {answer.id} is being aborted",
        rest="POST round/ID/abort",
        writes=True,
    ),
    Question(
        "round rm",
        rm,
        text=lambda answer: f"round {answer.id} is removed",
        rest="DELETE round/ID",
        writes=True,
    ),
    Question(
        "round import",
        take,
        text=lambda answer: (
            f"round {answer.id} has it: 'ceph perf-bench round show {answer.id}' shows it"
        ),
        rest="POST round/import",
        writes=True,
    ),
)
