"""Protects the cluster from rounds: admission, settings that a round changes, and the guard.

The guard compares each snapshot with the state at the start of the round, never with the last one.
An improvement does not lower a limit: a forced round was started in spite of the first state, so
its return is not the round's fault.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Callable, NamedTuple, Optional, Protocol

from ..errors import PerfBenchError
from ..model.admission import (
    BALANCER,
    GuardRules,
    GuardSnapshot,
    QuiesceStatus,
    Restored,
    Rules,
    SettingChange,
    Situation,
    Values,
    same_value,
)
from ..model.finding import FRAME_SECONDS
from ..model.phrases import osd_names, plural
from ..model.plan import Plan
from ..model.round import ClientLatency, Conclusion, LatencyPoint, OsdResult, Round
from .admission import MapChanges, checked, possible
from .compare.summary import GUARD, TIME_OVER
from .held import ROUND, Access, Held
from .times import open_at, parse_window, zone

# The flags of the OSD map that stop scrubs.
NO_SCRUBS = ("noscrub", "nodeep-scrub")
# Pairs of a block size and an OSD's result with it.
Reached = Iterable[tuple[int, OsdResult]]
# Settings are restored at the latest after this factor times the round's estimate, which is an
# upper bound, plus these seconds: a failover takes one or two minutes.
_HELD_TIMES = 2.0
# Clients' latency is that of a frame of the watch; so many points are three hours.
_POINT, _MOST_POINTS = FRAME_SECONDS, 720
_HELD_SECONDS = 900.0


class AdmissionSource(Protocol):
    """The state of the cluster, for the decision whether a round may start or go on."""

    def look(self, osds: Sequence[int]) -> Situation:
        """The whole state, from the mgr's maps; fields named "chosen" are of these OSDs.

        Fields that need earlier states are None: ``changes``, ``possible``, ``wear``, ``running``.
        """

    def epoch(self) -> int:
        """The OSD map's epoch; cheap."""

    def up(self) -> frozenset[int]:
        """The OSDs that are up; cheap while the map's epoch stays."""

    def glance(self) -> GuardSnapshot:
        """The state that a guard checks every few seconds, without the latency of clients."""

    def copies(self) -> float:
        """Bytes on devices for each byte of clients, over all pools: 3 for three replicas."""


class Guarded(NamedTuple):
    """The guard of a round, and what is called for new alarms and to end it."""

    guard: Guard
    note: Callable[[Sequence[Conclusion]], None]
    end: Callable[[str], None]


