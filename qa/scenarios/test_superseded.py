"""What a round holds, when its mgr is stopped and goes on later, and when others set things too."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any, Callable, NamedTuple

import pytest

from cluster.api import DevCluster
from cluster.errors import ClusterError
from scenarios.fingerprint import JOURNAL, Fingerprints
from scenarios.held import ROUND, Settings, host_tool, settings
from scenarios.operator import FAILOVER_SECONDS, Operator

__all__ = ["settings"]
pytestmark = pytest.mark.cluster
PENDING = "PERF_BENCH_RESTORE_PENDING"
# Longer than the monitors wait for a mgr that says nothing (12 s).
PAUSE = 45.0
# Samples of ROUND.
ALL_SAMPLES = 18


# --- a mgr that is stopped and goes on ----------------------------------------------------------


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


# --- a journal that cannot be read ----------------------------------------------------------------

UNREADABLE = {"zz.1": "{", "zz.2": '{"format": 99}'}


@pytest.mark.long
def test_a_journal_that_cannot_be_read_is_claimed_and_stops_nothing_else(
    operator: Operator, settings: Settings
) -> None:
    cluster = operator.cluster
    keys = {f"{JOURNAL}/{name}": text for name, text in UNREADABLE.items()}
    for key, text in keys.items():
        cluster.ceph("config-key", "set", key, text)
    began = time.monotonic()

    def told() -> str:
        text = cluster.ceph("health", "detail")
        return text if PENDING in text else ""

    try:
        text = operator.sees(PENDING, told, 90)
        print(f"in health after {time.monotonic() - began:.1f} s: {text}")
        for key in keys:
            assert key in text
            assert operator.pastes(f"ceph config-key get {key}").code == 0
        status = operator.asks("quiesce", "status")
        assert status["state"] == "restore-pending"
        assert all(key in status["why"] for key in keys)
        answer = operator.types("quiesce", "restore")
        assert answer.code == 0, answer
        shown = operator.sees_the_end_of(operator.starts(*ROUND))
        assert shown["state"] == "failed"
        assert "cannot be read: " in shown["reasons"][0], shown["reasons"]
        assert "noscrub" not in settings.flags()
        assert len(operator.asks("osd", "ls")) == 6
        assert operator.asks("status")["active_round"] is None
    finally:
        for key in keys:
            cluster.ceph("config-key", "rm", key)
    began = time.monotonic()
    operator.sees("health without it", lambda: not told(), 120)
    print(f"gone from health after {time.monotonic() - began:.1f} s")
    assert operator.asks("quiesce", "status")["state"] == "idle"
    assert (
        operator.sees_the_end_of(operator.starts("osd-iops", "--repeats", "1"))["state"] == "done"
    )


# --- a mgr without the module ---------------------------------------------------------------------


@contextmanager
def _without_the_module(cluster: DevCluster, name: str) -> Iterator[None]:
    """That mgr has a module path of its own, on which perf_bench is not."""
    whole, bare = cluster.spec.dir / "modules", cluster.spec.dir / "bare"
    bare.mkdir()
    for entry in whole.iterdir():
        if entry.name not in {"perf_bench", "__pycache__"}:
            (bare / entry.name).symlink_to(entry)
    conf = cluster.spec.conf.read_text()
    cluster.spec.conf.write_text(f"{conf}\n[mgr.{name}]\nmgr module path = {bare}\n")
    try:
        cluster.restart(name)
        yield
    finally:
        cluster.spec.conf.write_text(conf)
        cluster.restart(name)
        for entry in bare.iterdir():
            entry.unlink()
        bare.rmdir()


@pytest.mark.long
def test_a_mgr_without_the_modules_folder_takes_over_and_the_tool_puts_back(
    operator: Operator, settings: Settings, fingerprints: Fingerprints
) -> None:
    cluster = operator.cluster
    before, active = fingerprints.at_rest(), operator.active_mgr()
    (standby,) = set(cluster.spec.mgrs) - {active}
    with _without_the_module(cluster, standby):
        number = operator.starts(*ROUND, "--label", "no folder")
        operator.sees_samples_of(number, 1)
        assert "noscrub" in settings.flags()
        assert settings.balancer_is_off()
        cluster.fault("kill-mgr", active)
        with suppress(ClusterError):  # the monitors may have seen it themselves
            cluster.ceph("mgr", "fail", active)
        operator.sees("the other mgr", lambda: operator.active_mgr() == standby)
        available = cluster.ceph_json("mgr", "dump")["available_modules"]
        assert "perf_bench" not in {one["name"] for one in available}
        assert {"noscrub", "nodeep-scrub"} <= settings.flags()
        done = host_tool(operator, "restore")
        assert done.code in {0, 1}, done  # 1: a command of a mgr that was killed may come late
        assert not {"noscrub", "nodeep-scrub"} & settings.flags()
        assert not settings.balancer_is_off()
        cluster.fault("clear", active)
        with suppress(ClusterError):
            cluster.ceph("mgr", "fail", standby)
        operator.sees("the mgr with it", lambda: operator.active_mgr() == active)
        shown = operator.sees_the_end_of(number, 240)
        assert (shown["state"], shown["resumed"]) == ("done", 1)
    assert fingerprints.changed(before) == []
    text = cluster.ceph("health", "detail")
    assert not re.search("PERF_BENCH|MGR_MODULE", text), text
