"""Facts of played hosts on real daemons: taken over, shown, accused, and let go of again."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.api import DevCluster
from cluster.resident import Reply
from scenarios.operator import DEVCLUSTER, FAILOVER_SECONDS, Operator
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


@pytest.fixture(scope="module")
def asker(cluster: DevCluster, tmp_path_factory: pytest.TempPathFactory) -> Hosts:
    """Somebody whose facts do no harm; it costs seconds to make a cluster whole between them."""
    person = Operator(cluster)
    person.sees_it_ready()
    return Hosts(person, tmp_path_factory.mktemp("facts"))


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

    def pushes(host: str) -> subprocess.CompletedProcess[str]:
        client = shlex.join(_client(operator))
        words = ["--ceph", client, "-n", name, "-k", str(keyring), "facts", "--push"]
        return _answered(hosts.folder, *words, "--host", host)

    try:
        done = pushes("host-0")
        assert (done.returncode, done.stderr) == (0, "")
        assert "cpu" in done.stdout
        told = {one["host"]: one["sections"] for one in operator.asks("host", "ls")}
        assert "cpu" in told["host-0"]
        other = pushes("host-1")
        assert other.returncode == 2
        assert "access denied" in other.stderr
    finally:
        operator.cluster.ceph("auth", "rm", name)


def _client(operator: Operator) -> list[str]:
    return [str(DEVCLUSTER), "ceph", "--dir", str(operator.cluster.spec.dir), "--"]


def _tool(folder: Path, *words: str, path: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(MODULES)}
    if path:
        environment["PATH"] = f"{path}:{environment['PATH']}"
    command = [sys.executable, "-m", "perf_bench.tool", *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=environment
    )


def _answered(folder: Path, *words: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """Facts may be handed over twice: again where a busy cluster gave no answer."""
    done = _tool(folder, *words, path=path)
    for _ in range(2):
        if "gave no answer" in done.stderr:
            done = _tool(folder, *words, path=path)
    return done


@pytest.mark.parametrize("unit", ["ceph-perf-bench-facts", "ceph-perf-bench-facts-cephadm"])
def test_what_the_services_call(unit: str, asker: Hosts, tmp_path: Path) -> None:
    """By hand, on a host whose name is given beside it; cephadm is one that passes on its words."""
    operator, name = asker.operator, "client.perf-bench-facts"
    keyring, caps = tmp_path / "keyring", 'allow command "perf-bench host import"'
    made = operator.cluster.ceph("auth", "get-or-create", name, "mon", "allow r", "mgr", caps)
    keyring.write_text(made)
    # the cluster's own client is another one of that name
    client = f"env PATH={os.environ['PATH']} {shlex.join(_client(operator))}"
    path = tmp_path / "bin"
    path.mkdir()
    scripts = {
        "ceph": f'exec {client} --keyring {keyring} "$@"',
        "cephadm": f'[ "$1 $2 ${{3##*/}} $4 $5" = "shell --keyring ceph.{name}.keyring -- ceph" ] '
        f'|| exit 9\nshift 5\nexec {client} --keyring {keyring} "$@"',
    }
    for script, text in scripts.items():
        (path / script).write_text(f"#!/bin/sh\n{text}\n")
        (path / script).chmod(0o755)
    text = (MODULES / f"perf_bench/tool/services/{unit}.service").read_text()
    (line,) = (line for line in text.splitlines() if line.startswith("ExecStart="))
    _, *words = shlex.split(line.partition("=")[2])
    try:
        done = _answered(tmp_path, *words, "--host", "host-2", "--no-smart", path=str(path))
        assert (done.returncode, done.stderr) == (0, "")
        told = {one["host"]: one["sections"] for one in operator.asks("host", "ls")}
        assert "memory" in told["host-2"]
    finally:
        operator.cluster.ceph("auth", "rm", name)
        assert asker.tells("host-2", nothing("host-2")).code == 0


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
