"""OSDs that answer as a test scripts them."""

from __future__ import annotations

import errno
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Callable, Optional

from perf_bench.errors import CommandFailed
from perf_bench.model.plan import MIB, BenchAnswer, Step
from perf_bench.model.rados import Groups

# What an OSD does with a bench. Runs on the thread that asked.
Act = Callable[[int, Step], BenchAnswer]


def answers(rate: float = 100.0 * MIB, seconds: Optional[float] = None) -> Act:
    """Report ``rate`` bytes per second; ``seconds`` is what follows from it unless told."""

    def act(_osd: int, step: Step) -> BenchAnswer:
        took = step.total_bytes / rate if seconds is None else seconds
        return BenchAnswer(step.total_bytes, step.block_size, took, rate, rate / step.block_size)

    return act


def fails(code: int, message: str = "no") -> Act:
    """Answer with an error, as the commands port tells it."""

    def act(osd: int, step: Step) -> BenchAnswer:
        raise CommandFailed(code, message)

    return act


def dies(fault: Exception) -> Act:
    """Break in a way that nobody foresaw."""

    def act(osd: int, step: Step) -> BenchAnswer:
        raise fault

    return act


def first(before: Callable[[], object], act: Act) -> Act:
    """Let something happen, then act."""

    def acted(osd: int, step: Step) -> BenchAnswer:
        before()
        return act(osd, step)

    return acted


class FakeCommands:
    """The Commands port. An OSD without a script answers; a script's last act is repeated."""

    def __init__(
        self,
        script: Optional[Mapping[int, Sequence[Act]]] = None,
        limit: float = 60.0,
        known: Optional[Sequence[int]] = None,
    ) -> None:
        self.script = dict(script or {})
        self.asked: list[int] = []
        self.steps: list[Step] = []
        self.closed = False
        # By name, or by OSD and name.
        self.options: dict[object, int] = {}
        # By OSD the token of its objects.
        self.objects: dict[int, str] = {}
        self.cannot_make: Optional[Exception] = None
        self.most_at_once = 0
        self._limit = limit
        self._known = None if known is None else set(known)
        self._turns: Counter[int] = Counter()
        self._running: set[int] = set()
        self._lock = threading.Lock()
        self._freed = threading.Event()

    @property
    def limit(self) -> float:
        return self._limit

    def option(self, osd: int, name: str) -> str:
        return str(self.options.get((osd, name), self.options.get(name, 100)))

    def make_objects(
        self, reads: Mapping[int, Step], groups: Groups, token: str, ended: Callable[[], bool]
    ) -> None:
        if self.cannot_make is not None:
            raise self.cannot_make
        if ended():
            raise CommandFailed(errno.ECANCELED, "the round has ended")
        self.objects = {osd: token for osd in reads if groups.by_primary.get(osd)}

    def remove_objects(self) -> None:
        self.objects = {}

    def measure(self, osd: int, step: Step) -> BenchAnswer:
        act = self._begin(osd, step)
        try:
            return act(osd, step)
        finally:
            with self._lock:
                self._running.discard(osd)

    def close(self) -> None:
        self.closed = True

    def hangs(self, osd: int, step: Step) -> BenchAnswer:
        """Act: give no answer until ``free`` is called."""
        self._freed.wait()
        return answers()(osd, step)

    def free(self) -> None:
        """Let those that hang go on, so that no thread outlives its test."""
        self._freed.set()

    def _begin(self, osd: int, step: Step) -> Act:
        with self._lock:
            if self.closed:
                raise CommandFailed(errno.ESHUTDOWN, "the round has ended")
            if self._known is not None and osd not in self._known:
                raise CommandFailed(errno.ENOENT, "osd dne")
            if osd in self._running and self.hangs not in self.script.get(osd, ()):
                raise AssertionError(f"osd.{osd} is asked for a second bench while one runs")
            acts = self.script.get(osd) or (answers(),)
            act = acts[min(self._turns[osd], len(acts) - 1)]
            self._turns[osd] += 1
            self._running.add(osd)
            self.most_at_once = max(self.most_at_once, len(self._running))
            self.asked.append(osd)
            self.steps.append(step)
        return act
