"""Reconcilers: each on its own, with its newest pass."""

from __future__ import annotations

import logging

from fakes.loop import FakeLoop
from perf_bench.answers.shape import to_json
from perf_bench.core.failing_parts import FailingParts
from perf_bench.core.loop import sleep
from perf_bench.core.reconcile import Reconciler, Reconcilers


def test_one_that_fails_or_waits_delays_no_other() -> None:
    loop = FakeLoop()
    monotonic = loop.clock.monotonic
    seen: list[float] = []
    broken = [True]

    async def fails() -> None:
        await sleep(1.0)
        if broken[0]:
            raise OSError("not there")

    async def waits() -> None:
        await sleep(1000.0)

    async def looks() -> None:
        seen.append(monotonic())

    failing = FailingParts(monotonic, logging.getLogger("test"))
    reconcilers = Reconcilers(loop, loop.clock, failing)
    reconcilers.begin(
        [Reconciler("a", 2.0, fails), Reconciler("b", 2.0, waits), Reconciler("c", 2.0, looks)]
    )
    loop.run_for(7.0)
    a, b, c = reconcilers.passes
    assert seen == [0.0, 2.0, 4.0, 6.0]
    assert (a.problem, a.seconds) == ("OSError: not there", 1.0)
    assert (b.at, c.at, c.problem) == (None, loop.clock.now() - 1.0, None)
    assert failing.problems() == {"a": "OSError: not there"}
    told = list(map(to_json, reconcilers.passes))
    assert told[0] == {
        "name": "a",
        "last_pass_at": "2023-11-14T22:13:27.000Z",
        "seconds": 1.0,
        "failing_since": "2023-11-14T22:13:20.000Z",
        "problem": "OSError: not there",
    }
    assert (told[1]["last_pass_at"], told[2]["failing_since"]) == (None, None)
    broken[0] = False
    loop.run_for(3.0)
    assert reconcilers.passes[0].failing_since is None
