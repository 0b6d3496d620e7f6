"""Saves what is kept over a failover, and restores it: each object names its parts by type.

``KEPT`` is a table of attributes: a type, ``[of]`` for a list, ``{key: value}`` for a mapping, a
typecode for a packed row of figures, or None for an object that is filled in place.
"""

from __future__ import annotations

import base64
import math
import zlib
from array import array
from collections.abc import Mapping
from typing import Any, get_type_hints

from ...model.json_fields import inflated


def saved(value: Any) -> Any:
    """Return a value JSON-ready, for ``fill``."""
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
    """Give an object what was saved. Raises one of ``json_fields.FAULTS`` for what is damaged."""
    for name, hint in kept.KEPT.items():
        if hint is not None:
            setattr(kept, name, _read(hint, data[name]))
        elif isinstance(getattr(kept, name), Mapping):
            for key, one in getattr(kept, name).items():
                fill(one, dict(data[name])[key])
        else:
            fill(getattr(kept, name), data[name])


def _read(hint: Any, data: Any) -> Any:
    if hint in (float, int, str):
        return _plain(hint, data)
    if isinstance(hint, str):
        row: array[Any] = array(hint)
        row.frombytes(inflated(base64.b64decode(data)))
        return row
    if isinstance(hint, dict):
        ((key, value),) = hint.items()
        return {_read(key, one): _read(value, other) for one, other in data}
    if isinstance(hint, list):
        return [_read(hint[0], one) for one in data]
    if isinstance(hint, tuple) or issubclass(hint, tuple):
        return _parts(hint, data)
    made = hint.__new__(hint)
    fill(made, data)
    return made


def _plain(hint: Any, data: Any) -> Any:
    if hint is float:
        if data is None:
            return math.nan
        if type(data) in (int, float) and math.isfinite(data):
            return float(data)
    elif type(data) is hint:
        return data
    raise ValueError(f"{data!r:.40} is not of type {hint.__name__}")


def _parts(hint: Any, data: Any) -> Any:
    hints = hint if isinstance(hint, tuple) else tuple(get_type_hints(hint).values())
    if len(hints) != len(data):
        raise ValueError(f"{data!r:.40} has not {len(hints)} parts")
    values = [_read(part, one) for part, one in zip(hints, data)]
    return tuple(values) if isinstance(hint, tuple) else hint(*values)
