"""Rounds beside each other: compared, held against a baseline, and a profile that became slower."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any

import pytest

from scenarios.operator import Operator, follows_from_its_figures

pytestmark = pytest.mark.cluster

CODE = "PERF_BENCH_REGRESSION"
WATCH = ("mgr", "mgr/perf_bench/watch")
# A series of its own, as nobody else measures with this size: 1 GiB on one OSD, about two seconds.
# Less would be too short on a fast machine.
PROFILE = "osd-throughput"
QUICK = (PROFILE, "--osds", "1", "--size", "1M", "--repeats", "1")
# As many as a level needs to be known by, and some more, for rounds on a busy machine differ.
BEFORE = 6
# At most so many until the change is seen; three are the fewest that can be.
MOST_AFTER = 10


@pytest.fixture
def tidy(operator: Operator) -> Iterator[list[int]]:
    """Rounds to be removed again, with all that rests on them."""
    made: list[int] = []
    yield made
    operator.cluster.ceph("config", "set", *WATCH, "true")  # a mgr that runs hears of no "rm"
    operator.cluster.ceph("config", "rm", *WATCH)
    operator.cluster.fault("clear", "all")
    operator.sees_it_ready()
    for number in made:
        operator.carries_out("round", "rm", str(number), done=errno.ENOENT)


def _round(operator: Operator, tidy: list[int], *words: str) -> Any:
    number = operator.starts(*(words or QUICK))
    tidy.append(number)
    return operator.sees_the_end_of(number)


def _usable(operator: Operator, tidy: list[int], *words: str) -> Any:
    """A round with a verdict that can be compared, of at most three: a busy machine spoils some."""
    reasons = []
    for _ in range(3):
        made = _round(operator, tidy, *words)
        if made["verdict"] in ("valid", "noisy"):
            return made
        reasons.append((made["verdict"], made["reasons"]))
    raise AssertionError(reasons)


def _regression(operator: Operator) -> Any:
    return operator.asks("profile", "history", PROFILE)["regression"]


def test_two_rounds_are_compared_osd_by_osd(operator: Operator, tidy: list[int]) -> None:
    words = ("osd-throughput", "--osds", "0,1", "--repeats", "3")
    before, after = (_usable(operator, tidy, *words) for _ in range(2))
    a, b = str(before["id"]), str(after["id"])
    found = operator.asks("round", "compare", a, b)
    assert found["verdict"] != "not-comparable", found["why"]
    assert follows_from_its_figures(found), found
    assert found["why"]
    assert 0 <= found["p_value"] <= 1
    assert {row["osd"] for row in found["per_osd"]} == {0, 1}
    assert found["setups"][0] == found["setups"][1] == before["environment"]["hash"]
    assert after["environment"]["options"]["bluestore_csum_type"] == "crc32c"

    text = operator.answered("round", "compare", a, b).out
    assert max(map(len, text.splitlines())) <= 80, text
    shown = operator.answered("round", "show", b).out
    # the published figures beside it, each with its hardware
    for context in after["context"]:
        assert context["line"] in " ".join(shown.split())
    assert "beside" in shown

    other = _round(operator, tidy, "osd-balanced", "--osds", "0", "--repeats", "1")
    # the verdict as an exit code: the comparison is printed all the same
    named = operator.answered("round", "compare", a, b, "--fail-on", found["verdict"])
    assert (named.code, named.out) == (errno.ERANGE, text)
    assert f"round {b} against round {a} is {found['verdict']}" in named.err

    refused = operator.asks("round", "compare", a, str(other["id"]))
    assert refused["verdict"] == "not-comparable"
    assert "osd-balanced" in " ".join(refused["why"])


@pytest.mark.long
def test_a_profile_that_became_slower_is_told_of_until_it_is_not(
    operator: Operator, tidy: list[int]
) -> None:
    rounds = [_round(operator, tidy) for _ in range(BEFORE)]
    assert {one["verdict"] for one in rounds} == {"valid"}
    first = str(rounds[0]["id"])
    assert operator.asks("baseline", "set", first)["round"] == rounds[0]["id"]
    assert CODE not in operator.cluster.ceph("health", "detail")

    operator.cluster.fault("stall", "osd.1")
    slow = 0
    while not _regression(operator):
        assert slow < MOST_AFTER, operator.types("profile", "history", PROFILE).out
        _round(operator, tidy)
        slow += 1
    assert slow >= 3
    text = operator.sees_in_health(CODE)
    assert f"{PROFILE} is " in text
    (found,) = [one for one in operator.asks("finding", "ls") if one["code"] == CODE]
    assert found["target"] == {"kind": "profile", "id": PROFILE}
    assert found["evidence"]["change_percent"] < -20

    operator.cluster.fault("kill-mgr", "active")
    operator.sees_it_ready()
    assert CODE in operator.sees_in_health(CODE)
    (after,) = [one for one in operator.asks("finding", "ls") if one["code"] == CODE]
    assert (after["id"], after["first_seen"]) == (found["id"], found["first_seen"])
    (baseline,) = [one for one in operator.asks("baseline", "ls") if one["profile"] == PROFILE]
    assert baseline["round"] == int(first)

    # It rests on rounds, so it is told and taken back with the watch off too.
    operator.cluster.ceph("config", "set", *WATCH, "false")
    operator.sees("the watch off", lambda: not operator.asks("status")["watch"]["on"])
    operator.sees_in_health(CODE)
    operator.cluster.fault("clear", "all")
    good = 0
    while _regression(operator):
        assert good < MOST_AFTER, operator.types("profile", "history", PROFILE).out
        _round(operator, tidy)
        good += 1
    operator.sees_gone_from_health(CODE)
    (closed,) = [one for one in operator.asks("finding", "ls", "--all") if one["id"] == found["id"]]
    assert closed["state"] == "closed"
