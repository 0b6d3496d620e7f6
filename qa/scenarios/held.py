"""What a round holds in the cluster's settings, looked at within milliseconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from cluster.namespaces import REPO
from cluster.resident import Reply
from scenarios.fingerprint import JOURNAL, Daemons, Fingerprints
from scenarios.operator import DEVCLUSTER, Operator

# Long enough to be met in the middle, and to be carried on.
ROUND = ("osd-throughput", "--repeats", "3")
# Still under way when everything has been looked at; aborted then.
LONG_ROUND = ("osd-throughput", "--repeats", "20")


class Settings:
    """What daemons go by and what is recorded, within milliseconds."""

    def __init__(self, daemons: Daemons) -> None:
        self._daemons = daemons
        # What a scenario before has left is only watched, as ``unchanged`` knows.
        self._old = self._changes()

    def flags(self) -> set[str]:
        return set(self._daemons.mon("osd dump")["flags"].split(","))

    def config(self) -> dict[tuple[str, str], str]:
        rows = self._daemons.mon("config dump")
        return {(row["section"], row["name"]): row["value"] for row in rows}

    def journal(self) -> list[str]:
        """The settings that the journal names anew; none before something is held."""
        return [what for what, _ in self._changes() - self._old]

    def balancer_is_off(self) -> bool:
        """As the balancer itself says."""
        return not self._daemons.mgr("balancer status")["active"]

    def _changes(self) -> set[tuple[str, str]]:
        """The settings that are in the journal, each with the holder of its change."""
        found: dict[str, str] = self._daemons.mon("config-key dump", key=JOURNAL)
        documents = [json.loads(text) for text in found.values()]
        return {(one["what"], one["holder"]) for each in documents for one in each["changes"]}


@pytest.fixture
def settings(fingerprints: Fingerprints) -> Settings:
    """Before a scenario that looks for them no scrub is off; ``unchanged`` looks after it."""
    found = Settings(fingerprints.daemons)
    assert not {"noscrub", "nodeep-scrub"} & found.flags()
    return found


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
