"""OSDs that answer what a test gives them about their operations."""

from __future__ import annotations

import errno
import logging
import threading
from collections.abc import Collection, Mapping
from typing import Any, Optional

from fakes.clock import FakeClock
from operations import dump, text
from perf_bench.bench.active_round import OsdsUnderBench
from perf_bench.core.failing_parts import FailingParts
from perf_bench.errors import CommandFailed
from perf_bench.model.cluster import Cluster
from perf_bench.watch.breakdown.peers import peers_of
from perf_bench.watch.osd_breakdown import OsdBreakdowns

IDLE = {"historic": dump([]), "in_flight": dump([]), "counters": text({"osd": {}})}


class FakeOperationDumps:
    """The OperationDumps port: an OSD that has no answers does not answer at all."""

    def __init__(self, answers: Optional[Mapping[int, Mapping[str, Any]]] = None) -> None:
        """``answers`` by OSD: ``historic``, ``in_flight`` and ``counters``, as JSON or as bytes."""
        self.answers = dict(answers or {})
        self.asked: list[tuple[int, str]] = []
        self.closed = 0
        # Answers wait for this.
        self.gate = threading.Event()
        self.gate.set()

    def slowest(self, osd: int) -> bytes:
        return self._answer(osd, "historic")

    def in_flight(self, osd: int) -> bytes:
        return self._answer(osd, "in_flight")

    def counters(self, osd: int) -> bytes:
        return self._answer(osd, "counters")

    def close(self) -> None:
        self.closed += 1

    def _answer(self, osd: int, what: str) -> bytes:
        assert self.gate.wait(30.0)
        self.asked.append((osd, what))
        if osd not in self.answers:
            raise CommandFailed(errno.ETIMEDOUT, "no answer")
        found = self.answers[osd][what]
        if isinstance(found, CommandFailed):
            raise found
        return found if isinstance(found, bytes) else text(found)


def breakdowns(
    cluster: Cluster,
    clock: FakeClock,
    dumps: Optional[FakeOperationDumps] = None,
    benched: Optional[OsdsUnderBench] = None,
    slow: Collection[int] = (),
    failing: Optional[FailingParts] = None,
) -> OsdBreakdowns:
    """The service on fakes; nothing runs its thread."""
    return OsdBreakdowns(
        dumps or FakeOperationDumps(),
        cluster,
        lambda osd: peers_of(osd, cluster.osds(), {}, slow),
        benched or OsdsUnderBench(),
        clock,
        failing or FailingParts(clock.monotonic, logging.getLogger("why")),
    )
