"""The tool as a process: its terminal, its signals, and no client left behind."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import perf_bench
from perf_bench.errors import NotNow
from perf_bench.tool import client as client_module
from perf_bench.tool.client import CephClient
from perf_bench.tool.install import host as hosts
from perf_bench.tool.main import main

if TYPE_CHECKING:
    from tests.tool.conftest import Play

HOUSE = Path(perf_bench.__file__).parents[1]
DEADLINE = 120.0
# Of a client, in seconds.
LIMIT = 20.0


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not come"
        time.sleep(0.005)


def gone(pid: int) -> bool:
    """No such process, or only its entry: whoever adopted it may not have looked yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@contextmanager
def tool(ceph_process: Play, stderr: int) -> Iterator[subprocess.Popen[str]]:
    """The tool waiting for round 7, ended in any case."""
    argv = [sys.executable, "-m", "perf_bench.tool", "--ceph", ceph_process.command]
    with subprocess.Popen(
        [*argv, "wait", "7", "--interval", "0.001"],
        cwd=HOUSE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """What a shell starts in the background ignores Ctrl-C, and so would the tool then."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("number", "code", "says"),
    [
        (signal.SIGINT, 130, "ceph-perf-bench: interrupted; the round in the cluster goes on\n"),
        (signal.SIGTERM, 143, ""),
    ],
)
def test_a_signal_ends_the_tool_and_the_client_it_waits_for(
    ceph_process: Play, interruptible: None, number: int, code: int, says: str
) -> None:
    ceph_process.write({"on": "status", "hang": True})
    with tool(ceph_process, subprocess.PIPE) as process:
        until(lambda: bool(ceph_process.calls))
        process.send_signal(number)
        out, err = process.communicate(timeout=DEADLINE)
    assert (process.returncode, out, err) == (code, "", says)
    until(lambda: gone(ceph_process.calls[0][0]))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["run", "osd-iops"],
            (
                "interrupted; whether a round has started is not known, "
                "'ceph perf-bench round ls' shows it"
            ),
        ),
        (["wait", "7"], "interrupted; the round in the cluster goes on"),
        (["install"], "interrupted"),
        (["restore"], "interrupted"),
        (["check"], "interrupted"),
    ],
)
def test_ctrl_c_speaks_of_a_round_only_where_there_may_be_one(
    words: list[str], says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(client_module, "_run", interrupted)
    monkeypatch.setattr(hosts, "find", interrupted)
    assert main(words) == 130
    assert capsys.readouterr().err == f"ceph-perf-bench: {says}\n"


def _out_of_time_when(condition: Callable[[], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time limit of a client be over as soon as it is where a test wants it."""

    class Hurried(subprocess.Popen[str]):
        def communicate(self, *given: Any, **limit: Any) -> tuple[str, str]:
            if limit == {"timeout": LIMIT}:
                until(condition)
                limit = {"timeout": 0.0}
            return super().communicate(*given, **limit)

    monkeypatch.setattr(subprocess, "Popen", Hurried)


def test_a_hanging_client_is_ended_with_all_that_it_started(
    ceph_process: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    ceph_process.write({"on": "status", "hang": True})
    _out_of_time_when(lambda: bool(ceph_process.calls), monkeypatch)
    # A wrapper that stays, as ssh or podman do, and holds the pipes too.
    client = CephClient(["sh", "-c", f'{ceph_process.command} "$@"; true', "sh"], limit=LIMIT)
    with pytest.raises(NotNow, match=r"^'sh' gave no answer within 20 s$"):
        client.ask("perf-bench", "status")
    (pid, _) = ceph_process.calls[0]
    until(lambda: gone(pid))


def test_a_client_that_ignores_sigterm_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_GRACE", 0.1)
    noted = tmp_path / "pid"
    _out_of_time_when(lambda: noted.exists() and bool(noted.read_text()), monkeypatch)
    script = f"trap '' TERM; echo $$ >{shlex.quote(str(noted))}; while :; do sleep 0.05; done"
    client = CephClient(["sh", "-c", script], limit=LIMIT)
    with pytest.raises(NotNow):
        client.ask("status")
    until(lambda: gone(int(noted.read_text())))
