"""What stands between the rounds and the cluster: may one start, and what it holds up meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Callable, NamedTuple, Optional

from ..errors import PerfBenchError
from ..model.admission import Rules, Situation
from ..model.finding import Claim
from ..model.guard import Alarm, GuardSnapshot
from ..model.options import SafetyOptions
from ..model.plan import Plan
from ..model.quiesce import QuiesceStatus, Restored, SettingChange
from ..model.round import OsdResult, Round
from ..ports import AdmissionSource, RestoreHelper, RoundSettings
from ..settings.undo import Access
from .admission.capacity import possible
from .admission.flapping import FlapCounter
from .admission.options import rules_of
from .run.guard import Guard, Limit
from .run.quiesce import Quiesce
from .run.quiesce_plan import Values, plan_changes, wanted_for
from .schedule.timezones import zone
from .schedule.windows import open_at

# Pairs of a block size and what an OSD reached with it.
Reached = Iterable[tuple[int, OsdResult]]
# All is put back after so many times a round's estimate, which is an upper bound, and so many
# seconds more, whatever became of the round: a failover takes one or two minutes.
_HELD_TIMES = 2.0
_HELD_SECONDS = 900.0


@dataclass(frozen=True)
class SafetyDeps:
    """What RoundSafety works with.

    ``start_helper`` starts a process that puts back what this mgr cannot; it is told for how many
    seconds settings may be held. ``client_seconds`` is how long clients' operations take now; None
    where there are too few.
    """

    outlook: AdmissionSource
    access: Access
    settings: RoundSettings
    start_helper: Callable[[float], RestoreHelper]
    client_seconds: Callable[[], Optional[float]]


class Released(NamedTuple):
    """What the guard saw during a round, and what became of the settings that it changed."""

    alarms: tuple[Alarm, ...] = ()
    settings: Restored = Restored()


class RoundSafety:
    """Ticks on one thread; may be asked from any."""

    def __init__(self, deps: SafetyDeps, options: Callable[[], SafetyOptions]) -> None:
        self._deps = deps
        self._clock = deps.access.clock
        self._options = options
        self._changes = FlapCounter()
        self._running: Optional[str] = None
        self._restore_helper: Optional[RestoreHelper] = None
        self._watching: Optional[tuple[Guard, Callable[[str], None]]] = None
        self._quiesce = Quiesce(deps.access, lambda: self._running)

    def tick(self) -> None:
        """Take note of who is up, guard the round, put back what nobody holds.

        To be called every few seconds.
        """
        self._guard()
        self._changes.look(self._clock.monotonic(), self._deps.outlook.up())
        self._quiesce.tick()

    # --- before a round ----------------------------------------------------------------------

    def rules(self, attended: bool = True) -> Rules:
        """What the operator allows now. Raises NotNow for an option that means nothing."""
        return rules_of(self._options(), attended)

    def look(self, osds: Sequence[int], reached: Reached, in_cluster: int) -> Situation:
        """How the cluster is, as far as admission goes; wear and running rounds are the bench's.

        ``reached`` are the newest results, ``in_cluster`` is how many OSDs there are.
        """
        settle = float(self._options().flap_seconds)
        outlook = self._deps.outlook
        return replace(
            outlook.look(osds),
            changes=self._changes.counts(self._clock.monotonic(), settle),
            possible=possible(reached, in_cluster, outlook.copies()),
        )

    def would_change(self, plan: Plan) -> tuple[SettingChange, ...]:
        """What a round of this plan would change in the cluster now. Raises CommandFailed."""
        wanted = self._wanted(plan)
        now = {what: self._deps.settings.read(what) for what in wanted}
        return tuple(plan_changes(now, wanted))

    # --- around a round ----------------------------------------------------------------------

    def hold(self, round_: Round, end: Callable[[str], None]) -> tuple[SettingChange, ...]:
        """Hold up what would disturb the round and guard it; returns what was changed for it.

        ``end`` is called with the reason when it is to end. A round that another mgr began goes
        on with what that one changed. Raises what a setting raises; then nothing is changed.
        """
        self._running = round_.token
        until = self._clock.now() + _HELD_SECONDS + _HELD_TIMES * round_.plan.most_seconds
        rules = self._options().guard
        if round_.plan.load is not None:
            # Its own clients are most of those there are: how long they take says nothing.
            rules = replace(rules, client_times=0)
        if rules.on:
            self._watching = Guard(self._glance(), rules, self._limit(until)), end
        wanted = self._wanted(round_.plan)
        if wanted:
            self._start_restore_helper(until - self._clock.now())
        return self._quiesce.hold(round_.token, wanted, until)

    def release(self, round_: Round) -> Released:
        """Put all back that the round changed. Raises nothing: what failed is tried again."""
        self._running = None
        watching, self._watching = self._watching, None
        done = self._quiesce.release(round_.token)
        if done.complete:
            self._dismiss()
        return Released(() if watching is None else tuple(watching[0].alarms), done)

    def leave(self) -> None:
        """The mgr stops: put all back, change nothing any more."""
        if self._quiesce.leave().complete:
            self._dismiss()

    # --- for the operator --------------------------------------------------------------------

    def status(self) -> QuiesceStatus:
        """What is changed now. Raises CommandFailed where the journal cannot be read."""
        self._quiesce.wake()
        return self._quiesce.status()

    def state(self) -> str:
        """The same as one word; empty while the journal cannot be read."""
        try:
            self._quiesce.wake()
            return self._quiesce.state().value
        except PerfBenchError:
            return ""

    def restore(self) -> Restored:
        """Put back now. Raises Busy while a round holds it."""
        return self._quiesce.restore()

    def claims(self) -> Sequence[Claim]:
        """What an operator should hear of."""
        return self._quiesce.claims()

    # --- inside ------------------------------------------------------------------------------

    def _guard(self) -> None:
        watching = self._watching
        if watching is None:
            return
        guard, end = watching
        alarm = guard.look(self._glance(), self._clock.now())
        if alarm is not None:
            self._deps.access.log.warning("the round is ended: %s", alarm.message)
            end(f"ended by the guard: {alarm.message}")

    def _glance(self) -> GuardSnapshot:
        found = self._deps.outlook.glance()
        return replace(found, client_seconds=self._deps.client_seconds())

    def _limit(self, until: float) -> Limit:
        """When the round must be over: its time, or the window's end."""
        rules = self.rules()
        now = self._clock.now()
        if rules.window is not None:
            opened = open_at(rules.window, now, zone(rules.timezone))
            if opened is not None and opened[1] < until:
                return Limit(opened[1], f"the window {rules.window} {rules.timezone} has closed")
        minutes = round((until - now) / 60)
        return Limit(until, f"it took more than {minutes} min, far beyond its estimate")

    def _wanted(self, plan: Plan) -> Values:
        if not self._options().quiesce:
            return {}
        try:
            moving = self._deps.settings.moving_pools()
        except PerfBenchError as error:  # the autoscaler does not answer, or is not there
            self._deps.access.log.info("what the autoscaler is about to do is not known: %s", error)
            moving = ()
        return wanted_for(moving, self._configured(plan), dict(plan.raised))

    def _configured(self, plan: Plan) -> dict[str, int]:
        """What the configuration database has for the options that the plan wants raised.

        0 where it has nothing: what is built in is less than what is wanted, or none would be.
        """
        found = {}
        for option, _ in plan.raised:
            value = self._deps.settings.read(f"config/osd/{option}")
            found[option] = int(value) if value and value.isdigit() else 0
        return found

    def _start_restore_helper(self, seconds: float) -> None:
        if self._restore_helper is not None:
            return
        try:
            self._restore_helper = self._deps.start_helper(seconds)
        except OSError as error:
            self._deps.access.log.warning(
                "nobody puts settings back if the module is disabled during this round: %s", error
            )

    def _dismiss(self) -> None:
        will, self._restore_helper = self._restore_helper, None
        if will is not None:
            will.dismiss()
