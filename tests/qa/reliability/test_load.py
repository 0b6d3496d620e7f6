"""What is held against answers and times under load."""

from __future__ import annotations

from typing import Any

import pytest

from reliability.load.commands import OTHER, wrong
from reliability.load.part import _judged, frozen


@pytest.mark.parametrize(
    ("command", "answer", "good"),
    [
        ("perf-bench status", {"version": "1"}, True),
        ("perf-bench status", {}, False),
        ("perf-bench osd ls", [{"osd": 1}], True),
        ("perf-bench osd ls", [], False),
        ("perf-bench round show id=3", {"id": 3}, True),
        ("perf-bench round show id=3", {"id": 4}, False),
    ],
)
def test_an_answer_that_cannot_be_right_is_told(command: str, answer: Any, good: bool) -> None:
    assert (wrong(command, answer) == "") is good


def _found(other: float, **errors: int) -> Any:
    took = {"perf-bench status": [0.1] * 100, OTHER: [other] * 100}
    return {"took": took, "errors": errors, "refused": 0}


def test_another_module_may_take_what_it_takes_beside_its_own_commands() -> None:
    for alone, other, faults in ((0.1, 1.9, 0), (0.1, 2.1, 1), (1.0, 2.9, 0), (1.0, 3.1, 1)):
        ours, others = _judged(_found(other), _found(alone), 60.0)
        assert (ours.count, len(ours.faults), len(others.faults)) == (100, 0, faults)


def test_without_a_database_refused_is_right_and_late_is_not() -> None:
    found = {**_found(9.9), "refused": 7}
    assert frozen(found, [], "").faults == []
    assert list(frozen({**found, "refused": 0}, ["3 times: 500"], "").faults) == [
        "3 times: 500",
        "no command was refused: the database answered",
    ]
    (late,) = frozen({**_found(10.1), "refused": 7}, [], "").faults
    assert late == f"'{OTHER}' took 10.1 s"
    (error,) = frozen(
        {**_found(0.1, **{"perf-bench status: -5: EIO": 3}), "refused": 7}, [], ""
    ).faults
    assert error == "3 times: perf-bench status: -5: EIO"
