"""The steps of rounds and of the watch, enumerated from the module's own phases.

A step is seen from outside, in what the module answers or has written down: nothing in the module
waits for a test. One that is over before it is seen is told as not met, and is no trial.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Protocol

from perf_bench.bench.client_repeats import CLEANING, FILLING
from perf_bench.bench.context import RESTING, SAVING
from perf_bench.bench.safety import NO_SCRUBS
from perf_bench.model.plan import AFTER, BEFORE, PROFILES, RESTED, TOGETHER, WRITE, Layout

STARTING = "starting"
WORKERS = ("a", "b")
# A round of any kind sets them one after the other, a second each.
FLAGS = NO_SCRUBS
# The least that has all steps: clients take all processors that there are.
_CLIENTS = (
    *("--clients", "2", "--threads", "2", "--size", "64K"),
    *("--repeats", "2", "--seconds", "2"),
)
_OFFSETS = (0.0, 0.25, 0.5, 0.75)


class View(Protocol):
    """What of a cluster is looked at to see a step."""

    def active(self) -> dict[str, Any]:
        """The round that runs, as `status` has it; empty without one."""

    def journal(self) -> Sequence[str]:
        """What names settings that are changed, since the cluster was at rest."""

    def flags(self) -> int:
        """How many of FLAGS are set."""

    def busy(self) -> int:
        """How many workers have taken an order."""

    def watch(self) -> dict[str, Any]:
        """The watch, as `status` has it."""

    def tick_begins(self, part: float) -> bool:
        """Wait for the end of a tick and so much of the time until the next one."""


@dataclass(frozen=True)
class Step:
    """A step of a kind of work. ``words`` start a round; without them the watch is meant."""

    work: str
    name: str
    seen: Callable[[View], bool]
    words: tuple[str, ...] = ()

    @property
    def on_workers(self) -> bool:
        return self.work == "workers"


def steps() -> list[Step]:
    """All of them."""
    return [*_of_osds(), *_of_sandwiches(), *_of_clients(), *_of_workers(), *_of_the_watch()]


def _of_osds() -> Iterator[Step]:
    words = ("osd-throughput", "--osds", "0,1,2", "--repeats", "2")
    make = partial(Step, "osd bench", words=words)
    yield make(STARTING, partial(_in_phase, STARTING))
    yield make("settings are written down", _is_written_down)
    for count in range(1, len(FLAGS) + 1):
        yield make(f"{count} of {len(FLAGS)} flags set", partial(_sets_flags, count))
    yield make("first bench", _measures)
    yield make("a sample is stored", partial(_has_samples, 1))
    yield make("second repeat", partial(_has_samples, 3))
    yield make("settings are put back", _puts_back)
    yield make(f"1 of {len(FLAGS)} flags put back", _has_put_one_back)
    yield make(SAVING, partial(_in_phase, SAVING))


def _of_sandwiches() -> Iterator[Step]:
    words = ("osd-sandwich", "--osds", "host=host-1", "--repeats", "1", "--rest", "3s", "--rests")
    make = partial(Step, "osd-sandwich", words=(*words, "1"))
    for phase in (BEFORE, TOGETHER, AFTER, RESTING, RESTED):
        yield make(phase, partial(_in_phase, phase))


def _of_clients() -> Iterator[Step]:
    for profile in PROFILES.values():
        # A search has the same steps again and again, for minutes.
        if profile.kind != "rados" or profile.layout is Layout.SEARCH:
            continue
        operation = profile.steps[0].operation
        make = partial(Step, profile.name, words=(profile.name, *_CLIENTS))
        yield make(f"first {CLEANING}", partial(_in_phase, CLEANING))
        if operation != WRITE:
            yield make(FILLING, partial(_in_phase, FILLING))
        yield make(operation, partial(_in_phase, operation))
        yield make("a repeat is stored", partial(_has_samples, 1))
        yield make(f"last {CLEANING}", partial(_in_phase_after, CLEANING, 2))
        yield make(SAVING, partial(_in_phase, SAVING))


def _of_workers() -> Iterator[Step]:
    words = ("rados-write", *_CLIENTS, "--workers", ",".join(WORKERS))
    make = partial(Step, "workers", words=words)
    yield make(WRITE, partial(_in_phase, WRITE))
    yield make("all workers have the order", _all_are_busy)
    yield make("a repeat is stored", partial(_has_samples, 1))


def _of_the_watch() -> Iterator[Step]:
    for part in _OFFSETS:
        yield Step("tick of the watch", f"{part:.0%} of a tick", partial(_at_tick, part))


def _phase(view: View) -> str:
    return str(view.active().get("phase", ""))


def _in_phase(phase: str, view: View) -> bool:
    return _phase(view).startswith(phase)


def _in_phase_after(phase: str, samples: int, view: View) -> bool:
    active = view.active()
    return str(active.get("phase", "")) == phase and int(active.get("samples", 0)) >= samples


def _measures(view: View) -> bool:
    return _phase(view) not in ("", STARTING, SAVING)


def _has_samples(count: int, view: View) -> bool:
    return int(view.active().get("samples", 0)) >= count


def _is_written_down(view: View) -> bool:
    """All are at once, before the first is changed."""
    return bool(view.journal())


def _sets_flags(count: int, view: View) -> bool:
    return _phase(view) == STARTING and view.flags() >= count


def _puts_back(view: View) -> bool:
    """All is measured, and not all is put back: the journal loses its key at the end."""
    active = view.active()
    done = active.get("samples", 0) == active.get("samples_planned", -1)
    return bool(done) and bool(view.journal())


def _has_put_one_back(view: View) -> bool:
    return _puts_back(view) and view.flags() < len(FLAGS)


def _all_are_busy(view: View) -> bool:
    return view.busy() == len(WORKERS)


def _at_tick(part: float, view: View) -> bool:
    return view.tick_begins(part)
