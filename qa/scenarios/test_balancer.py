"""The balancer is held while a round runs and goes on after it, as it says itself.

By its own word (`ceph balancer status`), for it reads its option once a minute, and a mgr that runs
does not tell its modules of an option that was removed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import Any, Callable, Optional

import pytest

from cluster.api import DevCluster
from cluster.connection import Connection
from scenarios.fingerprint import Daemons, Fingerprints, difference
from scenarios.operator import Operator, balancer_as_made

pytestmark = pytest.mark.cluster
OPTION = ("mgr", "mgr/balancer/active")
IN_TIME = 5.0
# The balancer reads its option once a minute: this shows also one that is held by its option alone.
A_TURN = 70.0
# Longer than IN_TIME, and than A_TURN.
SHORT_ROUND = ("osd-throughput", "--repeats", "5")
LONG_ROUND = ("osd-throughput", "--repeats", "100")


class Balancer:
    """What the balancer does, by the machine's clock."""

    def __init__(self, daemons: Daemons) -> None:
        self._daemons = daemons

    def is_active(self) -> bool:
        return bool(self._daemons.mgr("balancer status")["active"])

    def seconds_until(self, active: bool, since: float, limit: float) -> Optional[float]:
        """How long after ``since`` (unix seconds) it was seen so; None: not within the limit."""
        while self.is_active() is not active:
            if time.time() > since + limit:
                return None
            time.sleep(0.05)
        return round(max(0.0, time.time() - since), 2)


@pytest.fixture
def balancer(fingerprints: Fingerprints) -> Balancer:
    return Balancer(fingerprints.daemons)


@pytest.fixture(params=["unset", "true", "false"])
def option(request: pytest.FixtureRequest, cluster: DevCluster) -> Iterator[str]:
    """How the operator has the option; afterwards it is not set, and the balancer is on.

    So one scenario that fails leaves nothing to the next: each compares fingerprints itself.
    """
    asked = str(request.param)
    if asked == "false":
        cluster.ceph("balancer", "off")
    elif asked == "true":
        cluster.ceph("config", "set", *OPTION, "true")
    yield asked
    balancer_as_made(cluster)


def _ended_at(operator: Operator, number: int) -> float:
    """When the round ended, in unix seconds; the mgr's clock is the machine's."""
    shown = operator.asks("round", "show", str(number))
    return datetime.fromisoformat(shown["ended_at"].replace("Z", "+00:00")).timestamp()


def _is_done(operator: Operator, number: int) -> Callable[[], Any]:
    def done() -> Any:
        shown = operator.asks("round", "show", str(number))
        return shown if shown["ended_at"] else None

    return done


# Each of the operator's settings once in `make test`, all of them in `make test-all`; that the
# balancer goes on after a round that ended by itself is in the fingerprint of every scenario.
@pytest.mark.parametrize(
    ("option", "end"),
    [
        ("unset", "aborted"),
        ("true", "aborted"),
        ("false", "aborted"),
        pytest.param("unset", "done", marks=pytest.mark.long),
        pytest.param("true", "done", marks=pytest.mark.long),
        pytest.param("false", "done", marks=pytest.mark.long),
    ],
    indirect=["option"],
)
def test_it_is_held_within_seconds_and_back_within_seconds(
    end: str, option: str, operator: Operator, balancer: Balancer, fingerprints: Fingerprints
) -> None:
    before = fingerprints.at_rest()
    was = balancer.is_active()
    assert was is (option != "false")
    number = operator.starts(*(SHORT_ROUND if end == "done" else LONG_ROUND))
    started = time.time()
    held = balancer.seconds_until(False, started, IN_TIME if end == "done" else A_TURN)
    if end == "aborted":
        assert operator.types("round", "abort").code == 0
    shown = operator.sees("the end", _is_done(operator, number), 900.0)
    ended = _ended_at(operator, number)
    back = balancer.seconds_until(was, ended, IN_TIME + 10)
    said = f"{option}, {end}: held {held} s after the start, back {back} s after the end"
    print(said)
    assert shown["state"] == end
    assert held is not None, said
    assert held <= IN_TIME, said
    assert back is not None, said
    assert back <= IN_TIME, said
    # OSDs hear of flags that are unset within seconds, not all of them within five
    assert fingerprints.changed(before) == []


@pytest.mark.long
@pytest.mark.usefixtures("option")
@pytest.mark.parametrize("option", ["unset"], indirect=True)
def test_its_option_is_removed_if_that_was_cut_off(
    operator: Operator, balancer: Balancer, fingerprints: Fingerprints
) -> None:
    """As if monitors had lost their quorum between 'balancer on' and 'config rm', seen on 18."""
    before = fingerprints.at_rest()
    number = operator.starts(*LONG_ROUND)
    assert balancer.seconds_until(False, time.time(), A_TURN) is not None
    mgr = f"mgr.{operator.active_mgr()}"
    with closing(Connection(operator.cluster.spec, mgr)) as as_the_mgr:
        as_the_mgr.mon("balancer on")
    assert operator.types("round", "abort").code == 0
    operator.sees("the end", _is_done(operator, number))
    assert fingerprints.changed(before) == []
    assert balancer.is_active()


@pytest.mark.long
def test_it_stays_as_it_was_when_it_has_read_its_option_again(
    option: str, operator: Operator, balancer: Balancer, fingerprints: Fingerprints
) -> None:
    before = fingerprints.at_rest()
    number = operator.starts(*LONG_ROUND)
    time.sleep(A_TURN)
    assert not balancer.is_active()
    assert operator.types("round", "abort").code == 0
    operator.sees("the end", _is_done(operator, number))
    assert fingerprints.changed(before) == []
    time.sleep(A_TURN)
    assert difference(before, fingerprints.take()) == []
    assert balancer.is_active() is (option != "false")
