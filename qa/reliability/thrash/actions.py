"""What is done to a cluster, and what an operator does meanwhile, drawn from a seed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

from cluster import clocks
from cluster.errors import ClusterError
from perf_bench.model.plan import PROFILES
from perf_bench.model.store import RetentionRules
from toolchain.bootstrap import ROOT

from ..crash.bed import Bed
from ..crash.faults import FAULTS, Fault

_SCHEDULE = "thrashed"
_OPTIONS = (
    ("mgr/perf_bench/guard", ("true", "false")),
    ("mgr/perf_bench/quiesce", ("true", "false")),
    ("mgr/perf_bench/keep_rounds", ("50", "500")),
)
_CLOCK_STEPS = (-3600, -60, 60, 3600, 2 * 86400)
_FIO = ROOT / "tests" / "bench" / "record" / "data" / "fio-writes.json"


@dataclass(frozen=True)
class Action:
    """``name`` says all that was drawn, so that a report needs no more."""

    name: str
    run: Callable[[Bed], None]


def draw(chance: random.Random, count: int) -> list[Action]:
    """So many actions; every second one is a fault."""
    makers: Sequence[Callable[[random.Random], Action]] = (_fault, _operator)
    return [makers[turn % 2](chance) for turn in range(count)]


def _fault(chance: random.Random) -> Action:
    kinds: Sequence[Callable[[random.Random], Action]] = (
        *(partial(_struck, one) for one in FAULTS),
        _slow,
        _stall,
        _full,
        _clock,
    )
    return chance.choice(kinds)(chance)


def _struck(fault: Fault, _chance: random.Random) -> Action:
    return Action(fault.name, lambda bed: fault.strike(bed.operator, _active(bed)))


def _active(bed: Bed) -> str:
    return bed.operator.sees("an active mgr", bed.operator.active_mgr, 120)


def _slow(chance: random.Random) -> Action:
    osd, delay = chance.randrange(6), chance.choice((0.05, 0.2, 0.5))
    return _lasting(f"slow osd.{osd} by {delay} s", "slow", f"osd.{osd}", delay=delay)


def _stall(chance: random.Random) -> Action:
    osd, stop = chance.randrange(6), chance.choice((0.45, 0.9))
    return _lasting(f"stall osd.{osd} {stop} s", "stall", f"osd.{osd}", stop=stop, run=0.1)


def _lasting(name: str, kind: str, target: str, **options: float) -> Action:
    def run(bed: Bed) -> None:
        bed.cluster.fault(kind, target, **options)
        time.sleep(8.0)
        bed.cluster.fault("clear", target)

    return Action(name, run)


def _clock(chance: random.Random) -> Action:
    """The active mgr's clock steps, and steps back."""
    seconds = chance.choice(_CLOCK_STEPS)

    def run(bed: Bed) -> None:
        with stepped(bed, _active(bed), seconds):
            time.sleep(8.0)

    return Action(f"clock of the active mgr {seconds:+d} s", run)


@contextmanager
def stepped(bed: Bed, mgr: str, seconds: int) -> Iterator[None]:
    """The mgr's clock is by so much ahead meanwhile."""
    clocks.put(bed.cluster.spec, f"mgr.{mgr}", seconds)
    try:
        yield
    finally:
        clocks.put(bed.cluster.spec, f"mgr.{mgr}", 0)


def _full(_chance: random.Random) -> Action:
    """All OSDs are full by ratios that they are beyond; then they are not."""

    def run(bed: Bed) -> None:
        names = ("nearfull", "backfillfull", "full")
        dump = bed.cluster.ceph_json("osd", "dump")
        try:
            for number, name in enumerate(names, 1):
                bed.cluster.ceph("osd", f"set-{name}-ratio", str(number / 10000))
            time.sleep(8.0)
        finally:
            for name in reversed(names):
                bed.cluster.ceph("osd", f"set-{name}-ratio", f"{dump[f'{name}_ratio']:.2f}")

    return Action("all OSDs full", run)


def _operator(chance: random.Random) -> Action:
    kinds = (_option, _schedule, _import, _abort, _wait)
    return chance.choice(kinds)(chance)


def _option(chance: random.Random) -> Action:
    name, values = chance.choice(_OPTIONS)
    value = chance.choice(values)
    return Action(f"{name} {value}", lambda bed: _does(bed, ("config", "set", "mgr", name, value)))


def _schedule(chance: random.Random) -> Action:
    profile = chance.choice([name for name in sorted(PROFILES) if name.startswith("osd-")])
    words = chance.choice((("add", _SCHEDULE, profile, "--every", "1d"), ("rm", _SCHEDULE)))
    return Action(f"schedule {' '.join(words)}", lambda bed: _types(bed, ("schedule", *words)))


def _import(_chance: random.Random) -> Action:
    words = ("round", "import", "--as", "fio", "-i", str(_FIO))
    return Action("round import", lambda bed: _types(bed, words))


def _abort(_chance: random.Random) -> Action:
    return Action("round abort", lambda bed: _types(bed, ("round", "abort")))


def _wait(chance: random.Random) -> Action:
    seconds = chance.choice((1.0, 5.0, 10.0))
    return Action(f"wait {seconds:g} s", lambda _bed: time.sleep(seconds))


def _types(bed: Bed, words: Sequence[str]) -> None:
    """Type a command, which may be refused or not be answered now."""
    with suppress(ClusterError, OSError):
        bed.operator.types(*words)


def _does(bed: Bed, words: Sequence[str]) -> None:
    with suppress(ClusterError):
        bed.cluster.ceph(*words)


def undo(bed: Bed) -> None:
    """Take back what the operator has set, and heal what is broken.

    An option is set to its default first: a mgr does not hear of one that is removed.
    """
    bed.cluster.fault("clear", "all")
    for name, default in defaults():
        bed.cluster.ceph("config", "set", "mgr", name, default)
    for name, _ in defaults():
        bed.cluster.ceph("config", "rm", "mgr", name)
    _types(bed, ("schedule", "rm", _SCHEDULE))


def defaults() -> Iterator[tuple[str, str]]:
    """Of the options that are drawn."""
    found = {"keep_rounds": str(RetentionRules.rounds)}
    for name, _ in _OPTIONS:
        yield name, found.get(name.rpartition("/")[2], "true")
