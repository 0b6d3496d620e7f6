"""Lists: their pages, what they are searched for, and their order."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, Callable, NamedTuple, Optional, TypeVar, Union, cast, get_args, get_origin

from ..errors import InvalidValue
from ..model.finding import Target
from ..model.phrases import not_one_of, within
from .shape import Key, Stamp, is_answer, keys_of
from .text import reader_of

T = TypeVar("T")
# Functions that read a row's value, by the public key; None for no value.
Fields = Mapping[str, Callable[[T], Any]]

PAGE = 50
MOST = 500


def page_of(limit: Optional[int], offset: Optional[int]) -> tuple[int, int]:
    """(offset, limit), checked."""
    count = within("limit", PAGE if limit is None else limit, 1, MOST)
    first = offset or 0
    if not 0 <= first < 1 << 31:
        raise InvalidValue(f"--offset {first} is not 0 or more", field="offset")
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
        of: type[T],
        sort: str = "",
        also: Optional[Callable[[T], Any]] = None,
    ) -> tuple[list[T], int]:
        """The rows of the page, and how many there are in all.

        They are searched by the words in them, and what ``also`` reads, and sorted by any key;
        ``sort`` is the order where none is asked for. Raises InvalidValue.
        """
        keys = [one for key in keys_of(cast(Hashable, of)) for one in _dotted(key)]
        fields: Fields[T] = {key: reader_of(name) for key, name, _ in keys}
        read = {key: fields[key] for key, _, hint in keys if not _is_figure(hint)}
        first, count = page_of(self.limit, self.offset)
        found = list(rows)
        if self.search:
            wanted, words = self.search.casefold(), {**read, "": also} if also else read
            found = [
                row
                for row in found
                if any(wanted in _words(key, value(row)).casefold() for key, value in words.items())
            ]
        order = self.sort or sort
        found = ordered(found, fields, order) if order else found
        return found[first : first + count], len(found)


WHOLE = Page()


def _dotted(key: Key) -> Sequence[Key]:
    """A key, or those of the object that it has, if that is written as no word."""
    parts = get_args(key.hint) if get_origin(key.hint) is Union else (key.hint,)
    of = next((one for one in parts if is_answer(one)), None)
    if of is None or "__str__" in vars(of):
        return [key]
    return [
        Key(f"{key.key}.{one.key}", f"{key.name}.{one.name}", one.hint)
        for one in keys_of(cast(Hashable, of))
    ]


def _is_figure(hint: Any) -> bool:
    """Whether it is a time or a figure, which nobody searches for."""
    parts = (hint, *get_args(hint))
    return Stamp in parts or any(getattr(one, "__origin__", one) is float for one in parts)


def _words(key: str, value: Any) -> str:
    """The words of a value as it is displayed; empty for a figure that is no ID."""
    if isinstance(value, (list, tuple)):
        return ", ".join(_words(key, one) for one in value)
    if isinstance(value, Enum):
        return str(value.value)
    if key in ("osd", "osds"):
        return "" if value is None else f"osd.{value}"
    is_word = isinstance(value, str) or (is_dataclass(value) and "__str__" in vars(type(value)))
    return str(value) if is_word or key == "id" else ""


def _sorted(value: Any) -> Any:
    """What a value is sorted by: an enum by its place, a list by its length, osd.9 before 10.

    Enums are sorted as they are defined: severities so have the worst first.
    """
    if type(value) in (int, float, str):  # of 10,000 rows
        return value
    if isinstance(value, Target):
        return value.kind, len(value.id), value.id
    if isinstance(value, Enum):
        return list(type(value)).index(value)
    if isinstance(value, (list, tuple, Mapping)):
        return len(value)
    return str(value) if is_dataclass(value) else value


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
    read = shown[sort_key(sort, shown)]
    values = [(_sorted(read(row)), row) for row in rows]
    known = [one for one in values if one[0] is not None]
    known.sort(key=lambda one: one[0], reverse=sort.startswith("-"))
    return [row for _, row in known] + [row for value, row in values if value is None]
