"""Parse the output of ``rados bench``, as text while it runs and as JSON, of Ceph 16, 18 and 20.

Only those totals are read that cannot be computed from its rows: the JSON's ``stddev_iops`` of a
write is wrong on all three (docs/traps.md).
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Mapping
from typing import Any

from ..errors import CommandFailed
from ..model import unmeasured
from ..model.rados import ClientRun, Row

_NUMBER = r"-?[\d.]+(?:e[-+]?\d+)?"
# sec, in flight, started, finished, mean MB/s, MB/s, last latency, mean latency
_ROW = re.compile(rf"\s*(\d+)\s+\d+\s+\d+\s+(\d+)\s+{_NUMBER}\s+{_NUMBER}\s+\S+\s+({_NUMBER})\s*$")
_TOTAL = re.compile(r"([A-Z][\w /()]+?):\s+(\S+)\s*$")
# If it cleans up itself, this line is within the JSON.
_CLEAN_UP = re.compile(r"Cleaning up .*\n|Removed \d+ objects\n|Clean up completed .*\n")
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
        return min(self._started, default=0.0)


def parse(text: str) -> ClientRun:
    """Parse a whole output, text or JSON. Raises CommandFailed (EPROTO)."""
    begin = text.find("{")
    if begin >= 0:
        return _of_json(_CLEAN_UP.sub("", text[begin:]))
    output = RadosOutput()
    for line in text.splitlines():
        output.feed(line)
    return output.result()


def _of_json(text: str) -> ClientRun:
    try:
        found = json.loads(text)
        rows = tuple(
            Row(int(row["sec"]), int(row["finished"]), float(row["avg_lat"]))
            for row in found["datas"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise _unknown(text) from error
    return _run(_Totals(_as_text(found), text), rows, str(found.get("object_prefix", "")), 0.0)


def _as_text(found: Mapping[str, Any]) -> Mapping[str, str]:
    """The JSON's totals under their names in the text."""
    kind = "Write" if "total_writes_made" in found else "Read"
    names = {
        "Total time run": "total_time_run",
        f"Total {kind.lower()}s made": f"total_{kind.lower()}s_made",
        f"{kind} size": f"{kind.lower()}_size",
        "Average Latency(s)": "average_latency",
        "Min latency(s)": "min_latency",
        "Max latency(s)": "max_latency",
    }
    return {name: str(found[key]) for name, key in names.items() if key in found}


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
