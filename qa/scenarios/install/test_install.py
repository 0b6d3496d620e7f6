"""From two hosts without the module to a tab that answers, an upgrade, its loss, and back."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cluster.errors import ClusterError
from cluster.waiting import wait_for
from scenarios.install.conftest import Hosts

pytestmark = [pytest.mark.cluster, pytest.mark.long]


def _check(hosts: Hosts, name: str, code: int) -> Any:
    done = hosts.tool(name, "check", "--format", "json")
    assert done.code == code, done
    return json.loads(done.out)


def _builds(found: Any) -> dict[str, str]:
    return {mgr["name"]: mgr["build"] for mgr in found["mgrs"]}


def _stock(folder: Path) -> dict[str, bytes]:
    """The dashboard's files, without compiled ones."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_installed_upgraded_lost_and_removed(hosts: Hosts, newer: Path) -> None:
    cluster = hosts.cluster
    before = {name: _stock(folder) for name, folder in hosts.folders.items()}
    found = _check(hosts, "x", 1)
    assert _builds(found) == {"x": None, "y": None}
    assert not found["enabled"]

    # on one host: enabled, and the other one is named
    done = hosts.tool("x", "install", "--enable")
    assert done.code == 1, done
    assert "the tab answers: http://127.0.0.1:" in done.out
    assert "mgr.y on host-1 has no perf_bench: install it there" in done.out
    (build,) = re.findall(r"perf_bench (\S+) is installed", done.out)
    assert cluster.ceph_json("mgr", "dump")["active_name"] == "x"
    found = _check(hosts, "x", 1)
    assert _builds(found) == {"x": build, "y": None}
    assert found["problems"] == ["mgr.y on host-1 does not have it: install it there"]
    assert found["mark"]["build"] == build

    # on both: every mgr has it, and nothing is left to say
    done = hosts.tool("y", "install", "--enable")
    assert done.code == 0, done
    found = _check(hosts, "y", 0)
    assert _builds(found) == {"x": build, "y": build}
    print(hosts.tool("y", "check").out)
    _sees_the_standby(hosts)

    # again: nothing happens
    active = cluster.ceph_json("mgr", "dump")["active_gid"]
    assert hosts.tool("y", "upgrade", "--enable").code == 0
    assert cluster.ceph_json("mgr", "dump")["active_gid"] == active

    # an upgrade that is broken off does no harm, and is mended
    _kill_within(hosts, newer)
    assert hosts.tool("x", "upgrade", package=newer).code == 0

    new = _upgrade(hosts, newer, build)
    _lose(hosts, new)
    assert {name: _stock(folder) for name, folder in hosts.folders.items()} == before


def _sees_the_standby(hosts: Hosts) -> None:
    """The module itself looks at the standby mgr, and finds nothing wrong."""

    def look() -> Any:
        try:
            rows = hosts.cluster.ceph_json("perf-bench", "coverage", "ls")
        except ClusterError:  # it is still starting
            return None
        (row,) = [one for one in rows if one["name"] == "standby_mgrs"]
        return row if row["total"] else None

    row = wait_for(look, 150.0, lambda: "the standby mgr was not looked at", every=2.0)
    assert (row["total"], row["looked"], row["gaps"]) == (1, 1, [])


def _upgrade(hosts: Hosts, newer: Path, build: str) -> str:
    # one mgr of each version, then both of the newer one
    done = hosts.tool("x", "upgrade", "--enable", package=newer)
    assert done.code == 1, done
    (new,) = re.findall(r"perf_bench (\S+) was installed", done.out)
    found = _check(hosts, "x", 1)
    assert _builds(found) == {"x": new, "y": build}
    done = hosts.tool("y", "upgrade", "--enable", package=newer)
    assert done.code == 0, done
    assert _builds(_check(hosts, "y", 0)) == {"x": new, "y": new}
    return str(new)


def _lose(hosts: Hosts, new: str) -> None:
    cluster = hosts.cluster
    # lost, as after an upgrade of Ceph to images without it
    for name in hosts.folders:
        assert hosts.tool(name, "uninstall").code == 0
    cluster.restart(*hosts.folders)
    found = _check(hosts, "x", 1)
    assert found["enabled"]
    assert "the module is enabled, but mgr." in found["problems"][0]
    assert found["mark"]["build"] == new

    # wanted no more
    cluster.ceph("mgr", "module", "disable", "perf_bench")
    cluster.ceph("config-key", "rm", "mgr/perf_bench/installed")
    found = _check(hosts, "x", 1)
    assert found["mark"] is None
    assert "module is not enabled" in found["problems"][0]


def _kill_within(hosts: Hosts, newer: Path) -> None:
    """End an installation while it writes, and start the standby mgr on what it left."""
    command = [
        sys.executable, "-B", "-m", "perf_bench.tool", "upgrade",
        "--mgr-modules", str(hosts.folders["x"]),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(newer.parent)}
    child = subprocess.Popen(command, cwd="/", env=environment)
    staging = hosts.folders["x"] / ".ceph-perf-bench.new" / "perf_bench"
    deadline = time.monotonic() + 30
    while not staging.exists() and time.monotonic() < deadline:
        pass
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert staging.exists(), "it had ended before"
    hosts.cluster.restart("x")

    def listed() -> Any:
        dump = hosts.cluster.ceph_json("mgr", "dump")
        mgrs = {dump["active_name"]: dump, **{one["name"]: one for one in dump["standbys"]}}
        return "x" in mgrs and {one["name"] for one in mgrs["x"]["available_modules"]}

    found = wait_for(listed, 60.0, lambda: "mgr.x did not come back", every=0.5)
    assert "perf_bench" in found
    assert not [name for name in found if name.startswith(".")]
