"""When OSDs that fell together accuse their enclosure: by table, and by 1,000 simulated months."""

from __future__ import annotations

import random

import pytest

from perf_bench.detect.falls import RATE, WINDOW, needed, together

MONTH = 30 * 86400.0


@pytest.mark.parametrize(
    ("osds", "count"), [(1, 3), (3, 3), (12, 3), (24, 3), (60, 4), (106, 4), (1000, 7)]
)
def test_how_many_are_needed(osds: int, count: int) -> None:
    assert needed(osds) == count


SIXTY = range(60)
# who is down since when, whose enclosure it is, who is accused of having fallen together
FALLS = [
    ("nobody", {}, SIXTY, []),
    ("three of sixty", {1: 0.0, 2: 9.0, 3: 11.0}, SIXTY, []),
    ("four of sixty", {1: 0.0, 2: 9.0, 3: 11.0, 4: 500.0}, SIXTY, [1, 2, 3, 4]),
    ("three of twelve", {1: 0.0, 2: 9.0, 3: 11.0}, range(12), [1, 2, 3]),
    ("one after the other", {n: n * 650.0 for n in range(9)}, SIXTY, []),
    ("an old one is not of them", {0: -1e6, 1: 0.0, 2: 9.0, 3: 11.0}, range(12), [1, 2, 3]),
    ("as many elsewhere", {**dict.fromkeys(range(4), 1.0), **dict.fromkeys(range(90, 94), 2.0)},
     SIXTY, []),
    ("one more elsewhere", {**dict.fromkeys(range(4), 1.0), 90: 2.0}, SIXTY, [0, 1, 2, 3]),
    ("elsewhere, long ago", {**dict.fromkeys(range(4), 1.0), **dict.fromkeys(range(90, 94), -9e5)},
     SIXTY, [0, 1, 2, 3]),
    ("not its own", dict.fromkeys(range(90, 99), 1.0), SIXTY, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fell", "members", "accused"), [row[1:] for row in FALLS], ids=[row[0] for row in FALLS]
)
def test_who_fell_together(fell: dict[int, float], members: range, accused: list[int]) -> None:
    assert together(fell, members) == accused


def _false_findings(osds: int, months: int, seed: int) -> int:
    """How many times OSDs that fail by themselves, each once a month, look like an enclosure.

    Each stays down for a day on average, longer than in any real cluster: so more are down at once.
    """
    chance = random.Random(seed)  # noqa: S311 - a simulation
    fell: dict[int, float] = {}
    back: dict[int, float] = {}
    now, found, accused = 0.0, 0, False
    while now < months * MONTH:
        now += chance.expovariate(osds * RATE)
        for osd in [osd for osd, until in back.items() if until <= now]:
            del fell[osd], back[osd]
        osd = chance.randrange(osds)
        if osd not in fell:
            fell[osd], back[osd] = now, now + chance.expovariate(1 / 86400)
        before, accused = accused, bool(together(fell, range(osds)))
        found += accused and not before
    return found


@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_months_accuse_an_enclosure_once_at_most(seed: int) -> None:
    assert _false_findings(60, 1000, seed) <= 1


def test_the_simulation_would_see_a_rule_that_is_too_weak(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from perf_bench.detect import falls  # noqa: PLC0415

    monkeypatch.setattr(falls, "needed", lambda _osds: 3)
    found = _false_findings(60, 1000, 1)
    # as the Poisson law has it: 60 falls a month, two others within the window of each
    expected = 1000 * 60 * (60 * RATE * WINDOW) ** 2 / 2
    assert found == pytest.approx(expected, rel=1)
    assert found > 1
