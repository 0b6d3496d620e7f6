"""Sentences with a code and values, so that the dashboard's tab says them in its own language.

A template has its values in braces, as the tab's translations of it have (i18n/fill.ts):

{name} -- the value; a number without needless zeros, a sentence as it is said.
{name:.1f}, {name:.3g} -- a number with so many digits behind the point, or in all.
{name:list} -- names as "a, b and 3 more"; ``osds`` the same of IDs of OSDs, ``all`` every one.
{name:span}, {name:ms}, {name:time}, {name:gib}, {name:mib} -- seconds; unix seconds; bytes.
{name:times} -- a ratio, with as many digits as mean something.
{name:channel} -- the name of a kind of operation (model/frame.py).
{name|OSD|OSDs} -- the number with what is counted; {name#is|are} -- the form alone, of a list too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Callable, Optional

from .phrases import gib, listed, ms_text, osd_names, span, time_text, times_text

_PLACE = re.compile(r"\{(\w+)(?:([:|#])([^}]*))?\}")


class Said(str):
    """An English sentence, with its code and the values in it, JSON-ready."""

    __slots__ = ("code", "values")
    code: str
    values: Mapping[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and what is pickled for another interpreter are plain texts."""
        return str, (str(self),)


def _said(text: str, code: str, values: Mapping[str, Any]) -> Said:
    made = Said(text)
    made.code, made.values = code, values
    return made


def say(code: str, template: str, /, **values: Any) -> Said:
    """The template with its values filled in; code and template are literals, for their list."""
    text = _PLACE.sub(lambda place: _filled(values[place[1]], place[2], place[3]), template)
    return _said(text, code, {name: _ready(value) for name, value in values.items()})


def packed(text: Optional[str]) -> Optional[dict[str, Any]]:
    """A sentence as JSON; None of a text without a code."""
    if not isinstance(text, Said):
        return None
    return {"code": text.code, "text": str(text), "values": dict(text.values)}


def unpacked(text: str, saved: object) -> str:
    """The sentence of which ``saved`` was packed; the text alone if that is of another sentence."""
    if not isinstance(saved, Mapping) or saved.get("text") != text:
        return text
    code, values = saved.get("code"), saved.get("values")
    return _said(text, code, values) if type(code) is str and type(values) is dict else text


def with_said(**texts: Any) -> dict[str, Any]:
    """The texts, and below ``said`` those that have a code.

    A text may be a list or a mapping of them, also with other values.
    """
    shown = {name: _plain_of(text) for name, text in texts.items()}
    said = codes_of(texts)
    return {**shown, "said": said} if said else shown


def codes_of(texts: Any) -> Any:
    """The sentences in it as JSON, in lists and mappings as they are in; None without any.

    A list has None for each entry without a sentence; a mapping lacks such keys.
    """
    if isinstance(texts, str):
        return packed(texts)
    if isinstance(texts, Mapping):
        by_name = {name: codes_of(one) for name, one in texts.items()}
        return {name: one for name, one in by_name.items() if one} or None
    if isinstance(texts, Collection):
        found = [codes_of(one) for one in texts]
        return found if any(found) else None
    return None


def _plain_of(text: Any) -> Any:
    """The text or texts as they are printed, and other values as they are."""
    if isinstance(text, str):
        return str(text)
    if isinstance(text, Mapping):
        return {name: _plain_of(one) for name, one in text.items()}
    return list(map(_plain_of, text)) if isinstance(text, Collection) else text


def _ready(value: Any) -> Any:
    if isinstance(value, Said):
        return packed(value)
    if isinstance(value, Collection) and not isinstance(value, (str, Mapping)):
        return [_ready(one) for one in value]
    return value


def _filled(value: Any, sign: Optional[str], how: Optional[str]) -> str:
    if sign is None:
        return _plain(value)
    assert how is not None  # noqa: S101 - it comes with its sign
    if sign == ":":
        return _FORMS[how](value) if how in _FORMS else format(value, how)
    one, several = how.split("|")
    count = value if isinstance(value, (int, float)) else len(value)
    form = one if count == 1 else several
    return form if sign == "#" else f"{_plain(count)} {form}"


def _plain(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _all(names: Iterable[object]) -> str:
    return ", ".join(map(str, names))


_FORMS: Mapping[str, Callable[[Any], str]] = {
    "list": lambda names: listed([str(name) for name in names]),
    "osds": osd_names,
    "all": _all,
    "clauses": lambda parts: "; ".join(map(str, parts)),
    "span": span,
    "time": time_text,
    "gib": gib,
    "mib": lambda count: f"{count / (1 << 20):.0f} MiB",
    "ms": ms_text,
    "times": times_text,
    "channel": str,
}
