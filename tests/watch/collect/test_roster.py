"""Who is compared with whom, and who is set apart for a while."""

from __future__ import annotations

from typing import Any

import pytest

from fakes.members import member
from perf_bench.watch.collect.collector import cohort_of, roster_state

DAY = 86400.0


@pytest.mark.parametrize(
    ("fields", "cohort"),
    [
        ({"device_class": None, "release": None, "location": {}}, "unknown"),
        ({"model": "VENDOR_HDD-18T"}, "hdd VENDOR_HDD-18T ceph-18 default"),
        ({"separate": "db+wal"}, "hdd +db+wal ceph-18 default"),
        ({"location": {"root": "fast"}}, "hdd ceph-18 fast"),
        ({"also_in": frozenset([("root", "archive")])}, "hdd ceph-18 archive default"),
        # a class that says nothing of the kind, or the wrong one
        ({"rotational": False}, "hdd solid-state ceph-18 default"),
        ({"device_class": "archive", "rotational": True}, "archive rotational ceph-18 default"),
        ({"device_class": "nvme", "rotational": False}, "nvme ceph-18 default"),
    ],
)
def test_cohorts(fields: dict[str, Any], cohort: str) -> None:
    assert cohort_of(member(0, **fields)) == cohort


def test_where_an_osd_stands() -> None:
    places = {"root": "default", "rack": "r1", "enclosure": "e7"}
    listed = [
        member(0, "a", data_device="sda", location=places, expander="0x500056b35e77bcff"),
        member(1, "a", expander="0x500056b35e77bcff"),
        member(2, "b", data_device="sda"),
    ]
    first, second, third = roster_state(listed, None).roster.members
    assert (first.rack, first.enclosure, first.device) == ("r1", "e7", "a/sda")
    assert (second.rack, second.enclosure, second.device) == (None, "0x500056b35e77bcff", None)
    assert third.device == "b/sda"


def test_an_osd_below_two_racks_is_of_neither() -> None:
    """One of them would be blamed for what it has nothing to do with."""
    other = frozenset([("rack", "r2")])
    listed = [member(0, "a", location={"rack": "r1"}, also_in=other)]
    assert roster_state(listed, None).roster.members[0].rack is None


def test_down_is_who_is_down_or_out() -> None:
    listed = [member(0), member(1, up=False), member(2, in_cluster=False)]
    assert roster_state(listed, None).down == {1, 2}
