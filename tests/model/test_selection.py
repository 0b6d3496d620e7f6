"""Which OSDs an expression means, and what is said when it means none."""

from __future__ import annotations

import pytest

from nouns import an_osd
from perf_bench.errors import InvalidValue, NotFound
from perf_bench.model.osd import Osd, Selection

RACKS = {"a": "rack-1", "b": "rack-1", "c": "rack-2"}


def _osd(number: int, host: str, device_class: str) -> Osd:
    location = {"host": host, "rack": RACKS[host], "root": "default"}
    return an_osd(number, host, device_class=device_class, location=location)


# Not in the order of their IDs, and with holes: osd.4 was removed.
OSDS = [
    _osd(7, "c", "ssd"),
    _osd(0, "a", "hdd"),
    _osd(1, "a", "ssd"),
    _osd(2, "b", "hdd"),
    _osd(3, "b", "ssd"),
    _osd(12, "c", "hdd"),
]


def test_every_form_selects() -> None:
    cases: list[tuple[str, list[int]]] = [
        ("all", [0, 1, 2, 3, 7, 12]),
        ("*", [0, 1, 2, 3, 7, 12]),
        ("0", [0]),
        ("osd.0", [0]),
        ("3,0,7", [0, 3, 7]),
        ("osd.3,osd.0", [0, 3]),
        ("0,0-1,1", [0, 1]),
        ("0-3", [0, 1, 2, 3]),
        ("0-1,3,12", [0, 1, 3, 12]),
        ("2-2", [2]),
        # leading zeros, as they come out of other people's scripts
        ("007", [7]),
        ("class=hdd", [0, 2, 12]),
        ("host=a", [0, 1]),
        ("rack=rack-1", [0, 1, 2, 3]),
        ("root=default", [0, 1, 2, 3, 7, 12]),
        # each term narrows
        ("host=a&class=ssd", [1]),
        ("class=ssd&rack=rack-1&0-1", [1]),
        ("all&class=hdd", [0, 2, 12]),
        ("  host=a & class=hdd  ", [0]),
        ("class= hdd", [0, 2, 12]),
        # nothing of this is what a refusal would ask for
        ("ALL", [0, 1, 2, 3, 7, 12]),
        ("OSD.3", [3]),
        ("0, 2 - 3", [0, 2, 3]),
        ("0\N{EN DASH}2", [0, 1, 2]),
        ("Class=hdd", [0, 2, 12]),
        ("rack = rack-1", [0, 1, 2, 3]),
        ("HOST=A", [0, 1]),
        # CRUSH's name of a class below a bucket
        ("root=default~ssd", [1, 3, 7]),
        ("rack=rack-1~hdd", [0, 2]),
    ]
    for text, ids in cases:
        assert [osd.id for osd in Selection.parse(text).select(OSDS)] == ids


def test_the_host_that_the_daemon_reports_counts_beside_its_crush_host() -> None:
    osd = an_osd(5, "node5.example", location={"host": "node5", "root": "default"})
    for text in ("host=node5.example", "host=node5"):
        assert Selection.parse(text).select([osd]) == [osd]


MALFORMED = (
    "'{}' does not select OSDs: use 'all', IDs like '0,3,7-9', or 'class=NAME', 'host=NAME', "
    "'rack=NAME', 'enclosure=ID', joined by '&'"
)


def test_what_is_malformed_is_told_how_to_write_it() -> None:
    cases: list[str] = [
        # nothing where a term is wanted
        *("", " ", "&", "all&", "&class=hdd", "class=hdd&&host=a"),
        # a word that is no term
        *("everything", "osd.", "0x1", "1.5"),
        # IDs with holes
        *("0,", ",0", "0,,1", "0-", "-1", "1-2-3", "0 1"),
        # half a key
        *("class=", "class= ", "=hdd"),
        # two lines
        "host=a\nclass=hdd",
    ]
    for text in cases:
        with pytest.raises(InvalidValue) as caught:
            Selection.parse(text)
        assert str(caught.value) == MALFORMED.format(text)
        assert caught.value.field == "osds"


# More digits than int() takes.
LONG = "1" * 5000


def test_ranges_that_cannot_be() -> None:
    cases: list[tuple[str, str]] = [
        ("9-7", "'9-7' counts down: write 7-9"),
        ("1000001", "'1000001' is beyond any OSD's ID"),
        # would be expanded into memory
        ("0-4000000000", "'0-4000000000' is beyond any OSD's ID"),
        (LONG, f"'{LONG}' is beyond any OSD's ID"),
        (f"0-{LONG}", f"'0-{LONG}' is beyond any OSD's ID"),
    ]
    for text, sentence in cases:
        with pytest.raises(InvalidValue) as caught:
            Selection.parse(text)
        assert str(caught.value) == sentence
        assert caught.value.field == "osds"


def test_what_does_not_exist_is_named_with_what_does() -> None:
    cases: list[tuple[str, str]] = [
        ("4", "osd.4: no such OSD in this cluster"),
        ("0,4,5", "osd.4 and osd.5: no such OSD in this cluster"),
        (
            "100-106",
            "osd.100, osd.101, osd.102, osd.103 and 3 more: no such OSD in this cluster",
        ),
        ("class=nvme", "no OSD with class=nvme; this cluster has class hdd, ssd"),
        ("host=d", "no OSD with host=d; this cluster has host a, b, c"),
        ("rack=rack-9", "no OSD with rack=rack-9; this cluster has rack rack-1, rack-2"),
        (
            "row=1",
            "no OSD is in any 'row'; select by class, host, rack, root or OSD IDs",
        ),
        # each term has OSDs, both together have none
        ("host=a&host=b", "'host=a&host=b' selects no OSD"),
        ("0&class=ssd", "'0&class=ssd' selects no OSD"),
    ]
    for text, sentence in cases:
        with pytest.raises(NotFound) as caught:
            Selection.parse(text).select(OSDS)
        assert str(caught.value) == sentence


def test_osds_without_a_class_are_of_class_none() -> None:
    """A posted ``ceph osd tree`` has such OSDs: nothing but their IDs selected them."""
    osds = [*OSDS, an_osd(17, device_class=None)]
    assert [osd.id for osd in Selection.parse("class=none").select(osds)] == [17]
    with pytest.raises(NotFound) as caught:
        Selection.parse("class=nvme").select(osds)
    assert str(caught.value) == "no OSD with class=nvme; this cluster has class hdd, none, ssd"


def test_a_crush_type_is_meant_in_any_case() -> None:
    """Ceph's crush-map-edits: types are free text, names of buckets are what they are."""
    for text in ["Datacenter=DC1.room-2", "datacenter=DC1.room-2"]:
        osd = an_osd(5, location={"host": "a", "Datacenter": "DC1.room-2"})
        assert Selection.parse(text).select([osd]) == [osd]
        with pytest.raises(NotFound, match=r"^no OSD with datacenter=DC2; .* has datacenter DC1"):
            Selection.parse("datacenter=DC2").select([osd])


def test_an_osd_is_below_all_of_its_parents() -> None:
    osd = an_osd(
        5,
        "node-5",
        location={"host": "node-5", "root": "default"},
        also_in=frozenset((("host", "node-5-fast"), ("root", "fast"))),
    )
    for text in ("root=default", "root=fast", "host=node-5", "host=NODE-5-FAST", "root=fast~hdd"):
        assert Selection.parse(text).select([osd]) == [osd]
    with pytest.raises(NotFound, match=r"this cluster has root default, fast$"):
        Selection.parse("root=slow").select([osd])
