"""Facts of hosts as they are read from the store."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Optional

import pytest

from fakes.clock import FakeClock
from fakes.database import file_store
from nouns import an_osd
from perf_bench.core.failing_parts import FailingParts
from perf_bench.errors import StoreUnavailable
from perf_bench.hardware.host_facts import HostFactsRegistry
from perf_bench.model.hardware import facts_of
from perf_bench.store.sqlite import Store, StoreThread

FACTS = {"format": 1, "host": "a", "collected_at": "2023-11-14T22:00:00Z"}


@pytest.fixture
def store_thread(path: Path) -> Iterator[StoreThread]:
    made = StoreThread(file_store(path))
    yield made
    made.close(5.0)


def test_a_history_that_cannot_be_read_costs_no_host_its_facts(store_thread: StoreThread) -> None:
    memories: list[dict[str, Any]] = [
        {"drops": 7}, {"errors": {"x": [1]}}, {"slots": {"e": 7}}, {"drops": {"x": 7}}, {},
    ]  # fmt: skip
    for n, memory in enumerate(memories):
        host = f"host-{n}"
        put = partial(Store.put_facts, document={**FACTS, "host": host}, memory=memory)
        store_thread.call(partial(put, host=host, received_at=1.0))
    assert len(_hosts(store_thread).known()) == len(memories)


def test_facts_that_cannot_be_read_at_all_are_told_until_they_are_read(
    store_thread: StoreThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, log = FakeClock(), logging.getLogger("test")
    failing = FailingParts(clock.monotonic, log)
    hosts = HostFactsRegistry(store_thread, clock, log, failing)

    def passes(seconds: int) -> bool:
        for _ in range(seconds // 10):
            clock.advance(10)
            hosts.cached()
            store_thread.call(lambda _store: None)
        return bool(failing.claims(clock.now()))

    def broken(*_: object) -> None:
        raise KeyError("received_at")

    with monkeypatch.context() as patched:
        patched.setattr(HostFactsRegistry, "_read", broken)
        assert not passes(300)
        assert passes(30)
    assert passes(80)
    assert not passes(30)


OSDS = [an_osd(0, "a")]
NEWER = {**FACTS, "collected_at": "2023-11-14T22:10:00Z", "kernel": {"release": "6.1"}}


def _hosts(store_thread: StoreThread) -> HostFactsRegistry:
    return HostFactsRegistry(store_thread, FakeClock(), logging.getLogger("test"))


def _release(hosts: HostFactsRegistry) -> Optional[str]:
    kernel = hosts.known()["a"].facts.kernel
    return None if kernel is None else kernel.release


def test_facts_that_are_stored_after_nobody_waits_for_them_any_more_are_known(
    store_thread: StoreThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts, call = _hosts(store_thread), store_thread.call
    hosts.take_facts(facts_of(FACTS), OSDS)

    def given_up(*args: Any, **named: Any) -> None:
        call(*args, **named)
        raise StoreUnavailable("no answer within 5 s")

    with monkeypatch.context() as patched:
        patched.setattr(store_thread, "call", given_up)
        with pytest.raises(StoreUnavailable):
            hosts.take_facts(facts_of(NEWER), OSDS)
    assert (_release(hosts), _release(_hosts(store_thread))) == ("6.1", "6.1")
