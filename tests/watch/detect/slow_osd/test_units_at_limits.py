"""Units against the others and against their past: each comparison just below and at its limit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Optional

import pytest

from farm import roster
from perf_bench.watch.detect.slow_osd.cohort_channel import CohortChannel
from perf_bench.watch.detect.slow_osd.fault_domains import (
    FaultDomains,
    Key,
    RollingBaseline,
    _effects,
)
from perf_bench.watch.detect.slow_osd.persistence import Facts
from perf_bench.watch.detect.slow_osd.thresholds import Thresholds
from perf_bench.watch.detect.slow_osd.topology import Cohort, Topology
from perf_bench.watch.detect.slow_osd.windows import Residuals, Segment

LIMITS = Thresholds()
EACH = 9
HAIR = 1e-6
ERROR = 1.25 / math.sqrt(EACH)  # of a host's median, in deviations of one OSD


def ln(ratio: float) -> float:
    return math.log(ratio)


def cohort(hosts: int = 8, *, racks: int = 0) -> Cohort:
    return Topology(roster(hosts, EACH, racks=racks), LIMITS.group_members).cohorts[0]


def host(number: int) -> Key:
    return ("host", f"host-{number}")


def known(levels: Mapping[int, float], segments: int = 24) -> FaultDomains:
    """What some hosts were at before, for so many segments."""
    domains = FaultDomains(LIMITS)
    for number, level in levels.items():
        for _ in range(segments):
            domains.past[host(number)].learn(level)
    return domains


def at_once(
    levels: Sequence[float],
    *,
    scale: float = 1e-4,
    before: Optional[FaultDomains] = None,
    racks: int = 0,
) -> set[Key]:
    """The units with a hit in a minute in which all OSDs of each host are at its level."""
    domains = before or FaultDomains(LIMITS)
    channel = CohortChannel(cohort(len(levels), racks=racks), LIMITS)
    channel.minute_scale = scale
    size = len(levels) * EACH
    domains.minute(channel, 0.0, Residuals([0.0] * size, [*levels], 0.0, size), ln(2), 6.0)
    return set(domains.acute.recent)


def lasting(
    levels: Sequence[float],
    *,
    scale: float = 1e-4,
    before: Optional[FaultDomains] = None,
    racks: int = 0,
) -> FaultDomains:
    """The units after a segment in which all OSDs of each host are at its level."""
    domains = before or FaultDomains(LIMITS)
    made = cohort(len(levels), racks=racks)
    channel = CohortChannel(made, LIMITS)
    channel.segment_scale = scale
    flat = [0.0] * made.size
    view = Segment(0.0, flat, [*levels], 0.0, flat, frozenset(), False, [flat])
    domains.segment(channel, view)
    return domains


# --- a minute --------------------------------------------------------------------------------


@pytest.mark.parametrize(("more", "hit"), [(-HAIR, False), (HAIR, True)])
def test_a_host_is_six_errors_of_its_median_away(more: float, hit: bool) -> None:
    """Where hosts are alike, it is as exact as the median of its OSDs."""
    assert (host(0) in at_once([6 * ERROR * 0.4 + more, *[0.0] * 7], scale=0.4)) is hit


@pytest.mark.parametrize(("alike", "hit"), [(1.9, False), (1.4, True)])
def test_a_rack_of_a_generation_is_judged_as_its_hosts(alike: float, hit: bool) -> None:
    """None of the hosts is twice as slow as the others, the rack is: most of those are faster.

    Below 1.5 hosts are no generation.
    """
    faster = ln(alike) - ln(2.1)
    levels = [ln(alike)] * 3 + [faster, faster, 0.0] * 2
    assert at_once(levels, racks=3) == ({("rack", "rack-0")} if hit else set())


@pytest.mark.parametrize(("more", "hit"), [(-HAIR, False), (HAIR, True)])
def test_a_host_is_six_deviations_of_the_hosts_away(more: float, hit: bool) -> None:
    """Where hosts differ by more than their errors; 0.2 is the median of what they differ by."""
    others = [-0.2, -0.2, 0.2, 0.2, 0.0, 0.0, 0.0, 0.2]
    level = 6 * 1.4826 * 0.2 + more
    assert (host(8) in at_once([*others, level])) is hit


@pytest.mark.parametrize(
    ("before", "now", "hit"),
    [
        (None, 0.70, True),
        (0.0, 0.70, True),
        (-0.5, 0.68, False),  # twice itself, and not the others
        (0.1, 0.79, False),
        (0.1, 0.80, True),
        (0.5, 1.19, False),
        (0.5, 1.20, True),
    ],
)
def test_a_host_is_twice_the_others_and_twice_what_it_was(
    before: Optional[float], now: float, hit: bool
) -> None:
    """The logarithm of 2 is 0.693."""
    domains = known({} if before is None else {0: before}, segments=1)
    assert (host(0) in at_once([now, *[0.0] * 7], before=domains)) is hit


@pytest.mark.parametrize(("alike", "hits"), [(1, 1), (2, 2), (3, 0)])
@pytest.mark.parametrize("was", [None, 0.9])
def test_three_hosts_that_are_as_slow_are_another_generation(
    alike: int, hits: int, was: Optional[float]
) -> None:
    levels = [0.9] * alike + [0.0] * (8 - alike)
    domains = known({} if was is None else dict.fromkeys(range(3), was), segments=1)
    found = at_once(levels, before=domains)
    assert len(found) == (hits if was is None else 0)


@pytest.mark.parametrize(("more", "hits"), [(-HAIR, 0), (HAIR, 3)])
def test_hosts_of_another_generation_that_became_slower_are_none(more: float, hits: int) -> None:
    """Slower than themselves by 1.2 they are no generation; slower by 2 they are slow."""
    was = 0.9 - ln(2) - more
    assert len(at_once([0.9] * 3 + [0.0] * 5, before=known(dict.fromkeys(range(3), was)))) == hits


# --- a segment -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "other"),  # ratios: two others of it make a generation from the second on
    [(1.6, 1.6 / 1.2), (1.7, 1.7 / 1.2), (2.0, 1.5), (2.2, 1.5), (3.0, 2.0), (6.0, 4.0)],
)
def test_how_like_a_generation_is(level: float, other: float) -> None:
    """Within 1.2 of it; further away only what is slow by itself, and within 1.5."""
    domains = FaultDomains(LIMITS)
    for more, alike in ((-HAIR, False), (HAIR, True)):
        levels = [ln(level), ln(other) + more, ln(other) + more, *[0.0] * 9]
        assert domains._alike(ln(level), levels) is alike
    assert domains._alike(ln(level), [ln(level)] * 2) is False
    assert domains._alike(ln(level), [ln(level)] * 3) is True


@pytest.mark.parametrize(
    ("was", "now", "risen"),
    [(None, 5.0, False), (0.0, ln(1.2) - HAIR, False), (0.0, ln(1.2), True), (0.4, 0.5, False),
     (0.4, 0.59, True), (-0.4, -0.2, True)],
)  # fmt: skip
def test_a_unit_has_risen_by_a_fifth(was: Optional[float], now: float, risen: bool) -> None:
    domains = known({} if was is None else {0: was}, segments=1)
    assert domains._risen(host(0), now) is risen


@pytest.mark.parametrize(
    ("effects", "typical"),
    [
        ([1.0] * 12, 1.0),
        ([1.0] * 10 + [1.3] * 2, 1.3),
        ([1.0] * 11 + [1.3], 1.0),  # one is no generation
        ([1.0] * 20 + [1.3, 1.4], 1.3),  # the lower of two
        ([1.0] * 20 + [1.25, 1.3, 1.4], 1.3),
        ([1.0] * 27 + [1.3, 1.3, 1.3], 1.3),
        ([1.0] * 28 + [1.3, 1.3], 1.0),  # of 30 three
        ([1.0] * 8 + [1.19, 1.3], 1.0),  # 1.19 is as the others
        ([1.0] * 8 + [1.2001, 1.3], 1.2001),
        ([1.0] * 8 + [1.499, 1.6], 1.499),
        ([1.0] * 8 + [1.501, 1.6], 1.0),  # slow by themselves
    ],
)
def test_what_is_typical_of_another_generation(effects: Sequence[float], typical: float) -> None:
    found = FaultDomains(LIMITS)._other_generation([ln(one) for one in effects])
    assert found == pytest.approx(ln(typical))


@pytest.mark.parametrize(("more", "hit"), [(-HAIR, False), (HAIR, True)])
@pytest.mark.parametrize("level", [1.0, 2.0])
def test_a_lasting_host_is_five_errors_away(level: float, more: float, hit: bool) -> None:
    scale = (level - more) / (5 * ERROR)
    assert (
        host(3) in lasting([0.0] * 3 + [level] + [0.0] * 4, scale=scale).sustained.recent
    ) is hit


@pytest.mark.parametrize(("more", "hit"), [(-HAIR, False), (0.0, True), (HAIR, True)])
def test_beside_another_generation_a_host_is_as_many_errors_above_that(
    more: float, hit: bool
) -> None:
    """Of one error here; figures that floats hold exactly, so that the limit itself is met."""
    made = cohort(12)
    channel = CohortChannel(made, LIMITS)
    channel.segment_scale = 0.5 / ERROR
    levels = [0.75 + more, 0.25, 0.25, *[0.0] * 9]
    units = {host(number): (level, EACH) for number, level in enumerate(levels)}
    flat = [0.0] * made.size
    view = Segment(0.0, flat, levels, 0.0, flat, frozenset(), False, [flat])
    hits: dict[Key, Facts] = {}
    FaultDomains(LIMITS)._against_others(channel, view, units, 1.0, hits)
    assert (host(0) in hits) is hit


@pytest.mark.parametrize(("more", "hit"), [(-HAIR, False), (HAIR, True)])
def test_a_lasting_host_is_slower_by_half(more: float, hit: bool) -> None:
    levels = [0.1] * 7 + [0.1 + ln(1.5) + more]
    assert (host(7) in lasting(levels).sustained.recent) is hit


@pytest.mark.parametrize(("more", "hit"), [(-HAIR, False), (HAIR, True)])
@pytest.mark.parametrize("was", [-0.3, 0.0, 0.2])
def test_a_host_is_slower_than_its_past_by_a_fifth(was: float, more: float, hit: bool) -> None:
    """All have a past; only one differs from it."""
    domains = known({**dict.fromkeys(range(8), 0.0), 5: was})
    levels = [0.0] * 5 + [was + ln(1.2) + more] + [0.0] * 2
    assert (host(5) in lasting(levels, before=domains).sustained.recent) is hit


@pytest.mark.parametrize(("more", "hit"), [(-HAIR, False), (HAIR, True)])
def test_a_host_is_five_errors_above_its_past(more: float, hit: bool) -> None:
    domains = known(dict.fromkeys(range(8), 0.0))
    scale = (ln(1.4) - more) / (5 * ERROR)
    found = lasting([ln(1.4), *[0.0] * 7], scale=scale, before=domains)
    assert (host(0) in found.sustained.recent) is hit


@pytest.mark.parametrize(("hosts", "racks"), [(4, {"rack-0"}), (2, set()), (1, set())])
def test_a_rack_with_data_of_less_than_half_of_its_osds_is_not_judged(
    hosts: int, racks: set[str]
) -> None:
    """However many of its hosts have enough: the other rack has no data."""
    made = cohort(8, racks=2)
    in_rack = next(unit for unit in made.units if unit.key == ("rack", "rack-0"))
    hosts_of = [made.units[part] for part in in_rack.parts][:hosts]
    # 5 of the 9 OSDs of each host
    known = {place for unit in hosts_of for place in unit.members[:5]}
    excess = [0.1 if place in known else math.nan for place in range(8 * EACH)]
    found = _effects(made, excess, [0.0] * len(made.groups))
    assert {unit for _, unit in found["rack"]} == racks
    assert len(found["host"]) == hosts


@pytest.mark.parametrize(("pasts", "hit"), [(1, False), (2, False), (3, True)])
def test_three_units_with_a_past_are_compared(pasts: int, hit: bool) -> None:
    found = lasting([ln(1.4), *[0.0] * 7], before=known(dict.fromkeys(range(pasts), 0.0)))
    assert (host(0) in found.sustained.recent) is hit


def test_the_figures_against_the_past_and_against_the_others() -> None:
    domains = known({**dict.fromkeys(range(8), 0.0), 0: 0.1})
    lasting([0.4, *[0.0] * 7], scale=0.06, before=domains)
    for _ in range(2):
        lasting([0.4, *[0.0] * 7], scale=0.06, before=domains)
    facts = domains.sustained.flags[host(0)].facts
    assert facts.members == 7
    assert (facts.excess, facts.level, facts.peers) == pytest.approx((0.3, 0.4, 0.1))
    assert facts.z == pytest.approx(0.3 / (0.06 * ERROR))
    others = FaultDomains(LIMITS)
    for _ in range(3):
        lasting([1.4, *[0.2] * 7], scale=0.06, before=others)
    facts = others.sustained.flags[host(0)].facts
    assert (facts.excess, facts.level, facts.peers) == pytest.approx((1.2, 1.4, 0.2))


def test_a_generation_is_told_with_the_figures_of_each_host() -> None:
    found = lasting([0.9, 1.0, 1.1, *[0.1] * 8]).generation
    # The groups of a cohort are in the order of their names.
    assert list(found) == [host(0), host(1), host(10)]
    assert [one.excess for one in found.values()] == pytest.approx([0.8, 0.9, 1.0])
    assert {one.members for one in found.values()} == {10}


@pytest.mark.parametrize(
    ("values", "usual", "so_far"),
    [
        ([], None, None),
        ([1.0], None, 1.0),
        ([1.0, 2.0, 4.0, 8.0], None, 3.0),
        ([1.0] * 10 + [2.0] * 9, None, 1.0),
        ([1.0] * 10 + [2.0] * 10, 1.5, 1.5),
        ([1.0] * 24, 1.0, 1.0),
        ([1.0] * 24 + [9.0] * 23, 1.0, 1.0),  # of whole slots, once there are some
        ([1.0] * 24 + [9.0] * 24, 5.0, 5.0),
        ([9.0] * 24 * 14 + [1.0] * 24 * 15, 1.0, 1.0),  # of 28 slots
        ([9.0] * 24 * 15 + [1.0] * 24 * 14, 5.0, 5.0),
    ],
)
def test_what_was_usual(
    values: Sequence[float], usual: Optional[float], so_far: Optional[float]
) -> None:
    past = RollingBaseline()
    for value in values:
        past.learn(value)
    assert (past.usual, past.so_far) == (usual, so_far)
