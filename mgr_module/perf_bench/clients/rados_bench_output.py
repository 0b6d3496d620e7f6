"""Parse the text that ``rados bench`` of Ceph 16, 18 and 20 prints while it runs.

Only those totals are read that cannot be computed from its rows.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping

from ..errors import CommandFailed
from ..model import unmeasured
from ..model.rados import ClientRun, Row

_NUMBER = r"-?[\d.]+(?:e[-+]?\d+)?"
# sec, in flight, started, finished, mean MB/s, MB/s, last latency, mean latency
_ROW = re.compile(rf"\s*(\d+)\s+\d+\s+\d+\s+(\d+)\s+{_NUMBER}\s+{_NUMBER}\s+\S+\s+({_NUMBER})\s*$")
_TOTAL = re.compile(r"([A-Z][\w /()]+?):\s+(\S+)\s*$")
_SHOWN = 80


class RadosOutput:
    """Parses the text of one run, line by line."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.prefix = ""
        self._totals: dict[str, str] = {}
        self._started: list[float] = []
        self._last = ""

    def feed(self, line: str, at: float = 0.0) -> None:
        """Take a line that came ``at`` (unix seconds)."""
        self._last = line.strip() or self._last
        row = _ROW.match(line)
        if row:
            self.rows.append(Row(int(row[1]), int(row[2]), float(row[3])))
            self._started.append(at - int(row[1]))
            return
        total = _TOTAL.match(line)
        if total and total[1] == "Object prefix":
            self.prefix = total[2]
        elif total:
            self._totals[total[1]] = total[2]

    def result(self) -> ClientRun:
        """The run, after the last line. Raises CommandFailed if the output is not complete."""
        if not self._totals and not self.rows:
            raise _unknown(self._last)
        if "Average Latency(s)" not in self._totals or "Min latency(s)" not in self._totals:
            why = unmeasured.rados_unfinished(self._second, self._last[:_SHOWN])
            raise CommandFailed(errno.EPROTO, why)
        return _run(_Totals(self._totals, self._last), tuple(self.rows), self.prefix, self._began)

    @property
    def _second(self) -> int:
        return self.rows[-1].second if self.rows else 0

    @property
    def _began(self) -> float:
        # A line may be read late, but never early.
        return max(0.0, min(self._started, default=0.0))


class _Totals:
    """The totals after the last row, by name."""

    def __init__(self, values: Mapping[str, str], text: str) -> None:
        self._values = values
        self._text = text

    def number(self, *names: str) -> float:
        """The value of the first existing one of these names. Raises CommandFailed."""
        for name in names:
            if name in self._values:
                try:
                    return float(self._values[name])
                except ValueError:
                    raise _unknown(f"{name}: {self._values[name]}") from None
        raise _unknown(self._text)


def _run(totals: _Totals, rows: tuple[Row, ...], prefix: str, began: float) -> ClientRun:
    return ClientRun(
        op_size=int(totals.number("Write size", "Read size")),
        seconds=totals.number("Total time run"),
        operations=int(totals.number("Total writes made", "Total reads made")),
        mean_latency=totals.number("Average Latency(s)"),
        min_latency=totals.number("Min latency(s)"),
        max_latency=totals.number("Max latency(s)"),
        rows=rows,
        started_at=began,
        prefix=prefix,
    )


def _unknown(text: str) -> CommandFailed:
    shown = text.strip().splitlines()[0][:_SHOWN] if text.strip() else ""
    return CommandFailed(errno.EPROTO, unmeasured.rados_unknown(shown))
