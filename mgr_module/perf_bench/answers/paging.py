"""Lists: their pages, what they are searched for, and their order."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import (
    Any,
    Callable,
    Literal,
    NamedTuple,
    Optional,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

from ..errors import InvalidValue
from ..model.finding import Target
from ..model.phrases import not_one_of
from .shape import Stamp, keys_of

T = TypeVar("T")
# Functions that read a row's value, by the public key; None for no value.
Fields = Mapping[str, Callable[[T], Any]]

PAGE = 50
MOST = 500


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

    def of(self, rows: Sequence[T], of: type[T], sort: str = "") -> tuple[list[T], int]:
        """The rows of the page, and how many there are in all.

        They are searched by the words in them and sorted by any key; ``sort`` is the order where
        none is asked for. Raises InvalidValue.
        """
        shown, read = _fields(cast(Hashable, of))
        return self.picked(rows, shown, read, sort)

    def picked(
        self, rows: Sequence[T], shown: Fields[T], read: Fields[T], sort: str = ""
    ) -> tuple[list[T], int]:
        """The same with the fields by which is sorted, and those that are searched."""
        first, count = page_of(self.limit, self.offset)
        found = list(rows)
        if self.search:
            wanted = self.search.casefold()
            found = [row for row in found if any(wanted in _seen(of(row)) for of in read.values())]
        order = self.sort or sort
        found = ordered(found, shown, order) if order else found
        return found[first : first + count], len(found)


WHOLE = Page()


@cache
def _fields(of: type[Any]) -> tuple[Fields[Any], Fields[Any]]:
    """The fields of a class of answers by which is sorted, and those with words.

    Enums are sorted as they are defined: severities so have the worst first.
    """
    keys = keys_of(cast(Hashable, of))
    shown = {key: _reader(name, _sorted) for key, name, _ in keys}
    return shown, {
        key: _reader(name, _named if key in ("osd", "osds") else _words)
        for key, name, hint in keys
        if key in ("id", "osd", "osds", "hosts") or _has_words(hint)
    }


def _reader(name: str, seen: Callable[[Any], Any]) -> Callable[[Any], Any]:
    read = attrgetter(name)
    return lambda row: seen(read(row))


def _has_words(hint: Any) -> bool:
    """Whether values of this type are words, or are written as some."""
    if hint in (Stamp, Optional[Stamp]):
        return False
    if hasattr(hint, "__metadata__"):
        return _has_words(hint.__origin__)
    if isinstance(hint, type):
        return issubclass(hint, (str, Enum)) or (is_dataclass(hint) and "__str__" in vars(hint))
    return get_origin(hint) is Literal or (
        get_origin(hint) is Union and any(map(_has_words, get_args(hint)))
    )


def _sorted(value: Any) -> Any:
    """What a value is sorted by: an enum by its place, a list by its length, osd.9 before 10."""
    if isinstance(value, Target):
        return value.kind, len(value.id), value.id
    if isinstance(value, Enum):
        return list(type(value)).index(value)
    if isinstance(value, (list, tuple, Mapping)):
        return len(value)
    return str(value) if is_dataclass(value) else value


def _words(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value.value if isinstance(value, Enum) else "" if value is None else value)


def _named(value: Any) -> str:
    """An OSD or several as "osd.3"."""
    osds = value if isinstance(value, (list, tuple)) else [] if value is None else [value]
    return ", ".join(f"osd.{osd}" for osd in osds)


def sort_key(sort: str, keys: Collection[str]) -> str:
    """The key in "key", "+key" or "-key". Raises InvalidValue with the valid keys."""
    key = sort[1:] if sort.startswith(("+", "-")) else sort
    if key not in keys:
        raise not_one_of("sort", sort, keys)
    return key


def ordered(rows: Sequence[T], shown: Fields[T], sort: str) -> list[T]:
    """The rows by "key", "+key" or "-key" (descending); rows without a value are last.

    Raises InvalidValue with the valid keys.
    """
    value = shown[sort_key(sort, shown)]
    values = [value(row) for row in rows]
    known = [place for place, found in enumerate(values) if found is not None]
    known.sort(key=values.__getitem__, reverse=sort.startswith("-"))
    unknown = [row for row, found in zip(rows, values) if found is None]
    return [rows[place] for place in known] + unknown


def _seen(value: Any) -> str:
    """A value as it is displayed, in lower case."""
    return "" if value is None else str(value).casefold()
