from __future__ import annotations

import json
import pickle
from copy import deepcopy
from typing import Any

import pytest

from perf_bench.model.said import Said, packed, say, unpacked, with_said

GIB = 1 << 30


@pytest.mark.parametrize(
    ("template", "values", "text"),
    [
        ("{osds:osds} {osds#is|are} down", {"osds": {7}}, "osd.7 is down"),
        ("{osds:osds} {osds#is|are} down", {"osds": (8, 7)}, "osd.7 and osd.8 are down"),
        ("{osds:osds}", {"osds": range(6)}, "osd.0, osd.1, osd.2, osd.3 and 2 more"),
        ("{a|OSD|OSDs}, {b|OSD|OSDs}", {"a": 1, "b": 0}, "1 OSD, 0 OSDs"),
        ("{names:all}; {names:clauses}", {"names": ["a", "b"]}, "a, b; a; b"),
        ("{x:.1f} {x:.2g} {x} {y}", {"x": 2.55, "y": 2.0}, "2.5 2.5 2.55 2"),
        ("{a:span} {b:span} {c:span} {d:span}", {"a": 30, "b": 60, "c": 7200, "d": 7500},
         "30 s 1 min 2 h 2 h 05 min"),
        ("{a:gib} {b:mib} {c:ms} {d:ms}", {"a": GIB, "b": GIB, "c": 0.0042, "d": 0.042},
         "1.0 GiB 1024 MiB 4.2 ms 42 ms"),
        ("{at:time}", {"at": 0}, "1970-01-01 00:00 UTC"),
    ],
)  # fmt: skip
def test_the_english_text(template: str, values: dict[str, Any], text: str) -> None:
    assert say("x", template, **values) == text


def test_it_is_a_text_that_keeps_its_code() -> None:
    inner = say("inner", "{count|part|parts}", count=2)
    said = say("outer", "{what} of {osds:osds}", what=inner, osds={2, 1})
    assert said == "2 parts of osd.1 and osd.2"
    assert packed(said) == {
        "code": "outer",
        "text": "2 parts of osd.1 and osd.2",
        "values": {
            "what": {"code": "inner", "text": "2 parts", "values": {"count": 2}},
            "osds": [1, 2],
        },
    }
    assert unpacked(str(said), json.loads(json.dumps(packed(said)))) == said


def test_other_interpreters_get_plain_texts() -> None:
    said = say("x", "a {b}", b=1)
    for copy in (deepcopy(said), pickle.loads(pickle.dumps([said]))[0]):  # noqa: S301
        assert (type(copy), copy) == (str, "a 1")


@pytest.mark.parametrize(
    "saved",
    [None, 3, {}, {"code": "x", "text": "another", "values": {}}, {"code": 1, "text": "a"}],
)
def test_what_was_saved_of_another_text_is_not_used(saved: object) -> None:
    assert not isinstance(unpacked("a", saved), Said)


def test_answers_have_codes_beside_the_texts() -> None:
    said = say("x", "a")
    told = {"code": "x", "text": "a", "values": {}}
    assert with_said(why=said, help="b") == {"why": "a", "help": "b", "said": {"why": told}}
    assert with_said(reasons=("b", said)) == {
        "reasons": ["b", "a"],
        "said": {"reasons": [None, told]},
    }
    assert with_said(why="a", reasons=(), none=None) == {"why": "a", "reasons": [], "none": None}


def test_sentences_in_lists_and_mappings_keep_their_place() -> None:
    said = say("x", "a")
    told = {"code": "x", "text": "a", "values": {}}
    assert with_said(states={"sda": said, "sdb": "b"}, rows=[{"unit": said, "osds": (1,)}, 7]) == {
        "states": {"sda": "a", "sdb": "b"},
        "rows": [{"unit": "a", "osds": [1]}, 7],
        "said": {"states": {"sda": told}, "rows": [{"unit": told}, None]},
    }
    assert with_said(count=3, none=None, rows=[{}]) == {"count": 3, "none": None, "rows": [{}]}
