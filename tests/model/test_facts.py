"""What host facts may be, and the sentence for what they may not."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from factory import INTERFACE, document
from perf_bench.errors import InvalidValue
from perf_bench.hardware.rules.enclosures import active_paths
from perf_bench.model.hardware import document_of as document_of_facts
from perf_bench.model.hardware import facts_of
from perf_bench.model.json_fields import LARGEST_FILE, document_of


def test_the_example_of_the_interface_is_read_whole() -> None:
    facts = facts_of(INTERFACE)
    assert (facts.host, facts.collected_at) == ("host-0", 1795176000.0)
    assert facts.devices_by_osd()[3] == "sdk"
    assert 4 not in facts.devices_by_osd()
    written = document_of(json.dumps(document_of_facts(facts)), "facts")
    assert facts_of(written) == facts


def test_what_is_absent_or_null_is_not_known() -> None:
    facts = facts_of(document(enclosures=None))
    assert facts.enclosures is None
    assert facts.multipath is None
    assert facts_of(document(enclosures=[])).enclosures == ()


def test_unknown_keys_are_passed_over() -> None:
    extra = copy.deepcopy(INTERFACE)
    extra["weather"] = {"rain": [1, "\x1b[2J"]}
    extra["enclosures"][0]["slots"][0]["led"] = "blue"
    assert facts_of(extra) == facts_of(INTERFACE)


# where, what stands there, what the sentence says; the path stands at its beginning
BAD: list[tuple[str, Any, str]] = [
    ("format", None, "format is missing"),
    ("format", "1", "format must be a whole number of 0 or more, not '1'"),
    ("format", 2, "format 2 is newer than 1"),
    ("host", None, "host is missing"),
    ("host", " ", "host must be a text that is not empty, not ' '"),
    ("host", "a" * 513, f"host must be at most 512 characters long, not '{'a' * 40}"),
    ("collected_at", "yesterday", "collected_at must be a time as 2026-11-20T12:00:00Z"),
    ("collected_at", "0001-01-01T00:00:00+14:00", "collected_at must be a time of 1970 or later"),
    ("osds", {}, "osds must be a list, not an object"),
    ("osds", [{"id": 1}] * 20_001, "osds must have at most 20000 entries, not 20001"),
    ("enclosures", [{"id": "x"}] * 257, "enclosures must have at most 256 entries, not 257"),
    (
        "enclosures.0.slots",
        [{"slot": 0}] * 1025,
        "enclosures[0].slots must have at most 1024 entries, not 1025",
    ),
    ("osds.0", 3, "osds[0] must be an object, not 3"),
    ("osds.0.id", None, "osds[0].id is missing"),
    ("osds.0.id", -1, "osds[0].id must be a whole number of 0 or more, not -1"),
    ("osds.0.id", 1 << 63, "osds[0].id must be a whole number"),
    ("enclosures.0.slots.0.slot", "12", "enclosures[0].slots[0].slot must be a whole number"),
    ("enclosures.0.slots.0.status", "fine", "enclosures[0].slots[0].status must be one of: OK, "),
    ("enclosures.0.slots.0.fault", 0, "enclosures[0].slots[0].fault must be true or false, not 0"),
    ("enclosures.0.id", "\x1b[2Jgone", "enclosures[0].id must be a text without control char"),
    ("cpu", [], "cpu must be an object, not a list"),
    ("numa.miss_percent", float("inf"), "numa.miss_percent must be a number of 0 or more"),
    ("numa.miss_percent", 1e30, "numa.miss_percent must be 0 to 100, not 1e+30"),
    ("enclosures.0.slots.0.slot", 1 << 20, "enclosures[0].slots[0].slot must be 0 to 65535, not"),
    (
        "enclosures.0.slots",
        [{"slot": 3}, {"slot": 12}, {"slot": 3}],
        "enclosures[0].slots[2].slot is 3, the same as that of [0]",
    ),
    ("multipath.0.expected_paths", 0, "multipath[0].expected_paths must be 1 to 64, not 0"),
    (
        "multipath",
        [{"name": "a", "wwid": "35"}, {"name": "b"}, {"name": "c"}, {"name": "d", "wwid": "35"}],
        "multipath[3].wwid is '35', the same as that of [0]",
    ),
    ("crc32c.bytes_per_second", "fast", "crc32c.bytes_per_second must be a number, not 'fast'"),
]


def test_the_bad_field_is_named() -> None:
    for where, value, sentence in BAD:
        bad = copy.deepcopy(INTERFACE)
        *way, last = where.split(".")
        parent: Any = bad
        for step in way:
            parent = parent[int(step) if step.isdigit() else step]
        key = int(last) if last.isdigit() else last
        if value is None:
            del parent[key]
        else:
            parent[key] = value
        with pytest.raises(InvalidValue) as caught:
            facts_of(bad)
        assert str(caught.value).startswith(sentence)
        assert str(caught.value).isprintable()  # also of a hostile value
        assert "\n" not in str(caught.value)
        assert caught.value.field == str(caught.value).split()[0]


# multipathd's and the kernel's words, and what they mean
def test_the_words_for_paths() -> None:
    cases: list[tuple[str, Any, tuple[Any, Any]]] = [
        ("active", "ready", ("active", "ready")),
        ("Active ", "Ghost", ("active", "ghost")),
        ("failed", "faulty", ("failed", "faulty")),
        ("failed", "i/o timeout", ("failed", "i/o timeout")),
        ("active", "delayed", ("active", "delayed")),
        ("undef", "undef", (None, None)),
        ("active", "i/o pending", ("active", None)),
        ("running", "shaky", ("active", "shaky")),
        ("live", "", ("active", None)),
        ("transport-offline", "up and about", ("failed", "unknown")),
        ("blocked", None, ("failed", None)),
        ("quiesce", None, (None, None)),
    ]
    for state, checker, meant in cases:
        paths = [{"device": "sda", "state": state, "checker": checker}]
        facts = facts_of(document(multipath=[{"name": "mpatha", "paths": paths}]))
        assert facts.multipath is not None
        (path,) = facts.multipath[0].paths
        assert (path.state, path.checker) == meant
        lost = meant[0] == "failed" or meant[1] in ("delayed", "shaky")
        assert len(active_paths(facts.multipath[0])) == (0 if lost else 1)


def test_a_document_that_is_no_object() -> None:
    cases: list[Any] = [[], 3, None, "x"]
    for whole in cases:
        with pytest.raises(InvalidValue, match="the document must be an object"):
            facts_of(whole)


def test_what_is_no_facts_at_all() -> None:
    cases: list[tuple[str, str]] = [
        ("", "there are no facts"),
        ("  \n", "there are no facts"),
        ("{", "the facts are not JSON"),
        ("\x00", "the facts are not JSON"),
        ('{"a": 1} {"b": 2}', "the facts are not JSON: Extra data"),
        ("NaN", "the facts are not JSON: NaN is not a number"),
        ("[-Infinity]", "the facts are not JSON: -Infinity is not a number"),
        ("9" * 1_000_000, "the facts are not JSON: a number of 1000000 digits"),
        ("[" * 100_000, "the facts are not JSON: they are nested too deep"),
        ('"' + "a" * LARGEST_FILE, "the facts are over 8 MiB"),
        ('"' + "ä" * (LARGEST_FILE // 2), "the facts are over 8 MiB"),
    ]
    for text, sentence in cases:
        with pytest.raises(InvalidValue) as caught:
            document_of(text, "facts")
        assert str(caught.value).startswith(sentence)
        assert caught.value.field == "facts"


def test_what_is_as_large_as_may_be() -> None:
    large = json.dumps({"note": "a" * (LARGEST_FILE - 20)})
    assert document_of(large, "facts")["note"][:3] == "aaa"
