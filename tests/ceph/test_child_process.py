"""Child processes: what becomes of them, and of their parents."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import threads
from fakes.ceph import MgrWorld, installed
from perf_bench.errors import CommandFailed
from perf_bench.model.plan import MIB, OUT_OF_REACH, READ, Step
from perf_bench.model.rados import Groups

if TYPE_CHECKING:
    from perf_bench.ceph.read_probe import ReadProbe

STEP = Step(READ, 4 * MIB, 64 * MIB, 4 * MIB, 16)


@pytest.fixture
def children(pacific: MgrWorld) -> Iterator[ModuleType]:
    with installed(pacific):
        from perf_bench.ceph import child_process

        yield child_process


def _program(children: ModuleType, monkeypatch: pytest.MonkeyPatch, code: str) -> Any:
    """A program that is this Python code."""

    class Program:
        value = (sys.executable, "-c", code)

    return Program()


def _ended(pid: int) -> bool:
    """Whether there is no such process any more, or nobody has waited for it yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def _sees_end(pid: int) -> None:
    until = time.monotonic() + threads.PATIENCE
    while not _ended(pid):
        assert time.monotonic() < until, f"{pid} still runs"
        time.sleep(0.01)


SAYS_AND_WAITS = (
    "import os, sys; print(os.getpid(), flush=True); "
    "[print(line.upper(), end='', flush=True) for line in sys.stdin]; import time; time.sleep(600)"
)


