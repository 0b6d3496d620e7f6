"""Schedules on a real cluster: kept through a failover, started, refused and told."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
FIRST, SECOND = "first", "second"


@pytest.fixture
def person(operator: Operator) -> Iterator[Operator]:
    """An operator whose schedules are gone afterwards."""
    yield operator
    for one in operator.asks("schedule", "ls"):
        operator.carries_out("schedule", "rm", one["name"], done=errno.ENOENT)


def _add(person: Operator, name: str, minutes: int) -> None:
    """A schedule that is due so many minutes from now, and a day later again."""
    due = datetime.now(timezone.utc) + timedelta(minutes=minutes)
    cron = f"{due.minute} {due.hour} * * *"
    words = ("--cron", cron, "--timezone", "UTC", "--osds", "0")
    person.asks("schedule", "add", name, "osd-iops", *words)


def _shown(person: Operator, name: str) -> Any:
    (shown,) = [one for one in person.asks("schedule", "ls") if one["name"] == name]
    return shown


@pytest.mark.long
def test_it_starts_rounds_also_after_a_failover(person: Operator) -> None:
    _add(person, FIRST, 1)
    _add(person, SECOND, 4)
    first = person.sees("a round", lambda: _shown(person, FIRST)["last_round"], 150)
    assert person.asks("round", "show", str(first))["label"] == f"schedule {FIRST}"
    before = person.active_mgr()
    person.cluster.ceph("mgr", "fail")
    person.sees("the standby", lambda: person.active_mgr() not in {"", before})
    person.sees_the_end_of(first)
    second = person.sees("another round", lambda: _shown(person, SECOND)["last_round"], 400)
    person.sees_the_end_of(second)
    labels = [line["label"] for line in person.asks("round", "ls", "--limit", "500")]
    assert [labels.count(f"schedule {name}") for name in (FIRST, SECOND)] == [1, 1]
