"""What two fingerprints say of each other, on plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from scenarios.fingerprint import (
    Fingerprint,
    Section,
    difference,
    held,
    unexpected,
    without_watched,
)

if TYPE_CHECKING:
    pass

CAPACITY = "osd_mclock_max_capacity_iops_hdd"
JOURNAL = "mgr/perf_bench/held/round"
BALANCER: Section = {"balancer status": {"active": True, "mode": "upmap"}}
BEFORE: Fingerprint = {
    "balancer": BALANCER,
    "map": {"osd dump": {"flag sortbitwise": "set", "full_ratio": 0.95}},
    "OSDs": {"osd.3": {"up": 1, "osd_bench_duration": "30", CAPACITY: "315.0"}},
    "starts": {"osd.3": {"up_from": 11}},
    "pools": {
        "pool rbd": {"pg_autoscale_mode": "on", "applications": "rbd", "pg_num_target": 32},
        "pool still": {"pg_autoscale_mode": "off", "applications": "rbd", "pg_num_target": 32},
    },
    "config": {"config dump": {"osd osd_memory_target": "4294967296"}},
    "keys": {"config-key dump": {"mgr/perf_bench/mclock/0": "{}"}},
    "auth": {"auth ls": {"client.a": "mon 'allow r'"}},
}
OURS: Section = {"pool perf_bench": {"applications": "perf_bench"}}
STARTED: Mapping[str, Section] = {"starts": {"osd.3": {"up_from": 40}}}


def after(**sections: Mapping[str, Mapping[str, object]]) -> Fingerprint:
    """The one before with other values in these sections."""
    found = {name: dict(section) for name, section in BEFORE.items()}
    for name, section in sections.items():
        for subject, fields in section.items():
            found[name][subject] = {**found[name].get(subject, {}), **fields}
    return found


def without(section: str, subject: str, field: str = "") -> Fingerprint:
    """The one before without a subject, or without one of its fields."""
    fields = {name: value for name, value in BEFORE[section][subject].items() if name != field}
    left = {name: each for name, each in BEFORE[section].items() if name != subject}
    return {**BEFORE, section: {**left, **({subject: fields} if field else {})}}


OWN = {"config dump": {f"osd.3 {CAPACITY}": "900.0"}}
MEASURED = {"osd.3": {CAPACITY: "900.0"}}

ROWS = [
    # nothing
    (after(), []),
    # a restore that is recorded and not done
    (
        after(balancer={"balancer status": {"active": False}}),
        ["balancer status: active was True, is False"],
    ),
    # a value, a new one, one that is gone
    (
        after(OSDs={"osd.3": {"osd_bench_duration": "31"}}),
        ["osd.3: osd_bench_duration was 30, is 31"],
    ),
    (
        after(map={"osd dump": {"flag noscrub": "set"}}),
        ["osd dump: flag noscrub was not there, is set"],
    ),
    (
        without("config", "config dump", "osd osd_memory_target"),
        ["config dump: osd osd_memory_target was 4294967296, is gone"],
    ),
    # each thing that differs is told
    (
        after(
            pools={"pool rbd": {"pg_autoscale_mode": "off"}},
            balancer={"balancer status": {"active": False, "mode": "none"}},
            auth={"auth ls": {"client.b": "mon 'allow r'"}},
        ),
        [
            "auth ls: client.b was not there, is mon 'allow r'",
            "balancer status: active was True, is False",
            "balancer status: mode was upmap, is none",
            "pool rbd: pg_autoscale_mode was on, is off",
        ],
    ),
    # None and 0 are values: neither is as if it were not there
    (after(pools={"pool rbd": {"quota": None}}), ["pool rbd: quota was not there, is None"]),
    # pools, as one sentence each; ours is allowed by its name and its application
    (after(pools={"pool x": {"applications": "x"}}), ["pool x: it was not there"]),
    (without("pools", "pool rbd"), ["pool rbd: it is gone"]),
    (after(pools=OURS), []),
    (
        after(pools={"pool perf_bench": {"applications": "rbd"}}),
        ["pool perf_bench: it was not there"],
    ),
    # the autoscaler moves what is its own, and its mode is told
    (after(pools={"pool rbd": {"pg_num_target": 16}}), []),
    (
        after(pools={"pool rbd": {"pg_num_target": 16, "pg_autoscale_mode": "off"}}),
        ["pool rbd: pg_autoscale_mode was on, is off"],
    ),
    (
        after(pools={"pool still": {"pg_num_target": 16}}),
        ["pool still: pg_num_target was 32, is 16"],
    ),
    # keys that are not as they were, whatever they are for
    (
        after(keys={"config-key dump": {"mgr/perf_bench/mclock/0": '{"3": []}'}}),
        ['config-key dump: mgr/perf_bench/mclock/0 was {}, is {"3": []}'],
    ),
    # an OSD that was started found its own capacity
    (after(config=OWN, OSDs=MEASURED, **STARTED), []),
    # nobody but us could have set it
    (
        after(config=OWN, OSDs=MEASURED),
        [
            f"osd.3: {CAPACITY} was 315.0, is 900.0",
            f"config dump: osd.3 {CAPACITY} was not there, is 900.0",
        ],
    ),
    # it goes by another value that nobody has set
    (after(OSDs=MEASURED, **STARTED), [f"osd.3: {CAPACITY} was 315.0, is 900.0"]),
    # other options are not its own, nor is what is set for all OSDs
    (
        after(config={"config dump": {"osd.3 osd_bench_duration": "31"}}, **STARTED),
        ["config dump: osd.3 osd_bench_duration was not there, is 31"],
    ),
    (
        after(config={"config dump": {f"osd {CAPACITY}": "900.0"}}, **STARTED),
        [f"config dump: osd {CAPACITY} was not there, is 900.0"],
    ),
    # that an OSD was started is no difference
    (after(**STARTED), []),
    # a section that could not be read is a difference, never nothing
    ({name: each for name, each in BEFORE.items() if name != "auth"}, ["auth ls: it is gone"]),
]


@pytest.mark.parametrize(("found", "sentences"), ROWS)
def test_what_differs_is_told(found: Fingerprint, sentences: list[str]) -> None:
    assert difference(BEFORE, found) == sentences


def test_a_capacity_that_was_set_and_is_another_is_told() -> None:
    had = after(config=OWN, OSDs=MEASURED)
    has = after(
        config={"config dump": {f"osd.3 {CAPACITY}": "1.0"}},
        OSDs={"osd.3": {CAPACITY: "1.0"}},
        **STARTED,
    )
    assert difference(had, has) == [
        f"osd.3: {CAPACITY} was 900.0, is 1.0",
        f"config dump: osd.3 {CAPACITY} was 900.0, is 1.0",
    ]


@pytest.mark.parametrize(
    ("key", "is_held"),
    [
        (JOURNAL, True),
        (f"{JOURNAL}/4100", True),
        ("mgr/perf_bench/traces", True),
        ("mgr/perf_bench/held/mclock/4100", False),
        ("mgr/perf_bench/held/rounder", False),
    ],
)
def test_a_key_that_rounds_write_is_held_until_it_is_removed(key: str, is_held: bool) -> None:
    found = after(keys={"config-key dump": {key: "{}"}})
    assert held(found) == ([f"config-key dump: {key} is {{}}"] if is_held else [])


def _journal(*names: str) -> str:
    return json.dumps({"format": 3, "changes": [{"what": name} for name in names]})


PAUSED = _journal("balancer")


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        # one that is only watched
        ({"9": PAUSED}, []),
        ({"9": PAUSED, "10": _journal("flag/noscrub")}, ["10"]),
        ({"9": _journal("balancer", "flag/noscrub")}, ["9"]),
        # what cannot be read, or is the journal of another version
        ({"z": "{"}, ["z"]),
        ({"z": "[]"}, ["z"]),
        ({"z": "{}"}, ["z"]),
        ({"z": '{"format": 99}'}, ["z"]),
    ],
)
def test_a_key_is_not_held_while_its_setting_is_only_watched(
    keys: Mapping[str, str], left: list[str]
) -> None:
    found = {f"{JOURNAL}/{name}": text for name, text in keys.items()}
    others = {"mgr/perf_bench/held/mclock": PAUSED, "mgr/perf_bench/traces": PAUSED}
    assert without_watched({**found, **others}, {"balancer"}) == {
        **{key: found[key] for key in found if key.rpartition("/")[2] in left},
        **others,
    }
    assert without_watched(found, ()) == found


def test_nothing_is_held_where_no_round_runs() -> None:
    assert held(BEFORE) == []


def test_what_a_scenario_leaves_on_purpose_is_allowed_by_name() -> None:
    sentences = ["auth ls: client.b was not there, is x", "pool rbd: size was 3, is 2"]
    assert unexpected(sentences, ["auth ls: client.b *"]) == sentences[1:]
    assert unexpected(sentences, ["auth ls: client.*", "pool rbd: *"]) == []
    assert unexpected(sentences, ["pool"]) == sentences