def test_lines_go_in_and_out_until_it_is_ended(
    children: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = children.Child(_program(children, monkeypatch, SAYS_AND_WAITS), (), 60)
    lines = child.lines()
    pid = int(next(lines))
    child.write({"a": "one"})
    assert next(lines) == b'{"A": "ONE"}'
    child.end()
    assert list(lines) == []
    _sees_end(pid)
    child.end()


def test_the_kernel_ends_it_at_its_deadline(children: ModuleType) -> None:
    class Program:
        value = ("sleep", "600")

    child = children.Child(Program, (), 1)
    assert list(child.lines()) == []
    child.end()
    assert child._process.returncode == -signal.SIGALRM


PARENT = """
import signal, sys, time
from perf_bench.ceph import child_process as children
class Program: value = (sys.executable, "-c", %r)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGTERM, signal.SIGINT})
child = children.Child(Program, (), 60)
lines = child.lines()
print(int(next(lines)), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV])
def test_it_dies_with_its_parent(how: signal.Signals, children: ModuleType) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT % SAYS_AND_WAITS],
        stdout=subprocess.PIPE,
        cwd="/",
        env=children.environment(),
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert not _ended(pid)
    os.kill(parent.pid, how)
    parent.wait(threads.PATIENCE)
    parent.stdout.close()
    _sees_end(pid)


def test_it_dies_with_the_thread_that_started_it(
    children: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    def start() -> None:
        program = _program(children, monkeypatch, SAYS_AND_WAITS)
        started.append(children.Child(program, (), 60))
        started.append(started[0].lines())
        started.append(int(next(started[1])))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join(threads.PATIENCE)
    _sees_end(started[2])
    started[0].end()
    assert list(started[1]) == []


# --- reads through such a process ------------------------------------------------------------

# Does what it is asked as soon as it is asked it, but for osd.2, which never answers, and osd.3,
# at which it dies.
ANSWERS = """
import json, os, sys
connect = json.loads(sys.stdin.readline())
for line in sys.stdin:
    asked = json.loads(line)
    number = asked["number"]
    if asked["what"] == "make":
        made = {osd: ["a"] * asked["count"] if own else [] for osd, own in asked["groups"].items()}
        answer = {"answer": made}
    elif asked["what"] == "remove":
        answer = {"answer": {"removed": 3}}
    elif asked["osd"] == 2:
        continue
    elif asked["osd"] == 3:
        os._exit(1)
    elif asked["osd"] == 1:
        answer = {"errno": 5, "error": "an error of its own"}
    else:
        answer = {"answer": {"bytes": asked["total"], "seconds": 0.5, "reads": 16}}
    print(json.dumps({"number": number, **answer}), flush=True)
"""
CONNECT: Mapping[str, Any] = {"name": "mgr.x"}
# osd.4 is the primary of none.
GROUPS = Groups(8, {osd: (osd, osd + 4) for osd in range(4)})


@pytest.fixture
def reads(children: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReadProbe]:
    from perf_bench.ceph.read_probe import ReadProbe

    program = _program(children, monkeypatch, ANSWERS)
    made = ReadProbe(lambda: children.Child(program, (), 60), CONNECT)
    made.make(dict.fromkeys((0, 1, 2, 3, 4), STEP), GROUPS, "token", lambda: False)
    yield made
    made.close()
    threads.join("perf-bench-reads")


def test_a_read_is_a_sample_without_bytes_written(reads: ReadProbe) -> None:
    answer = reads.read(0, STEP, threads.PATIENCE)
    assert (answer.bytes_written, answer.block_size, answer.seconds) == (0, 4 * MIB, 0.5)
    assert (answer.bytes_per_second, answer.iops) == (128 * MIB, 32.0)


@pytest.mark.parametrize(
    ("osd", "limit", "code", "sentence"),
    [
        (1, threads.PATIENCE, errno.EIO, "an error of its own"),
        (2, 0.5, errno.ETIMEDOUT, "no answer within 0 s"),
        (3, threads.PATIENCE, errno.EPIPE, "the reading process has ended"),
        (4, threads.PATIENCE, errno.ENODATA, OUT_OF_REACH),
        (9, threads.PATIENCE, errno.ENODATA, OUT_OF_REACH),
    ],
)
def test_a_read_that_fails_says_why(
    osd: int, limit: float, code: int, sentence: str, reads: ReadProbe
) -> None:
    with pytest.raises(CommandFailed) as caught:
        reads.read(osd, STEP, limit)
    assert (caught.value.errno, str(caught.value)) == (code, sentence)


def test_after_its_end_there_is_another_process(reads: ReadProbe) -> None:
    with pytest.raises(CommandFailed):
        reads.read(3, STEP, threads.PATIENCE)
    assert reads.read(0, STEP, threads.PATIENCE).seconds == 0.5


def test_a_read_is_given_up_with_the_round(children: ModuleType, reads: ReadProbe) -> None:
    ended = threading.Event()
    reads.make({2: STEP}, GROUPS, "token", ended.is_set)
    threading.Timer(0.1, ended.set).start()
    with pytest.raises(CommandFailed, match="the round has ended"):
        reads.read(2, STEP, 600)
    # what is removed then is still removed
    reads.remove(threads.PATIENCE)


def test_it_is_closed_also_while_its_process_stands_still(
    children: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that was stopped or is swapped out, with more in its pipe than that takes."""
    from perf_bench.ceph.read_probe import ReadProbe

    stops = "import os, signal, sys; os.kill(os.getpid(), signal.SIGSTOP); sys.stdin.readline()"
    program = _program(children, monkeypatch, stops)
    probe = ReadProbe(lambda: children.Child(program, (), 60), {"name": "x" * (1 << 10)})
    failed: list[CommandFailed] = []
    entered = threading.Event()

    def remove() -> None:
        entered.set()
        try:
            probe._ask("remove", threads.PATIENCE, token="x" * (1 << 20))
        except CommandFailed as error:
            failed.append(error)

    waiting = threading.Thread(target=remove, daemon=True)
    waiting.start()
    assert entered.wait(threads.PATIENCE)
    waiting.join(0.5)
    assert waiting.is_alive()
    closing = threading.Thread(target=probe.close, daemon=True)
    closing.start()
    closing.join(threads.PATIENCE / 2)
    assert not closing.is_alive()
    waiting.join(threads.PATIENCE)
    assert [error.errno for error in failed] == [errno.EPIPE]
    threads.join("perf-bench-reads")


def test_nothing_is_started_after_the_round(children: ModuleType) -> None:
    """A read that its round did not wait for comes after the end: nobody would end its process."""
    from perf_bench.ceph.read_probe import ReadProbe

    def start() -> Any:
        raise AssertionError("a process is started")

    probe = ReadProbe(start, CONNECT)
    probe.close()
    with pytest.raises(CommandFailed, match="the round has ended"):
        probe.remove(1.0)
