"""The `ceph` that stays: each command is that of a new one, but for the connection."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from cluster import resident
from cluster.connection import Connection
from cluster.errors import ClusterError
from cluster.resident import Ended, Silent, Terminals

RADOS = """
class Rados:
    DEFAULT_CONF_FILES = ""
    made = 0
    def __init__(self, **named):
        type(self).made += 1
        self.state = "configuring"
    def connect(self, timeout=0):
        assert self.state == "configuring"
        self.state = "connected"
"""
# All that the resident program takes of it; a machine may have no Ceph.
ARGPARSE = """
class CephPrefix:
    pass
def matchnum(args, signature, partial=False):
    return len(args)
"""
CEPH = """
import os, sys, time
import rados
def parse_json_funcsigs(text, consumer):
    return text
def main():
    handle = rados.Rados(name="client.admin", conffile=rados.Rados.DEFAULT_CONF_FILES)
    handle.connect(timeout=1)
    words = sys.argv[1:]
    if words[0] == "echo":
        sys.stdout.buffer.write(sys.stdin.buffer.read())
    elif words[0] == "refuse":
        print("Error EAGAIN: not now", file=sys.stderr)
        return 11
    elif words[0] == "usage":
        sys.exit(2)
    elif words[0] == "break":
        raise RuntimeError("oops")
    elif words[0] == "hang":
        time.sleep(60)
    elif words[0] == "die":
        os._exit(1)
    else:
        print(*words, type(handle).made)
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.fixture
def terminals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminals]:
    (tmp_path / "rados.py").write_text(RADOS)
    (tmp_path / "ceph_argparse.py").write_text(ARGPARSE)
    program = tmp_path / "ceph"
    program.write_text(CEPH)
    program.chmod(0o755)
    place = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHONPATH": str(tmp_path)}
    monkeypatch.setattr(resident, "environment", lambda _spec: place)
    made = Terminals(SimpleNamespace(root="/"))  # type: ignore[arg-type]
    yield made
    made.close()


def test_streams_and_codes_are_those_of_the_program(terminals: Terminals) -> None:
    assert terminals.ceph(["echo"], "two\nlines ü", 20) == (0, "two\nlines ü", "")
    assert terminals.ceph(["echo"], "", 20) == (0, "", "")
    assert terminals.ceph(["refuse"], "", 20) == (11, "", "Error EAGAIN: not now\n")
    assert terminals.ceph(["usage"], "", 20).code == 2
    broken = terminals.ceph(["break"], "", 20)
    assert broken.code == 1
    assert "RuntimeError: oops" in broken.err
    assert terminals.ceph(["status"], "", 20).out == "status 1\n"


def test_one_that_hangs_is_ended_and_the_next_command_has_another(terminals: Terminals) -> None:
    terminals.ceph(["status"], "", 20)
    with pytest.raises(subprocess.TimeoutExpired):
        terminals.ceph(["hang"], "", 0.2)
    assert terminals.ceph(["status"], "", 20).out == "status 1\n"


def test_one_that_dies_is_told_at_once(terminals: Terminals) -> None:
    with pytest.raises(Ended):
        terminals.ceph(["die"], "", 20)
    assert terminals.ceph(["status"], "", 20).code == 0


class _Library:
    """A client whose library ends it so many times before it answers."""

    def __init__(self, *ends: Silent) -> None:
        self.ends = list(ends)
        self.orders = 0

    def ask(self, _order: object, _seconds: float) -> object:
        self.orders += 1
        if self.ends:
            raise self.ends.pop(0)
        return [0, '{"a": 1}', ""]


def _connection(*ends: Silent) -> tuple[Connection, _Library]:
    made, library = Connection.__new__(Connection), _Library(*ends)
    made._client = library  # type: ignore[assignment]
    return made, library


def test_an_order_whose_client_ended_is_given_once_more() -> None:
    link, library = _connection(Ended("it ended"))
    assert link.mgr("status") == {"a": 1}
    assert library.orders == 2


def test_an_order_is_not_given_for_ever_nor_again_after_silence() -> None:
    for ends in ([Ended("it ended"), Ended("it ended again")], [Silent("nothing")]):
        link, library = _connection(*ends)
        with pytest.raises(ClusterError, match=f"'status' gave {ends[-1]}"):
            link.mgr("status")
        assert library.orders == len(ends)
