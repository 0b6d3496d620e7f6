"""What operators do in a day, by the hour; one OSD is slow from noon to three."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cluster.connection import Connection
from cluster.errors import ClusterError
from scenarios.operator import Operator

# Clients are idle at night; operations a second, by the hour.
NIGHT, DAY = 20.0, 100.0
RATES = (*[NIGHT] * 8, *[DAY] * 12, *[NIGHT] * 4)
NOON, AFTER = 12.0, 15.0
_POOL = "of-a-day"
_ROUND_SECONDS = 600.0
_CLEAN_SECONDS = 300.0
# OSDs tell the mgr of their groups every 5 s; before, these are as they were.
_REPORT_SECONDS = 10.0


@dataclass
class Cluster:
    """Where it is done; ``slow`` is the OSD that is slow from noon on."""

    operator: Operator
    link: Connection
    slow: int

    def ceph(self, line: str) -> None:
        """A command of Ceph's own."""
        self.operator.cluster.ceph(*line.split())


@dataclass(frozen=True)
class Hour:
    """``at`` is the hour of the day."""

    at: float
    what: str
    run: Callable[[Cluster], str]


def _measure(*words: str) -> Callable[[Cluster], str]:
    def run(made: Cluster) -> str:
        number = made.operator.starts(*words)
        ended = made.operator.sees_the_end_of(number, _ROUND_SECONDS)
        # A guard may end it, as clients are on the same two cores.
        if ended["state"] not in ("done", "aborted"):
            raise ClusterError(f"round {number} is {ended['state']}: {ended['reasons']}")
        return f"round {number}: {ended['state']}, {ended['verdict']}"

    return run


def _ceph(*lines: str) -> Callable[[Cluster], str]:
    def run(made: Cluster) -> str:
        for line in lines:
            made.ceph(line)
        return ""

    return run


def _clean(made: Cluster) -> str:
    """Wait until all copies are where they belong."""

    def clean() -> bool:
        states = made.link.mon("pg stat")["pg_summary"]["num_pg_by_state"]
        return all(one["name"].startswith("active+clean") for one in states)

    began = time.monotonic()
    time.sleep(_REPORT_SECONDS)
    made.operator.sees("clean placement groups", clean, _CLEAN_SECONDS)
    return f"clean after {time.monotonic() - began:.0f} s"


def _then_clean(*lines: str) -> Callable[[Cluster], str]:
    def run(made: Cluster) -> str:
        _ceph(*lines)(made)
        return _clean(made)

    return run


def _restart_host(made: Cluster) -> str:
    made.ceph("osd set noout")
    try:
        made.operator.cluster.fault("host-down", "host-3")
        time.sleep(20.0)
        made.operator.cluster.fault("clear", "host-3")
    finally:
        made.ceph("osd unset noout")
    return _clean(made)


def _slow(made: Cluster) -> str:
    made.operator.cluster.fault("stall", f"osd.{made.slow}")
    return f"osd.{made.slow} is stopped for 0.45 s of every half second"


def _fast(made: Cluster) -> str:
    made.operator.cluster.fault("clear", f"osd.{made.slow}")
    return _clean(made)


def _report(made: Cluster) -> str:
    said = made.operator.types("report", "--since", "1d", "--as", "html")
    if said.code:
        raise ClusterError(said.err)
    return f"{len(said.out.splitlines())} lines"


def _fail_over(made: Cluster) -> str:
    """Another mgr; findings are those of before."""
    before = _findings(made)
    made.ceph("mgr fail")
    began = time.monotonic()
    made.operator.sees_it_ready()
    took = time.monotonic() - began
    after = _findings(made)
    lost = [one for number, one in before.items() if after.get(number) != one]
    if lost:
        raise ClusterError(f"findings are gone: {lost}; there are {list(after.values())}")
    return f"ready after {took:.0f} s, {len(before)} findings kept"


def _findings(made: Cluster) -> dict[int, Any]:
    found = made.link.mgr("perf-bench finding ls")
    return {one["id"]: (one["code"], one["target"], one["first_seen"]) for one in found}


MORNING: Sequence[Hour] = (
    Hour(0.5, "a round of all OSDs at night", _measure("osd-iops", "--label", "night")),
    Hour(2.0, "deep scrubs", _ceph("osd deep-scrub all")),
    Hour(4.0, "a pool is made", _then_clean(f"osd pool create {_POOL} 32")),
    Hour(5.0, "and removed", _ceph(f"osd pool rm {_POOL} {_POOL} --yes-i-really-really-mean-it")),
    Hour(6.0, "a host is restarted", _restart_host),
    Hour(9.0, "an OSD gets less data", _then_clean("osd reweight 7 0.8")),
    Hour(10.5, "and as much as before", _then_clean("osd reweight 7 1.0")),
    Hour(NOON, "an OSD is slow", _slow),
    Hour(AFTER, "and is not any more", _fast),
)
FAIL_OVER = Hour(16.0, "another mgr becomes active", _fail_over)
AFTERNOON: Sequence[Hour] = (
    Hour(17.0, "a round of a host", _measure("osd-throughput", "--osds", "host=host-1")),
    Hour(19.0, "an option is set", _ceph("config set osd osd_max_scrubs 2")),
    Hour(19.5, "and removed", _ceph("config rm osd osd_max_scrubs")),
    Hour(20.0, "an OSD is out", _then_clean("osd out 33")),
    Hour(21.5, "and in", _then_clean("osd in 33")),
    Hour(23.0, "a report is written", _report),
)
