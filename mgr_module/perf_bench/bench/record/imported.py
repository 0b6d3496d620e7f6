"""Say why a file cannot become a round, and what makes one that can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ...errors import InvalidValue
from ...model.json_fields import not_json

_FLAGS = {"fio": "--output-format=json", "elbencho": "--jsonfile", "warp": "analyze --json"}
# The end of the year 9999: no file is of a later one, but a broken one may say so.
_LATEST = 253402300799.0
# Keys of the JSON objects that each tool writes.
_KEYS = {
    "fio": frozenset(("jobs", "client_stats")),
    "elbencho": frozenset(("phase_type",)),
    "warp": frozenset(("by_op_type",)),
}


def refusal(tool: str, found: Sequence[Any] = ()) -> InvalidValue:
    """The error for a file without results of ``tool``; ``found`` are its JSON objects."""
    keys = {key for one in found if isinstance(one, Mapping) for key in one}
    for other in _KEYS.keys() - {tool}:
        if keys & _KEYS[other]:
            return InvalidValue(
                f"these are results of {other}: import them with --as {other}", "results"
            )
    made = f"import what {tool} {_FLAGS[tool]} wrote"
    if not found:
        return not_json("results", made)
    return InvalidValue(f"the results are not of {tool}: {made}", "results")


def several_runs(tool: str, times: Sequence[float], line: int = 0) -> InvalidValue:
    """The error for a file of several runs, which began at these ``times`` (unix seconds).

    The last run begins in this ``line`` of the file, if that is known.
    """
    first, last = (
        datetime.fromtimestamp(min(max(when, 0.0), _LATEST), timezone.utc).strftime("%F %T")
        for when in (min(times), max(times))
    )
    where = f"; tail -n +{line} prints the last one" if line else ""
    return InvalidValue(
        f"the file has several runs or reports of {tool}, from {first} to {last} UTC, and a round "
        f"is of one: give that one{where}",
        "results",
    )
