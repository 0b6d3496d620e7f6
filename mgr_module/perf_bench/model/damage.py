"""What of the database cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

STORE = "PERF_BENCH_STORE"

Key = tuple[Union[str, int, float], ...]


@dataclass(frozen=True)
class UnreadableRow:
    """A row that is left where it is and passed over; ``key`` as its table's primary key."""

    table: str
    key: Key
    why: str

    def __str__(self) -> str:
        return f"{self.table} {'/'.join(map(str, self.key))}"
