"""Read the performance counters that OSDs have sent to the mgr, on every release.

16 and 18 have ``get_counter``, 20 has ``get_unlabeled_counter`` instead. A counter that was not
sent reads as an empty list or as 0, so names are taken from the schema, which has only counters
that were sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

from mgr_module import MgrModule

from ..ports import CounterPoint
from ..ports.watch_inputs import Columns, RawPoint

_NANOSECOND = 1e-9
# Bits of a counter's type in the schema: a time, and a sum with the number of its parts.
_TIME_AVERAGE = 1 | 4


class MgrCounters:
    """Implements Counters on a ceph-mgr."""

    def __init__(self, mgr: MgrModule) -> None:
        self._counter = _either(mgr, "get_unlabeled_counter", "get_counter")
        self._schema = _either(mgr, "get_unlabeled_perf_schema", "get_perf_schema")
        self._averages: set[str] = set()

    def names(self, osd: int) -> frozenset[str]:
        schema = self._schema("osd", str(osd)).get(f"osd.{osd}", {})
        for name, entry in schema.items():
            if entry["type"] & _TIME_AVERAGE == _TIME_AVERAGE:
                self._averages.add(name)
        return frozenset(schema)

    def points(self, osd: int, name: str) -> Sequence[CounterPoint]:
        return list(zip(*self.columns(name, self.raw(osd, name))))

    def raw(self, osd: int, name: str) -> Sequence[RawPoint]:
        """Return the points as the mgr has them, for ``columns``."""
        raw: Sequence[RawPoint] = self._counter("osd", str(osd), name)[name]
        return raw

    def columns(self, name: str, raw: Sequence[RawPoint]) -> Columns:
        """Return the stamps, sums and numbers of these points of a counter."""
        if not raw:
            return (), (), ()
        if name in self._averages:
            stamps, totals, numbers = zip(*raw)
            return stamps, [total * _NANOSECOND for total in totals], numbers
        stamps, values = zip(*raw)
        return stamps, values, (0,) * len(stamps)


def _either(mgr: MgrModule, new: str, old: str) -> Callable[..., Any]:
    """The method with its new name if the release has that, else with the old one."""
    method: Callable[..., Any] = getattr(mgr, new, None) or getattr(mgr, old)
    return method
