"""A round that measures OSDs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Callable

from ..errors import NotNow, PerfBenchError
from ..model.bench import Done, Step
from ..model.pool import POOL
from ..model.said import say
from ..ports import Commands
from .active_round import ActiveRound
from .compare.stopping_rule import another
from .context import SAVE_WAIT, RoundContext
from .progress import RoundEvents
from .run.osd_runner import End, Outcome, Runner

# Maximum duration of a bench: twice osd_bench_duration.
_IN_FLIGHT = 60.0
# Maximum wait for a changed option to reach OSDs; usually it takes less than a second.
_OPTION_SECONDS = 30.0
_OPTION_POLL = 0.5
_ASKED = 64
# Number of characters of a round's token in the names of its objects.
_TOKEN = 12


class OsdRound:
    """Measures the OSDs of one round over its own connection."""

    def __init__(self, context: RoundContext, active: ActiveRound, events: RoundEvents) -> None:
        self._context = context
        self._active = active
        self._events = events

    def run(self, done: Done, begin: Callable[[], None]) -> Outcome:
        """Measure what is not ``done``; ``begin`` is called once the connection is open."""
        commands = self._context.open_commands()
        try:
            begin()
            plan, stop = self._active.round.plan, self._active.stop
            self._await_options(commands)
            if plan.reads:
                self._make_objects(commands, plan.reads)
            context = self._context
            context.round_safety.benches_begin()
            runner = Runner(plan, commands, context.cluster, context.clock, self._events, stop)
            return runner.run(done, self._another)
        finally:
            self._tidy(commands)
            commands.close()
            self._let_go()

    def _await_options(self, commands: Commands) -> None:
        """Wait until OSDs have the options that were raised for the round.

        Only the first OSDs are asked: the monitors send the change to all at once. Raises NotNow.
        """
        plan, stop = self._active.round.plan, self._active.stop
        until = self._context.clock.monotonic() + _OPTION_SECONDS
        for osd in plan.osds[:_ASKED] if plan.raised else ():
            for option, value in plan.raised:
                while int(commands.option(osd, option)) < value and not stop.outcome:
                    if self._context.clock.monotonic() > until:
                        raise NotNow(
                            say(
                                "option-not-taken",
                                "osd.{osd} did not take {option} {value}: is another value set "
                                "for it alone? See 'ceph config get osd.{osd} {option}'",
                                osd=osd,
                                option=option,
                                value=str(value),
                            )
                        )
                    stop.wait(_OPTION_POLL)

    def _make_objects(self, commands: Commands, reads: Mapping[int, Step]) -> None:
        """Create the objects of read benches in the bench pool; creates the pool if missing."""
        pools, stop = self._context.loads.pools, self._active.stop

        def ended() -> bool:
            return stop.outcome is not None

        pools.ensure(POOL, ended)
        token = self._active.round.token[:_TOKEN]
        commands.make_objects(reads, pools.groups(POOL, tuple(reads)), token, ended)

    def _another(self) -> bool:
        """Whether another repeat is needed; False while samples cannot be stored."""
        if not self._events.flush(SAVE_WAIT):
            return False
        number = self._active.round.id
        samples = self._context.store_thread.call(lambda store: store.samples(number), SAVE_WAIT)
        plan = self._active.round.plan
        found = another(plan, samples)
        if found.more:
            self._active.repeats = min(plan.most, max(found.needed or 0, found.repeats + 1))
            self._context.log.info("round %d is repeated: %s", number, found.reason)
        return found.more

    def _tidy(self, commands: Commands) -> None:
        """Remove the objects of read benches, unless another mgr resumes the round."""
        ended = self._active.stop.outcome
        if not self._active.round.plan.reads or (ended and ended.end is End.LEFT):
            return
        try:
            commands.remove_objects()
        except PerfBenchError as error:
            self._context.log.warning("objects in the pool perf_bench stay for now: %s", error)

    def _let_go(self) -> None:
        """Mark all OSDs as under bench for a while: benches that an abort left running go on."""
        until = self._context.clock.now() + _IN_FLIGHT
        for osd in self._active.round.plan.osds:
            self._context.benched.ended(osd, until)
