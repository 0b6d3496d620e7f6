"""For all of run/: threads end with their test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import threads
from fakes.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    """Of a host that is up for a while: what is measured does not begin at 0."""
    made = FakeClock()
    made.advance(1000.0)
    return made


@pytest.fixture(autouse=True)
def no_thread_stays() -> Iterator[None]:
    yield
    threads.join()
