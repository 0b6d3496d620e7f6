"""What a round holds, when its mgr is stopped and goes on later, and when others set things too."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from threading import Thread
from typing import Any, Callable, NamedTuple

import pytest

from scenarios.fingerprint import Fingerprints
from scenarios.held import ROUND, Settings, settings
from scenarios.operator import FAILOVER_SECONDS, Operator

__all__ = ["settings"]
pytestmark = pytest.mark.cluster
# Longer than the monitors wait for a mgr that says nothing (12 s).
PAUSE = 45.0
# Samples of ROUND.
ALL_SAMPLES = 18


class Moment(NamedTuple):
    """When the mgr that holds is stopped; ``failed``: the monitors are told, else they notice."""

    is_there: Callable[[Settings], bool]
    failed: bool


def _is_released(settings: Settings) -> bool:
    """Once all was held: the balancer is the first to be put back, the journal's key is the end."""
    return bool(settings.journal()) and not settings.balancer_is_off()


MOMENTS = {
    "changes are written down": Moment(lambda now: bool(now.journal()), failed=True),
    "balancer is off": Moment(lambda now: now.balancer_is_off(), failed=False),
    "it is being put back": Moment(_is_released, failed=True),
}


def _stopped_at(
    operator: Operator, settings: Settings, moment: Moment, label: str, **pause: float
) -> str:
    """Start a round, stop its mgr at that moment; returns the mgr's name."""
    active = operator.active_mgr()
    words = ("round", "start", *ROUND, "--label", label)

    def start() -> None:
        # what it answers is no matter: its mgr may be stopped before it does
        with suppress(subprocess.TimeoutExpired):
            operator.types(*words)

    Thread(target=start, daemon=True).start()
    if moment.is_there is _is_released:
        _looks(lambda: len(settings.journal()) == 3 and settings.balancer_is_off())
    _looks(lambda: moment.is_there(settings))
    operator.cluster.fault("pause", active, **pause)
    print(f"mgr.{active} is stopped; the journal names {settings.journal()}")
    if moment.failed:
        operator.cluster.ceph("mgr", "fail", active)
    took = time.monotonic()
    operator.sees("another mgr", lambda: operator.active_mgr() not in {"", active})
    print(f"another mgr was active after {time.monotonic() - took:.1f} s")
    return active


def _looks(look: Callable[[], bool], seconds: float = 120.0, every: float = 0.002) -> None:
    deadline = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < deadline, "the moment did not come"
        time.sleep(every)


def _of(operator: Operator, label: str) -> Any:
    """The one round with that label, whole."""
    (found,) = [
        line for line in operator.asks("round", "ls", "--limit", "20") if line["label"] == label
    ]
    return operator.asks("round", "show", str(found["id"]))


def _goes_on(operator: Operator, name: str, gid: int) -> None:
    """Wait until that mgr has noticed that it was replaced, and stands by anew."""

    def stands_by() -> bool:
        standbys = operator.cluster.ceph_json("mgr", "dump")["standbys"]
        return any(one["name"] == name and one["gid"] != gid for one in standbys)

    operator.sees(f"mgr.{name} again", stands_by, 90)


def _gid(operator: Operator) -> int:
    return int(operator.cluster.ceph_json("mgr", "dump")["active_gid"])


@pytest.mark.long
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_mgr_that_was_replaced_while_it_was_stopped_leaves_nothing_changed(
    moment: str, operator: Operator, settings: Settings, fingerprints: Fingerprints
) -> None:
    before, gid = fingerprints.at_rest(), _gid(operator)
    label = moment[:12]
    began = time.monotonic()
    former = _stopped_at(operator, settings, MOMENTS[moment], label, seconds=PAUSE)
    number = operator.sees("the round", lambda: _of(operator, label), FAILOVER_SECONDS)["id"]
    shown = operator.sees_the_end_of(number, 240)
    print(f"round {number} ended {time.monotonic() - began:.1f} s after its start was asked for")
    assert shown["state"] == "done", shown["reasons"]
    assert len(shown["samples"]) == ALL_SAMPLES
    _goes_on(operator, former, gid)
    assert fingerprints.changed(before) == []
    assert _of(operator, label)["id"] == number


@pytest.mark.long
def test_a_mgr_that_goes_on_takes_back_nothing_that_others_have_set(
    operator: Operator, settings: Settings, fingerprints: Fingerprints
) -> None:
    """Neither what the next round holds, nor what an operator has set since."""
    before, gid = fingerprints.at_rest(), _gid(operator)
    moment = MOMENTS["it is being put back"]
    former = _stopped_at(operator, settings, moment, "replaced")
    number = operator.sees("the round", lambda: _of(operator, "replaced"), FAILOVER_SECONDS)["id"]
    operator.sees_the_end_of(number, 240)
    operator.sees_it_ready()
    following = operator.starts("osd-throughput", "--repeats", "100")
    operator.sees_samples_of(following, 1)
    operator.cluster.ceph("osd", "set", "nodown")
    operator.cluster.fault("clear", former)
    try:
        _goes_on(operator, former, gid)
        time.sleep(10.0)
        assert {"noscrub", "nodeep-scrub", "nodown"} <= settings.flags()
        assert settings.balancer_is_off()
        assert operator.asks("quiesce", "status")["holder"] == f"round {following}"
    finally:
        operator.cluster.ceph("osd", "unset", "nodown")
        operator.types("round", "abort")
    operator.sees_the_end_of(following)
    assert fingerprints.changed(before) == []
