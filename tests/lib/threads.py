"""The module's threads, by the names it gives them."""

from __future__ import annotations

import threading
import time
from typing import Callable

# How long a test waits for a thread that is about to end. It fails when this runs out.
PATIENCE = 60.0


def alive(prefix: str = "perf-bench") -> list[threading.Thread]:
    """Those that have begun: one that is just being started cannot be waited for."""
    return [
        thread
        for thread in threading.enumerate()
        if thread.name.startswith(prefix) and thread.ident is not None
    ]


def join(prefix: str = "perf-bench") -> None:
    """Wait until all threads of that name have ended; raises AssertionError if one has not."""
    for thread in alive(prefix):
        thread.join(PATIENCE)
    stuck = [thread.name for thread in alive(prefix)]
    assert not stuck, f"still alive after {PATIENCE} s: {stuck}"


def until(condition: Callable[[], bool]) -> None:
    """Wait for what another thread is about to bring about; AssertionError if it does not."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE} s"
        time.sleep(0.001)
