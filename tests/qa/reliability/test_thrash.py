"""What the thrasher draws from a seed, and what it holds against a round."""

from __future__ import annotations

import random

from reliability.crash.faults import FAULTS
from reliability.crash.part import figures
from reliability.thrash.actions import draw
from reliability.thrash.users import lost


def _names(seed: int, cycle: int) -> list[str]:
    return [one.name for one in draw(random.Random(f"{seed}/{cycle}"), 8)]  # noqa: S311


def test_a_seed_draws_the_same_actions_again_and_each_cycle_others() -> None:
    assert _names(7, 3) == _names(7, 3)
    assert len({tuple(_names(7, cycle)) for cycle in range(20)}) == 20


def test_every_fault_is_drawn_some_time() -> None:
    drawn = {name for cycle in range(60) for name in _names(7, cycle)}
    assert {fault.name for fault in FAULTS} <= drawn


def test_what_was_shown_and_is_gone_is_lost() -> None:
    shown = figures({"samples": [{"target": "osd.1"}], "clients": [{"client": 0}]})
    assert lost(shown, [*shown, {"client": 1}]) == []
    assert lost(shown, shown[1:]) == [{"target": "osd.1"}]
