"""The process that leads the workers is killed while their clients write."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from perf_bench.ceph import loader
from perf_bench.ceph.child_process import Child
from perf_bench.errors import CommandFailed
from perf_bench.model.rados import LoadOrder

ORDER = LoadOrder("perf_bench", "round-1", "write", 2, 1, 4, 65536, 50, ("a",))
LEASE = 0.5


@pytest.mark.parametrize("signal", ["KILL", "ALRM"])
def test_no_clean_up_begins_before_the_leases_of_the_workers_have_expired(
    signal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the kernel (out of memory), or at its deadline: nobody has told the workers to end.

    The runner cleans up once ``run`` raises, and forgets the namespace: what a worker writes
    later would stay in the pool for ever.
    """
    program = tmp_path / "python3"
    program.write_text(
        f'#!/bin/sh\n[ "$2" = perf_bench.programs.lead_workers ] && kill -{signal} $$\n'
        f'exec {sys.executable} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(loader, "LEASE_SECONDS", LEASE)
    monkeypatch.setattr(loader, "_LEASE_SLACK", 0.0, raising=False)
    ended: list[float] = []
    leave = Child.leave

    def left(child: Child, seconds: float) -> object:
        found = leave(child, seconds)
        ended.append(time.monotonic())
        return found

    monkeypatch.setattr(Child, "leave", left)
    access = {"name": "mgr.x", "keyring": "/k", "mon_host": "[v2:127.0.0.1:1/0]"}
    with pytest.raises(CommandFailed, match="ended too early"):
        loader.ProcessLoadGenerator(lambda: access).run(ORDER, lambda _c, _r: None, bool)
    assert time.monotonic() - ended[0] >= LEASE


def test_the_leases_count_from_the_end_of_one_that_told_nobody_to_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It waits for RADOS: what it wrote before may still reach the workers until it is killed.

    A beat on its way is carried out at the latest as the lease before it ends, or renews none.
    """
    did: list[str] = []

    class Waits:
        def __init__(self, *_: object) -> None:
            did.append("begun")

        def write(self, _line: bytes) -> None:
            did.append("told")

        def lines_until(self, _ended: object) -> list[bytes]:
            return []

        def leave(self, _seconds: float) -> bool:
            did.append("left")
            return False

        def end(self) -> None:
            did.append("killed")

    monkeypatch.setattr(loader, "Child", Waits)
    monkeypatch.setattr(
        "perf_bench.ceph.loader.time.sleep", lambda seconds: did.append(f"{seconds:.0f} s")
    )
    found = loader.ProcessLoadGenerator(dict).run(ORDER, lambda _c, _r: None, lambda: True)
    assert found == []
    assert did == ["begun", "told", "left", "killed", "22 s"]
