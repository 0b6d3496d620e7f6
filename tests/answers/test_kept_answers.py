"""Answers that are kept for a while, asked for by many users at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from functools import partial

import pytest

import threads
from asked import asking
from fakes.clock import FakeClock

USERS, QUESTIONS = 4, 1500


@pytest.fixture
def hectic() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_users_who_ask_about_many_times_at_once_all_get_their_answers(hectic: None) -> None:
    api = asking(clock=FakeClock())
    failed: list[str] = []

    def asks(user: int) -> None:
        try:
            for number in range(QUESTIONS):
                kept = api.kept.of((user, number), 30.0, partial(int, number))
                assert kept == number
        except Exception as error:  # noqa: BLE001 - each is a fault, and told below
            failed.append(repr(error))

    users = [threading.Thread(target=asks, args=(user,)) for user in range(USERS)]
    for one in users:
        one.start()
    for one in users:
        one.join(threads.PATIENCE)
    assert failed == []
