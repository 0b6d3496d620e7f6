"""Real processes beside us, with a script in the place of `rados`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import threads
from fakes.clock import FakeClock
from fakes.loads import FakePools, a_pool
from perf_bench.clients.loader import ClientLoader
from perf_bench.errors import CommandFailed
from perf_bench.model.rados import LoadOrder, Pool

DATA = Path(__file__).parent / "data" / "rados_bench" / "reef"
ACCESS = {"name": "mgr.x", "keyring": "/k", "mon_host": "[v2:127.0.0.1:1/0]"}
ORDER = LoadOrder("perf_bench", "round-1", "write", 2, 3, 4, 65536, 50)


@pytest.fixture
def rados(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A `rados` that notes its words and its pid, and then does what is in `act`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "rados"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> {tmp_path}/words\necho $$ >> {tmp_path}/pids\n'
        f". {tmp_path}/act\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{Path(sys.executable).parent}:/usr/bin:/bin")
    act(tmp_path, f"cat {DATA}/write-text.txt")
    yield tmp_path
    threads.until(lambda: not alive(tmp_path))


def act(folder: Path, script: str) -> None:
    (folder / "act").write_text(f"{script}\n")


def words(folder: Path) -> list[str]:
    return (folder / "words").read_text().splitlines()


def alive(folder: Path) -> list[int]:
    """Which of the started clients still run."""
    pids = (folder / "pids").read_text().split() if (folder / "pids").exists() else []
    return [int(pid) for pid in pids if _runs(int(pid))]


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def loader(*pools: Pool) -> ClientLoader:
    """One second passes at each look at the clock."""
    return ClientLoader(lambda: ACCESS, FakePools(*pools or (a_pool(),)).flags, FakeClock(tick=1.0))


def never() -> bool:
    return False


def test_every_client_runs_and_is_heard(rados: Path) -> None:
    heard: list[tuple[int, int]] = []
    runs = loader().run(ORDER, lambda client, row: heard.append((client, row.second)), never)
    assert [run.operations for run in runs] == [4262] * 3
    assert all(run.started_at > 0 for run in runs)
    assert {client for client, _ in heard} == {0, 1, 2}
    assert sorted(words(rados)) == [
        "-n mgr.x -m [v2:127.0.0.1:1/0] -k /k --admin-socket= --log-file= -p perf_bench "
        "-N round-1 bench 2 write -t 4 -b 65536 --max-objects 50 "
        f"--run-name client-{client} --no-cleanup"
        for client in range(3)
    ]


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("echo 'error opening pool x: (2) No' >&2; exit 1", "rados bench failed: error opening"),
        ("exit 3", "rados bench failed: it ended with 3"),
        (f"cat {DATA}/killed-text.txt", "rados bench ended before its totals"),
        ("echo hello", "this is not what rados bench prints: 'hello'"),
    ],
)
def test_a_client_that_fails_is_a_sentence(rados: Path, script: str, sentence: str) -> None:
    act(rados, script)
    with pytest.raises(CommandFailed, match=sentence.replace("(", "\\(")):
        loader().run(ORDER, lambda _c, _r: None, never)


def test_an_end_from_outside_ends_every_client(rados: Path) -> None:
    act(rados, f"head -8 {DATA}/write-long-text.txt; exec sleep 600")
    rows: list[int] = []
    runs = loader().run(
        replace(ORDER, seconds=600), lambda _c, row: rows.append(row.second), lambda: len(rows) >= 3
    )
    assert runs == []
    threads.until(lambda: not alive(rados))


@pytest.mark.parametrize(
    ("pool", "sentence"),
    [
        (a_pool(flags=("full",)), "the pool perf_bench is full"),
        (a_pool(flags=("full_quota", "full")), "the pool perf_bench has reached its quota"),
        (a_pool("renamed"), "the pool perf_bench has gone"),
    ],
)
def test_clients_end_in_a_pool_where_they_would_wait_for_ever(
    rados: Path, pool: Pool, sentence: str
) -> None:
    act(rados, f"head -8 {DATA}/write-long-text.txt; exec sleep 600")
    with pytest.raises(CommandFailed, match=f"^{sentence}$"):
        loader(pool).run(replace(ORDER, seconds=600), lambda _c, _r: None, never)
    threads.until(lambda: not alive(rados))


_MGR = """
import json, sys, time
from perf_bench.clients.loader import ClientLoader
from perf_bench.model.rados import LoadOrder
order, access = json.loads(sys.argv[1])
loader = ClientLoader(lambda: access, lambda _name: (), time)
loader.run(LoadOrder(**order), lambda *_: print("row", flush=True), bool)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_no_client_outlives_the_mgr(rados: Path, end: signal.Signals) -> None:
    act(rados, f"head -8 {DATA}/write-long-text.txt; exec sleep 600")
    order = json.dumps([vars(replace(ORDER, seconds=600)), ACCESS])
    package = Path(__file__).resolve().parents[2] / "mgr_module"
    mgr = subprocess.Popen(
        [sys.executable, "-c", _MGR, order],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(package)},
        cwd="/",
    )
    assert mgr.stdout is not None
    assert mgr.stdout.readline() == b"row\n"
    assert alive(rados)
    mgr.send_signal(end)
    mgr.communicate()
    threads.until(lambda: not alive(rados))
