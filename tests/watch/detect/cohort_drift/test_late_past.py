"""A mgr that takes over reads the past bit by bit, in ticks to come."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from drifting import BEGAN, World
from perf_bench.model.detector import WatchTick
from perf_bench.model.history import DAY

NAME = World().cohorts[0]


class LateWorld(World):
    """Its store answers every third tick."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.late = False
        self.waiting: list[Callable[[], None]] = []

    def ask(self, question: Any) -> Future[Any]:
        if not self.late:
            return super().ask(question)
        answer: Future[Any] = Future()
        self.waiting.append(
            lambda: answer.set_result(super(LateWorld, self).ask(question).result())
        )
        return answer

    def ticks(self, times: int) -> None:
        for number in range(times):
            if number % 3 == 0 and self.waiting:
                self.waiting.pop(0)()
            self.detector.tick(WatchTick(self.now, members=self.members))


def test_slow_growth_keeps_its_latencies_until_the_days_are_read() -> None:
    world = LateWorld(slower={NAME: lambda at: math.exp(0.35 * (at - BEGAN) / (100 * DAY))})
    (before,) = world.jump(BEGAN + 120 * DAY)
    assert before.evidence["compared"] == "days"
    world.fails_over(json.loads(json.dumps(world.detector.save())))
    world.late = True
    for _ in range(400):
        world.ticks(1)
        (claim,) = world.detector.claims()
        assert claim.evidence["latency_ms"] > 1
        assert claim.evidence["before_ms"] > 1
