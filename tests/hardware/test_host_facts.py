"""Facts of hosts as they are read from the store."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakes.clock import FakeClock
from fakes.database import file_store
from perf_bench.hardware.host_facts import HostFactsRegistry
from perf_bench.store.store_thread import StoreThread

FACTS = {"format": 1, "host": "a", "collected_at": "2023-11-14T22:00:00Z"}


@pytest.fixture
def store_thread(path: Path) -> Iterator[StoreThread]:
    made = StoreThread(file_store(path))
    yield made
    made.close(5.0)


@pytest.mark.parametrize(
    "memory",
    [{"drops": 7}, {"errors": {"x": [1]}}, {"slots": {"e": 7}}, {"drops": {"x": 7}}],
    ids=str,
)
def test_a_history_that_cannot_be_read_costs_no_host_its_facts(
    store_thread: StoreThread, memory: dict[str, Any]
) -> None:
    store_thread.call(lambda store: store.facts.put("a", 1.0, FACTS, memory))
    store_thread.call(lambda store: store.facts.put("b", 1.0, {**FACTS, "host": "b"}, {}))
    hosts = HostFactsRegistry(store_thread, FakeClock(), logging.getLogger("test"))
    assert set(hosts.known()) == {"a", "b"}
