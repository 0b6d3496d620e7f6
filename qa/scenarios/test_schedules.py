"""Schedules on a real cluster: kept through a failover, started, refused and told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
NAME = "minutely"


@pytest.fixture
def scheduled(operator: Operator) -> Iterator[Operator]:
    """A schedule that comes due with the next minute, and every minute."""
    operator.asks("schedule", "add", NAME, "osd-iops", "--cron", "* * * * *", "--osds", "0")
    yield operator
    operator.types("schedule", "rm", NAME)


def _shown(operator: Operator) -> Any:
    (shown,) = operator.asks("schedule", "ls")
    return shown


def test_it_starts_rounds_also_after_a_failover(scheduled: Operator) -> None:
    first = scheduled.sees("a round", lambda: _shown(scheduled)["last_round"], 120)
    assert scheduled.asks("round", "show", str(first))["label"] == f"schedule {NAME}"
    scheduled.sees_the_end_of(first)
    before = scheduled.active_mgr()
    scheduled.cluster.ceph("mgr", "fail")
    scheduled.sees("the standby", lambda: scheduled.active_mgr() not in {"", before})

    def next_one() -> Any:
        number = _shown(scheduled)["last_round"]
        return number if number > first else None

    second = scheduled.sees("another round", next_one, 240)
    scheduled.sees_the_end_of(second)
    labels = [line["label"] for line in scheduled.asks("round", "ls", "--limit", "500")]
    assert labels.count(f"schedule {NAME}") >= 2


def test_what_is_refused_says_why_and_what_is_paused_starts_nothing(scheduled: Operator) -> None:
    scheduled.cluster.ceph("osd", "set", "noout")
    try:

        def refused() -> Any:
            waiting = _shown(scheduled)["waiting"]
            return waiting["reasons"] if waiting and waiting["tries"] else None

        reasons = scheduled.sees("a refusal", refused, 120)
        assert any("noout" in reason for reason in reasons)
    finally:
        scheduled.cluster.ceph("osd", "unset", "noout")
    paused = scheduled.asks("schedule", "pause", NAME)
    assert (paused["paused"], paused["next"]) == (True, None)
    assert scheduled.asks("status")["scheduler"]["next"] is None
