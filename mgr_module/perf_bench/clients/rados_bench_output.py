"""Parse the text that ``rados bench`` of Ceph 16, 18 and 20 prints while it runs.

Only those totals are read that cannot be computed from its rows.
"""

from __future__ import annotations

import errno
import re

from ..errors import CommandFailed
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
            second = self.rows[-1].second if self.rows else 0
            last = self._last[:_SHOWN]
            why = f"rados bench ended before its totals, after second {second}: '{last}'"
            raise CommandFailed(errno.EPROTO, why)
        return ClientRun(
            op_size=int(self._number("Write size", "Read size")),
            seconds=self._number("Total time run"),
            operations=int(self._number("Total writes made", "Total reads made")),
            mean_latency=self._number("Average Latency(s)"),
            min_latency=self._number("Min latency(s)"),
            max_latency=self._number("Max latency(s)"),
            rows=tuple(self.rows),
            # A line may be read late, but never early.
            started_at=max(0.0, min(self._started, default=0.0)),
            prefix=self.prefix,
        )

    def _number(self, *names: str) -> float:
        """The first existing total of these names. Raises CommandFailed."""
        for name in names:
            if name in self._totals:
                try:
                    return float(self._totals[name])
                except ValueError:
                    raise _unknown(f"{name}: {self._totals[name]}") from None
        raise _unknown(self._last)


def _unknown(text: str) -> CommandFailed:
    return CommandFailed(
        errno.EPROTO, f"this is not what rados bench prints: '{text.strip()[:_SHOWN]}'"
    )
