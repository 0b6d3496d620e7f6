"""JSON to nouns: unknown fields are passed over, wrong ones are named."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Any

import pytest

from nouns import a_plan
from perf_bench.model.json_fields import decode
from perf_bench.model.plan import Missed, Plan, Schedule, Step, Window

SHAPE: dict[str, Any] = json.loads(json.dumps(asdict(a_plan([[0, 1], [2]]))))


def test_a_noun_comes_back_as_it_was() -> None:
    assert decode(Plan, SHAPE) == a_plan([[0, 1], [2]])


def test_fields_of_a_newer_version_are_passed_over_at_any_depth() -> None:
    newer = json.loads(json.dumps(SHAPE))
    newer["later"] = 1
    newer["phases"][0]["step"]["later"] = [1]
    assert decode(Plan, newer) == a_plan([[0, 1], [2]])


def test_fields_that_are_absent_have_their_defaults() -> None:
    saved: dict[str, Any] = {"operation": "write", "block_size": 1, "total_bytes": 2}
    for more in ({}, {"object_size": None}):
        assert decode(Step, {**saved, **more}) == Step("write", 1, 2)


def test_enums_and_nouns_within() -> None:
    saved = {"name": "n", "profile": "p", "missed": "skip", "window": {"start": 60, "end": 120}}
    assert decode(Schedule, saved) == Schedule("n", "p", missed=Missed.SKIP, window=Window(60, 120))


def test_what_is_wrong_is_named() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"repeats": "3"}, "repeats must be a whole number, not '3'"),
        ({"repeats": True}, "repeats must be a whole number, not a truth value"),
        ({"seconds": None}, "seconds must be a number, not nothing"),
        ({"phases": 7}, "phases must be a list, not 7"),
        ({"phases": [[]]}, "phases[0] must be an object, not a list"),
        ({"phases": [{"step": {}, "waves": []}]}, "phases[0].step.operation is missing"),
        ({"notes": ["a", 1]}, "notes[1] must be a text, not 1"),
        ({"raised": [["a"]]}, "raised[0] has 1 values, not 2"),
        ({"raised": [["a", "b"]]}, "raised[0][1] must be a whole number, not 'b'"),
        ({"imported": []}, "imported must be an object, not a list"),
    ]
    for change, sentence in cases:
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            decode(Plan, {**SHAPE, **change})


def test_words_that_this_version_does_not_know() -> None:
    with pytest.raises(ValueError, match="missed is 'twice', which"):
        decode(Schedule, {"name": "n", "profile": "p", "missed": "twice"})


def test_what_is_no_object_at_all() -> None:
    cases: list[Any] = [None, [], "text", 1]
    for saved in cases:
        with pytest.raises(ValueError, match="must be an object"):
            decode(Step, saved)
