"""A cluster with its monitors' journal, which outlives mgrs; every look and act is a step."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from typing import Any, Callable, Optional

from fakes.clock import FakeClock
from perf_bench.bench.held import LATE, Access, Held
from perf_bench.bench.held import ROUND as USER
from perf_bench.bench.held_kinds import ClusterSettings
from perf_bench.core.workers import Executor, Here
from perf_bench.errors import NotFound, NotNow, PerfBenchError, StoreUnavailable
from perf_bench.model.admission import QuiesceStatus, Restored, SettingChange, Values

LOG = logging.getLogger("held")
LOG.disabled = True  # thousands of rounds end badly here
ROUND = "round-7"
LIMIT = 3600.0
POOL, OPTION = "pool/3/pg_autoscale_mode", "config/osd/osd_bench_duration"

# The operator has switched deep scrubs off already: that stays.
BEFORE: dict[str, Optional[str]] = {
    "flag/noscrub": "unset",
    "flag/nodeep-scrub": "set",
    "balancer": "on",
    POOL: "on",
    OPTION: None,
}
WANTED: dict[str, Optional[str]] = {
    "flag/noscrub": "set",
    "flag/nodeep-scrub": "set",
    "balancer": "off",
    POOL: "off",
    "pool/9/pg_autoscale_mode": "off",  # there is no such pool any more
    OPTION: "120",
}
QUIET = {**BEFORE, "flag/noscrub": "set", "balancer": "off", POOL: "off", OPTION: "120"}


class Killed(BaseException):
    """The mgr is gone: nothing of it may run any more, no handler either."""


class Mgr:
    """The settings that one mgr holds, asked without a loop; a round that ended runs no more."""

    def __init__(
        self, access: Access, running: Callable[[], Optional[str]], user: str = USER
    ) -> None:
        self._running = running
        self._ended: set[Optional[str]] = set()
        self.held = held = Held(user, access, self._runs)
        self.claims, self.looks, self.state = held.claims, held.looks, held.state

    def _runs(self) -> Optional[str]:
        found = self._running()
        return None if found in self._ended else found

    def hold(
        self, holder: str, wanted: Values, until: Optional[float]
    ) -> tuple[SettingChange, ...]:
        self._ended.discard(holder)
        try:
            return self.held.hold(holder, wanted, until)
        except PerfBenchError:
            self._ended.add(holder)
            raise

    def end(self, holder: str) -> Restored:
        done = self.held.release(lambda one: one.holder == holder)
        self._ended.add(holder)
        return done

    def step(self) -> Restored:
        return self.held.step()

    def restore(self) -> Restored:
        return self.held.restore()

    def status(self) -> QuiesceStatus:
        return self.held.status()


class World:
    """The cluster and its monitors, which outlive mgrs; every look and every act is a step.

    What happens at a step is planned by its number: ``plans[n](act)`` is called in the place of
    ``act()``.
    """

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.values = dict(BEFORE)
        self.keys: dict[str, str] = {}
        self.steps: list[str] = []
        self.plans: dict[int, Callable[[Callable[[], None]], None]] = {}
        self.late: list[Callable[[], None]] = []
        self.running: Optional[str] = ROUND
        self.away = False  # the key store
        # Sets a value; a test may put another in its place.
        self.put: Callable[[str, Optional[str]], None] = self._put
        self.active = 4100  # the global ID of the mgr that the monitors name

    def mgr(
        self,
        running: Optional[Callable[[], Optional[str]]] = None,
        executor: Optional[Executor] = None,
        beside: Optional[Executor] = None,
    ) -> Mgr:
        """A mgr that has just become active."""
        self.active += 1
        authority = WorldAuthority(self, self.active)
        access = Access(
            self,
            WorldSettings(self),
            authority,
            self.clock,
            LOG,
            executor or Here(),
            beside or Here(),
        )
        return Mgr(access, running or (lambda: self.running))

    @property
    def recorded(self) -> dict[str, Any]:
        """The changes of the journal, by setting."""
        documents = [json.loads(self.keys[key]) for key in sorted(self.keys)]
        return {one["what"]: one for document in documents for one in document["changes"]}

    def step(self, name: str, act: Callable[[], None]) -> None:
        plan = self.plans.get(len(self.steps))
        self.steps.append(name)
        if plan:
            plan(act)
        else:
            act()

    # The Monitors port, as far as the journal goes.

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        assert prefix == "config-key dump"
        self.step("load", self._check_store)
        return {k: text for k, text in self.keys.items() if k.startswith(arguments["key"])}

    def command(self, prefix: str, **arguments: Any) -> bytes:
        def act() -> None:
            self._check_store()
            if prefix == "config-key set":
                self.keys[arguments["key"]] = arguments["val"]
            else:
                self.keys.pop(arguments["key"], None)

        self.step("save" if prefix == "config-key set" else "strike", act)
        return b""

    def _check_store(self) -> None:
        if self.away:
            raise StoreUnavailable("the monitors are away")

    def _put(self, what: str, value: Optional[str]) -> None:
        if what not in self.values:
            raise NotFound(f"no {what}")
        self.values[what] = value


class WorldAuthority:
    def __init__(self, world: World, gid: int) -> None:
        self._world = world
        self._gid = gid
        self.writer = str(gid)

    def check(self) -> None:
        def act() -> None:
            if self._world.active != self._gid:
                raise NotNow("another mgr is the active one")

        self._world.step("check", act)


class WorldSettings(ClusterSettings):
    def __init__(self, world: World) -> None:
        self._world = world

    def read(self, what: str) -> Optional[str]:
        def act() -> None:
            if what not in self._world.values:
                raise NotFound(f"no {what}")

        self._world.step(f"read {what}", act)
        return self._world.values[what]

    def set(self, what: str, value: Optional[str]) -> None:
        self._world.step(f"set {what}", lambda: self._world.put(what, value))

    def forget(self) -> None:
        """Nothing is cached."""

    def commands(self, what: str, value: Optional[str]) -> list[str]:
        return [f"set {what} {value}"]


def a_round(world: World, mgr: Optional[Mgr] = None) -> None:
    """A round's life in one mgr, a new one unless it is given; its measuring is one step."""
    mgr = mgr or world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.step("measure", lambda: None)
    mgr.end(ROUND)


def _clean() -> list[str]:
    world = World()
    a_round(world)
    return world.steps


# The steps of a round to which nothing happens.
CLEAN = _clean()
STEPS = range(len(CLEAN))


def die(_act: Callable[[], None]) -> None:
    """A plan: the mgr dies before the step."""
    raise Killed


def looks_on(world: World, mgr: Mgr, seconds: float = 2 * LATE, every: float = 30.0) -> None:
    """The mgr takes a step now and then for so long, whatever goes wrong."""
    for _ in range(int(seconds / every)):
        with suppress(PerfBenchError):
            mgr.step()
        world.clock.advance(every)
