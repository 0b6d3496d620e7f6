"""The hosts on which workers run: threads over one fake RADOS."""

# Our modules that know RADOS can be imported only while the fake one is in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from worker_hosts import FAST, LEASE, PATIENCE, Hosts, wait_until

# How far the clock moves at a look of the mgr's side: less than a lease.
STEP = LEASE / 4
# Seconds between two looks of any thread.
LOOK = 0.02


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "rados"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> {tmp_path}/words\necho $$ >> {tmp_path}/pids\n'
        f". {tmp_path}/act\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    made = Hosts(tmp_path)
    made.act(FAST)
    with made.meeting.installed():
        from perf_bench.loadgen import rados_bench
        from perf_bench.loadgen.workers import agent, assignment, coordinator, discovery, worker_log

        for module in (agent, assignment, coordinator, worker_log):
            monkeypatch.setattr(module, "time", made.clock)
        for module, name, seconds in (
            (coordinator, "LEASE_SECONDS", LEASE),
            (coordinator, "_ACCEPT_SECONDS", PATIENCE),
            (coordinator, "_AHEAD_SECONDS", 0.05),
            (coordinator, "_LOOK_SECONDS", LOOK),
            (coordinator, "_END_SECONDS", 0.3),
            (coordinator, "BEAT_SECONDS", 0.1),
            (assignment, "LEASE_SECONDS", LEASE),
            (agent, "_LOOK_SECONDS", LOOK),
            (agent, "_AGAIN_SECONDS", LOOK),
            (agent, "BEAT_SECONDS", 0.1),
            (rados_bench, "_POLL", LOOK),
            # Of clients that write no more, which must not end a run before what a test is about.
            (rados_bench, "_STALLED", LEASE),
            # Far longer than an answer takes; `brief_calls` where one is missing.
            (discovery, "_CALL_SECONDS", PATIENCE),
        ):
            monkeypatch.setattr(module, name, seconds)
        dismiss = coordinator.Coordinator._dismiss

        def dismiss_at_once(self: coordinator.Coordinator) -> None:
            made.clock.step = STEP
            try:
                dismiss(self)
            finally:
                made.clock.step = 0.0

        monkeypatch.setattr(coordinator.Coordinator, "_dismiss", dismiss_at_once)
        try:
            yield made
        finally:
            made.close()
            assert not made.meeting.freed_twice
    assert not made.clients()


@pytest.fixture
def brief_calls(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls wait only for the workers that can answer, signed or not, as long as they take."""
    from perf_bench.loadgen.workers import discovery

    call_out = discovery.Discovery._one

    def call_and_wait(self: discovery.Discovery, known: Iterable[str]) -> None:
        call_out(self, known)
        wait_until(lambda: hosts.able() <= {*self._present, *self._unverified})

    monkeypatch.setattr(discovery, "_CALL_SECONDS", 0.0)
    monkeypatch.setattr(discovery.Discovery, "_one", call_and_wait)
