"""What rounds before measured and wrote; plans requests by it, and decides whether they may start.

With the thresholds and bounds of rounds that a user interface shows. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Callable, NamedTuple, Optional

from ..errors import NotNow, PerfBenchError
from ..model.admission import (
    Admission,
    ClassWear,
    SettingChange,
    WearLedger,
)
from ..model.json_fields import LARGEST_FILE, Json
from ..model.osd import Osd
from ..model.plan import (
    SMALL_WRITE_BYTES,
    SMALL_WRITES,
    Plan,
    Request,
    Step,
    profile_named,
)
from ..model.rados import MAX_CLIENTS, MAX_SECONDS, MAX_THREADS, MIN_SECONDS
from ..model.round import (
    Forecast,
    OsdResult,
    Round,
    RoundLine,
    Verdict,
)
from ..store.sqlite import Store
from .admission import book, decide, wear_by_class
from .compare.summary import HALF_PERCENT, HALF_Z, SLOW_PERCENT, SLOW_Z, is_slow
from .context import RoundContext
from .plan.clients import prepare_load
from .plan.osds import MOST_RESTS, Last, prepare
from .times import MIN_EVERY

Result = tuple[RoundLine, OsdResult]
# By OSD and profile.
Latest = Mapping[tuple[int, str], Result]
# Of the newest rounds of small writes so many are looked at: valid ones are among them.
_RECENT = 6
# Maximum age of the maps in seconds.
_MAPS_AGE = 15.0


class Stored(NamedTuple):
    """The newest results as stored, and what rounds wrote; ``ledger`` is None until it was read.

    ``small_writes`` has by OSD its newest valid rounds of small writes by their IDs, newest first,
    with its IOPS.
    """

    latest: Latest
    small_writes: Mapping[int, Mapping[int, tuple[RoundLine, float]]]
    ledger: Optional[WearLedger]

    def of(self, osds: Sequence[Osd]) -> Stored:
        """Return those of the OSDs that are there now."""
        made = {osd.id: osd.created_at for osd in osds}
        latest = {
            key: entry
            for key, entry in self.latest.items()
            if not entry[0].is_before(made.get(key[0]))
        }
        small_writes = {
            osd: {key: one for key, one in rounds.items() if not one[0].is_before(made.get(osd))}
            for osd, rounds in self.small_writes.items()
        }
        return Stored(latest, small_writes, self.ledger)


class Results:
    """The newest results of OSDs, and the bytes that rounds wrote to them.

    An OSD that was made after a round is another one than the round measured under its ID.
    """

    def __init__(self, context: RoundContext) -> None:
        self._context = context
        self._stored = stored = Stored({}, {}, None)
        # Those of the OSDs that are there now, and what they were made from.
        self._made: tuple[Stored, Sequence[Osd], Stored] = (stored, (), stored)

    @property
    def ledger(self) -> Optional[WearLedger]:
        """The bytes that rounds wrote; None until the database has been read."""
        return self._stored.ledger

    @property
    def latest(self) -> Latest:
        """The newest result by OSD and profile."""
        return self._now().latest

    @property
    def rounds(self) -> Mapping[str, RoundLine]:
        """By profile its newest round with a figure, whoever has the IDs of its OSDs now."""
        lines = {line.id: line for line, _ in self._stored.latest.values()}
        return {lines[number].profile: lines[number] for number in sorted(lines)}

    @property
    def slow(self) -> Sequence[Result]:
        """Those of the newest results that are slow against their peers, the slowest first."""
        slow = [entry for entry in self.latest.values() if is_slow(entry[1])]
        return sorted(slow, key=lambda entry: entry[1].percent_of_peers or 0.0)

    @property
    def small_writes(self) -> Mapping[int, Mapping[int, float]]:
        """By OSD the IOPS of its newest valid rounds of small writes by their IDs, newest first.

        Without rounds of another block size.
        """
        found = self._now().small_writes.items()
        return {osd: {key: iops for key, (_, iops) in own.items()} for osd, own in found if own}

    def _now(self) -> Stored:
        stored, osds = self._stored, self._context.cluster.osds(_MAPS_AGE)
        of, known, found = self._made
        # The same list has the same OSDs: 10,000 are looked at once for each map.
        if of is not stored or known is not osds:
            found = stored.of(osds)
            self._made = stored, osds, found
        return found

    def take(self, stored: Stored) -> None:
        """Show what the store has now."""
        self._stored = stored

    def book(self, round_: Round) -> None:
        """Book a round's writes; the store has booked them with the round."""
        planned = round_.plan.bytes_by_osd(round_.plan.most)
        if self.ledger is not None:
            ledger = book(self.ledger, round_.token, planned, round_.created_at)
            self._stored = self._stored._replace(ledger=ledger)

    def newest(self, profile: Optional[str] = None) -> dict[int, Result]:
        """Return the newest result by OSD, of one profile or of any."""
        return newest_of(self.latest, profile)

    def seconds(self, profile: str, step: Step) -> dict[int, float]:
        """Return by OSD the seconds of a call of exactly this step in its newest result."""
        return {
            osd: result.median_call_seconds
            for osd, (line, result) in self.newest(profile).items()
            if line.step == step and result.median_call_seconds
        }

    def rates(self, profile: str, block_size: int) -> dict[int, float]:
        """Return by OSD its newest result in this profile, in bytes/s."""
        return {
            osd: result.median_bytes_per_second
            for osd, (line, result) in self.newest(profile).items()
            if line.step.block_size == block_size and result.median_bytes_per_second
        }


