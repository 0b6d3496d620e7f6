"""The helper of a mgr that died leaves the rounds that begin later alone.

It looks every five seconds. If the next round begins sooner after the one that it is for, it never
sees an empty journal, and its time may be up in the middle of that round.
"""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from fakes.ceph import MgrWorld

JOURNAL = "mgr/perf_bench/quiesce"


def _holds(world: MgrWorld, token: str, writer: str) -> None:
    """A round holds noscrub, and its writer has confirmed that it is set."""
    now = time.time()
    times = {"format": 2, "holder": token, "writer": writer, "until": now + 3600}
    change = {"what": "flag/noscrub", "was": "unset", "want": "set", "at": now, "since": now}
    world.keys[f"{JOURNAL}/{writer}.000001"] = json.dumps({**times, **change})
    world.keys[f"{JOURNAL}/{writer}.000002"] = json.dumps(times)
    world.mon_command({"prefix": "osd set", "key": "noscrub"})


@pytest.fixture
def helper(pacific: MgrWorld) -> Any:
    from perf_bench.programs import restore_settings

    return restore_settings


def test_its_time_is_up_during_the_next_round(
    helper: Any, pacific: MgrWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    _holds(pacific, "first", "4100")
    mons = helper.Mons(lambda: helper.open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))
    began = time.monotonic()
    quiesce = helper.helper_quiesce(mons, helper.Succession(mons, began + 60.0), "first")
    assert not helper.is_done(quiesce)  # the mgr that took over goes on with that round
    pacific.keys.clear()  # it ends, and another one begins before the helper looks again
    _holds(pacific, "second", "4200")
    keys = dict(pacific.keys)
    monkeypatch.setattr(helper.time, "monotonic", lambda: began + 61.0)
    done = helper.is_done(quiesce)
    mons.close()
    assert "noscrub" in pacific.osd_map["flags_set"]
    assert pacific.keys == keys
    assert done  # its own round is over


def test_what_a_late_command_writes_for_its_own_round_is_put_back(
    helper: Any, pacific: MgrWorld
) -> None:
    """The monitors had lost their quorum when the mgr wrote the entry, and died."""
    mons = helper.Mons(lambda: helper.open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))
    quiesce = helper.helper_quiesce(mons, helper.Succession(mons, time.monotonic()), "first")
    helper.is_done(quiesce)
    _holds(pacific, "first", "4100")
    helper.is_done(quiesce)
    mons.close()
    assert "noscrub" not in pacific.osd_map["flags_set"]
