"""Lists: their pages, what they are searched for, and their order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Any, Callable, NamedTuple, Optional, TypeVar

from ..errors import InvalidValue
from ..model.phrases import not_one_of
from .shape import field_of

T = TypeVar("T")
# Functions that read a row's value, by the public key; None for no value.
Fields = Mapping[str, Callable[[T], Any]]

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


class Page(NamedTuple):
    """Which rows of a list are wanted; ``sort`` is "key", "+key" or "-key" (descending)."""

    limit: Optional[int] = None
    offset: Optional[int] = None
    search: Optional[str] = None
    sort: Optional[str] = None

    @classmethod
    def asked(cls, words: Mapping[str, Any]) -> Page:
        """The page that arguments ask for; other arguments are ignored."""
        return cls(*map(words.get, cls._fields))

    def of(
        self,
        rows: Sequence[T],
        shown: Fields[T],
        searched: Sequence[str],
        sort: str = "",
        read: Optional[Fields[T]] = None,
    ) -> tuple[list[T], int]:
        """The rows of the page, and how many there are in all.

        ``sort`` is the order where none is asked for; ``read`` are the fields as they are searched
        where these differ from those by which is sorted. Raises InvalidValue.
        """
        first, count = page_of(self.limit, self.offset)
        found = matching(rows, read or shown, searched, self.search) if self.search else list(rows)
        order = self.sort or sort
        found = ordered(found, shown, order) if order else found
        return found[first : first + count], len(found)

    def of_keyed(self, rows: Sequence[T], *keys: str) -> tuple[list[T], int]:
        """The same for rows that have these keys."""
        return self.of(rows, keyed(*keys), keys)


WHOLE = Page()


def keyed(*keys: str) -> Mapping[str, Callable[[Any], Any]]:
    """Fields of rows that are answers, or JSON objects, with these keys."""
    return {key: _reader(key) for key in keys}


def _reader(key: str) -> Callable[[Any], Any]:
    name = field_of(key)

    def read(row: Any) -> Any:
        value = row[key] if isinstance(row, dict) else getattr(row, name)
        return value.value if isinstance(value, Enum) else value

    return read


def matching(rows: Sequence[T], fields: Fields[T], keys: Sequence[str], search: str) -> list[T]:
    """The rows with ``search`` in one of the fields as displayed; case is ignored."""
    wanted, read = search.casefold(), [(key, fields[key]) for key in keys]
    return [row for row in rows if any(wanted in _seen(key, of(row)) for key, of in read)]


def picked(
    rows: Sequence[T],
    fields: Fields[T],
    keys: Sequence[str],
    search: Optional[str],
    sort: Optional[str],
) -> list[T]:
    """The rows filtered by ``search`` and ordered by ``sort``, where these are given."""
    found = matching(rows, fields, keys, search) if search else list(rows)
    return ordered(found, fields, sort) if sort else found


def sort_key(sort: str, keys: Collection[str]) -> str:
    """The key in "key", "+key" or "-key". Raises InvalidValue with the valid keys."""
    key = sort[1:] if sort.startswith(("+", "-")) else sort
    if key not in keys:
        raise not_one_of("sort", sort, keys)
    return key


def ordered(rows: Sequence[T], fields: Fields[T], sort: str) -> list[T]:
    """The rows by "key", "+key" or "-key" (descending); rows without a value are last.

    Raises InvalidValue with the valid keys.
    """
    value = fields[sort_key(sort, fields)]
    values = [value(row) for row in rows]
    known = [place for place, found in enumerate(values) if found is not None]
    known.sort(key=values.__getitem__, reverse=sort.startswith("-"))
    unknown = [row for row, found in zip(rows, values) if found is None]
    return [rows[place] for place in known] + unknown


def _seen(key: str, value: Any) -> str:
    """A value as it is displayed, in lower case: "osd.3" for an OSD's ID."""
    return "" if value is None else f"{'osd.' if key == 'osd' else ''}{value}".casefold()
