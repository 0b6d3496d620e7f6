"""What is kept of a detector over a failover, and over a change of the roster.

Each object names its parts by type. ``KEPT`` is a table of attributes, ``OPEN`` of those that are
not saved: a type; a typecode for a row of figures by place, in a list for several rows; or None for
an object that is filled in place. Mappings by int are by OSD.
"""

from __future__ import annotations

import base64
import math
from array import array
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple, get_args, get_origin

from ...model.json_fields import reader_of

Kept = Mapping[str, Any]


def saved(value: Any) -> Any:
    """Return a value JSON-ready, for ``fill``."""
    if isinstance(value, array):
        return base64.b64encode(value.tobytes()).decode("ascii")
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return [[saved(key), saved(one)] for key, one in value.items()]
    if isinstance(value, (list, tuple)):
        return [saved(one) for one in value]
    names = [field.name for field in fields(value)] if is_dataclass(value) else ()
    names = getattr(value, "KEPT", names)
    return {name: saved(getattr(value, name)) for name in names} if names else value


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
        mine = getattr(kept, name)
        if hint is None:
            fill(mine, data[name])
            continue
        found = _read(hint, data[name])
        if isinstance(hint, str) and len(mine) not in (0, len(found)):
            raise ValueError(f"the row {name} is of another cohort")
        setattr(kept, name, found)


def _read(hint: Any, data: Any) -> Any:
    if isinstance(hint, str):
        found = array(hint)
        found.frombytes(base64.b64decode(data))
        return found
    if hint is float and data is None:
        return math.nan
    if get_origin(hint) is dict:
        pairs: Any = list[tuple[get_args(hint)]]  # type: ignore[misc]
        return dict(reader_of(pairs)(data, ""))
    return reader_of(hint)(data, "")


class Moved(NamedTuple):
    """What goes on in another cohort: pairs of a place and the one before, and the OSDs.

    ``same``: it is the same cohort, so all that is known of it goes on too.
    """

    places: Sequence[tuple[int, int]]
    osds: Collection[int]
    same: bool


def carry(mine: Any, its: Any, moved: Moved) -> None:
    """Give an object, or each of a mapping, what another one like it knows of what moved."""
    if isinstance(mine, Mapping):
        for key, one in mine.items():
            carry(one, its[key], moved)
        return
    for name, hint in {**mine.KEPT, **getattr(mine, "OPEN", {})}.items():
        own, other = getattr(mine, name), getattr(its, name)
        if hint is None:
            carry(own, other, moved)
        elif isinstance(hint, str):
            _copy(own, other, moved)
        elif isinstance(hint, list):
            for row in other if moved.same else ():
                own.append(array(hint[0], [math.nan]) * mine.cohort.size if row else row)
                _copy(own[-1], row, moved)
        elif get_args(hint)[:1] == (int,):
            own.update({osd: one for osd, one in other.items() if osd in moved.osds})
        elif moved.same:
            setattr(mine, name, deepcopy(other))


def _copy(own: Any, other: Sequence[float], moved: Moved) -> None:
    """Copy figures from the places of before; an empty row has none."""
    for now, before in moved.places if other else ():
        own[now] = other[before]
