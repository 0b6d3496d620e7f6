"""When OSDs that fell together accuse their enclosure: by table, and by 1,000 simulated months."""

from __future__ import annotations

import random

import pytest

from perf_bench.hardware.rules.correlated_failures import (
    DRIVE_RATE,
    RATE,
    WINDOW,
    beyond_chance,
    together,
)

MONTH = 30 * 86400.0


def test_how_many_are_needed() -> None:
    for osds, count in [(1, 3), (3, 3), (12, 3), (24, 3), (60, 4), (106, 4), (1000, 7)]:
        assert next(n for n in range(3, 9) if beyond_chance(osds, 0, (1,) * n)) == count


def test_of_24_osds_that_share_drives() -> None:
    for drives, fallen, beyond in [
        (1, (12,), False),  # one drive of DBs for all
        (2, (12,), False),
        (2, (12, 12), True),  # both at once
        (2, (1, 12), False),
        (2, (1, 1, 12), True),
        (12, (2, 2), False),  # two OSDs on each drive
        (12, (1, 2, 2), True),
        (12, (2,), False),
        (12, (1, 2), False),
        (12, (1, 1, 1), True),
        (0, (1, 1, 1), True),
        (0, (1, 1), False),
    ]:
        assert beyond_chance(24, drives, fallen) is beyond, (drives, fallen)


def test_all_osds_of_a_large_chassis_fall() -> None:
    """A bucket of CRUSH may have any number of them."""
    for osds in [179, 1000]:
        assert together(dict.fromkeys(range(osds), 0.0), range(osds), {}) == list(range(osds))


SIXTY = range(60)
# who is down since when, whose enclosure it is, who is accused of having fallen together
FALLS: list[tuple[str, dict[int, float], range, list[int]]] = [
    ("nobody", {}, SIXTY, []),
    ("three of sixty", {1: 0.0, 2: 9.0, 3: 11.0}, SIXTY, []),
    ("four of sixty", {1: 0.0, 2: 9.0, 3: 11.0, 4: 500.0}, SIXTY, [1, 2, 3, 4]),
    ("three of twelve", {1: 0.0, 2: 9.0, 3: 11.0}, range(12), [1, 2, 3]),
    ("within ten minutes", {1: 0.0, 2: 9.0, 3: 11.0, 4: 600.0}, SIXTY, [1, 2, 3, 4]),
    ("three within ten minutes", {1: 0.0, 2: 9.0, 3: 600.0}, range(12), [1, 2, 3]),
    ("in more than ten minutes", {1: 0.0, 2: 9.0, 3: 11.0, 4: 600.5}, SIXTY, []),
    ("one after the other", {n: n * 650.0 for n in range(9)}, SIXTY, []),
    ("an old one is not of them", {0: -1e6, 1: 0.0, 2: 9.0, 3: 11.0}, range(12), [1, 2, 3]),
    ("as many elsewhere", {**dict.fromkeys(range(4), 1.0), **dict.fromkeys(range(90, 94), 2.0)},
     SIXTY, []),
    ("three of four in all", {1: 0.0, 2: 9.0, 3: 11.0, 90: 2.0}, range(12), [1, 2, 3]),
    ("three of five in all", {1: 0.0, 2: 9.0, 3: 11.0, 90: 2.0, 91: 2.0}, range(12), []),
    ("one more elsewhere", {**dict.fromkeys(range(4), 1.0), 90: 2.0}, SIXTY, [0, 1, 2, 3]),
    ("elsewhere, long ago", {**dict.fromkeys(range(4), 1.0), **dict.fromkeys(range(90, 94), -9e5)},
     SIXTY, [0, 1, 2, 3]),
    ("not its own", dict.fromkeys(range(90, 99), 1.0), SIXTY, []),
]  # fmt: skip


def test_who_fell_together() -> None:
    for name, fell, members, accused in FALLS:
        assert together(fell, members, {}) == accused, name


def _false_findings(osds: int, months: int, seed: int, on_drive: int = 1) -> int:
    """How many times OSDs that fail by themselves, each once a month, look like an enclosure.

    So many share a drive, which takes them with it once a year. Each stays down for a day on
    average, longer than in any real cluster: so more are down at once.
    """
    chance = random.Random(seed)  # noqa: S311 - a simulation
    drive_groups = {osd: osd - osd % on_drive for osd in range(osds)}
    drives = osds // on_drive if on_drive > 1 else 0
    rate = osds * RATE + drives * DRIVE_RATE
    fell: dict[int, float] = {}
    back: dict[int, float] = {}
    now, found, accused = 0.0, 0, False
    while now < months * MONTH:
        now += chance.expovariate(rate)
        for osd in [osd for osd, until in back.items() if until <= now]:
            del fell[osd], back[osd]
        osd = chance.randrange(osds)
        with_it = range(drive_groups[osd], drive_groups[osd] + on_drive)
        down = [osd] if chance.random() < osds * RATE / rate else with_it
        until = now + chance.expovariate(1 / 86400)
        for one in set(down) - set(fell):
            fell[one], back[one] = now, until
        before, accused = accused, bool(together(fell, range(osds), drive_groups))
        found += accused and not before
    return found


@pytest.mark.parametrize("on_drive", [1, 2, 12, 30])
@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_months_accuse_an_enclosure_once_at_most(seed: int, on_drive: int) -> None:
    assert _false_findings(60, 1000, seed, on_drive) <= 1


def test_the_simulation_would_see_a_rule_that_is_too_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    from perf_bench.hardware.rules import correlated_failures  # noqa: PLC0415

    monkeypatch.setattr(correlated_failures, "beyond_chance", lambda *_: True)
    found = _false_findings(60, 1000, 1)
    # as the Poisson law has it: 60 falls a month, two others within the window of each
    expected = 1000 * 60 * (60 * RATE * WINDOW) ** 2 / 2
    assert found == pytest.approx(expected, rel=0.05)
