"""Facts of played hosts on real daemons: taken over, shown, accused, and let go of again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.resident import Reply
from scenarios.held import host_tool
from scenarios.operator import FAILOVER_SECONDS, Operator
from scenarios.played import SHELF, nothing, shelf

pytestmark = pytest.mark.cluster
MODULES = Path(__file__).resolve().parents[2] / "mgr_module"
FAULT, PATHS = "PERF_BENCH_ENCLOSURE_FAULT", "PERF_BENCH_MULTIPATH_DEGRADED"
EINVAL, ENOENT, EOPNOTSUPP = 22, 2, 95


class Hosts:
    """Hands over facts as hosts do."""

    def __init__(self, operator: Operator, folder: Path) -> None:
        self.operator = operator
        self.folder = folder

    def tells(self, host: str, facts: Any) -> Reply:
        file = self.folder / "facts.json"
        file.write_text(facts if isinstance(facts, str) else json.dumps(facts))
        return self.operator.answered("host", "import", host, "-i", str(file))

    def tell(self, **named: bool) -> None:
        """Both hosts tell of the shelf with OSDs 0, 3, 1 and 4."""
        for host, osds in (("host-0", [0, 3]), ("host-1", [1, 4])):
            reply = self.tells(host, shelf(host, osds, **named))
            assert reply.code == 0, reply


@pytest.fixture
def hosts(operator: Operator, tmp_path: Path) -> Iterator[Hosts]:
    made = Hosts(operator, tmp_path)
    yield made
    operator.cluster.fault("clear", "all")
    operator.sees_it_ready()
    for host in ("host-0", "host-1"):
        assert made.tells(host, nothing(host)).code == 0


def test_one_shelf_of_two_hosts_from_its_facts_to_health_and_back(hosts: Hosts) -> None:
    operator = hosts.operator
    hosts.tell()
    (found,) = operator.asks("enclosure", "ls")
    assert (found["id"], found["hosts"], found["state"]) == (SHELF, ["host-0", "host-1"], "ok")
    assert [(slot["slot"], slot["osd"]) for slot in found["slots"]] == [
        (n, n) for n in (0, 1, 3, 4)
    ]
    assert (found["serial"], found["vendor"], found["model"]) == ("SHX0", "V", "M")
    words = ("osd-iops", "--osds", f"enclosure={SHELF.upper()}", "--dry-run")
    plan = operator.asks("round", "start", *words)
    assert plan["targets"] == [f"osd.{osd}" for osd in (0, 1, 3, 4)]
    paths = operator.asks("multipath", "ls")
    assert [(one["osd"], one["active"], one["expected"]) for one in paths] == [
        (osd, 2, 2) for osd in (0, 3, 1, 4)
    ]
    hosts.tell(lost=True, bad=True)
    operator.sees_in_health(FAULT, "slot 0 (osd.0) is critical")
    operator.sees_in_health(PATHS, "2 disks with lost paths")
    # Not with half of the slots: what a shelf does not tell any more is not known, and not fine.
    hosts.tell()
    operator.sees_gone_from_health(FAULT)
    operator.sees_gone_from_health(PATHS)
    hosts.tell(shared=True)
    # what stood in a slot of its own stands on its neighbour's drive now: nobody is missed
    shared = operator.asks("enclosure", "show", SHELF)
    assert shared["suspects"] == []
    assert [(slot["slot"], slot["osds"]) for slot in shared["slots"]] == [(0, [0, 3]), (1, [1, 4])]
    assert [one["osds"] for one in operator.asks("multipath", "ls")] == [[0, 3], [1, 4]]


def _of_shelf(operator: Operator) -> Any:
    return next((one for one in operator.asks("finding", "ls") if one["code"] == FAULT), None)


@pytest.mark.long
def test_an_acknowledged_finding_says_what_next_and_outlives_a_killed_mgr(hosts: Hosts) -> None:
    operator = hosts.operator
    hosts.tell(bad=True)
    operator.sees_in_health(FAULT)
    found = operator.sees("the finding", lambda: _of_shelf(operator))
    replace = [step["command"] for step in found["next_steps"]["replace"]]
    assert replace[0] == "ceph osd ok-to-stop 0 1 3 4"
    for command in replace[1:]:
        assert operator.pastes(command).code == 0, command
    number = str(found["id"])
    for text, said in (("", "text is empty"), ("x" * 501, "at most 500 are kept")):
        refused = operator.refused("finding", "ack", number, text)
        assert (refused.code, said in refused.err) == (EINVAL, True), refused

    noted = operator.asks("finding", "ack", number, "shelf ordered", "--by", "alice")
    assert (noted["state"], noted["acknowledged"]["by"]) == ("open", "alice")
    assert "by alice: shelf ordered" in operator.types("finding", "ls").out
    assert operator.types("finding", "mute", number, "1d").code == 0
    operator.sees_gone_from_health(FAULT)
    operator.cluster.fault("kill-mgr", "active")
    # Not ready for a round: the finding is an error, which refuses one.
    after = operator.sees("it again", lambda: _of_shelf(operator), FAILOVER_SECONDS)
    assert (after["id"], after["state"]) == (found["id"], "muted")
    assert after["first_seen"] == found["first_seen"]
    assert after["acknowledged"] == noted["acknowledged"]
    assert FAULT not in operator.cluster.ceph("health", "detail")
    assert operator.asks("finding", "ack", number, "--remove")["acknowledged"] is None
    hosts.tell()
    operator.sees("that it is over", lambda: _of_shelf(operator) is None)
    assert "is closed" in operator.refused("finding", "mute", number, "1d").err


def test_the_host_tool_needs_one_right_and_has_no_other(hosts: Hosts) -> None:
    operator, name = hosts.operator, "client.facts-of-host-0"
    caps = 'allow command "perf-bench host import" with host=host-0'
    keyring = hosts.folder / "keyring"
    made = operator.cluster.ceph("auth", "get-or-create", name, "mon", "allow r", "mgr", caps)
    keyring.write_text(made)

    def pushes(host: str) -> Reply:
        """A busy cluster may give no answer, and facts may be handed over twice."""
        who = ("-n", name, "-k", str(keyring))
        done = host_tool(operator, *who, "facts", "--push", "--host", host)
        return pushes(host) if "gave no answer" in done.err else done

    try:
        done = pushes("host-0")
        assert (done.code, done.err) == (0, "")
        assert "cpu" in done.out
        told = {one["host"]: one["sections"] for one in operator.asks("host", "ls")}
        assert "cpu" in told["host-0"]
        other = pushes("host-1")
        assert other.code == 2
        assert "access denied" in other.err
    finally:
        operator.cluster.ceph("auth", "rm", name)


@pytest.mark.long
def test_a_shelf_that_loses_its_power(hosts: Hosts) -> None:
    operator = hosts.operator
    hosts.tell()
    # host-1 answers: osd.4 stays
    for target in ("host-0", "osd.1"):
        operator.cluster.fault("host-down" if target == "host-0" else "down", target)
    told = operator.sees_in_health(FAULT)
    assert "3 of its 4 OSDs went down within minutes of each other" in told
    assert "osd.0, osd.1 and osd.3" in told
    operator.cluster.fault("clear", "all")
    operator.sees_gone_from_health(FAULT)
