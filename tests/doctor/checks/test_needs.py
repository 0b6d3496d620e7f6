"""What a check needs to look: whether all of it is missing, or a part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from factory import document
from nouns import an_osd
from perf_bench.doctor.checks import needs
from perf_bench.model.doctor_snapshot import Build, DoctorSnapshot, OsdDetails
from perf_bench.model.facts import facts_of

NEW = Build("ceph version 20.2.0 (abc) tentacle (stable - RelWithDebInfo)", "debian", "x86_64")
OLD = Build("ceph version 18.2.7 (abc) reef (stable)", "debian", "x86_64")


@pytest.mark.parametrize(("lacking", "whole"), [(0, []), (1, [False]), (2, [False]), (3, [True])])
@pytest.mark.parametrize(
    ("need", "has", "lacks", "code"),
    [
        (needs.metadata, {"release": "18.2.7"}, {"release": ""}, "no-metadata"),
        (needs.counters, {"pgs": 0}, {"pgs": None}, "no-counters"),
        (needs.host_memory, {"host_memory": 1}, {"host_memory": None}, "no-metadata"),
        (needs.build_type, {"build": NEW}, {"build": OLD}, "no-build-type"),
        (needs.build_type, {"build": NEW}, {"build": None}, "no-build-type"),
        (needs.allocators, {"build": NEW}, {"build": OLD}, "not-asked"),
        (needs.stalled_alerts, {"release": "18.2.0"}, {"release": "17.2.7"}, "no-alert"),
    ],
)
def test_what_some_osds_lack(
    need: Callable[[DoctorSnapshot], Iterator[needs.Lack]],
    has: Mapping[str, Any],
    lacks: Mapping[str, Any],
    code: str,
    lacking: int,
    whole: list[bool],
) -> None:
    osds = {
        number: OsdDetails(an_osd(number), **(lacks if number < lacking else has))
        for number in range(3)
    }
    found = list(need(DoctorSnapshot(osds=osds, tcmalloc={NEW: True})))
    assert [one.whole for one in found] == whole
    assert [one.code for one in found] == [code] * len(whole)
    assert all(("osd.0" in one.why, "osd.2" in one.why) == (True, lacking > 2) for one in found)


@pytest.mark.parametrize(
    ("models", "whole"),
    [("XXX", []), ("XXXX", []), ("XX", [True]), ("XXXY", [False]), ("", []), ("XXXYYY", [])],
)
def test_three_hosts_of_a_processor_are_compared(models: str, whole: list[bool]) -> None:
    facts = {}
    for number, model in enumerate(models):
        sections: dict[str, Any] = {"cpu": {"model": model}, "crc32c": {"bytes_per_second": 9e9}}
        facts[f"host-{number}"] = facts_of(document(f"host-{number}", **sections))
    # Those that told no rate, or no model, are none of them.
    facts["host-8"] = facts_of(document("host-8", cpu={"model": "Z"}))
    facts["host-9"] = facts_of(document("host-9", crc32c={"bytes_per_second": 9e9}))
    found = list(needs.alike_hosts(DoctorSnapshot(facts=facts)))
    assert [one.whole for one in found] == whole
