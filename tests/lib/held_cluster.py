"""A cluster with its monitors' journal, which outlives mgrs; every look and act is a step."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from typing import Any, Callable, Optional

from fakes.clock import FakeClock
from perf_bench.bench.run.quiesce import Quiesce
from perf_bench.errors import NotFound, NotNow, PerfBenchError, StoreUnavailable
from perf_bench.model.quiesce import SettingChange
from perf_bench.settings.journal import JOURNAL, Journal
from perf_bench.settings.undo import LATE, Access

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
        self.away = False  # the journal
        self.active = 4100  # the global ID of the mgr that the monitors name
        self.slow: dict[str, str] = {}
        self.authors: dict[str, str] = {}
        self.half_set: dict[str, str] = {}

    def mgr(self, running: Optional[Callable[[], Optional[str]]] = None) -> Quiesce:
        """A mgr that has just become active."""
        self.active += 1
        access = Access(
            Journal(self), WorldSettings(self), WorldAuthority(self, self.active), self.clock, LOG
        )
        return Quiesce(access, running or (lambda: self.running))

    @property
    def entries(self) -> list[str]:
        """The settings that the journal names, in its order."""
        found = (json.loads(self.keys[key]) for key in sorted(self.keys))
        return [document["what"] for document in found if "what" in document]

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
                known = arguments["key"] in self.keys
                assert not known or arguments["key"] == JOURNAL, "an entry is written once"
                self.keys[arguments["key"]] = arguments["val"]
            else:
                self.keys.pop(arguments["key"], None)

        self.step("save" if prefix == "config-key set" else "strike", act)
        return b""

    def osd_command_json(self, osd: int, prefix: str, **arguments: Any) -> Any:
        raise KeyError(prefix)

    def _check_store(self) -> None:
        if self.away:
            raise StoreUnavailable("the database is away")

    def put(self, what: str, value: Optional[str]) -> None:
        if what not in self.values:
            raise NotFound(f"no {what}")
        self.values[what] = value


class WorldAuthority:
    def __init__(self, world: World, gid: int) -> None:
        self._world = world
        self._gid = gid

    @property
    def writer(self) -> str:
        return str(self._gid)

    def check(self) -> None:
        def act() -> None:
            if self._world.active != self._gid:
                raise NotNow("another mgr is the active one")

        self._world.step("check", act)


class WorldSettings:
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

    def lagging(self, change: SettingChange) -> Optional[str]:
        self._world.step(f"effect of {change.what}", lambda: None)
        return self._world.slow.get(change.what)

    def author(self, change: SettingChange) -> Optional[str]:
        return self._world.authors.get(change.what)

    def forget(self) -> None:
        """Nothing is cached."""

    def is_half_set(self, change: SettingChange, value: Optional[str]) -> bool:
        return value is not None and self._world.half_set.get(change.what) == value

    def commands(self, change: SettingChange) -> list[str]:
        return [f"set {change.what} {change.was}"]


def a_round(world: World, mgr: Optional[Quiesce] = None) -> None:
    """A round's life in one mgr, a new one unless it is given; its measuring is one step."""
    mgr = mgr or world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.step("measure", lambda: None)
    mgr.release(ROUND)


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


def dies_on_the_way(world: World) -> Callable[[Callable[[], None]], None]:
    """A plan: the mgr dies, and what it ordered is carried out when the test calls it."""

    def plan(act: Callable[[], None]) -> None:
        world.late.append(act)
        raise Killed

    return plan


def looks_on(world: World, mgr: Quiesce, seconds: float = 2 * LATE, every: float = 30.0) -> None:
    """The mgr ticks now and then for so long, whatever goes wrong."""
    for _ in range(int(seconds / every)):
        with suppress(PerfBenchError):
            mgr.tick()
        world.clock.advance(every)
