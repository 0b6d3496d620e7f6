"""An OSD map with thousands of OSDs that exist in it only: for a mgr at the size of large clusters.

The cluster's own OSDs have the first IDs and a CRUSH root of their own, ``default``, so that the
pools of modules work. All others are below the root ``wide``, up and in, and never answer.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import daemons
from .errors import ClusterError
from .spec import Spec

OSDS_PER_HOST, HOSTS_PER_RACK = 24, 20
# What an OSD of Ceph 16 or newer says that it can do: the mon ends itself when OSDs that are up
# cannot. Features are bits of include/ceph_features.h.
_FEATURES = 0x3F01CFB9FFFDFFFF
# Where they are in an entry of osd_xinfo_t: after its version and length, a time and two numbers.
_ENTRY = struct.Struct("<BBI")
_FEATURES_AT = _ENTRY.size + 16
_VERSIONS, _SIZES = range(2, 8), range(24, 97, 4)
_CRC = struct.Struct("<I")
_TUNABLES = (
    "choose_local_tries 0",
    "choose_local_fallback_tries 0",
    "choose_total_tries 50",
    "chooseleaf_descend_once 1",
    "chooseleaf_vary_r 1",
    "chooseleaf_stable 1",
    "straw_calc_version 1",
    "allowed_bucket_algs 54",
)
_TYPES = ("osd", "host", "rack", "root")


def make(spec: Spec) -> Path:
    """Write the map with ``spec.map_osds`` OSDs for ``ceph-mon --mkfs``; return its path."""
    text, crush, made = (spec.dir / name for name in ("crush.txt", "crush.bin", "osdmap"))
    text.write_text("\n".join(crush_lines(spec)) + "\n", encoding="utf-8")
    daemons.run_tool(spec, ["crushtool", "-c", str(text), "-o", str(crush)])
    size = str(spec.map_osds)
    create = ["osdmaptool", "--createsimple", size, "--mark-up-in", "--save", str(made)]
    daemons.run_tool(spec, create)
    daemons.run_tool(spec, ["osdmaptool", str(made), "--import-crush", str(crush)])
    made.write_bytes(with_features(made.read_bytes(), spec.map_osds))
    return made


def crush_lines(spec: Spec) -> Iterator[str]:
    """Yield a CRUSH map's text: hosts of 24 OSDs in racks of 20 below the root ``wide``."""
    yield from (f"tunable {tunable}" for tunable in _TUNABLES)
    yield from (f"device {osd} osd.{osd} class hdd" for osd in range(spec.map_osds))
    yield from (f"type {number} {name}" for number, name in enumerate(_TYPES))
    wide = [f"osd.{osd}" for osd in range(spec.osds, spec.map_osds)]
    real = {host: list(spec.osds_of(host)) for host in spec.host_names}
    hosts = {f"wide-{number}": part for number, part in _parts(wide, OSDS_PER_HOST)}
    racks = {f"rack-{number}": part for number, part in _parts(list(hosts), HOSTS_PER_RACK)}
    weights = {
        **{name: len(osds) for name, osds in (*real.items(), *hosts.items())},
        **{name: sum(len(hosts[host]) for host in part) for name, part in racks.items()},
    }
    buckets = [("host", *one) for one in (*real.items(), *hosts.items())]
    buckets += [("rack", *one) for one in racks.items()]
    buckets += [("root", "default", list(real)), ("root", "wide", list(racks))]
    for number, (kind, name, items) in enumerate(buckets, 1):
        yield f"{kind} {name} {{\n id -{number}\n alg straw2\n hash 0"
        yield from (f" item {item} weight {weights.get(item, 1)}.000" for item in items)
        yield "}"
    for number, (name, root) in enumerate((("replicated_rule", "default"), ("wide", "wide"))):
        yield f"rule {name} {{\n id {number}\n type replicated\n min_size 1\n max_size 10"
        yield f" step take {root}\n step chooseleaf firstn 0 type host\n step emit\n}}"


def with_features(data: bytes, osds: int) -> bytes:
    """Return an encoded OSD map whose OSDs can all that one of Ceph 16 can.

    Raises ClusterError for a map in which the OSDs' entries are not found.
    """
    found = bytearray(data)
    end = _ENTRY.size + _ENTRY.unpack_from(data)[2] - _CRC.size
    if _CRC.unpack_from(data, end) != (_crc32c(data[:end]),):
        raise ClusterError("the OSD map of osdmaptool does not end with its checksum")
    for entry in (
        _ENTRY.pack(version, 1, size) + bytes(size) for version in _VERSIONS for size in _SIZES
    ):
        first = data.find(entry * osds)
        if first >= 0:
            for number in range(osds):
                at = first + number * len(entry) + _FEATURES_AT
                struct.pack_into("<Q", found, at, _FEATURES)
            _CRC.pack_into(found, end, _crc32c(found[:end]))
            return bytes(found)
    raise ClusterError("the OSD map of osdmaptool has no entries for features of OSDs")


def _parts(items: list[str], size: int) -> Iterator[tuple[int, list[str]]]:
    return enumerate(items[first : first + size] for first in range(0, len(items), size))


def _table() -> Sequence[int]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


def _crc32c(data: bytes | bytearray) -> int:
    """Ceph's checksum: CRC-32C (Castagnoli) from -1, without the last complement."""
    table, crc = _table(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc
