"""Every command with real keys of different caps: what may only read changes nothing."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

import pytest

from cluster.api import DevCluster
from cluster.resident import Resident
from perf_bench.answers.question import ArgumentKind, Question, Use
from perf_bench.answers.questions import QUESTIONS
from scenarios.operator import Operator
from scenarios.stored_file import stored

pytestmark = pytest.mark.cluster

# Connects with each order's key, so that every one is judged by its own caps. An order is
# [name, keyring, commands]; an answer is a list of [code, text], or a text if nobody got in.
_CLIENT = """
import json, sys
import rados

for line in sys.stdin:
    name, keyring, commands = json.loads(line)
    client = rados.Rados(name=name, conffile="", conf={"keyring": keyring})
    try:
        client.connect(timeout=60)
    except rados.Error as error:
        print(json.dumps(str(error)), flush=True)
        continue
    answers = []
    for command in commands:
        given = command.pop("-i", "").encode()
        code, _, err = client.mgr_command(json.dumps(command), given, timeout=60)
        answers.append([code, err])
    client.shutdown()
    print(json.dumps(answers), flush=True)
"""

# What stands for what a command needs: by these nothing is found, and nothing changed.
VALUES = {
    ArgumentKind.TEXT: "nix",
    ArgumentKind.FILE: "[]",
    ArgumentKind.ROUND_ID: "999999",
    ArgumentKind.FINDING_ID: "999999",
    ArgumentKind.OSD_ID: "0",
}


def _needed(question: Question) -> dict[str, str]:
    """The arguments without which the command is refused before its rights are looked at."""
    needed = [one for one in question.arguments if one.cli is Use.NEEDED]
    return {"-i" if one.kind is ArgumentKind.FILE else one.name: VALUES[one.kind] for one in needed}


COMMANDS = [question for question in QUESTIONS if question.is_command]
READ = {one.name: _needed(one) for one in COMMANDS if not one.writes}
# For keys that may.
CHANGE = {one.name: _needed(one) for one in COMMANDS if one.writes}
# For keys that may not: these would do something.
EFFECTIVE = {
    "round start": {"profile": "osd-throughput", "repeats": 1, "osds": "0"},
    "schedule add": {"name": "forbidden", "profile": "osd-iops", "every": "1d"},
    "store reset": {"yes_i_really_mean_it": True},
    "mclock propose": {"apply": True},
    "osd relieve": {"id": "0", "affinity": "0", "yes_i_really_mean_it": True},
    "host import": {"host": "host-0", "-i": '{"format": 1, "host": "host-0", "osds": []}'},
}
EVERYTHING = {*READ, *CHANGE}


class Key(NamedTuple):
    """The caps of a key, the commands that it may use, and whether it gets in at all."""

    mgr: str
    may: set[str]
    mon: str = "allow r"


KEYS = {
    "all": Key("allow *", EVERYTHING),
    "rw": Key("allow rw", EVERYTHING),
    "module-rw": Key("allow module perf_bench rw", EVERYTHING),
    "r": Key("allow r", {*READ}),
    "module-r": Key("allow module perf_bench r", {*READ}),
    "profile-ro": Key("profile read-only", {*READ}),
    "one": Key('allow command "perf-bench status"', {"status"}),
    "two": Key(
        'allow command "perf-bench round ls", allow command "perf-bench round abort"',
        {"round ls", "round abort"},
    ),
    "other-module": Key("allow module balancer rw", set()),
    "w": Key("allow w", set()),
    "no-mgr": Key("", set()),
    "none": Key("", set(), mon=""),
}


class Clients:
    """Clients with keys of their own, which are gone afterwards."""

    def __init__(self, cluster: DevCluster) -> None:
        self._cluster = cluster
        self._resident = Resident(cluster.spec, _CLIENT)
        self._made: list[str] = []

    def types(self, key: Key, commands: list[tuple[str, Any]]) -> Any:
        """The answers to these commands, or a text if the monitors refuse the key."""
        name = f"client.caps-{len(self._made)}"
        self._made.append(name)
        caps = [*(("mon", key.mon) if key.mon else ()), *(("mgr", key.mgr) if key.mgr else ())]
        keyring = self._cluster.spec.dir / f"{name}.keyring"
        keyring.touch(mode=0o600)
        keyring.write_text(self._cluster.ceph("auth", "get-or-create", name, *caps))
        orders = [{"prefix": f"perf-bench {prefix}", **words} for prefix, words in commands]
        return self._resident.ask([name, str(keyring), orders], 600.0)

    def close(self) -> None:
        self._resident.close()
        for name in self._made:
            self._cluster.ceph("auth", "rm", name)
            (self._cluster.spec.dir / f"{name}.keyring").unlink()


@pytest.fixture
def clients(cluster: DevCluster) -> Iterator[Clients]:
    with closing(Clients(cluster)) as made:
        yield made


def kept(operator: Operator) -> Any:
    """What the commands could change."""
    store = stored(operator)
    return {
        "rounds": operator.asks("round", "ls"),
        "schedules": operator.asks("schedule", "ls"),
        "baselines": operator.asks("baseline", "ls"),
        "quiesce": operator.asks("quiesce", "status"),
        "hosts": [(one["host"], one["received_at"]) for one in operator.asks("host", "ls")],
        "files": [store[key] for key in ("set_aside", "backups")],
        "options": operator.cluster.ceph("config", "dump"),
    }


def _is_idle(operator: Operator) -> bool:
    """Whether nothing is done to the database."""
    job = operator.asks("store", "status")["job"]
    return job is None or job["state"] != "running"


def test_these_are_all_commands(operator: Operator) -> None:
    told = operator.cluster.ceph_json("mgr", "module", "ls")
    assert "perf_bench" in json.dumps(told)
    help_ = operator.cluster.ceph("--help", "perf-bench")
    there = {name for name in EVERYTHING if f"perf-bench {name}" in help_}
    assert there == EVERYTHING
    lines = [line for line in help_.splitlines() if line.startswith("perf-bench ")]
    assert len(lines) == len(EVERYTHING)


# One of each kind in `make test`, all in `make test-all`.
SHORT = {"module-rw", "r", "two", "no-mgr"}


@pytest.mark.parametrize(
    "key",
    [pytest.param(key, marks=() if key in SHORT else pytest.mark.long) for key in KEYS],
)
def test_a_key_may_what_its_caps_say(operator: Operator, clients: Clients, key: str) -> None:
    # A key before this one may have begun a backup.
    operator.sees("no job", lambda: _is_idle(operator))
    caps, before = KEYS[key], kept(operator)
    commands: list[tuple[str, Any]] = [*READ.items(), *CHANGE.items()]
    if not caps.may:
        commands += EFFECTIVE.items()
    else:
        commands += [(name, words) for name, words in EFFECTIVE.items() if name not in caps.may]
    answers = clients.types(caps, commands)
    if not caps.mon:
        assert isinstance(answers, str)
        assert "denied" in answers.lower() or "permission" in answers.lower(), answers
    else:
        wrong = []
        for (name, words), (code, said) in zip(commands, answers):
            refused = code == -errno.EACCES and "access denied" in said
            if refused is (name in caps.may):
                wrong.append((name, words, code, said))
        assert not wrong, wrong
    if not caps.may & {*CHANGE}:
        assert kept(operator) == before
