"""Plans a request and decides whether it may start, without changing anything.

With the thresholds and bounds of rounds that a user interface shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional

from ..errors import NotNow, PerfBenchError
from ..model.admission import Admission, ClassWear, HealthCheck, Situation
from ..model.comparison import ClientImpact, Forecast, ImpactState
from ..model.json_fields import LARGEST_FILE, Json
from ..model.osd import Osd
from ..model.plan import Plan, Request
from ..model.profile import Profile, profile_named
from ..model.quiesce import SettingChange
from ..model.rados import MAX_CLIENTS, MAX_SECONDS, MAX_THREADS, MIN_SECONDS
from .admission.decide import decide, wear_by_class
from .compare.comparable import client_impact, environment_hash
from .compare.summary import HALF_PERCENT, HALF_Z, SLOW_PERCENT, SLOW_Z
from .context import RoundContext
from .plan.clients import prepare_load
from .plan.osds import Last, prepare
from .plan.phases import MOST_RESTS
from .results import Results
from .schedule.times import MIN_EVERY

# Maximum age of the maps in seconds, so that they are those of the plan.
_JUST_READ = 5.0
# Returns the IDs of the running rounds; None while they are unknown.
Running = Callable[[], Optional[tuple[int, ...]]]


@dataclass(frozen=True)
class Prepared:
    """A checked request: the plan, the OSDs, whether it may start, and how it wears devices.

    ``flags`` are those of the OSD map, None if unknown.
    """

    profile: Profile
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
        rules, loads = context.round_safety.rules(attended), context.loads
        if profile_named(request.profile).kind == "rados":
            draft = prepare_load(request, context.cluster, loads.pools, loads.loader.workers)
        else:
            last = Last(self._results.seconds, self._results.rates)
            most = self._max_parallel()
            draft = prepare(request, context.cluster, most, last, rules.may_raise)
        plan, targets = draft.plan, draft.targets
        now = self._look([osd.id for osd in targets])
        wear = wear_by_class(targets, plan.bytes_by_osd(plan.most), now, rules)
        admission = decide(draft.ask, now, rules)
        return Prepared(draft.profile, plan, targets, admission, wear, now.flags)

    def forecast(self, prepared: Prepared) -> Forecast:
        """Return what a round would do to the cluster. Raises nothing: the rest is unknown."""
        plan, safety = prepared.plan, self._context.round_safety
        return Forecast(
            prepared.wear,
            self._impact(plan),
            self._would_change(plan, prepared.flags),
            safety.held_seconds(plan),
        )

    def _would_change(
        self, plan: Plan, flags: Optional[frozenset[str]]
    ) -> Optional[tuple[SettingChange, ...]]:
        try:
            return self._context.round_safety.would_change(plan, flags)
        except PerfBenchError as error:
            self._context.log.warning("what a round would change is not known: %s", error)
            return None

    def _impact(self, plan: Plan) -> ClientImpact:
        try:
            past = () if plan.load is not None else self._results.past(plan.profile)
        except PerfBenchError as error:
            self._context.log.info("what clients felt of rounds is not known: %s", error)
            return ClientImpact(ImpactState.UNREAD)
        return client_impact(plan, past)

    def environment(self, prepared: Prepared) -> dict[str, Any]:
        """Return the conditions of the round's figures, JSON-ready."""
        found = {
            **self._context.cluster.environment(prepared.plan.osds),
            "peer_groups": _peer_groups(prepared.targets),
            "max_parallel": self._max_parallel(),
            "forced": list(prepared.admission.reasons),
            "tolerated": [_told(check) for check in prepared.admission.tolerated],
            **self._load_environment(prepared.plan),
        }
        if found["forced"]:
            found["forced_codes"] = [one.code for one in prepared.admission.refusals]
        return {**found, "hash": environment_hash(found)}

    def _load_environment(self, plan: Plan) -> dict[str, Any]:
        if plan.load is None:
            return {}
        pools = self._context.loads.pools
        pool = pools.look(plan.load.pool)
        return {
            "pool": pool.facts if pool else {"name": plan.load.pool, "made": True},
            "messenger": dict(pools.messenger_modes()),
            "clients": plan.load.clients,
            "threads": plan.load.threads,
            "workers": list(plan.load.workers),
        }

    def _look(self, osds: Sequence[int]) -> Situation:
        latest = sorted(self._results.latest.values(), key=lambda entry: entry[0].id)
        reached = [(line.step.block_size, result) for line, result in latest]
        in_cluster = sum(osd.in_cluster for osd in self._context.cluster.osds(_JUST_READ))
        situation = self._context.round_safety.look(osds, reached, in_cluster)
        return replace(situation, wear=self._results.ledger, running=self._running())


def refuse(admission: Admission, force: bool) -> None:
    """Raise NotNow with all reasons if any of them prevents the start."""
    held_by = admission.held_by(force)
    if not held_by:
        return
    reasons = tuple(refusal.message for refusal in held_by)
    if admission.forceable:
        refused = f"refused now: {'; '.join(reasons)} (--force starts it all the same)"
    else:
        refused = f"refused now: {'; '.join(reasons)}"
    raise NotNow(refused, reasons)


def _peer_groups(osds: Sequence[Osd]) -> list[dict[str, Any]]:
    counts: dict[tuple[str, str], int] = {}
    for osd in osds:
        counts[osd.peer_group] = counts.get(osd.peer_group, 0) + 1
    return [
        {"class": group[0] or None, "model": group[1] or None, "osds": count}
        for group, count in sorted(counts.items())
    ]


def _told(check: HealthCheck) -> str:
    """A health check as a round records that it stood."""
    return f"{check.code}: {check.summary}" if check.summary else check.code


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
