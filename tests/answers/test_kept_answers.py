"""Answers that are kept for a while, asked for by many users at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import threads
from asked import asking
from fakes.clock import FakeClock
from perf_bench.answers.cluster import interval
from perf_bench.answers.shape import to_json

USERS, QUESTIONS = 4, 1500
HOUR = 3600


@pytest.fixture
def hectic() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class _NoRounds:
    """The store's thread of a database without rounds and without spans."""

    def call(self, ask: Any) -> Any:
        store = SimpleNamespace(
            rounds=lambda **_: ([], 0), watch=SimpleNamespace(cluster_spans=lambda *_: [])
        )
        return ask(store)


def test_users_who_ask_about_many_times_at_once_all_get_their_answers(hectic: None) -> None:
    clock, rounds = FakeClock(), _NoRounds()
    watch = SimpleNamespace(findings=list, members=list, cluster_minutes=lambda *_: [])
    api = asking(watch=watch, store=rounds, clock=clock)
    now, failed = int(clock.now()), []

    def asks(user: int) -> None:
        try:
            for number in range(QUESTIONS):
                end = now - user * HOUR - number
                assert to_json(interval(api, end - HOUR, end))["events"] == []
        except Exception as error:  # noqa: BLE001 - each is a fault, and told below
            failed.append(repr(error))

    users = [threading.Thread(target=asks, args=(user,)) for user in range(USERS)]
    for one in users:
        one.start()
    for one in users:
        one.join(threads.PATIENCE)
    assert failed == []
