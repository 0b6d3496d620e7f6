"""What the detector costs: CPU of a tick, memory of an OSD."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from types import FunctionType, MethodType, ModuleType

_SHARED = (type, ModuleType, FunctionType, MethodType)


class Cost:
    """CPU time of this process by tick, in milliseconds."""

    def __init__(self) -> None:
        self._ticks: list[float] = []

    @contextmanager
    def tick(self) -> Iterator[None]:
        began = time.process_time()
        yield
        self._ticks.append((time.process_time() - began) * 1e3)

    @property
    def shape(self) -> dict[str, float]:
        ticks = self._ticks or [0.0]
        return {
            "ticks": len(self._ticks),
            "cpu_ms_per_tick_median": round(median(ticks), 3),
            "cpu_ms_per_tick_max": round(max(ticks), 3),
        }


def deep_bytes(*things: object) -> int:
    """The memory of all that can be reached from these, code not counted."""
    seen: set[int] = set()
    total, waiting = 0, list(things)
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, _SHARED):
            continue
        seen.add(id(thing))
        total += sys.getsizeof(thing)
        waiting.extend(gc.get_referents(thing))
    return total
