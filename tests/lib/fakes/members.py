"""The watched OSDs as a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from perf_bench.model.osd import Member, Osd


def member(number: int, host: str = "", **fields: Any) -> Member:
    """An OSD, on a host of its own unless told; fields are those of a Member or of its Osd."""
    own = {key: fields.pop(key) for key in tuple(fields) if key in Member.__dataclass_fields__}
    location = {"root": "default"}
    osd = Osd(
        number, host or f"host-{number}", **{"device_class": "hdd", "location": location, **fields}
    )
    return Member(osd, **{"release": "18.2.7", **own})


class FakeMembers:
    """The Members port. The answer is the same object until something is changed."""

    def __init__(self, members: Iterable[Member]) -> None:
        self._members: Sequence[Member] = list(members)

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        return self._members

    def set(self, members: Iterable[Member]) -> None:
        self._members = list(members)

    def change(self, number: int, **fields: Any) -> None:
        """Fields of an OSD's Member, or of its Osd."""
        self._members = [
            _changed(one, fields) if one.osd.id == number else one for one in self._members
        ]


def _changed(one: Member, fields: dict[str, Any]) -> Member:
    own = {key: value for key, value in fields.items() if key in Member.__dataclass_fields__}
    osd = {key: value for key, value in fields.items() if key not in own}
    return replace(one, osd=replace(one.osd, **osd), **own)
