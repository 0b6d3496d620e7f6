"""What a daemon is doing that runs and does not answer: its threads, and where those wait."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from .processes import Process

# Threads whose calls are worth reading when an OSD hangs, most telling first: the one of commands
# (a bench too), operations, messages, BlueStore's.
_THREADS = ("admin_socket", "tp_osd_tp", "ms_dispatch", "bstore_", "fn_", "cfin", "finisher")
_FRAMES = 14
_GDB_SECONDS = 60.0
_MOST_LINES = 160
# The function of a line of gdb's: "#3  0x7f.. in BlueStore::_kv_sync_thread (this=...) at ...".
_FUNCTION = re.compile(r"^#\d+\s+(?:0x[0-9a-f]+ in )?([^(]+)\(")
# Every waiting thread is in these.
_WAITS = ("futex", "pthread_cond", "start_thread", "clone")


def describe(process: Process) -> str:
    """Its state, its threads by what they wait for, and with gdb the calls of those that matter."""
    folder = Path(f"/proc/{process.pid}")
    waits: Counter[str] = Counter()
    for task in sorted(folder.glob("task/*")):
        with contextlib.suppress(OSError):
            waits[f"{_read(task / 'comm')} {_state(task)} in {_read(task / 'wchan')}"] += 1
    lines = [f"process {process.pid} is {_state(folder)}; its threads:"]
    lines += [f"  {count} {said}" for said, count in sorted(waits.items())]
    return "\n".join((lines + _calls(process))[:_MOST_LINES])


def _read(path: Path) -> str:
    return path.read_text(encoding="ascii", errors="replace").strip()


def _state(folder: Path) -> str:
    with contextlib.suppress(OSError):
        return _read(folder / "stat").rpartition(")")[2].split()[0]
    return "gone"


def _calls(process: Process) -> list[str]:
    gdb = shutil.which("gdb")
    if not gdb:
        return ["no gdb here, so the calls of its threads are not known"]
    argv = [gdb, "-batch", "-p", str(process.pid), "-ex", f"thread apply all bt {_FRAMES}"]
    try:
        said = subprocess.run(
            argv, check=False, capture_output=True, text=True, timeout=_GDB_SECONDS
        ).stdout
    except subprocess.TimeoutExpired:
        return [f"gdb did not end in {_GDB_SECONDS:g} s"]
    return compact(said)


def compact(said: str) -> list[str]:
    """The threads that matter in gdb's output, most telling first: a line each, innermost first."""
    found: list[tuple[int, str]] = []
    for thread in said.split("\nThread ")[1:]:
        head, *frames = thread.splitlines()
        rank = next((at for at, name in enumerate(_THREADS) if f'"{name}' in head), None)
        if rank is None:
            continue
        calls = [match.group(1).strip() for match in map(_FUNCTION.match, frames) if match]
        calls = [call for call in calls if not any(wait in call for wait in _WAITS)]
        line = f"thread {head.split()[0]} {_THREADS[rank]}: {' < '.join(calls)}"
        found.append((rank, line))
    return [line for _, line in sorted(found, key=lambda each: each[0])]
