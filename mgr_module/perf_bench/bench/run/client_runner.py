"""Run a round of clients, repeat after repeat, and remove its objects from the pool."""

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

# Returns the load of the next repeat from the repeats so far; None if there is none.
Following = Callable[[Sequence[LoadSample]], Optional[SearchLoad]]


class LeftoverKeeper(Protocol):
    """Stores which namespaces of which pools may still have objects of rounds.

    Pools are identified as ``Pools.ensure`` returns them, which survives a rename.
    """

    def load_traces(self) -> Mapping[str, str]:
        """By namespace its pool. Raises CommandFailed."""

    def save_traces(self, traces: Mapping[str, str]) -> None: ...


class LoadSink(Protocol):
    """Gets the phase of the round, each row of each client, and each repeat's sample."""

    def on_phase(self, phase: str) -> None: ...

    def on_row(self, client: int, row: Row) -> None: ...

    def put_load(self, sample: LoadSample) -> None: ...


class Leftovers:
    """Objects that rounds of clients may have left: noted before the first write, cleared later.

    A round has a namespace of its own, and only objects there are removed. So the objects of a
    process that was killed are found without its name.
    """

    def __init__(self, keeper: LeftoverKeeper, loader: LoadGenerator, log: logging.Logger) -> None:
        self._keeper = keeper
        self._loader = loader
        self._log = log
        # A mgr that has just become active clears leftovers while it continues a round.
        self._lock = threading.Lock()
        # The namespaces of rounds that run.
        self._used: set[str] = set()
        self.pending = False  # whether something could not be cleared

    def note(self, namespace: str, pool: str) -> None:
        """Note a namespace before the first write to it. Raises CommandFailed."""
        with self._lock:
            self._used.add(namespace)
            try:
                self._keeper.save_traces({**self._keeper.load_traces(), namespace: pool})
            except PerfBenchError:  # it may be saved all the same, and the round does not begin
                self._used.discard(namespace)
                self.pending = True
                raise

    def sweep(self, namespace: str, pool: str) -> None:
        """Remove the objects in a namespace; waits until they are gone. Raises CommandFailed."""
        self._loader.sweep(pool, namespace)

    def clear(self, namespace: str, pool: str) -> None:
        """Remove the objects and the note. On failure logs it; the note stays for a retry."""
        self._used.discard(namespace)
        try:
            self.sweep(namespace, pool)
            with self._lock:
                kept = dict(self._keeper.load_traces())
                kept.pop(namespace, None)
                self._keeper.save_traces(kept)
        except PerfBenchError as error:
            self.pending = True
            self._log.warning(
                "objects in namespace %s of pool %s stay for now: %s", namespace, pool, error
            )

    def clear_others(self, but: Optional[str] = None) -> None:
        """Remove the objects of rounds that do not run, except those in the namespace ``but``."""
        self.pending = False
        try:
            left = self._keeper.load_traces()
        except PerfBenchError as error:
            self.pending = True
            self._log.warning("the notes of objects left by rounds cannot be read: %s", error)
            return
        for namespace, pool in left.items():
            if namespace != but and namespace not in self._used:
                self._log.info("clearing namespace %s of pool %s", namespace, pool)
                self.clear(namespace, pool)


def namespace_of(token: str) -> str:
    """The namespace of a round's objects, from the round's token."""
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

    def run(self, there: Sequence[LoadSample], following: Following) -> Outcome:
        """Run the repeats that follow the existing ones, ``there``.

        Raises CommandFailed if no repeat can be run.
        """
        complete = Outcome(End.COMPLETE)
        pool = self._pool = self._pools.ensure(self._load.pool, self._ended)
        self._traces.clear_others(self._namespace)
        self._traces.note(self._namespace, pool)
        try:
            self._clean()  # objects of this round that an earlier mgr has left
            if self._load.reads:
                self._fill()
            samples = list(there)
            while not self._ended():
                under = following(samples)
                sample = self._repeat(len(samples) + 1, under) if under else None
                if sample is None:
                    break
                samples.append(sample)
            self._stop.finish(complete)
        finally:
            outcome = self._stop.outcome
            if outcome is None or outcome.end is not End.LEFT:  # the next mgr does
                self._sink.on_phase(CLEANING)
                self._traces.clear(self._namespace, pool)
        return self._stop.finish(complete)

    def _repeat(self, repeat: int, under: SearchLoad) -> Optional[LoadSample]:
        """The repeat's sample; None if the round was ended during it."""
        load = self._load
        order = load.order(self._namespace, under=under)
        searched = under if load.saturates else None
        shown = f" {under.clients} x {under.threads}" if searched else ""
        self._sink.on_phase(f"{load.operation}{shown}")
        sample = LoadSample(repeat, self._clock.now(), load=searched)
        try:
            runs = self._loader.run(order, self._sink.on_row, self._ended)
        except CommandFailed as failure:
            sample = replace(sample, why=failure.message)
        else:
            if not runs:
                return None
            sample = replace(sample, runs=tuple(runs))
        # Objects for reads stay for the next repeat, also after a failure.
        if sample.why and not load.reads:
            self._clean()  # before _put: if OSDs are full, the store waits for space
        self._put(sample)
        if not sample.why and not load.reads and not self._ended():
            self._clean()
        return sample

    def _put(self, sample: LoadSample) -> None:
        """Store a sample. Raises CommandFailed, with the repeat's own error if it has one."""
        try:
            self._sink.put_load(sample)
        except PerfBenchError as error:
            if sample.why is None:
                raise
            raise CommandFailed(error.errno, f"{sample.why}; {error}") from error

    def _fill(self) -> None:
        self._sink.on_phase(FILLING)
        order = self._load.order(self._namespace, "write")
        self._loader.run(order, lambda _client, _row: None, self._ended)

    def _clean(self) -> None:
        self._sink.on_phase(CLEANING)
        self._traces.sweep(self._namespace, self._pool)

    def _ended(self) -> bool:
        return self._stop.outcome is not None
