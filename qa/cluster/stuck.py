"""What a daemon is doing that runs and does not answer: its threads, and where those wait."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from .processes import Process

# Threads whose calls are worth reading when an OSD hangs: commands, and BlueStore's.
_THREADS = ("admin_socket", "bstore_", "fn_", "finisher", "cfin")
_FRAMES = 14
_GDB_SECONDS = 60.0
_MOST_LINES = 160


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
    found: list[str] = []
    for thread in said.split("\nThread ")[1:]:
        if any(f'"{name}' in thread.partition("\n")[0] for name in _THREADS):
            found += ["thread " + thread.partition("(More stack frames")[0].strip()]
    return "\n".join(found).splitlines()
