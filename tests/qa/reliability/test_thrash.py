"""What the thrasher draws from a seed, and what it holds against a round."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

from reliability.crash.faults import FAULTS
from reliability.thrash.actions import draw
from reliability.thrash.part import cycles
from reliability.thrash.users import figures, lost
from reliability.trials import Order

FAILED = ((41, 3), (9, 10), (7, 2))


def _names(seed: int, cycle: int) -> list[str]:
    return [one.name for one in draw(random.Random(f"{seed}/{cycle}"), 8)]  # noqa: S311


def test_a_seed_draws_the_same_actions_again_and_each_cycle_others() -> None:
    assert _names(7, 3) == _names(7, 3)
    assert len({tuple(_names(7, cycle)) for cycle in range(20)}) == 20


def test_every_fault_is_drawn_some_time() -> None:
    drawn = {name for cycle in range(60) for name in _names(7, cycle)}
    assert {fault.name for fault in FAULTS} <= drawn


def test_clocks_step_both_ways() -> None:
    drawn = {name for cycle in range(60) for name in _names(7, cycle) if "clock" in name}
    assert any("-" in name for name in drawn)
    assert any("+" in name for name in drawn)


def test_every_second_action_is_a_fault() -> None:
    faults = {name for cycle in range(60) for name in _names(7, cycle)[::2]}
    others = {name for cycle in range(60) for name in _names(7, cycle)[1::2]}
    assert not faults & others


def test_what_failed_last_is_tried_first_by_the_runs_that_share_it() -> None:
    failing = frozenset({f"seed {seed}, cycle {number}: wait 1 s" for seed, number in FAILED})

    def due(number: int, count: int) -> list[tuple[int, int]]:
        order = Order(7, 60.0, Path("tools"), Path("kept"), failing=failing, share=(number, count))
        return list(islice(cycles(order), 5))

    assert due(1, 1) == [(7, 2), (9, 10), (41, 3), (7, 0), (7, 1)]
    assert due(1, 2) == [(7, 2), (41, 3), (7, 0), (7, 4), (7, 6)]
    assert due(2, 2) == [(9, 10), (7, 1), (7, 3), (7, 5), (7, 7)]


def test_what_was_shown_and_is_gone_is_lost() -> None:
    shown = figures({"samples": [{"target": "osd.1"}], "clients": [{"client": 0}]})
    assert lost(shown, [*shown, {"client": 1}]) == []
    assert lost(shown, shown[1:]) == [{"target": "osd.1"}]
