"""Ceph's own upgrade, 16 to 18 to 20, of one cluster: what the module keeps and does meanwhile."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Optional

import pytest

from cluster.api import DevCluster
from cluster.releases import RELEASES
from scenarios.operator import FAILOVER_SECONDS, Operator, follows_from_its_figures

pytestmark = [pytest.mark.cluster, pytest.mark.long]
RISK = "PERF_BENCH_CONFIG_RISK"
# 1 GiB on each OSD once: long enough, and valid on a busy machine too, so it can be a baseline.
ROUND = ("osd-throughput", "--osds", "0,1,2", "--size", "1M", "--repeats", "1")
NOTE = "until the next maintenance"
SOON = "soon"


def _later(steps: float) -> str:
    """A time of each day, so many minutes from now, as cron has it."""
    due = datetime.now(timezone.utc) + timedelta(minutes=steps)
    return f"{due.minute} {due.hour} * * *"


def _schedule(person: Operator, name: str) -> Any:
    (shown,) = [one for one in person.asks("schedule", "ls") if one["name"] == name]
    return shown


def _finding(person: Operator) -> Any:
    (found,) = [one for one in person.asks("finding", "ls") if one["code"] == RISK]
    return {key: found[key] for key in ("id", "first_seen", "state", "target", "acknowledged")}


def _measured(person: Operator, label: str, *words: str) -> Any:
    found = person.sees_the_end_of(person.starts(*ROUND, "--label", label, *words))
    assert found["state"] == "done", found["reasons"]
    return found


class Kept:
    """What there was before the first upgrade, as the commands show it."""

    def __init__(self, person: Operator) -> None:
        # a mgr looks one and two minutes after it became active
        risk = ("osd", "bluestore_rocksdb_options", "compression=kNoCompression")
        person.cluster.ceph("config", "set", *risk)
        self.first = _measured(person, "before")
        number = str(self.first["id"])
        person.asks("baseline", "set", number)
        self._round = person.asks("round", "show", number)
        self._line = self._lines(person)
        person.asks("schedule", "add", "daily", *self._words(_later(600)))
        self.next = _schedule(person, "daily")["next"]
        self._finding = self._noted(person)

    def _words(self, cron: str) -> tuple[str, ...]:
        return ("osd-iops", "--cron", cron, "--timezone", "UTC", "--osds", "0")

    def falls_due_soon(self, person: Operator, name: str) -> None:
        person.asks("schedule", "add", name, *self._words(_later(2)))

    def _lines(self, person: Operator) -> Any:
        rows = person.asks("round", "ls", "--limit", "500")
        return [one for one in rows if one["id"] == self.first["id"]]

    def _noted(self, person: Operator) -> Any:
        """The finding about the configuration, with somebody's note on it."""

        def there() -> bool:
            return any(one["code"] == RISK for one in person.asks("finding", "ls"))

        person.sees(RISK, there, 180)
        person.asks("finding", "ack", str(_finding(person)["id"]), NOTE)
        found = _finding(person)
        assert found["acknowledged"]["text"] == NOTE
        return found

    def is_there(self, person: Operator) -> None:
        """Nothing is lost or altered, and nothing is shown twice."""
        person.sees_the_database(FAILOVER_SECONDS)
        assert person.asks("round", "show", str(self.first["id"])) == self._round
        assert self._lines(person) == self._line
        (baseline,) = person.asks("baseline", "ls")
        assert baseline["round"] == self.first["id"]
        assert _schedule(person, "daily")["next"] == self.next
        assert _finding(person) == self._finding

        def told() -> bool:
            return RISK in person.cluster.ceph("health", "detail")

        # the doctor of a new mgr looks after one and two minutes
        person.sees(f"{RISK} in health", told, 180)


def _sees_releases(person: Operator, **expected: set[str]) -> None:
    """Wait until the daemons of each kind are of these releases, by what they told the mons."""

    def told() -> bool:
        found = person.cluster.ceph_json("versions")
        releases = {kind: {text.split()[4] for text in found[kind]} for kind in expected}
        return releases == expected

    person.sees(f"daemons of {expected}", told)


def _in_the_middle(person: Operator, kept: Kept, before: str, release: str) -> None:
    """Mons, mgrs and one OSD of the new release: rounds are refused, and work if forced."""
    cluster = person.cluster
    cluster.upgrade(release, *cluster.spec.mon_daemons)
    _sees_releases(person, mon={release}, mgr={before}, osd={before})
    kept.is_there(person)
    cluster.upgrade(release, *cluster.spec.mgrs)
    _sees_releases(person, mon={release}, mgr={release}, osd={before})
    kept.is_there(person)
    cluster.upgrade(release, "osd.0")
    _sees_releases(person, osd={before, release})
    assert "noout" in person.sees("a refusal", lambda: _refusal(person))
    found = _measured(person, "in the middle", "--force")
    assert {one["osd"] for one in found["per_osd"]} == {0, 1, 2}


def _refusal(person: Operator) -> Optional[str]:
    """Once the mgr knows of the OSD's new release."""
    text = person.refused("round", "start", *ROUND).err
    return text if "under way" in text else None


def _at_the_end(person: Operator, kept: Kept, release: str) -> None:
    """All daemons are of the new release: rounds run, and compare with those of before."""
    cluster = person.cluster
    _sees_releases(person, overall={release})
    assert cluster.ceph_json("osd", "dump")["require_osd_release"] == release
    kept.is_there(person)
    ran = person.sees("a run", lambda: _schedule(person, SOON)["last_round"], 300)
    assert person.sees_the_end_of(ran)["state"] == "done"
    after = _measured(person, f"after {release}")
    found = person.asks("round", "compare", str(kept.first["id"]), str(after["id"]))
    assert found["verdict"] in ("better", "worse", "same", "inconclusive"), found["why"]
    assert found["interval_percent"] is None or follows_from_its_figures(found), found
    assert "OSD release" in {one["name"] for one in found["environment"]}, found["environment"]
    print(f"{release}: {found['verdict']}, {found['change_percent']} %, {found['why']}")


def _steps(cluster: DevCluster) -> list[tuple[str, str]]:
    """The releases that follow each other from that of the cluster on."""
    names = list(RELEASES)
    first = names.index(cluster.spec.carried)
    return list(zip(names[first:], names[first + 1 :]))


def test_history_schedules_findings_and_baseline_go_along(cluster: DevCluster) -> None:
    person = Operator(cluster)
    kept = Kept(person)
    kept.is_there(person)
    kept.falls_due_soon(person, SOON)
    for before, release in _steps(cluster):
        cluster.ceph("osd", "set", "noout")
        _in_the_middle(Operator(cluster), kept, before, release)
        _waits_or_ran(Operator(cluster))
        cluster.upgrade(release)
        cluster.ceph("osd", "unset", "noout")
        _at_the_end(Operator(cluster), kept, release)


def _waits_or_ran(person: Operator) -> None:
    """What was due while daemons were upgraded waits for their end; it may have run before."""

    def reasons() -> Any:
        shown = _schedule(person, SOON)
        waiting = shown["waiting"]
        return shown["last_round"] or (waiting and waiting["tries"] and waiting["reasons"])

    found = person.sees("a run that waits", reasons, 150)
    assert isinstance(found, int) or any("noout" in reason for reason in found)
