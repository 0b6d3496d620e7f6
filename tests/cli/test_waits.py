"""Nothing on the thread of commands waits longer for the database than others can bear."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

import pytest

from past import Past
from perf_bench.answers import command as cli
from perf_bench.answers.question import Use
from perf_bench.answers.questions import QUESTIONS
from perf_bench.core.database import DatabaseThread
from perf_bench.errors import StoreUnavailable
from perf_bench.store.sqlite import Store, StoreThread

T = TypeVar("T")

# Seconds.
MOST_SECONDS = 10.0
NEEDED: dict[str, dict[str, Any]] = {
    "schedule add": {"name": "n", "profile": "osd-throughput", "every": "1d"},
    "schedule pause": {"name": "n"},
    "schedule resume": {"name": "n"},
    "schedule rm": {"name": "n"},
    "round start": {"profile": "osd-throughput", "dry_run": True},
    "round import": {"as": "fio"},
    "round compare": {"a": "1", "b": "2"},
    "round rm": {"id": "4"},
    "profile history": {"name": "osd-throughput"},
    "finding mute": {"id": "1", "for": "1d"},
    "finding ack": {"id": "1", "text": "seen"},
    "host import": {"host": "host-1"},
}


@pytest.mark.parametrize("is_away", [False, True])
def test_the_limits_of_a_command_add_up_to_few_seconds(
    is_away: bool, past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    ask = DatabaseThread.call

    def call(
        self: StoreThread,
        question: Callable[[Store], T],
        limit: float = 5.0,
        size: int = 0,
        **how: Any,
    ) -> T:
        waits.append(limit)
        past.clock.advance(limit)  # as if each took all of its time
        if is_away:
            raise StoreUnavailable("the database is away")
        return ask(self, question, limit, size, **how)

    monkeypatch.setattr(DatabaseThread, "call", call)
    commands = (one for one in QUESTIONS if one.is_command)
    for command in sorted(commands, key=lambda one: one.name.endswith("rm")):
        base = {one.name: "1" for one in command.arguments if one.cli is Use.NEEDED}
        waits.clear()
        past.clock.advance(100.0)  # what is remembered for a while is asked for again
        order = {"prefix": f"perf-bench {command.name}", **base, **NEEDED.get(command.name, {})}
        cli.dispatch(past.api, order, "{}")
        assert sum(waits) <= MOST_SECONDS, (command.name, waits)
    waits.clear()
    cli.dispatch(past.api, {"prefix": "perf-bench round export", "id": "2", "as": "html"})
    assert 0 < sum(waits) <= MOST_SECONDS
