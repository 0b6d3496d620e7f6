"""Settings are put back from any host where every mgr is gone, with the helper beside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cluster.daemons import process_of
from cluster.errors import ClusterError
from cluster.namespaces import REPO
from cluster.resident import Reply
from scenarios.fingerprint import Fingerprints
from scenarios.operator import DEVCLUSTER, Operator

pytestmark = pytest.mark.cluster
JOURNAL = "mgr/perf_bench/quiesce"
# Still under way when everything has been looked at; aborted then.
LONG_ROUND = ("osd-throughput", "--repeats", "20")
SCRUBS = {"noscrub", "nodeep-scrub"}


def host_tool(operator: Operator, *words: str) -> Reply:
    """The host tool as an operator runs it on a host that has nothing but a client of Ceph."""
    ceph = f"{DEVCLUSTER} ceph --dir {operator.cluster.spec.dir} --"
    done = subprocess.run(
        [sys.executable, "-m", "perf_bench.tool", "--ceph", ceph, *words],
        cwd="/",
        env={**os.environ, "PYTHONPATH": str(REPO / "mgr_module")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Reply(done.returncode, done.stdout, done.stderr)


def end_all_mgrs_with_their_helpers(operator: Operator) -> None:
    """As systemd does with the control group of a mgr's service."""
    spec = operator.cluster.spec
    parents = {process.pid for name in spec.daemons if (process := process_of(spec, name))}
    helpers = [pid for pid in _helpers() if _parent(pid) in parents]
    assert len(helpers) == 1
    os.kill(helpers[0], signal.SIGKILL)
    operator.cluster.fault("kill-mgr", "all")
    for name in spec.mgrs:
        with suppress(ClusterError):  # the monitors may have seen it themselves
            operator.cluster.ceph("mgr", "fail", name)
    operator.sees("no mgr", lambda: operator.active_mgr() == "" or None)


def _helpers() -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if (
                folder.name.isdigit()
                and b"perf_bench.programs.restore_settings" in (folder / "cmdline").read_bytes()
            ):
                found.append(int(folder.name))
    return found


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.long
def test_without_any_mgr_it_is_put_back_from_a_host(
    operator: Operator, fingerprints: Fingerprints
) -> None:
    mon = fingerprints.daemons.mon

    def flags() -> set[str]:
        return set(mon("osd dump")["flags"].split(","))

    def journal() -> list[Any]:
        """What is noted as changed."""
        found = (json.loads(text) for text in mon("config-key dump", key=JOURNAL).values())
        return [entry["what"] for entry in found if "what" in entry]

    number = operator.starts(*LONG_ROUND)
    operator.sees_samples_of(number, 1)
    held = host_tool(operator, "restore")
    assert held.code == 2, held
    assert held.err.startswith(
        f"ceph-perf-bench: round {number} is running and holds these settings: "
    )
    assert flags() >= SCRUBS

    end_all_mgrs_with_their_helpers(operator)
    done = host_tool(operator, "restore")
    assert done.code == 1, done
    assert "    ceph osd unset noscrub\n" in done.out
    assert "flag/noscrub: put back to 'unset', and in effect\n" in done.out
    assert "balancer: not yet: no mgr is active, " in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert not SCRUBS & flags()
    assert journal() == ["balancer"]

    # a mgr is back, without the module
    operator.cluster.ceph("mgr", "module", "disable", "perf_bench")
    try:
        operator.cluster.fault("clear", "all")
        assert not fingerprints.daemons.mgr("balancer status")["active"]
        done = host_tool(operator, "restore", "--format", "json")
        assert done.code == 0, done
        (setting,) = json.loads(done.out)["settings"]
        assert (setting["what"], setting["outcome"]["fate"]) == ("balancer", "put-back")
        assert fingerprints.daemons.mgr("balancer status")["active"]
        assert journal() == []
    finally:
        operator.cluster.ceph("mgr", "module", "enable", "perf_bench", "--force")
    # the round goes on, and holds what it needs again
    operator.sees("the round", lambda: operator.asks("status")["active_round"], 120)
    assert operator.types("round", "abort").code == 0
    operator.sees_the_end_of(number)
