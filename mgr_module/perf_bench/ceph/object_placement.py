"""Find names of objects in chosen placement groups, by computing Ceph's hash.

The monitors map only one name at a time: on 10,000 OSDs some hundred thousand names would be needed
until a few OSDs have enough. The hash is Bob Jenkins' of 1996 (public domain), which Ceph uses for
the names of objects (``object_hash rjenkins`` of a pool). Before the objects are used, their
placement is checked against the monitors.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from ..model.rados import Groups

_MASK = 0xFFFFFFFF
_GOLDEN = 0x9E3779B9
_BLOCK = 12
# Separates a namespace from a name.
_PART = "\x1f"


def group_of(name: str, namespace: str, count: int) -> int:
    """The placement group of an object in a pool of ``count`` groups (``ceph osd map``)."""
    return _fold(_hash(f"{namespace}{_PART}{name}".encode()), count)


def names_in(groups: Groups, each: int, namespace: str, prefix: str) -> Mapping[int, list[str]]:
    """``each`` object names "PREFIX-NUMBER" per primary OSD, spread over its placement groups.

    An OSD that is primary of no group gets none. The same arguments give the same names.
    """
    owner = {group: osd for osd, numbers in groups.by_primary.items() for group in numbers}
    names: dict[int, list[str]] = {osd: [] for osd in groups.by_primary}
    lacking = set(owner.values())
    for number in itertools.count():
        if not lacking:
            break
        name = f"{prefix}-{number}"
        osd = owner.get(group_of(name, namespace, groups.pg_num))
        if osd in lacking:
            names[osd].append(name)
            if len(names[osd]) == each:
                lacking.discard(osd)
    return names


def _fold(hashed: int, count: int) -> int:
    """Ceph's stable modulo: most values stay the same when ``count`` grows."""
    mask = (1 << (count - 1).bit_length()) - 1
    folded = hashed & mask
    return folded if folded < count else folded & (mask >> 1)


def _hash(data: bytes) -> int:
    """Bob Jenkins' hash of 1996, 32 bits, with the initial value 0."""
    a, b, c = _GOLDEN, _GOLDEN, 0
    whole = len(data) - len(data) % _BLOCK
    for start in range(0, whole, _BLOCK):
        a = a + int.from_bytes(data[start : start + 4], "little") & _MASK
        b = b + int.from_bytes(data[start + 4 : start + 8], "little") & _MASK
        c = c + int.from_bytes(data[start + 8 : start + 12], "little") & _MASK
        a, b, c = _mix(a, b, c)
    rest = data[whole:]
    # The lowest byte of the third word is reserved for the length.
    a = a + int.from_bytes(rest[:4], "little") & _MASK
    b = b + int.from_bytes(rest[4:8], "little") & _MASK
    c = c + len(data) + (int.from_bytes(rest[8:], "little") << 8) & _MASK
    return _mix(a, b, c)[2]


def _mix(a: int, b: int, c: int) -> tuple[int, int, int]:
    """Mix three words of 32 bits; reversible."""
    for first, second, third in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
        a = (a - b - c & _MASK) ^ (c >> first)
        b = (b - c - a & _MASK) ^ (a << second & _MASK)
        c = (c - a - b & _MASK) ^ (b >> third)
    return a, b, c