class RoundSafety:
    """Its coroutines run on the loop; its other methods may be called from any thread."""

    def __init__(
        self,
        outlook: AdmissionSource,
        access: Access,
        client_seconds: Callable[[], Optional[float]],
        options: Callable[[], Rules],
    ) -> None:
        """``client_seconds`` returns the mean seconds of client operations; None if too few."""
        self._outlook = outlook
        self._access = access
        self._client_seconds = client_seconds
        self._clock = access.clock
        self._options = options
        self._changes = MapChanges()
        self._running: Optional[str] = None
        self._watching: Optional[Guarded] = None
        # The settings that rounds have changed.
        self.held = Held(ROUND, access, lambda: self._running)
        # That of the round that holds its settings; None without one, and for rounds of clients.
        self._felt: Optional[ClientLatency] = None

    async def guard(self) -> None:
        """The reconciler that guards the round: it asks the mgr's own maps only."""
        steady, outlook, felt = self._clock.monotonic(), self._outlook, self._felt
        now, watching = self._clock.now(), self._watching
        if felt is not None and (not felt.points or now - felt.points[-1].at >= _POINT):
            points = (*felt.points, LatencyPoint(now, self._client_ms()))[-_MOST_POINTS:]
            self._felt = replace(felt, points=points)
        if watching is not None:
            guard = watching.guard
            known = len(guard.alarms)
            alarm = guard.look(self._glance(), steady)
            if len(guard.alarms) > known:
                watching.note(tuple(guard.alarms))
            if alarm is not None:
                watching.end(f"ended by the guard: {alarm.message}")
        runs = self._running is not None
        self._changes.look(steady, outlook.up(), outlook.epoch(), runs)

    async def put_back(self) -> None:
        """The reconciler of settings that no round holds."""
        await self.held.do(self.held.step)

    # --- before a round ----------------------------------------------------------------------

    def rules(self, attended: bool = True) -> Rules:
        """Return the operator's rules. Raises NotNow for an invalid option."""
        return checked(replace(self._options(), attended=attended))

    def look(self, osds: Sequence[int], reached: Reached, in_cluster: int) -> Situation:
        """Return the state of the cluster for admission; the bench adds wear and running rounds.

        ``reached`` are the newest results, ``in_cluster`` is the number of OSDs.
        """
        settle = self._options().flap_seconds
        return replace(
            self._outlook.look(osds),
            changes=self._changes.counts(self._clock.monotonic(), settle),
            maps=self._changes.maps(self._clock.monotonic()),
            possible=possible(reached, in_cluster, self._outlook.copies()),
        )

    def would_change(
        self, plan: Plan, flags: Optional[frozenset[str]] = None
    ) -> tuple[SettingChange, ...]:
        """Return the settings that a round of this plan would change. Raises CommandFailed.

        Without those of pools: which ones the autoscaler is about to change takes it 0.8 s at
        10,000 OSDs, and may be others when the round starts. ``flags`` are those of the mgr's own
        OSD map: the monitors' dump has 7 MB at 10,000 OSDs.
        """
        wanted = self._wanted(plan, ())
        now = {what: self._now(what, flags) for what in wanted}
        return tuple(
            SettingChange(what, now[what], value)
            for what, value in wanted.items()
            if not same_value(now[what], value)
        )

    def _now(self, what: str, flags: Optional[frozenset[str]]) -> Optional[str]:
        kind, _, name = what.partition("/")
        if kind == "flag" and flags is not None:
            return "set" if name in flags else "unset"
        return self._access.settings.read(what)

    @staticmethod
    def held_seconds(plan: Plan) -> float:
        """Return after which time the settings are restored in any case."""
        return _HELD_SECONDS + _HELD_TIMES * plan.most_seconds

    # --- during a round ----------------------------------------------------------------------

    def expect(self, round_: Optional[Round]) -> None:
        """Leave what an earlier mgr has changed for this round as it is until ``hold``.

        Call it before the round connects, which takes its time: the reconciler would put back what
        is held. ``release`` ends it, or None.
        """
        self._running = None if round_ is None else round_.token

    async def hold(
        self,
        round_: Round,
        end: Callable[[str], None],
        note: Callable[[Sequence[Conclusion]], None] = lambda _alarms: None,
    ) -> tuple[SettingChange, ...]:
        """Suspend what would disturb the round and guard it; returns the changed settings.

        ``note`` is called with all alarms when there is a new one, ``end`` with the reason if the
        guard ends the round. A resumed round keeps the changes of the mgr before. Raises what a
        setting raises; then nothing is changed.
        """
        self._running = round_.token
        # Most operations during a round of clients are its own.
        own = round_.plan.load is not None
        self._felt = None if own else ClientLatency(self._client_ms())
        until = self._clock.now() + self.held_seconds(round_.plan)
        rules = self._options().guard
        if own:
            # Its own clients do most of the operations, so their latency is no sign.
            rules = replace(rules, client_times=0)
        if rules.on:
            # A round that was forced in spite of many maps is not ended for them.
            forced = "osd-maps" in round_.environment.get("forced_codes", ())
            counts = bool(self._options().maps_met) and not forced
            glance = self._glance()
            # OSDs of the plan that are down by now count, also where the mgr that saw them up went
            # down with them.
            before = replace(glance, up=glance.up.union(round_.plan.osds))
            limit = self._limit(until, round_.created_at)
            at_once = round_.plan.benched_at_once if counts else 0
            self._watching = Guarded(Guard(before, rules, limit, at_once), note, end)
        wanted = await self.held.do(lambda: self._wanted(round_.plan, self._moving_pools()))
        return await self.held.do(partial(self.held.hold, round_.token, wanted, until))

    def benches_begin(self) -> None:
        """Take note that benches begin: from now on the guard counts new OSD maps."""
        if self._watching is not None:
            self._watching.guard.benches_begin(self._outlook.epoch())

    async def release(self, round_: Round) -> tuple[Sequence[Conclusion], Restored, ClientLatency]:
        """Restore all settings that the round changed. Raises nothing: failures are retried.

        Returns the guard's alarms, the result of restoring, and what clients felt.
        """
        watching, self._watching = self._watching, None
        done = await self.held.do(lambda: self.held.release(lambda one: one.holder == round_.token))
        self._running = None  # not before: the reconciler would put back what the round tells of
        clients = self.client_latency()
        self._felt = None  # or the next round, which may not get so far, would be told the same
        alarms = () if watching is None else tuple(watching.guard.alarms)
        return alarms, done, clients

    def _client_ms(self) -> Optional[float]:
        seconds = self._client_seconds()
        return None if seconds is None else round(1000 * seconds, 3)

    def client_latency(self) -> ClientLatency:
        """Return clients' latency since the running round's begin; empty without one."""
        return self._felt or ClientLatency()

    async def leave(self) -> None:
        """Restore all settings when the mgr stops, after the round has ended here.

        If the module is being disabled, no other mgr would do it; after a failover the round holds
        its settings again.
        """
        self._running = None
        await self.held.do(self.held.release)

    # --- for the operator --------------------------------------------------------------------

    def status(self) -> QuiesceStatus:
        """Return the settings that are changed now. Raises CommandFailed without the journal."""
        self._wake()
        return self.held.ask(self.held.status)

    def state(self) -> str:
        """Return the status as one word; empty while the journal cannot be read."""
        try:
            self._wake()
            return self.held.state().value
        except PerfBenchError:
            return ""

    def restore(self) -> Restored:
        """Restore the settings now. Raises Busy while a round holds them."""
        return self.held.ask(self.held.restore)

    @property
    def tolerated(self) -> Sequence[str]:
        """The health checks in spite of which rounds may start, as the option names them."""
        return self._options().tolerated

    # --- inside ------------------------------------------------------------------------------

    def _wake(self) -> None:
        """Read the journal once. Changing settings takes seconds, for which nobody waits."""
        if not self.held.is_read:
            self.held.ask(self.held.read)

    def _glance(self) -> GuardSnapshot:
        found = self._outlook.glance()
        return replace(found, client_seconds=self._client_seconds())

    def _limit(self, until: float, created_at: float) -> Limit:
        """Return when and why the round must end: its window closes, or its time is over."""
        rules = self.rules()
        now, steady = self._clock.now(), self._clock.monotonic()
        if rules.window:
            # The window that it began in, which may be over where another mgr carries it on.
            place = zone(rules.timezone)
            window = parse_window(rules.window)
            opened = open_at(window, created_at, place) or open_at(window, now, place)
            if opened is not None and opened[1] < until:
                closed = f"the window {window} {rules.timezone} has closed"
                return Limit(opened[1], steady + opened[1] - now, closed)
        minutes = round((until - now) / 60)
        late = f"it took more than {minutes} min, far beyond its estimate"
        return Limit(until, steady + until - now, late)

    def _wanted(self, plan: Plan, moving: Sequence[int]) -> Values:
        """The settings that a round of this plan wants while it runs.

        The autoscaler is switched off for each ``moving`` pool, which it is about to change. The
        flag ``noautoscale`` of 17 and later is not used, because removing it has enabled pools that
        had been off before. Options are raised, and never lowered.
        """
        if not self._options().quiesce:
            return {}
        flags = {f"flag/{flag}": "set" for flag in NO_SCRUBS}
        pools = {f"pool/{pool}/pg_autoscale_mode": "off" for pool in moving}
        raised = {
            f"config/osd/{option}": str(value)
            for option, value in plan.raised
            if self._configured(option) < value
        }
        return {**flags, BALANCER: "off", **pools, **raised}

    def _moving_pools(self) -> Sequence[int]:
        """The pools that the autoscaler is about to split or merge."""
        if not self._options().quiesce:
            return ()
        try:
            pools = self._access.monitors.command_json("osd pool autoscale-status")
        except PerfBenchError as error:  # the autoscaler does not answer, or is not there
            self._access.log.info("what the autoscaler is about to do is not known: %s", error)
            return ()
        on = [pool for pool in pools if pool["pg_autoscale_mode"] == "on"]
        return sorted(pool["pool_id"] for pool in on if pool["would_adjust"])

    def _configured(self, option: str) -> int:
        """The configured value; 0 without one: the default is below what is wanted."""
        value = self._access.settings.read(f"config/osd/{option}")
        return int(value) if value and value.isdigit() else 0


