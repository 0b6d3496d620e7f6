"""The profiles are what INTERFACE names, and run on a cluster whose options nobody touched."""

from __future__ import annotations

import pytest

from perf_bench.model.plan import KIB, MIB, PROFILES, BenchLimits, Profile, profile_named, writes


def test_their_names() -> None:
    plain = ["osd-throughput", "osd-iops", "osd-balanced"]
    clients = ["rados-write", "rados-seq", "rados-rand"]
    searches = ["rados-saturate", "rados-saturate-rand"]
    assert list(PROFILES) == [*plain, "osd-sandwich", "osd-wal", *clients, *searches]


@pytest.mark.parametrize(
    ("name", "block_size", "prefilled"),
    [
        ("osd-throughput", 4 * MIB, False),
        ("osd-iops", 4 * KIB, True),
        ("osd-balanced", 32 * KIB, True),
    ],
)
def test_what_each_writes(name: str, block_size: int, prefilled: bool) -> None:
    profile = profile_named(name)
    (step,) = profile.steps
    assert profile.kind == "osd"
    assert (step.block_size, step.prefilled) == (block_size, prefilled)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=str)
def test_each_is_within_the_default_limits(profile: Profile) -> None:
    for step in profile.steps:
        assert step.total_bytes <= BenchLimits().max_bytes(step.block_size)
        assert step.total_bytes % step.block_size == 0


def test_small_writes_are_prefilled_below_one_mebibyte() -> None:
    assert writes(MIB - 512, MIB).prefilled
    assert not writes(MIB, MIB).prefilled
