"""Pages of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Optional, TypeVar

from ..errors import InvalidValue
from ..report.listing import Fields, keyed, picked

T = TypeVar("T")

PAGE = 50
MOST = 500
# Seconds: the greatest age of the maps in lists. Starting a round reads them anew.
MAPS_AGE = 10.0


def page_of(limit: Optional[int], offset: Optional[int]) -> tuple[int, int]:
    """(offset, limit), checked."""
    count = PAGE if limit is None else limit
    if not 1 <= count <= MOST:
        raise InvalidValue(
            f"--limit {count} is not within 1 to {MOST}",
            field="limit",
        )
    first = 0 if offset is None else offset
    if not 0 <= first < 1 << 31:
        raise InvalidValue(
            f"--offset {first} is not 0 or more",
            field="offset",
        )
    return first, count


@dataclass(frozen=True)
class Page:
    """Which rows of a list are wanted; ``sort`` is "key", "+key" or "-key" (descending)."""

    limit: Optional[int] = None
    offset: Optional[int] = None
    search: Optional[str] = None
    sort: Optional[str] = None

    @classmethod
    def asked(cls, words: Mapping[str, Any]) -> Page:
        """The page that arguments ask for; other arguments are ignored."""
        return cls(**{field.name: words.get(field.name) for field in fields(cls)})

    def of(
        self, rows: Sequence[T], shown: Fields[T], searched: Sequence[str], sort: str = ""
    ) -> tuple[list[T], int]:
        """The rows of the page, and how many there are in all.

        ``sort`` is the order where none is asked for. Raises InvalidValue.
        """
        first, count = page_of(self.limit, self.offset)
        found = picked(rows, shown, searched, self.search, self.sort or sort)
        return found[first : first + count], len(found)

    def of_keyed(self, rows: Sequence[T], *keys: str) -> tuple[list[T], int]:
        """The same for rows that are JSON objects with these keys."""
        return self.of(rows, keyed(*keys), keys)


WHOLE = Page()