def newest_of(latest: Latest, profile: Optional[str]) -> dict[int, Result]:
    """The newest result by OSD, of one profile or of any."""
    newest: dict[int, Result] = {}
    for (osd, name), entry in latest.items():
        if profile in (None, name) and (osd not in newest or newest[osd][0].id < entry[0].id):
            newest[osd] = entry
    return newest


def read_stored(store: Store) -> Stored:
    """Read the newest results and what rounds wrote."""
    return Stored(store.latest(), _small_writes(store), store.wear())


def _small_writes(store: Store) -> dict[int, dict[int, tuple[RoundLine, float]]]:
    """By OSD its newest valid rounds of small writes with its IOPS, newest first."""
    found: dict[int, dict[int, tuple[RoundLine, float]]] = {}
    for round_ in store.past(SMALL_WRITES, _RECENT):
        line = round_.line
        if line.verdict is Verdict.VALID and line.step.block_size == SMALL_WRITE_BYTES:
            for result in store.results(round_.id)[0]:
                if result.median_iops is not None:
                    found.setdefault(result.osd, {})[line.id] = line, result.median_iops
    return found


# --- planning -------------------------------------------------------------------------------------

# Maximum age of the maps in seconds, so that they are those of the plan.
_JUST_READ = 5.0
# Returns the IDs of the running rounds; None while they are unknown.
Running = Callable[[], Optional[tuple[int, ...]]]


@dataclass(frozen=True)
class Prepared:
    """A checked request: the plan, the OSDs, whether it may start, and how it wears devices.

    ``flags`` are those of the OSD map, None if unknown.
    """

    plan: Plan
    targets: Sequence[Osd]
    admission: Admission
    wear: tuple[ClassWear, ...]
    flags: Optional[frozenset[str]]


