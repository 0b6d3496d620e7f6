"""What a benchmark finds: figures with their targets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Target:
    """The values that are good enough, both ends included."""

    low: float = -math.inf
    high: float = math.inf

    def met_by(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if self.low == -math.inf:
            return f"<= {self.high:g}"
        return f"{self.low:g} .. {self.high:g}"


@dataclass(frozen=True)
class Figure:
    """One measured value. Without a target it is told, and nothing is judged by it.

    `note` is for people; `detail` goes to the JSON alone: whatever the value was made of.
    """

    name: str
    value: float
    unit: str
    target: Target | None = None
    note: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        return None if self.target is None else self.target.met_by(self.value)

    @property
    def shape(self) -> dict[str, Any]:
        """As it stands in the JSON."""
        bounds = (self.target.low, self.target.high) if self.target else (-math.inf, math.inf)
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "target": [None if math.isinf(bound) else bound for bound in bounds],
            "met": self.met,
            "note": self.note,
            "detail": dict(self.detail),
        }


def table(groups: Mapping[str, Sequence[Figure]]) -> str:
    """All figures by benchmark, in columns, with a verdict where there is a target."""
    rows = [("", "FIGURE", "TARGET", "", "NOTE")]
    for benchmark, figures in groups.items():
        rows.append((benchmark.upper(), "", "", "", ""))
        rows += [_row(figure) for figure in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = (
        f"{name:<{widths[0]}}  {value:>{widths[1]}}  {target:>{widths[2]}}  "
        f"{verdict:<{widths[3]}}  {note}"
        for name, value, target, verdict, note in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _row(figure: Figure) -> tuple[str, str, str, str, str]:
    verdict = {True: "pass", False: "MISS", None: ""}[figure.met]
    value = f"{_digits(figure.value)} {figure.unit}".rstrip()
    target = "" if figure.target is None else str(figure.target)
    return f"  {figure.name}", value, target, verdict, figure.note


def _digits(value: float) -> str:
    """About four significant digits."""
    if value >= 1000:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 100 else f"{value:.2f}" if value >= 10 else f"{value:.3f}"
