"""Have a benchmark's processes run before other work on the machine: they are what is measured."""

from __future__ import annotations

import contextlib
from pathlib import Path

_NICE = "-10"


def first(pid: int) -> None:
    """Prefer all processes of that one's session, its children to come among them.

    Where the kernel shares the processors among sessions, being nice within one's own is nothing.
    """
    with contextlib.suppress(OSError):  # without that kernel feature, or without the right to
        Path(f"/proc/{pid}/autogroup").write_text(_NICE, encoding="ascii")


def processes_with(words: bytes) -> list[int]:
    """The processes that have these words in their command line."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if words in file.read_bytes():
                found.append(int(file.parent.name))
    return found
