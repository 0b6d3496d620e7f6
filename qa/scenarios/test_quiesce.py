"""What a round changes in the cluster's settings is put back, whatever happens to its mgr."""

from __future__ import annotations

import re
from collections.abc import Iterator
from errno import ENOENT
from typing import Any

import pytest

from scenarios.held import LONG_ROUND, Settings, settings
from scenarios.operator import MEASURED, Operator

__all__ = ["settings"]

pytestmark = pytest.mark.cluster

# What an OSD logs when a bench begins, and when it gets OSD maps; the last epoch of these.
_BENCH = re.compile(r" bench (?:with )?count")
_NEW_MAP = re.compile(r"handle_osd_map epochs \[\d+,(\d+)\]")


def _held(operator: Operator, number: int) -> Any:
    """What a round holds, as soon as monitors and database tell all of it."""
    held = operator.asks("quiesce", "status")
    whole = held["holder"] == f"round {number}"
    return held if whole and not any(one["unread"] for one in held["changed"]) else None


def test_a_round_holds_scrubs_and_the_balancer_and_says_so(
    operator: Operator, settings: Settings
) -> None:
    plan = operator.asks("round", "start", *LONG_ROUND, "--dry-run")
    assert plan["quiesce"] == [
        "flag/noscrub unset to set",
        "flag/nodeep-scrub unset to set",
        "balancer not set to off",
    ]
    number = operator.starts(*LONG_ROUND)
    operator.sees_samples_of(number, 1)
    assert {"noscrub", "nodeep-scrub"} <= settings.flags()
    operator.sees("the balancer off", settings.balancer_is_off)
    held = operator.sees("what is set now", lambda: _held(operator, number))
    assert (held["state"], held["holder"]) == ("held", f"round {number}")
    assert held["changed"][0] == {
        "what": "flag/noscrub",
        "was": "unset",
        "want": "set",
        "now": "set",
        "unread": None,
    }
    assert operator.answered("quiesce", "restore").code == 16
    operator.carries_out("round", "abort", done=ENOENT)
    operator.sees_the_end_of(number)
    operator.sees("idle", lambda: operator.asks("quiesce", "status")["state"] == "idle")


def test_an_osd_has_the_map_with_the_flags_before_its_bench(operator: Operator) -> None:
    # A map that comes during a bench can hang an OSD for good (docs/traps.md).
    cluster = operator.cluster
    logs = {osd["id"]: cluster.spec.log(f"osd.{osd['id']}") for osd in cluster.info()["osds"]}

    def ended() -> tuple[dict[int, int], Any]:
        """How long logs were before a round, and the round."""
        before = {osd: log.stat().st_size for osd, log in logs.items()}
        return before, operator.sees_the_end_of(operator.starts("osd-iops", "--repeats", "1"))

    cluster.ceph("config", "set", "osd", "debug_osd", "3/5")  # tells of each new map
    try:
        operator.sees(
            "all OSDs with the option",
            lambda: all(
                cluster.ceph_json("tell", f"osd.{osd}", "config", "get", "debug_osd")["debug_osd"]
                == "3/5"
                for osd in logs
            ),
        )
        before, shown = ended()
        for _ in range(2):  # of one that was disturbed there may be no bench, or two
            if shown["verdict"] not in MEASURED or shown["resumed"]:
                before, shown = ended()
        written = {osd: log.read_bytes()[before[osd] :].decode() for osd, log in logs.items()}
    finally:
        cluster.ceph("config", "rm", "osd", "debug_osd")
    for osd, text in written.items():
        earlier, later = (list(map(int, _NEW_MAP.findall(part))) for part in _BENCH.split(text))
        # Its peers may send it one again that it has.
        maps = [epoch for epoch in later if epoch > max(earlier, default=0)]
        if maps:  # an OSD without clients may get the next one much later
            flags = cluster.ceph_json("osd", "dump", str(maps[0]))["flags_set"]
            assert not {"noscrub", "nodeep-scrub"} <= set(flags), (osd, maps, flags)


def test_what_the_operator_has_set_stays(operator: Operator, settings: Settings) -> None:
    operator.cluster.ceph("osd", "set", "noscrub")
    try:
        number = operator.starts("osd-iops", "--repeats", "1")
        shown = operator.sees_the_end_of(number)
        held = shown["environment"]["quiesced"]  # and a limit of benches, where OSDs are fast
        assert {"flag/nodeep-scrub", "balancer"} <= set(held)
        assert "flag/noscrub" not in held
        operator.sees("deep scrubs", lambda: "nodeep-scrub" not in settings.flags())
        assert "noscrub" in settings.flags()
    finally:
        operator.cluster.ceph("osd", "unset", "noscrub")


LIMIT = "osd_bench_small_size_max_iops"
# As the operator has it: with it each bench ends after 100 writes, in milliseconds.
HURRY = ("osd", "osd_bench_duration", "1")


@pytest.fixture
def hurried(operator: Operator) -> Iterator[int]:
    """A cluster whose benches are too short to mean anything; what the next round raises to."""
    operator.cluster.ceph("config", "set", *HURRY)
    operator.sees("the option", lambda: _in_osd(operator, HURRY[1]) == 1 or None)
    operator.sees_the_end_of(operator.starts("osd-iops", "--repeats", "1"))
    (line,) = [
        one
        for one in operator.asks("round", "start", "osd-iops", "--dry-run")["quiesce"]
        if LIMIT in one
    ]
    assert line.startswith(f"config/osd/{LIMIT} not set to ")
    yield int(line.rpartition(" ")[2])
    operator.cluster.ceph("config", "rm", *HURRY[:2])


def _in_osd(operator: Operator, option: str, osd: int = 0) -> int:
    """What a running OSD goes by."""
    return int(operator.cluster.ceph_json("tell", f"osd.{osd}", "config", "get", option)[option])


@pytest.mark.long
def test_limits_of_benches_are_raised_and_reach_the_osds(
    operator: Operator, hurried: int, settings: Settings
) -> None:
    default = _in_osd(operator, LIMIT)
    assert default < hurried
    shown = operator.sees_the_end_of(operator.starts("osd-iops", "--repeats", "2"))
    assert shown["state"] == "done", shown["reasons"]
    assert f"config/osd/{LIMIT}" in shown["environment"]["quiesced"]
    assert {sample["bytes"] > 100 * 4096 for sample in shown["samples"]} == {True}
    # taken away again, and every OSD has what it had
    everywhere = [default] * 6
    operator.sees(
        "the limit of before",
        lambda: [_in_osd(operator, LIMIT, osd) for osd in range(6)] == everywhere,
    )
    assert settings.config().get(("osd", LIMIT)) is None
