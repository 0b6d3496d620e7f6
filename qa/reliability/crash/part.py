"""The part `crash`: the matrix of steps and faults, as many of its cells as the time allows."""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any

from cluster.errors import ClusterError
from scenarios.operator import FAILOVER_SECONDS

from ..trials import Order, Trial
from .bed import Bed, bed
from .faults import FAULTS, Fault
from .steps import Step, steps

_STEP_SECONDS = 60.0
_END_SECONDS = 240.0
# Short, as some steps are; but each look takes 2 ms of the mgr.
_LOOK_SECONDS = 0.01
# Between two looks whether the work is over.
_OVER_SECONDS = 0.2
# What a boot, and a trial that goes wrong, may take of the time.
_RESERVE = 60.0
Cell = tuple[Step, Fault]


class _NotMet(Exception):
    """A step that was over before it was seen, or never came."""


class Laps:
    """How long each section of a trial took, in seconds."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self._told: list[str] = []

    def end(self, section: str) -> None:
        now = time.monotonic()
        self._told.append(f"{section} {now - self._last:.1f}")
        self._last = now

    @property
    def seconds(self) -> float:
        """Of the whole trial until now."""
        return time.monotonic() - self._began

    def text(self) -> str:
        return ", ".join(self._told)


def run(order: Order) -> Iterator[Trial]:
    """Try cells that have not held yet, in an order of the seed, until the time is over.

    After a trial that failed the cluster is another one. Daemons have died while one booted: then
    another one is tried, once.
    """
    until = time.monotonic() + order.seconds - _RESERVE
    left, broken = cells(order), 0
    while left and time.monotonic() < until:
        try:
            with bed(order.release) as made:
                while left and time.monotonic() < until:
                    cell = left.pop(0)
                    trial = _try(made, *cell)
                    if order.only:
                        left.append(cell)
                    if trial.faults:
                        print(f"   logs: {made.keep_logs(order.folder)}", flush=True)
                    yield trial
                    if trial.faults:
                        break
        except ClusterError as error:
            broken += 1
            if broken > 1:
                raise
            print(f"   a cluster was given up: {error}"[:500], flush=True)


def cells(order: Order) -> list[Cell]:
    """The cells of our share that have not held yet, shuffled: one of each row, then a second one.

    What failed last comes first. Rows that have a trial already are one ahead. If the order is for
    some only, those, whether they have held or not.
    """
    every = [(step, fault) for step in steps() for fault in FAULTS]
    random.Random(order.seed).shuffle(every)  # noqa: S311
    if order.only:
        wanted = [cell for cell in every if all(word in name(*cell) for word in order.only)]
        return order.ours(wanted)
    turns: Counter[str] = Counter(order.tried)
    turn = {}
    for cell in every:
        if name(*cell) not in order.held:
            turn[cell] = -1 if name(*cell) in order.failing else turns[row(*cell)]
            turns[row(*cell)] += 1
    return order.ours(sorted(turn, key=turn.__getitem__))


def name(step: Step, fault: Fault) -> str:
    """How a cell is called in the results."""
    return f"{fault.name}, {step.work}: {step.name}"


def row(step: Step, fault: Fault) -> str:
    """The row of the table that counts it."""
    return f"{fault.name}, {step.work}"


def _try(made: Bed, step: Step, fault: Fault) -> Trial:
    """One trial; a step that was over before it was seen counts as none."""
    laps = Laps()
    count, note = 1, ""
    try:
        faults = _struck(made, step, fault, laps)
    except _NotMet as missed:
        count, note, faults = 0, f"the step was not met{missed}; ", []
    except (AssertionError, ClusterError, subprocess.TimeoutExpired) as error:
        faults = [f"{type(error).__name__}: {error}"]
    note += laps.text()
    return Trial(name(step, fault), count, laps.seconds, faults, note, row(step, fault))


def _struck(made: Bed, step: Step, fault: Fault, laps: Laps) -> list[str]:
    """What does not hold after the fault. Raises _NotMet."""
    before = made.rest()
    laps.end("at rest")
    label = f"t{time.time_ns() // 1_000_000 % 10**9}"
    refused = _start(made, step, label) if step.words else []
    if not _is_met(made, step):
        laps.end("looked for")
        raise _NotMet("".join((*refused, *_end(made, label))))
    laps.end("met")
    reported = _samples(made, label) if step.words else []
    fault.strike(made.operator, made.operator.active_mgr())
    laps.end("struck")
    if step.words:
        found = _judge_rounds(_ended(made, label), reported, fault)
    else:
        found = _judge_watch(made)
    laps.end("went on")
    found += made.differs(before)
    laps.end("as before")
    return found


def _start(made: Bed, step: Step, label: str) -> list[str]:
    """Ask for a round; its mgr may be gone before it answers. Why it was refused comes later."""
    words = ("round", "start", *step.words, "--label", label)
    if step.on_workers:
        made.sees_workers()

    refused: list[str] = []

    def start() -> None:
        with suppress(ClusterError, subprocess.TimeoutExpired):
            reply = made.operator.types(*words)
            refused.extend([f": {reply.err.strip()}"] if reply.code else [])

    Thread(target=start, daemon=True).start()
    return refused


def _is_met(made: Bed, step: Step) -> bool:
    """Wait until the step is seen; False if the work was over before."""
    until = time.monotonic() + _STEP_SECONDS
    met, look = False, 0.0
    while (now := time.monotonic()) < until:
        if step.seen(made):
            return True
        if now >= look:
            look = now + _OVER_SECONDS
            ran, met = met, met or (bool(step.words) and bool(made.active()))
            if ran and not made.active():
                return False
        time.sleep(_LOOK_SECONDS)
    return False


def _end(made: Bed, label: str) -> list[str]:
    """End a round whose step was not met; how it ended: the guard may have done it before."""
    made.operator.types("round", "abort")
    rounds = [made.operator.sees_the_end_of(one["id"]) for one in made.labelled(label)]
    return [f": the round is {one['state']}: {one['reasons']}" for one in rounds]


def figures(round_: Any) -> list[Any]:
    """The samples of OSDs, or the clients of repeats."""
    return [*round_["samples"], *round_["clients"]]


def _samples(made: Bed, label: str) -> list[Any]:
    return [one for round_ in made.labelled(label) for one in figures(round_)]


def _ended(made: Bed, label: str) -> list[Any]:
    """The rounds with that label when none runs any more."""
    made.sees_calm(FAILOVER_SECONDS + _END_SECONDS)
    made.operator.sees_it_ready()
    return [made.operator.sees_the_end_of(one["id"], 60.0) for one in made.labelled(label)]


def _judge_rounds(rounds: Sequence[Any], reported: Sequence[Any], fault: Fault) -> list[str]:
    """``rounds`` are those of one start that was seen to run, which must be one."""
    if len(rounds) != 1:
        return [f"there are {len(rounds)} rounds of one start"]
    (round_,) = rounds
    found = [f"a sample was lost: {one}" for one in reported if one not in figures(round_)]
    pairs = [(one["target"], one["phase"], one["repeat"]) for one in round_["samples"]]
    pairs += [("client", one["client"], one["repeat"]) for one in round_["clients"]]
    if len(pairs) != len(set(pairs)):
        found.append("something was measured twice in a repeat")
    if round_["state"] != "done" and not (fault.loses_osds and round_["reasons"]):
        found.append(f"the round is {round_['state']}: {round_['reasons']}")
    return found


def _judge_watch(made: Bed) -> list[str]:
    """The watch ticks on."""

    def ticks() -> bool:
        watch = made.watch()
        return bool(watch["last_tick_at"]) and not watch["problem"] and not watch["late_seconds"]

    made.operator.sees("a watch that ticks", ticks, FAILOVER_SECONDS)
    return []
