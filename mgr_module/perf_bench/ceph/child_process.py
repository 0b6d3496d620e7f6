"""Child processes, for work that must not be done in the mgr's own interpreter.

Only the programs named here are started, without a shell. A child

- dies with the thread that started it (the kernel sees to it: ``PR_SET_PDEATHSIG``), so with the
  mgr, and also when the mgr begins anew in the same process;
- has a deadline that the kernel holds, whatever becomes of the mgr's threads;
- is ended by its own process, never by a name.

``python3 -m perf_bench.ceph.child_process PARENT SECONDS PROGRAM …`` is the child's first breath.
In it and not in ``preexec_fn``, which sub-interpreters refuse; nor by ``setpriv --pdeathsig``,
which the util-linux of older containers does not have.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Callable

_PACKAGES = Path(__file__).resolve().parents[2]
_PR_SET_PDEATHSIG = 1
# A child that was killed is gone within moments, unless the kernel holds it in a system call.
_KILL_PATIENCE = 5.0
# How often it is asked whether to go on.
_POLL = 0.2


class Program(Enum):
    """What may be started, by its first words."""

    # Reads objects of chosen OSDs; see programs/read_osds.py.
    READER = ("python3", "-m", "perf_bench.programs.read_osds")
    # The clients of a round, who leads those of workers, and who removes what they leave.
    CLIENTS = ("python3", "-m", "perf_bench.programs.run_clients")
    FOREMAN = ("python3", "-m", "perf_bench.programs.lead_workers")
    SWEEPER = ("python3", "-m", "perf_bench.programs.clean_up")


def python() -> str:
    """The interpreter for processes of our own; inside a mgr ``sys.executable`` is the mgr."""
    return shutil.which("python3") or sys.executable


def environment() -> Mapping[str, str]:
    """The environment in which such a process finds this package."""
    return {**os.environ, "PYTHONPATH": f"{_PACKAGES}:{os.environ.get('PYTHONPATH', '')}"}


class Child:
    """One child process with pipes to its input and output; what it says of errors is lost."""

    def __init__(self, program: Program, words: Sequence[str], seconds: float) -> None:
        """Start it; ``seconds`` from now it is dead. Raises OSError."""
        first = [python(), "-m", __name__, str(os.getpid()), str(max(1, int(seconds)))]
        self._process = subprocess.Popen(
            [*first, *program.value, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment(),
        )

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def write(self, line: bytes) -> None:
        """Write to its input, a line. Raises OSError when it has ended."""
        pipe = self._process.stdin
        if pipe is not None:
            pipe.write(line + b"\n")
            pipe.flush()

    def lines(self) -> Iterator[bytes]:
        """The lines of its output as they come, until it ends. Raises OSError, ValueError then."""
        pipe = self._process.stdout
        if pipe is not None:
            with pipe:
                yield from pipe

    def lines_until(self, ended: Callable[[], bool]) -> Iterator[bytes]:
        """The same, but no more as soon as ``ended`` says so. Raises OSError."""
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

    def leave(self, seconds: float) -> None:
        """Close its input, by which it is told to end, and give it so long to do so."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def end(self) -> None:
        """End it now, if it has not ended; it leaves no zombie."""
        with contextlib.suppress(OSError):
            self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_KILL_PATIENCE)
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()


def main(parent: int, seconds: int, words: Sequence[str]) -> None:
    """Bind the life of this process to its parent's and to the clock, then become the program."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was gone before the line above
        sys.exit(1)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # a mgr's threads block all signals
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)  # it is kept over exec
    os.execvp(words[0], list(words))  # noqa: S606 - no shell is what is wanted


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
