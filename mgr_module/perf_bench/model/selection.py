"""Select OSDs by an expression: ``all``, ``0,3,7-9``, ``class=hdd``, ``host=a&class=ssd``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Union

from ..errors import InvalidValue, NotFound
from .osd import Osd
from .phrases import osd_names

_IDS = re.compile(r"^\d+(-\d+)?(,\d+(-\d+)?)*$")
# A CRUSH type is free text.
_KEY = re.compile(r"^([\w.-][\w .-]*?) *= *(.+)$", re.ASCII)
_AROUND = re.compile(r"\s*([,-])\s*")
# The name of the class of OSDs without one.
NO_CLASS = "none"
# Of these kinds names are the same in any case; an enclosure's is an address.
_ANY_CASE = ("host", "enclosure")
# A limit for ranges such as 0-4000000000, which are expanded; Ceph's own limit is far lower.
_HIGHEST_OSD_ID = 1_000_000
# Each term is expanded and matched with all OSDs.
_MOST_IDS = 2 * _HIGHEST_OSD_ID
_MOST_TERMS = 64
_SHOWN = 200


def no_such_osd(*missing: int) -> NotFound:
    """The error for IDs of OSDs that the cluster does not have; some are named."""
    return NotFound(f"{osd_names(sorted(missing))}: no such OSD in this cluster")


@dataclass(frozen=True)
class _Ids:
    ids: frozenset[int]

    def select(self, osds: Sequence[Osd]) -> list[Osd]:
        known = {osd.id for osd in osds}
        missing = sorted(self.ids - known)
        if missing:
            raise no_such_osd(*missing)
        return [osd for osd in osds if osd.id in self.ids]


@dataclass(frozen=True)
class _Bucket:
    kind: str
    name: str

    def select(self, osds: Sequence[Osd]) -> list[Osd]:
        selected = [osd for osd in osds if self._holds(osd)]
        if not selected:
            raise NotFound(self._sentence(osds))
        return selected

    def _holds(self, osd: Osd) -> bool:
        if self.kind.lower() == "class":
            return (osd.device_class or NO_CLASS) == self.name
        # "default~hdd" is CRUSH's name for the OSDs of class hdd in the bucket default.
        name, tilde, device_class = self.name.partition("~")
        if tilde and osd.device_class != device_class:
            return False
        return any(self._is(name, bucket) for bucket in self._of_kind(osd))

    def _of_kind(self, osd: Osd) -> set[str]:
        """The OSD's buckets of this kind; also its host by its own metadata."""
        kind = self.kind.lower()
        found = {bucket for type_, bucket in osd.buckets if type_.lower() == kind}
        return found | {osd.host} if kind == "host" else found

    def _is(self, name: str, bucket: str) -> bool:
        return bucket == name or (self.kind.lower() in _ANY_CASE and bucket.lower() == name.lower())

    def _sentence(self, osds: Sequence[Osd]) -> str:
        if self.kind.lower() == "class":
            known = {osd.device_class or NO_CLASS for osd in osds}
        else:
            known = {bucket for osd in osds for bucket in self._of_kind(osd)}
        if not known:
            kinds = sorted({kind for osd in osds for kind, _ in osd.buckets} | {"class", "host"})
            return f"no OSD is in any '{self.kind}'; select by {', '.join(kinds)} or OSD IDs"
        names = sorted(known)[:8] + ["…"] * (len(known) > 8)
        return (
            f"no OSD with {self.kind}={self.name}; this cluster has {self.kind} {', '.join(names)}"
        )


@dataclass(frozen=True)
class Selection:
    """A parsed expression: terms joined by ``&``; an OSD must match all of them."""

    text: str
    terms: tuple[Union[_Ids, _Bucket], ...]

    @classmethod
    def parse(cls, text: str) -> Selection:
        """Parse an expression; raises InvalidValue when it is empty or malformed."""
        terms: list[Union[_Ids, _Bucket]] = []
        listed = 0
        for term in (part.strip() for part in text.split("&")):
            if term.lower() in ("all", "*"):
                continue
            keyed = _KEY.match(term)
            plain = term.lower().replace("osd.", "").replace("\u2013", "-")
            listing = _AROUND.sub(r"\1", plain)
            if keyed:
                terms.append(_Bucket(keyed.group(1), keyed.group(2).strip()))
            elif _IDS.match(listing):
                ids = frozenset(_expand(listing))
                terms.append(_Ids(ids))
                listed += len(ids)
            else:
                shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
                raise InvalidValue(
                    f"'{shown}' does not select OSDs: use 'all', IDs like '0,3,7-9', or "
                    "'class=NAME', 'host=NAME', 'rack=NAME', 'enclosure=ID', joined by '&'",
                    field="osds",
                )
            if listed > _MOST_IDS or len(terms) > _MOST_TERMS:
                raise InvalidValue("--osds selects by too many terms or IDs", field="osds")
        return cls(text, tuple(terms))

    def select(self, osds: Sequence[Osd]) -> list[Osd]:
        """The selected OSDs in the order of their IDs.

        Raises NotFound for an OSD, class or bucket that does not exist, and when the terms
        exclude each other.
        """
        chosen = {osd.id for osd in osds}
        for term in self.terms:
            chosen &= {osd.id for osd in term.select(osds)}
        if not chosen:
            raise NotFound(f"'{self.text}' selects no OSD")
        return sorted((osd for osd in osds if osd.id in chosen), key=lambda osd: osd.id)


def _expand(text: str) -> Iterable[int]:
    parts = set(text.split(","))  # a set, so that a repeated range is expanded once
    listed = 0
    for part in parts:
        first, _, last = part.partition("-")
        last = last or first
        # Lengths first, because int() raises its own error for thousands of digits.
        if max(len(first), len(last)) > 9 or max(int(first), int(last)) > _HIGHEST_OSD_ID:
            raise InvalidValue(f"'{part}' is beyond any OSD's ID", field="osds")
        low, high = int(first), int(last)
        if high < low:
            raise InvalidValue(
                f"'{part}' counts down: write {high}-{low}",
                field="osds",
            )
        listed += high + 1 - low
        if listed > _MOST_IDS:
            raise InvalidValue("--osds lists too many IDs", field="osds")
        yield from range(low, high + 1)