class Planner:
    """Plans requests; changes nothing."""

    def __init__(
        self,
        context: RoundContext,
        results: Results,
        max_parallel: Callable[[], int],
        running: Running,
    ) -> None:
        """``max_parallel`` returns the maximum number of OSDs in one wave."""
        self._context = context
        self._results = results
        self._max_parallel = max_parallel
        self._running = running

    def prepare(self, request: Request, attended: bool = True) -> Prepared:
        """Check a request and plan it. Raises PerfBenchError.

        ``attended``: a person sees what is unknown. If False, unknown essentials are refusals.
        """
        context = self._context
        rules = context.round_safety.rules(attended)
        if profile_named(request.profile).kind == "rados":
            draft = prepare_load(request, context.cluster, context.pools, context.loader.workers)
        else:
            last = Last(self._results.seconds, self._results.rates)
            most = self._max_parallel()
            draft = prepare(request, context.cluster, most, last, rules.quiesce)
        plan, targets = draft.plan, draft.targets
        latest = sorted(self._results.latest.values(), key=lambda entry: entry[0].id)
        reached = [(line.step.block_size, result) for line, result in latest]
        in_cluster = sum(osd.in_cluster for osd in context.cluster.osds(_JUST_READ))
        now = context.round_safety.look([osd.id for osd in targets], reached, in_cluster)
        now = replace(now, wear=self._results.ledger, running=self._running())
        wear = wear_by_class(targets, plan.bytes_by_osd(plan.most), now, rules)
        admission = decide(draft.ask, now, rules)
        return Prepared(plan, targets, admission, wear, now.flags)

    def foresee(self, request: Request) -> tuple[Prepared, Forecast]:
        """As ``prepare``, with what the round would do to the cluster. Raises as that does."""
        prepared = self.prepare(request)
        safety = self._context.round_safety
        holds: Optional[tuple[SettingChange, ...]] = None
        try:
            holds = safety.would_change(prepared.plan, prepared.flags)
        except PerfBenchError as error:
            self._context.log.warning("what a round would change is not known: %s", error)
        return prepared, Forecast(prepared.wear, holds, safety.held_seconds(prepared.plan))

    def environment(self, prepared: Prepared) -> dict[str, Any]:
        """Return the conditions of the round's figures, JSON-ready."""
        found = {
            **self._context.cluster.environment(prepared.plan.osds),
            "peer_groups": _peer_groups(prepared.targets),
            "max_parallel": self._max_parallel(),
            "forced": list(prepared.admission.reasons),
            "tolerated": [
                f"{one.code}: {one.summary}" if one.summary else one.code
                for one in prepared.admission.tolerated
            ],
            **self._load_environment(prepared.plan),
        }
        if found["forced"]:
            found["forced_codes"] = [one.code for one in prepared.admission.refusals]
        return found

    def _load_environment(self, plan: Plan) -> dict[str, Any]:
        if plan.load is None:
            return {}
        pools = self._context.pools
        pool = pools.look(plan.load.pool)
        return {
            "pool": pool.facts if pool else {"name": plan.load.pool, "made": True},
            "messenger": dict(pools.messenger_modes()),
            "clients": plan.load.clients,
            "threads": plan.load.threads,
            "workers": list(plan.load.workers),
        }


def refuse(admission: Admission, force: bool) -> None:
    """Raise NotNow with all reasons if any of them prevents the start."""
    held_by = admission.held_by(force)
    if not held_by:
        return
    reasons = tuple(refusal.message for refusal in held_by)
    more = " (--force starts it all the same)" if admission.forceable else ""
    raise NotNow(f"refused now: {'; '.join(reasons)}{more}", reasons)


def _peer_groups(osds: Sequence[Osd]) -> list[dict[str, Any]]:
    counts: dict[tuple[str, str], int] = {}
    for osd in osds:
        counts[osd.peer_group] = counts.get(osd.peer_group, 0) + 1
    return [
        {"class": group[0] or None, "model": group[1] or None, "osds": count}
        for group, count in sorted(counts.items())
    ]


def limits() -> Json:
    """Return the thresholds of verdicts and the bounds of requests; z scores have no unit."""
    return {
        "slow_percent": SLOW_PERCENT,
        "slow_z": SLOW_Z,
        "half_percent": HALF_PERCENT,
        "half_z": HALF_Z,
        "max_clients": MAX_CLIENTS,
        "max_threads": MAX_THREADS,
        "min_seconds": MIN_SECONDS,
        "max_seconds": MAX_SECONDS,
        "max_rests": MOST_RESTS,
        "min_every_seconds": MIN_EVERY,
        "max_import_bytes": LARGEST_FILE,
    }
