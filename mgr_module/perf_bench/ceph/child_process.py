"""Child processes, for work that must not run in the mgr's own interpreter.

Only the programs listed here are started, without a shell. A child

- is killed by the kernel (``PR_SET_PDEATHSIG``) when the thread that started it ends: with the mgr,
  and also when the mgr restarts in the same process;
- has a deadline that the kernel enforces, independent of the mgr's threads;
- is ended by its process ID, never by a name.

``python3 -m perf_bench.ceph.child_process PARENT SECONDS PROGRAM …`` sets this up in the child,
then becomes PROGRAM. ``preexec_fn`` is not possible in sub-interpreters, and
``setpriv --pdeathsig`` is missing in the util-linux of older containers.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Callable

_PACKAGES = Path(__file__).resolve().parents[2]
_PR_SET_PDEATHSIG = 1
# Seconds to wait for a killed child, which may be blocked in a system call.
_KILL_PATIENCE = 5.0
# Seconds between two checks whether to go on.
_POLL = 0.2


class Program(Enum):
    """The programs that may be started, by their command lines."""

    READ_OSDS = ("python3", "-m", "perf_bench.programs.read_osds")
    RUN_CLIENTS = ("python3", "-m", "perf_bench.programs.run_clients")
    CLEAN_UP = ("python3", "-m", "perf_bench.programs.clean_up")


def python() -> str:
    """The Python interpreter for child processes; inside a mgr ``sys.executable`` is the mgr."""
    return shutil.which("python3") or sys.executable


def environment() -> Mapping[str, str]:
    """The environment for child processes, in which they can import this package."""
    return {**os.environ, "PYTHONPATH": f"{_PACKAGES}:{os.environ.get('PYTHONPATH', '')}"}


class Child:
    """One child process with pipes to its stdin and stdout; its stderr is discarded."""

    def __init__(self, program: Program, words: Sequence[str], seconds: float) -> None:
        """Start it; it is killed after ``seconds``. Raises OSError."""
        first = [python(), "-m", __name__, str(os.getpid()), str(max(1, int(seconds)))]
        self._process = subprocess.Popen(
            [*first, *program.value, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment(),
        )

    def write(self, value: Mapping[str, Any]) -> None:
        """Write a line of JSON to its stdin. Raises OSError if it has ended."""
        pipe = self._process.stdin
        if pipe is not None:
            pipe.write(json.dumps(value).encode() + b"\n")
            pipe.flush()

    def lines(self, ended: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
        """The lines of its stdout until it ends or ``ended`` returns True. Raises OSError."""
        pipe, part = self._process.stdout, b""
        if pipe is None:
            return
        with pipe, selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while not ended():
                if not selector.select(_POLL):
                    continue
                data = os.read(pipe.fileno(), 65536)
                if not data:
                    return
                *lines, part = (part + data).split(b"\n")
                yield from lines

    def end(self) -> None:
        """Kill it if it still runs, and reap it."""
        with contextlib.suppress(OSError):
            self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_KILL_PATIENCE)
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()


def main(parent: int, seconds: int, words: Sequence[str]) -> None:
    """Set the parent's death signal and the deadline, then become the program."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before the line above
        sys.exit(1)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # a mgr's threads block all signals
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)  # exec keeps it
    os.execvp(words[0], list(words))  # noqa: S606 - without a shell on purpose


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
