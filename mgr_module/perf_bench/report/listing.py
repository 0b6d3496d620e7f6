"""Search and sort the rows of a list, of any type."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any, Callable, Optional, TypeVar

from ..model.arguments import not_one_of

T = TypeVar("T")
# Functions that read a row's value, by the public key; None for no value.
Fields = Mapping[str, Callable[[T], Any]]


def keyed(*keys: str) -> Mapping[str, Callable[[Any], Any]]:
    """Fields of rows that are JSON objects with these keys."""
    return {key: itemgetter(key) for key in keys}


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
