"""The cells of the crash matrix, and what is held against a round after a fault."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from perf_bench.bench.client_repeats import CLEANING
from perf_bench.bench.context import SAVING
from perf_bench.model.plan import PROFILES, Layout
from reliability.crash.faults import FAULTS
from reliability.crash.part import _judge_rounds, cells, name, row
from reliability.crash.steps import steps
from reliability.trials import Order

ORDER = Order(7, 60.0, Path("folder"))
MGR, OSD = FAULTS[0], next(one for one in FAULTS if one.loses_osds)


@dataclass
class Seen:
    """A cluster as a step sees it."""

    round: dict[str, Any] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    set_flags: int = 0

    def active(self) -> dict[str, Any]:
        return self.round

    def journal(self) -> tuple[str, ...]:
        return self.keys

    def flags(self) -> int:
        return self.set_flags

    def busy(self) -> int:
        return 2

    def watch(self) -> dict[str, Any]:
        return {}

    def tick_begins(self, part: float) -> bool:
        return part < 1


WRITTEN = Seen({"phase": "starting"}, ("1", "2"))
MEASURED = Seen({"phase": "write", "samples": 6, "samples_planned": 6}, ("1", "2"), 2)
FIGURES = {"first bench", "second repeat", "a sample"}


def _met(seen: Seen, work: str) -> set[str]:
    return {step.name for step in steps() if step.work == work and step.seen(seen)}


def test_the_matrix_has_every_fault_at_every_step_once() -> None:
    names = [name(*cell) for cell in cells(ORDER)]
    assert len(names) == len(set(names)) == len(steps()) * len(FAULTS)
    assert len(names) >= 100  # on three releases at least 300


def test_every_profile_of_clients_has_steps() -> None:
    clients = {
        one.name
        for one in PROFILES.values()
        if one.kind == "rados" and one.layout is not Layout.SEARCH
    }
    assert clients <= {step.work for step in steps()}


def test_what_has_held_is_not_tried_again_and_a_seed_gives_the_same_order() -> None:
    every = [name(*cell) for cell in cells(ORDER)]
    assert every == [name(*cell) for cell in cells(ORDER)]
    rows = frozenset(row(*cell) for cell in cells(ORDER)[:3])
    rest = cells(replace(ORDER, held=frozenset(every[:3]), tried=rows))
    assert [name(*cell) for cell in rest] == every[3:]
    assert [name(*cell) for cell in cells(replace(ORDER, seed=8))] != every


def test_every_row_has_a_trial_before_any_has_two() -> None:
    rows = [row(*cell) for cell in cells(ORDER)]
    count = len(set(rows))
    assert len(set(rows[:count])) == count < len(rows)


@pytest.mark.parametrize(
    ("seen", "work", "met"),
    [
        (Seen({"phase": "starting"}), "osd bench", {"starting"}),
        (WRITTEN, "osd bench", {"starting", "settings are written"}),
        (
            replace(WRITTEN, set_flags=1),
            "osd bench",
            {"starting", "settings are", "1 of 2 flags s"},
        ),
        (Seen({"phase": SAVING}, ()), "osd bench", {SAVING}),
        (MEASURED, "osd bench", {*FIGURES, "settings are written", "settings are put"}),
        (
            replace(MEASURED, set_flags=1),
            "osd bench",
            {*FIGURES, "settings are written", "settings are put", "1 of 2 flags put"},
        ),
        (replace(MEASURED, keys=()), "osd bench", FIGURES),
        (Seen(), "osd bench", set()),
        (Seen({"phase": CLEANING, "samples": 2}), "rados-write", {"first", "last", "a repeat"}),
        (Seen({"phase": CLEANING, "samples": 0}), "rados-write", {"first"}),
        (Seen(), "workers", {"all workers have the order"}),
    ],
)
def test_a_step_is_seen_in_what_the_module_answers(seen: Seen, work: str, met: set[str]) -> None:
    found = _met(seen, work)
    assert len(found) == len(met)
    assert all(any(one.startswith(begin) for begin in met) for one in found)


SAMPLE = {"target": "osd.1", "phase": "throughput", "repeat": 1}
DONE = {"state": "done", "reasons": [], "samples": [SAMPLE], "clients": []}


def test_a_round_that_was_carried_on_has_nothing_against_it() -> None:
    assert _judge_rounds([DONE], [SAMPLE], MGR) == []


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ([], "there are 0 rounds"),
        ([DONE, DONE], "there are 2 rounds"),
        ([{**DONE, "samples": []}], "a sample was lost"),
        ([{**DONE, "samples": [SAMPLE, SAMPLE]}], "measured twice"),
        ([{**DONE, "state": "aborted", "reasons": ["why"]}], "the round is aborted"),
    ],
)
def test_what_is_wrong_with_a_round_is_told(rounds: list[Any], said: str) -> None:
    (found,) = _judge_rounds(rounds, [SAMPLE], MGR)
    assert said in found


def test_a_round_that_loses_osds_may_end_with_a_reason() -> None:
    ended = {**DONE, "state": "aborted"}
    assert _judge_rounds([{**ended, "reasons": ["two OSDs are down"]}], [], OSD) == []
    assert _judge_rounds([ended], [], OSD) != []
