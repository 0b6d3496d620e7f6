"""Processes of a cluster: known from their first moment, ended by identity.

A process is its pid and its start time, and is signalled through a pidfd, so a recycled pid is
never hit. All carry the cluster's random id in their environment: none is lost with its record.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .errors import ClusterError
from .waiting import wait_for

ID_VARIABLE = "DEVCLUSTER_ID"

# The shell writes its own pid and start time before it becomes the program. It writes them at once,
# and starts no program after that: it would be one more process of the cluster for a moment.
_LAUNCH = 'echo "$$ $(cut -d" " -f22 /proc/$$/stat)" >"$1" && shift && exec "$@"'
# How long a process that becomes another program may show no environment.
_EXEC_SECONDS = 0.5
# A process that is killed ends only when a slow disk has taken what it writes.
_KILL_SECONDS = 120.0


@dataclass(frozen=True)
class Process:
    """One process; `start` is its start time in clock ticks since boot."""

    pid: int
    start: int

    @classmethod
    def of(cls, pid: int) -> Optional[Process]:
        """The process that has `pid` now, None when there is none or it is a zombie.

        One that becomes another program from a thread, as a mgr does, is a zombie for a moment, in
        which it still has that thread.
        """
        try:
            text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        fields = text.rpartition(")")[2].split()
        gone = fields[0] in "ZX" and int(fields[17]) < 2
        return None if gone else cls(pid, int(fields[19]))

    @classmethod
    def own(cls) -> Process:
        """The process that calls."""
        process = cls.of(os.getpid())
        if process is None:
            raise ClusterError("/proc does not show this process: is it mounted?")
        return process

    @property
    def alive(self) -> bool:
        return Process.of(self.pid) == self

    @property
    def cpu_seconds(self) -> float:
        """What it has taken of the processor since it began, in user and system time."""
        text = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8", errors="replace")
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def stopped(self) -> bool:
        """Whether a SIGSTOP holds it now."""
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8", errors="replace")
            return self.alive and text.rpartition(")")[2].split()[0] == "T"
        return False

    def signal(self, number: int) -> bool:
        """Send a signal; False when the process is gone."""
        with contextlib.suppress(ProcessLookupError), self._open() as handle:
            signal.pidfd_send_signal(handle, number)
            return True
        return False

    def ended(self, seconds: float) -> bool:
        """Wait until the process is gone; False when it still lives after `seconds`."""
        try:
            with self._open() as handle:
                poll = select.poll()  # select() refuses descriptors above 1023
                poll.register(handle, select.POLLIN)
                return bool(poll.poll(seconds * 1000))
        except ProcessLookupError:
            return True

    @contextlib.contextmanager
    def _open(self) -> Iterator[int]:
        handle = os.pidfd_open(self.pid)
        try:
            # Checked after the open: from here on the handle cannot mean another process.
            if not self.alive:
                raise ProcessLookupError(self.pid)
            yield handle
        finally:
            os.close(handle)


def read_pid_file(path: Path) -> Optional[Process]:
    """The process a pid file names, alive or not; None without a (whole) file."""
    try:
        text = path.read_text(encoding="utf-8")
        pid, start = text.split()
        return Process(int(pid), int(start)) if text.endswith("\n") else None
    except (OSError, ValueError):
        return None


def write_pid_file(path: Path, process: Process) -> None:
    """Record a process in one step."""
    new = path.with_name(path.name + ".new")
    new.write_text(f"{process.pid} {process.start}\n", encoding="utf-8")
    new.rename(path)


def launch(argv: Sequence[str], env: dict[str, str], pid_file: Path, output: Path) -> Process:
    """Start a process in a session of its own; its output is appended to `output`."""
    with contextlib.suppress(FileNotFoundError):
        pid_file.unlink()
    with output.open("ab") as stream:
        subprocess.run(
            ["setsid", "--fork", "sh", "-c", _LAUNCH, "sh", str(pid_file), *argv],
            env=env,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            check=True,
        )
    return wait_for(
        lambda: read_pid_file(pid_file), 60, lambda: f"{argv[0]} did not start", every=0.005
    )


def carrying(cluster_id: str) -> list[Process]:
    """All processes with the cluster's id in their environment, this one left out."""
    entry = f"{ID_VARIABLE}={cluster_id}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        process = Process.of(int(folder.name))
        if process and entry in _environment(folder).split(b"\0"):
            found.append(process)
    return found


def _environment(folder: Path) -> bytes:
    """A process's environment; empty for one that is gone, is another user's, or has none.

    It is also empty while the process becomes another program: then it is read again.
    """
    deadline = time.monotonic() + _EXEC_SECONDS
    with contextlib.suppress(OSError):
        while not (text := (folder / "environ").read_bytes()):
            (folder / "exe").readlink()  # a thread of the kernel has none: OSError
            if time.monotonic() > deadline:
                break
            time.sleep(0.001)
        return text
    return b""


def end(processes: Iterable[Process], grace: float = 5.0) -> None:
    """End processes: SIGTERM, after `grace` seconds SIGKILL; returns when all are gone."""
    left: set[Process] = {process for process in processes if process.alive}
    for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, _KILL_SECONDS)):
        for process in left:
            # A stopped process takes SIGTERM only once it runs again.
            process.signal(number)
            process.signal(signal.SIGCONT)
        deadline = time.monotonic() + seconds
        left = {p for p in left if not p.ended(max(0.0, deadline - time.monotonic()))}
    if left:
        raise ClusterError(f"processes {sorted(p.pid for p in left)} do not end on SIGKILL")
