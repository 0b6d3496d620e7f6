"""Who asks for the state of settings is answered while they are being changed, for seconds."""

from __future__ import annotations

from threading import Thread
from typing import Callable

import threads
from held_cluster import CLEAN, ROUND, World, a_round
from perf_bench.model.quiesce import QuiesceState


def _asked_at_every_step(world: World) -> list[QuiesceState]:
    """The answers to another thread in a round's life, one for each of its steps."""
    mgr, found = world.mgr(), []
    mgr.wake()

    def ask() -> None:
        mgr.wake()
        found.append(mgr.state())

    def plan(act: Callable[[], None]) -> None:
        answers, thread = len(found), Thread(target=ask, daemon=True)
        thread.start()
        thread.join(threads.PATIENCE)
        assert len(found) == answers + 1, f"no answer at step {world.steps[-1]}"
        act()

    first = len(world.steps)
    world.plans = {first + number: plan for number in range(len(CLEAN))}
    a_round(world, mgr)
    assert len(found) == len(world.steps) - first
    return found


def test_the_state_is_told_at_every_step_of_a_round() -> None:
    found = _asked_at_every_step(World())
    order = [QuiesceState.IDLE, QuiesceState.HELD, QuiesceState.RESTORE_PENDING]
    turns = [one for one, before in zip(found, [None, *found]) if one is not before]
    assert turns[:3] == order
    assert set(turns[3:]) <= {QuiesceState.IDLE}


def test_settings_of_a_round_are_called_held_while_it_runs() -> None:
    world = World()
    found = _asked_at_every_step(world)
    at_measuring = world.steps.index("measure") - (len(world.steps) - len(found))
    assert found[at_measuring] is QuiesceState.HELD
    assert world.running == ROUND
