"""What of the database cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

# By table what a row is, with its key.
_NAMES = {
    "rounds": "round {0}",
    "schedules": "schedule {0}",
    "samples": "sample {2} {3} of osd.{1} in round {0}",
    "results": "result of osd.{1} in round {0}",
    "loads": "repeat {1} of round {0}",
    "findings": "finding {0}",
    "states": "state {0} of the watch",
    "episodes": "laggy episode of {0:.0f}",
    "host_facts": "facts of host {0}",
    "wear": "wear of osd.{1} by round token {0}",
    "series": "latencies of a chunk of OSDs ({1}) at {2}, level {0}",
}
Key = tuple[Union[str, int, float], ...]


@dataclass(frozen=True)
class UnreadableRow:
    """A row that is left where it is and passed over; ``key`` as its table's primary key."""

    table: str
    key: Key
    why: str

    def __str__(self) -> str:
        """What it is to an operator."""
        return _NAMES.get(self.table, self.table).format(*self.key)
