"""The balancer is held while a round runs and goes on after it, as it says itself.

By its own word (`ceph balancer status`), for it reads its option once a minute, and a mgr that runs
does not tell its modules of an option that was removed.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any, Callable, Optional

import pytest

from cluster.api import DevCluster
from cluster.errors import ClusterError
from scenarios.fingerprint import Daemons, Fingerprints, difference
from scenarios.operator import Operator, balancer_as_made

pytestmark = pytest.mark.cluster
OPTION = ("mgr", "mgr/balancer/active")
# On a busy machine, where what is held is written down by a disk that is slow.
IN_TIME = 10.0
# The balancer reads its option once a minute: this shows also one that is held by its option alone.
A_TURN = 70.0
# Longer than A_TURN.
LONG_ROUND = ("osd-throughput", "--repeats", "100")


class Balancer:
    """What the balancer does, by the machine's clock."""

    def __init__(self, daemons: Daemons) -> None:
        self._daemons = daemons

    def is_active(self) -> bool:
        return bool(self._daemons.mgr("balancer status")["active"])

    def seen(self, active: bool, limit: float) -> Optional[float]:
        """When it was seen so, in unix seconds; None: not within so many seconds from now."""
        until = time.time() + limit
        while time.time() <= until:
            with suppress(ClusterError):  # a busy mgr
                if self.is_active() is active:
                    return time.time()
            time.sleep(0.05)
        return None


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


def _ended_at(shown: Any) -> float:
    """When the round ended, in unix seconds; the mgr's clock is the machine's."""
    return datetime.fromisoformat(shown["ended_at"].replace("Z", "+00:00")).timestamp()


def _is_done(operator: Operator, number: int) -> Callable[[], Any]:
    def done() -> Any:
        shown = operator.asks("round", "show", str(number))
        return shown if shown["ended_at"] else None

    return done


def _after(seen: Optional[float], moment: float) -> Optional[float]:
    return None if seen is None else round(max(0.0, seen - moment), 2)


# That it goes on after a round that ended by itself is in the fingerprint of every scenario.
def test_it_is_held_within_seconds_and_back_within_seconds(
    option: str, operator: Operator, balancer: Balancer, fingerprints: Fingerprints
) -> None:
    before = fingerprints.at_rest()
    was = balancer.is_active()
    assert was is (option != "false")
    tried = []
    for _ in range(3):  # a busy machine may hold up what holds it, or us who look
        number = operator.starts(*LONG_ROUND)
        started = time.time()
        held = _after(balancer.seen(False, A_TURN), started)
        operator.carries_out("round", "abort", done=errno.ENOENT)
        seen = balancer.seen(was, 300.0)
        shown = operator.sees("the end", _is_done(operator, number), 900.0)
        back = _after(seen or balancer.seen(was, A_TURN), _ended_at(shown))
        tried.append(f"held {held} s after the start, back {back} s after the end")
        print(f"{option}: {tried[-1]}")
        assert shown["state"] == "aborted"
        # OSDs hear of flags that are unset within seconds, not all of them within five
        assert fingerprints.changed(before) == []
        if held is not None and back is not None and max(held, back) <= IN_TIME:
            return
    pytest.fail("; ".join(tried))


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
