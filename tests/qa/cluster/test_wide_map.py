"""An OSD map with more OSDs than the cluster has."""

from __future__ import annotations

import dataclasses
import re
import struct

import pytest

from cluster import wide_map
from cluster.errors import ClusterError, UsageError
from cluster.spec import Order, Spec

# Six OSDs of a map, as osd_xinfo_t is encoded: version, compatible version, length, zeros.
ENTRY = struct.pack("<BBI", 4, 1, 40) + bytes(40)


def encoded(body: bytes, crc: int | None = None) -> bytes:
    head = struct.pack("<BBI", 8, 7, len(body) + 4)
    return head + body + struct.pack("<I", wide_map._crc32c(head + body) if crc is None else crc)


def test_the_checksum_is_crc_32c() -> None:
    """RFC 3720, B.4: 32 bytes of zeros; there the complement is sent."""
    assert wide_map._crc32c(bytes(32)) ^ 0xFFFFFFFF == 0x8A9136AA


def test_every_osd_gets_its_features_and_nothing_else_changes() -> None:
    before = encoded(b"head" + ENTRY * 6 + b"tail")
    after = wide_map.with_features(before, 6)
    body = after[10:-8]
    entries = [body[at : at + len(ENTRY)] for at in range(0, len(body), len(ENTRY))]
    assert len(entries) == 6
    for entry in entries:
        assert struct.unpack_from("<Q", entry, 22)[0] == wide_map._FEATURES
        assert entry[:22] + bytes(8) + entry[30:] == ENTRY
    assert after == encoded(after[6:-4])
    assert (after[6:10], after[-8:-4]) == (b"head", b"tail")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (encoded(b"head" + ENTRY * 5 + b"tail"), "no entries for features"),
        (encoded(ENTRY * 6, crc=1), "does not end with its checksum"),
    ],
)
def test_another_encoding_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(ClusterError, match=why):
        wide_map.with_features(data, 6)


def test_every_osd_is_in_one_place_of_the_crush_map(spec: Spec) -> None:
    wide = dataclasses.replace(spec, map_osds=1000)
    text = "\n".join(wide_map.crush_lines(wide))
    bucket = re.compile(r"^(?:host|rack|root) (\S+) \{(.*?)\}", re.MULTILINE | re.DOTALL)
    buckets = {
        name: re.findall(r"item (\S+) weight (\S+)", body) for name, body in bucket.findall(text)
    }
    inside = [item for items in buckets.values() for item, _ in items]
    assert len(inside) == len(set(inside))
    assert {name for name in inside if name.startswith("osd.")} == {
        f"osd.{osd}" for osd in range(1000)
    }
    assert [name for name, _ in buckets["default"]] == ["host-0", "host-1", "host-2"]
    assert sum(float(weight) for _, weight in buckets["wide"]) == 1000 - spec.osds
    assert sorted(re.findall(r"^ id -(\d+)", text, re.MULTILINE), key=int) == [
        str(number) for number in range(1, len(buckets) + 1)
    ]


@pytest.mark.parametrize("osds", [3, 2, -1, 50_001])
def test_a_map_smaller_than_the_cluster_or_too_large_is_refused(osds: int) -> None:
    with pytest.raises(UsageError, match=r"^--map-osds must be from 4 to 50000"):
        Order(osds=3, map_osds=osds)
