"""What counts as the same setup, and which differences are told."""

from __future__ import annotations

from typing import Any

from perf_bench.bench.compare.comparable import (
    differences,
    environment_hash,
)

# As a round of today records it.
BASE: dict[str, Any] = {
    "release": "18.2.7 reef",
    "mgr": "a",
    "fsid": "f",
    "osd_releases": {"18.2.7": 12},
    "osds": 12,
    "osds_up": 12,
    "flags": ["sortbitwise", "noscrub"],
    "health": "HEALTH_OK",
    "pools": 3,
    "pgs": 128,
    "pgs_by_state": {"active+clean": 128},
    "fill_percent": 41.0,
    "client_read_bytes_per_second": 0,
    "client_write_bytes_per_second": 1000,
    "peer_groups": [{"class": "hdd", "model": "M", "osds": 12}],
    "max_parallel": 64,
    "forced": [],
    "options": {"bluestore_cache_size": "0"},
}
UNRECORDED: dict[str, Any] = {"osd_releases": {}, "peer_groups": []}
MIB = 1 << 20


def _mix(*groups: tuple[str, str, int]) -> list[dict[str, Any]]:
    return [{"class": c or None, "model": m or None, "osds": n} for c, m, n in groups]


def test_differences() -> None:
    cases: list[Any] = [
        ({}, [], True),
        # --- setup: in the hash
        (
            {"osd_releases": {"20.2.4": 12}},
            ["OSD release: 18.2.7 -> 20.2.4"],
            False,
        ),
        # in the middle of an upgrade; how many run which does not matter
        (
            {"osd_releases": {"20.2.4": 3, "18.2.7": 9}},
            ["OSD release: 18.2.7 -> 18.2.7, 20.2.4"],
            False,
        ),
        (
            {"peer_groups": _mix(("hdd", "M", 6), ("ssd", "", 6))},
            ["OSDs measured: 12 hdd M -> 6 hdd M, 6 ssd"],
            False,
        ),
        ({"peer_groups": _mix(("hdd", "M", 16))}, ["OSDs measured: 12 hdd M -> 16 hdd M"], False),
        ({"flags": []}, ["flags: noscrub -> none"], False),
        ({"max_parallel": 8}, ["OSDs at once: 64 -> 8"], False),
        (
            {"options": {"bluestore_cache_size": "1073741824"}},
            ["bluestore_cache_size: 0 -> 1073741824"],
            False,
        ),
        # --- what was not recorded is not known
        ({"options": {"another": "1"}}, [], False),
        ({"options": None, "max_parallel": None, "flags": None}, [], False),
        (UNRECORDED, [], False),
        # --- conditions: told beyond a tolerance, never in the hash
        ({"fill_percent": 50.0}, [], True),
        ({"fill_percent": 51.0}, ["fill: 41 % -> 51 %"], True),
        ({"fill_percent": None}, [], True),
        ({"osds_up": 11}, ["OSDs up: 12 -> 11"], True),
        ({"pgs": 140}, [], True),
        ({"pgs": 256}, ["PGs: 128 -> 256"], True),
        ({"client_write_bytes_per_second": 11 * MIB}, [], True),
        (
            {"client_read_bytes_per_second": 12 * MIB},
            ["client load: 0 MiB/s -> 12 MiB/s"],
            True,
        ),
        ({"client_read_bytes_per_second": None}, [], True),
        (
            {"pgs_by_state": {"active+clean": 125, "active+clean+scrubbing+deep": 3}},
            ["PGs scrubbing: 0 -> 3"],
            True,
        ),
        (
            {"pgs_by_state": {"active+remapped+backfilling": 2, "active+recovering": 1}},
            ["PGs recovering: 0 -> 1", "PGs backfilling: 0 -> 2"],
            True,
        ),
        # --- neither
        ({"mgr": "b", "release": "20.2.4 tentacle", "pools": 4, "health": "HEALTH_WARN"}, [], True),
        ({"flags": ["noscrub", "noout"]}, [], True),
        ({"forced": ["osd.1 is nearfull"]}, [], True),
        ({"tolerated": ["BLUEFS_SPILLOVER: 1 OSD(s)"]}, [], True),
    ]
    for changed, told, same_hash in cases:
        now = {**BASE, **changed}
        assert [str(difference) for difference in differences(BASE, now)] == told
        assert (environment_hash(now) == environment_hash(BASE)) is same_hash


def test_setup_is_told_from_conditions() -> None:
    now = {**BASE, "max_parallel": 8, "fill_percent": 80.0, "osds_up": 11, "pgs": 256}
    assert [d.setup for d in differences(BASE, now)] == [True, False, False, False]


def test_a_tenth_more_or_fewer_pgs_are_no_difference() -> None:
    for pgs, told in [(100, 0), (101, 1), (82, 0), (80, 1)]:
        assert len(differences({**BASE, "pgs": 90}, {**BASE, "pgs": pgs})) == told


def test_work_that_goes_on_is_no_difference() -> None:
    was, now = ({**BASE, "pgs_by_state": {"active+clean+scrubbing": n}} for n in (2, 9))
    assert differences(was, now) == ()


def test_a_round_that_recorded_nothing() -> None:
    assert differences({}, BASE) == differences(BASE, {}) == differences({}, {}) == ()
