"""Saves what is kept over a failover, and restores it: each object names its parts by type.

``KEPT`` is a table of attributes: a type, a typecode for a packed row of figures (in a list: for
several), or None for an object that is filled in place.
"""

from __future__ import annotations

import base64
import math
import zlib
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from ...model.json_fields import inflated


def saved(value: Any) -> Any:
    """Return a value JSON-ready, for ``fill``."""
    if is_dataclass(value):
        value = [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, array):
        return base64.b64encode(zlib.compress(value.tobytes(), 1)).decode("ascii")
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return [[saved(key), saved(one)] for key, one in value.items()]
    if isinstance(value, (list, tuple, set)):
        return [saved(one) for one in value]
    if hasattr(value, "KEPT"):
        return {name: saved(getattr(value, name)) for name in value.KEPT}
    return value


def fill(kept: Any, data: Any) -> None:
    """Give an object, or each of a mapping, what was saved.

    Raises one of ``json_fields.FAULTS`` for what is damaged.
    """
    if isinstance(kept, Mapping):
        known = dict(data)
        for key, one in kept.items():
            fill(one, known[key])
        return
    for name, hint in kept.KEPT.items():
        if hint is None:
            fill(getattr(kept, name), data[name])
        else:
            setattr(kept, name, _read(hint, data[name]))


def _read(hint: Any, data: Any) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if hint in (float, int, str):
        found = _plain(hint, data)
    elif isinstance(hint, str):
        found = array(hint)
        found.frombytes(inflated(base64.b64decode(data)))
    elif isinstance(hint, list):
        found = [_read(hint[0], one) for one in data]
    elif origin is dict:
        found = {_read(parts[0], key): _read(parts[1], one) for key, one in data}
    elif origin in (list, set):
        found = origin(_read(parts[0], one) for one in data)
    elif origin is tuple:
        found = tuple(_each(parts, data))
    elif hasattr(hint, "KEPT"):
        found = hint()
        fill(found, data)
    else:
        found = hint(*_each(get_type_hints(hint).values(), data))
    return found


def _plain(hint: Any, data: Any) -> Any:
    if hint is float:
        if data is None:
            return math.nan
        if type(data) in (int, float) and math.isfinite(data):
            return float(data)
    elif type(data) is hint:
        return data
    raise ValueError(f"{data!r:.40} is not of type {hint.__name__}")


def _each(hints: Iterable[Any], data: Any) -> list[Any]:
    hints = list(hints)
    if len(hints) != len(data):
        raise ValueError(f"{data!r:.40} has not {len(hints)} parts")
    return [_read(hint, one) for hint, one in zip(hints, data)]
