"""``osd why`` as a command: what it prints of OSDs that answer as real ones did."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import Any

import pytest

from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.operation_dumps import IDLE, AskedHere, FakeOperationDumps, breakdowns
from golden import compare
from nouns import some_osds
from operations import STALLED, recorded
from perf_bench.answers import command as cli
from perf_bench.answers.text import WIDTH
from perf_bench.watch.osd_breakdown import LOOK_SECONDS


class Asked(SimpleNamespace):
    """The part of the questions that is asked here; ``recorded`` OSDs answer."""

    def __init__(self, answers: dict[int, Any]) -> None:
        clock = FakeClock()
        self.loop = AskedHere(clock)
        dumps = FakeOperationDumps(answers)
        super().__init__(
            breakdowns=breakdowns(FakeCluster(some_osds(6)), clock, dumps, loop=self.loop)
        )


@pytest.fixture
def api() -> Any:
    return Asked({osd: recorded("pacific", STALLED).get(osd, IDLE) for osd in range(6)})


def _order(osd: str, **more: str) -> dict[str, str]:
    return {"prefix": "perf-bench osd why", "id": osd, **more}


@pytest.mark.parametrize(("osd", "name"), [("osd.1", "osd-why"), ("3", "osd-why-itself")])
def test_the_text(api: Any, osd: str, name: str) -> None:
    cli.dispatch(api, _order(osd))
    api.loop.run_for(LOOK_SECONDS)
    code, text, problem = cli.dispatch(api, _order(osd))
    assert (code, problem) == (0, "")
    assert max(map(len, text.splitlines())) <= WIDTH
    compare(f"{name}.txt", text)


def test_an_osd_that_does_not_exist(api: Any) -> None:
    code, _, problem = cli.dispatch(api, _order("99"))
    assert (code, problem) == (-errno.ENOENT, "osd.99: no such OSD in this cluster")


def test_the_text_of_the_first_answer_says_until_when_it_looks(api: Any) -> None:
    _, text, _ = cli.dispatch(api, _order("1"))
    assert text.splitlines()[0] == (
        "osd.1: being asked until 2023-11-14 22:13:23 (UTC); the same command then shows all"
    )
