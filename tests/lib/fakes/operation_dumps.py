"""OSDs that answer what a test gives them about their operations."""

from __future__ import annotations

import errno
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Callable, Optional, TypeVar

from fakes.clock import FakeClock
from fakes.loop import FakeLoop, Soon
from operations import dump, text
from perf_bench.bench.context import OsdsUnderBench
from perf_bench.core.failing_parts import FailingParts
from perf_bench.core.loop import ASK_SECONDS, Loop, Work
from perf_bench.core.workers import Executor
from perf_bench.errors import CommandFailed
from perf_bench.model.cluster import Cluster
from perf_bench.model.verdict import OsdWhyBackground
from perf_bench.watch.osd_breakdown import OsdBreakdowns, answers_of, choose

T = TypeVar("T")

IDLE = {"historic": dump([]), "in_flight": dump([]), "counters": text({"osd": {}})}


class FakeOperationDumps:
    """The OperationDumps port: an OSD that has no answers does not answer at all."""

    def __init__(self, answers: Optional[Mapping[int, Mapping[str, Any]]] = None) -> None:
        """``answers`` by OSD: ``historic``, ``in_flight`` and ``counters``, as JSON or as bytes."""
        self.answers = dict(answers or {})
        self.asked: list[tuple[int, str]] = []

    def slowest(self, osd: int) -> bytes:
        return self._answer(osd, "historic")

    def in_flight(self, osd: int) -> bytes:
        return self._answer(osd, "in_flight")

    def counters(self, osd: int) -> bytes:
        return self._answer(osd, "counters")

    def _answer(self, osd: int, what: str) -> bytes:
        self.asked.append((osd, what))
        if osd not in self.answers:
            raise CommandFailed(errno.ETIMEDOUT, "no answer")
        found = self.answers[osd][what]
        if isinstance(found, CommandFailed):
            raise found
        return found if isinstance(found, bytes) else text(found)


class AskedHere(FakeLoop):
    """Whoever asks runs the loop meanwhile."""

    def ask(self, work: Work[T], limit: float = ASK_SECONDS) -> T:
        return self.complete(work())


class Hanging(Soon):
    """Runs work at the loop's next turn, but questions to the OSDs in ``osds`` get no answer."""

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop)
        self.osds: set[int] = set()
        self.full = False

    def submit(self, work: Callable[[], T]) -> Future[T]:
        if not (isinstance(work, partial) and set(work.args) & self.osds):
            return super().submit(work)
        silent: Future[T] = Future()
        if not self.full:  # a thread has it
            silent.set_running_or_notify_cancel()
        return silent


def breakdowns(
    cluster: Cluster,
    clock: FakeClock,
    dumps: Optional[FakeOperationDumps] = None,
    benched: Optional[OsdsUnderBench] = None,
    failing: Optional[FailingParts] = None,
    loop: Optional[FakeLoop] = None,
    workers: Optional[Executor] = None,
    background: Sequence[OsdWhyBackground] = (),
) -> OsdBreakdowns:
    """The service on fakes; without a ``loop``, questions are answered where they are asked."""
    loop = loop or AskedHere(clock)
    asked, spans = dumps or FakeOperationDumps(), benched or OsdsUnderBench()
    return OsdBreakdowns(
        loop,
        workers or Soon(loop),
        lambda osd: answers_of(asked, spans, clock, osd),
        lambda osd: choose(cluster, lambda _osd: background, osd),
        clock,
        failing or FailingParts(clock.monotonic, logging.getLogger("why")),
    )