# --- the guard ------------------------------------------------------------------------------------

# The least rise of clients' latency in seconds that matters.
_FELT = 0.01
# What is counted of PGs, by words of their states.
_PGS = {
    "unknown": {"unknown"},
    "laggy": {"laggy"},
    "lost": {"down", "incomplete"},
    "moving": {"recovering", "recovery_wait", "backfilling", "backfill_wait"},
}
# More PGs of a kind than before the round: the alarm, what is said, and whether it ends the round.
_MORE_PGS = (
    ("laggy", "laggy-pgs", "became laggy", True),
    ("lost", "lost-pgs", "cannot be used", True),
    ("moving", "recovery", "were in recovery or backfill", False),
)
# So few new OSD maps during benches may be late ones of the round's own settings.
_FEW_MAPS = 3


@dataclass(frozen=True)
class Limit:
    """When the round must be over: the unix time, the monotonic one that counts, and a message."""

    at: float
    due: float
    message: str


# A problem, which ends the round if True, and else contaminates its figures.
Alarm = tuple[Conclusion, bool]


class Guard:
    """The guard of one round. Raises each kind of alarm once.

    An OSD that was down before the round and goes down again is no alarm. Clients are compared only
    if their latency before the round is known. OSD maps count from ``benches_begin`` on;
    ``at_once`` is the number of OSDs that are benched at the same time; 0: maps are no alarm.
    """

    def __init__(
        self, before: GuardSnapshot, rules: GuardRules, limit: Limit, at_once: int = 0
    ) -> None:
        self._before = before
        self._counts = _counts(before)
        self._rules = rules
        self._limit = limit
        self._at_once = at_once
        self._epoch = math.inf
        self.alarms: list[Conclusion] = []

    def benches_begin(self, epoch: int) -> None:
        """Count the OSD maps after this epoch: the round's own settings are made."""
        self._epoch = epoch

    def look(self, glance: GuardSnapshot, now: float) -> Optional[Conclusion]:
        """Check a snapshot of ``now`` (monotonic seconds); returns an alarm that ends the round."""
        self._complete(_counts(glance))
        known = {alarm.code for alarm in self.alarms}
        fresh = [one for one in self._all(glance, now) if one[0].code not in known]
        self.alarms += [alarm for alarm, _ in fresh]
        return next((alarm for alarm, ends in fresh if ends), None)

    def _complete(self, now: Mapping[str, float]) -> None:
        """Add to the state before the round what a new active mgr did not know then.

        OSDs report their PGs and slow operations to a new mgr within seconds. Until its first
        report a PG is unknown, whatever its state.
        """
        before = self._counts
        if now["unknown"] < before["unknown"]:
            most = {kind: max(count, now[kind]) for kind, count in before.items()}
            self._counts = {**most, "unknown": now["unknown"]}

    def _all(self, now: GuardSnapshot, moment: float) -> Iterator[Alarm]:
        counts = _counts(now)
        yield from self._placement_groups(counts)
        yield from self._slow_ops(counts, now.slow_ops)
        yield from self._osds(now)
        yield from self._clients(now)
        yield from self._maps(now.epoch - self._epoch)
        if moment >= self._limit.due:
            yield Conclusion(TIME_OVER, self._limit.message, {"limit": self._limit.at}), True

    def _placement_groups(self, now: Mapping[str, float]) -> Iterator[Alarm]:
        for kind, code, what, ends in _MORE_PGS:
            more = int(now[kind] - self._counts[kind])
            if more > (self._rules.laggy_pgs if kind == "laggy" else 0):
                message = f"{plural(more, 'PG')} more than before the round {what}"
                yield Conclusion(f"{GUARD}{code}", message, {f"{kind}_pgs": more}), ends

    def _slow_ops(self, now: Mapping[str, float], by_osd: Mapping[int, int]) -> Iterator[Alarm]:
        # The sum over OSDs, because a slow operation may be resent to another OSD.
        slow = int(now["slow_ops"] - self._counts["slow_ops"])
        if slow > self._rules.slow_ops:
            before = self._before.slow_ops
            osds = sorted(osd for osd, count in by_osd.items() if count > before.get(osd, 0))
            message = f"{slow} more slow operations than before the round, on {osd_names(osds)}"
            yield Conclusion(f"{GUARD}slow-ops", message, {"slow_ops": slow, "osds": osds}), True

    def _osds(self, now: GuardSnapshot) -> Iterator[Alarm]:
        gone = sorted(self._before.up - now.up)
        if len(gone) > self._rules.osds_down:
            message = f"{plural(len(gone), 'OSD')} went down: {osd_names(gone)}"
            yield Conclusion(f"{GUARD}osds-down", message, {"osds": gone}), True
        elif gone:
            message = f"{osd_names(gone)} went down"
            yield Conclusion(f"{GUARD}osd-down", message, {"osds": gone}), False

    def _clients(self, now: GuardSnapshot) -> Iterator[Alarm]:
        times, was, is_ = self._rules.client_times, self._before.client_seconds, now.client_seconds
        if not times or was is None or is_ is None or was <= 0:
            return
        if is_ >= was * times and is_ - was >= _FELT:
            figures = {"before_ms": round(1000 * was, 2), "now_ms": round(1000 * is_, 2)}
            message = (
                f"clients' operations take {figures['now_ms']} ms, {is_ / was:.1f} times "
                f"the {figures['before_ms']} ms before the round"
            )
            yield Conclusion(f"{GUARD}client-latency", message, figures), True

    def _maps(self, new: float) -> Iterator[Alarm]:
        if new > _FEW_MAPS and new * self._at_once > self._rules.maps_met:
            message = (
                f"the OSD map changed {int(new)} times since the benches began, and Ceph "
                "can hang an OSD that gets a new map during a bench"
            )
            yield Conclusion(f"{GUARD}osd-maps", message, {"maps": int(new)}), True


def _counts(glance: GuardSnapshot) -> dict[str, float]:
    """Counts by kind. Unknown PGs are infinite while the mgr knows no PG."""
    states = [(set(state.split("+")), count) for state, count in glance.pgs.items()]
    counts: dict[str, float] = {
        kind: sum(count for words, count in states if words & wanted)
        for kind, wanted in _PGS.items()
    }
    if not states:
        counts["unknown"] = math.inf
    return {**counts, "slow_ops": sum(glance.slow_ops.values())}
