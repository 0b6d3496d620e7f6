"""Clients that stand still, of which none is left."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Callable

import pytest

from perf_bench.clients import rados_bench
from perf_bench.clients.rados_bench import Clients
from perf_bench.errors import CommandFailed
from perf_bench.model.rados import LoadOrder

DATA = Path(__file__).parent / "data" / "rados_bench" / "reef"
ORDER = LoadOrder("perf_bench", "round-1", "write", 60, 2, 4, 65536, 50)
ACCESS = {"name": "client.x", "keyring": "/k", "mon_host": "m", "where": "here"}
RUN = Callable[[], None]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RUN:
    """Run clients that stand still after some seconds' rows; each look takes a second."""
    program = tmp_path / "rados"
    program.write_text(f"#!/bin/sh\nhead -8 {DATA}/write-long-text.txt; exec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(rados_bench, "_POLL", 0.02)
    looks = itertools.count()
    now = 0.0

    def look() -> None:
        nonlocal now
        now = float(next(looks))

    clock = SimpleNamespace(monotonic=lambda: now, time=lambda: now)
    monkeypatch.setattr(rados_bench, "time", clock)

    def ran() -> None:
        clients = Clients(ORDER, range(2), ACCESS, lambda _: None, look, 0.0)
        try:
            clients.run()
        finally:
            assert all(client.process.poll() is not None for client in clients._clients)

    return ran


def test_those_that_stand_still_are_ended(run: RUN) -> None:
    with pytest.raises(CommandFailed, match=r"^no operation ended for 10 s: see 'ceph health det"):
        run()
