"""Carry a round of clients out: repeat after repeat, and leave nothing in the pool."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Callable, Optional, Protocol

from ...errors import CommandFailed, PerfBenchError
from ...model.rados import LoadPlan, LoadSample, Row
from ...model.saturation import SearchLoad
from ...ports import Clock, LoadGenerator, Pools
from .osd_runner import End, Outcome, Stop

FILLING, CLEANING = "fill", "clean-up"

# From the repeats so far the load of the next one; None when there is none.
Following = Callable[[Sequence[LoadSample]], Optional[SearchLoad]]


class LeftoverKeeper(Protocol):
    """Where it is kept which namespaces of which pools may still hold objects of ours.

    Pools by what ``Pools.ensure`` called them, for one that is renamed keeps its objects.
    """

    def load_traces(self) -> Mapping[str, str]:
        """By namespace its pool. Raises CommandFailed."""

    def save_traces(self, traces: Mapping[str, str]) -> None: ...


class LoadSink(Protocol):
    """What a round hears: what goes on, each second of each client, and each repeat's sample."""

    def on_phase(self, phase: str) -> None: ...

    def on_row(self, client: int, row: Row) -> None: ...

    def put_load(self, sample: LoadSample) -> None: ...


class Leftovers:
    """What rounds of clients may have left: noted before the first object, struck out at the end.

    A round has a namespace of its own, and nothing is removed anywhere else. So no process needs
    to be known by its name for its objects to be told from those of others, whatever ended it.
    """

    def __init__(self, keeper: LeftoverKeeper, loader: LoadGenerator, log: logging.Logger) -> None:
        self._keeper = keeper
        self._loader = loader
        self._log = log
        # A mgr that has just become active clears while it carries a round on.
        self._lock = threading.Lock()

    def note(self, namespace: str, pool: str) -> None:
        """Before anything is written there. Raises CommandFailed."""
        with self._lock:
            self._keeper.save_traces({**self._keeper.load_traces(), namespace: pool})

    def sweep(self, namespace: str, pool: str) -> None:
        """Remove what is there; returns once it is gone. Raises CommandFailed."""
        self._loader.sweep(pool, namespace)

    def clear(self, namespace: str, pool: str) -> None:
        """The same at the end; what fails is said, stays noted, and is tried again."""
        try:
            self.sweep(namespace, pool)
            with self._lock:
                kept = dict(self._keeper.load_traces())
                kept.pop(namespace, None)
                self._keeper.save_traces(kept)
        except PerfBenchError as error:
            self._log.warning(
                "objects in namespace %s of pool %s stay for now: %s", namespace, pool, error
            )

    def clear_others(self, but: Optional[str] = None) -> None:
        """Remove what rounds of before have left, but for the one that is carried on."""
        try:
            left = self._keeper.load_traces()
        except PerfBenchError as error:
            self._log.warning("what rounds have left is not known: %s", error)
            return
        for namespace, pool in left.items():
            if namespace != but:
                self._log.info("clearing namespace %s of pool %s", namespace, pool)
                self.clear(namespace, pool)


def namespace_of(token: str) -> str:
    """Where a round's objects stand, by the token that it has before it begins."""
    return f"round-{token}"


class LoadRunner:
    """Runs the repeats of one load plan. One object a round, used from one thread."""

    def __init__(
        self,
        load: LoadPlan,
        token: str,
        tools: tuple[LoadGenerator, Pools, Leftovers, Clock],
        sink: LoadSink,
        stop: Stop,
    ) -> None:
        self._load = load
        self._namespace = namespace_of(token)
        self._loader, self._pools, self._traces, self._clock = tools
        self._sink = sink
        self._stop = stop
        self._pool = ""
        # Bytes of clients that were written as far as they were counted.
        self.written = 0

    def run(self, there: Sequence[LoadSample], following: Following) -> Outcome:
        """Run one repeat after the other behind those that are ``there``.

        Raises CommandFailed where none can be run.
        """
        pool = self._pool = self._pools.ensure(self._load.pool, self._ended)
        self._traces.clear_others(self._namespace)
        self._traces.note(self._namespace, pool)
        try:
            self._clean()  # what a mgr of before has left of this round
            if self._load.reads:
                self._fill()
            samples = list(there)
            while not self._ended():
                under = following(samples)
                sample = self._repeat(len(samples) + 1, under) if under else None
                if sample is None:
                    break
                samples.append(sample)
        finally:
            outcome = self._stop.outcome
            if outcome is None or outcome.end is not End.LEFT:  # the next mgr does
                self._sink.on_phase(CLEANING)
                self._traces.clear(self._namespace, pool)
        return self._stop.outcome or Outcome(End.COMPLETE)

    def _repeat(self, repeat: int, under: SearchLoad) -> Optional[LoadSample]:
        """The repeat's sample; None where the round was ended in it."""
        load = self._load
        order = load.order(self._namespace, under=under)
        own = under if load.saturates else None
        shown = f" {under.clients} x {under.threads}" if own else ""
        self._sink.on_phase(f"{load.operation}{shown}")
        sample = LoadSample(repeat, self._clock.now(), load=own)
        try:
            runs = self._loader.run(order, self._sink.on_row, self._ended)
        except CommandFailed as failure:
            sample = replace(sample, why=str(failure))
        else:
            if not runs:
                return None
            sample = replace(sample, runs=tuple(runs))
            if not load.reads:
                self.written += sum(run.operations * run.op_size for run in runs)
        # What is read stays for the next repeat, whatever became of this one.
        if sample.why and not load.reads:
            self._clean()  # first: where OSDs are full the store waits for room
        self._put(sample)
        if not sample.why and not load.reads and not self._ended():
            self._clean()
        return sample

    def _put(self, sample: LoadSample) -> None:
        """Raises CommandFailed with the repeat's own reason too, which nobody would hear else."""
        try:
            self._sink.put_load(sample)
        except PerfBenchError as error:
            if sample.why is None:
                raise
            raise CommandFailed(error.errno, f"{sample.why}; {error}") from error

    def _fill(self) -> None:
        self._sink.on_phase(FILLING)
        order = self._load.order(self._namespace, "write")
        runs = self._loader.run(order, lambda _client, _row: None, self._ended)
        self.written += sum(run.operations * run.op_size for run in runs)

    def _clean(self) -> None:
        self._sink.on_phase(CLEANING)
        self._traces.sweep(self._namespace, self._pool)

    def _ended(self) -> bool:
        return self._stop.outcome is not None
