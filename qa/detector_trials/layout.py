"""What the columns of a trace mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from perf_bench.model.finding import CHANNELS, COMMIT

from .errors import TraceError

# A latency that is not said to be of any channel is judged as this one.
PLAIN = COMMIT
# Cumulative pairs by channel: total seconds and operations.
PAIRS = {"read": ("read_sum_s", "read_count"), "commit": ("write_sum_s", "write_count")}
_PLACES = ("cohort", "class", "rack", "enclosure", "device")


@dataclass(frozen=True)
class Layout:
    """Where in a row each thing stands.

    ``osd`` is one column, or two: host and disk. ``values`` are the columns of numbers by what
    they are: ``latency:commit``, ``ops:commit``, ``throughput``, or a cumulative counter's own
    name. ``cumulative`` says which of the two shapes it is.
    """

    width: int
    ts: int
    osd: tuple[int, ...]
    host: int
    places: Mapping[str, int]
    values: Mapping[str, int]
    cumulative: bool
    marks: Optional[int] = None

    @property
    def identity(self) -> tuple[int, ...]:
        """The columns that say which OSD a row is about, and where it stands."""
        return (*self.osd, self.host, *self.places.values())

    @property
    def numbers(self) -> int:
        """How many numbers a row has, its marks among them."""
        return len(self.values) + (self.marks is not None)


def layout_of(header: Sequence[str]) -> Layout:
    """Read the header; raises TraceError when a column is missing or there twice."""
    names = [name.strip().lower() for name in header]
    twice = {name for name in names if name and names.count(name) > 1}
    if twice:
        raise TraceError(f"the column '{min(twice)}' is there twice")
    at = {name: place for place, name in enumerate(names)}
    missing = [name for name in ("ts", "host") if name not in at]
    if "osd" not in at and "disk" not in at:
        missing.append("osd")
    if missing:
        raise TraceError(f"the column '{missing[0]}' is missing, the header is: {_shown(names)}")
    values = _means(at)
    cumulative = not values
    return Layout(
        width=len(names),
        ts=at["ts"],
        osd=(at["osd"],) if "osd" in at else (at["host"], at["disk"]),
        host=at["host"],
        places={name: at[name] for name in _PLACES if name in at},
        values=values or _counters(at, names),
        cumulative=cumulative,
        marks=None if cumulative else at.get("marks"),
    )


def _means(at: Mapping[str, int]) -> dict[str, int]:
    """Columns of means: plain ``latency``, or a ``latency_<channel>`` for each."""
    values = {}
    for channel in CHANNELS:
        for kind in ("latency", "ops"):
            name = f"{kind}_{channel}"
            if channel == PLAIN and name not in at:
                name = kind
            if name in at:
                values[f"{kind}:{channel}"] = at[name]
    if not any(name.startswith("latency:") for name in values):
        return {}
    if "throughput" not in at:
        raise TraceError("the column 'throughput' is missing, which goes with latency")
    return {**values, "throughput": at["throughput"]}


def _counters(at: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    pairs = [pair for pair in PAIRS.values() if any(name in at for name in pair)]
    if not pairs:
        raise TraceError(
            "there is no column 'latency' and there are no counters such as 'read_sum_s', "
            f"the header is: {_shown(names)}"
        )
    missing = [name for pair in pairs for name in pair if name not in at]
    if missing:
        raise TraceError(f"the column '{missing[0]}' is missing, counters come in pairs")
    wanted = [*(name for pair in pairs for name in pair), "bytes"]
    return {name: at[name] for name in wanted if name in at}


def _shown(names: Sequence[str]) -> str:
    text = ",".join(names)
    return text if len(text) <= 100 else text[:100] + "…"
