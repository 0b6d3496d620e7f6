"""Who is asked for an allocator, and how often."""

from __future__ import annotations

import logging

from fakes.checksums import FakeAsker
from nouns import an_osd
from perf_bench.doctor.service import AllocatorSurvey
from perf_bench.model.doctor_snapshot import Build, OsdDetails

OLD, NEW = Build("16.2.15", "Debian 12"), Build("16.2.15", "CentOS 9")
LOG = logging.getLogger("builds")


def osds() -> list[OsdDetails]:
    builds = {0: OLD, 1: OLD, 2: NEW, 3: None, 4: OLD}
    return [OsdDetails(an_osd(osd, up=osd != 0), build=build) for osd, build in builds.items()]


def test_one_of_each_build_is_asked_once() -> None:
    builds, asker = AllocatorSurvey(LOG), FakeAsker()
    asker.allocators = {0: True, 1: False, 2: True, 4: False}
    assert builds.seen(osds()) == {}
    for _ in range(2):
        builds.ask(asker, set())
        assert builds.seen(osds()) == {OLD: False, NEW: True}
    assert asker.asked == [1, 2]  # 0 is down, 3 has told nothing of itself
    assert builds.seen(osds()[2:3]) == {NEW: True}  # the other one is gone
    builds.ask(asker, set())
    assert builds.seen(osds()) == {NEW: True}


def test_one_that_does_not_answer_is_asked_by_the_next_of_its_build() -> None:
    builds, asker = AllocatorSurvey(LOG), FakeAsker()
    asker.allocators = {4: True}
    builds.seen(osds()[:2] + osds()[4:])
    builds.ask(asker, {4})  # it benches
    assert builds.seen([]) == {}
    builds.seen(osds()[:2] + osds()[4:])
    for _ in range(4):
        builds.ask(asker, set())
    assert asker.asked == [1, 1, 4]
    assert builds.seen(osds()[4:]) == {OLD: True}
