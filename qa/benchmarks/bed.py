"""A real cluster to measure on, and one client of it that costs nothing to ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from cluster.api import DevCluster
from cluster.connection import Connection
from cluster.errors import ClusterError
from cluster.spec import Order
from cluster.waiting import wait_for

OSDS = 6
HOSTS = 3
# A look takes the mgr a few ms, from the same two cores that the OSDs are measured on; starting
# the client `ceph` for it would take half a second.
_POLL = 0.5
_ROUND_LIMIT = 900.0


class RoundAborted(ClusterError):
    """Raised for a round that was ended before all of it was measured, as by its guard."""


class Bed:
    """A running cluster with perf_bench in it."""

    def __init__(self, cluster: DevCluster, link: Connection) -> None:
        self.cluster = cluster
        self.link = link

    def ask(self, words: str, **arguments: Any) -> Any:
        """The JSON answer of `ceph perf-bench WORDS`; ClusterError with its sentence."""
        return self.link.mgr(f"perf-bench {words}", **arguments)

    def round(self, profile: str, **arguments: Any) -> dict[str, Any]:
        """A round from its start to its end.

        Raises RoundAborted, and ClusterError for what else went wrong.
        """
        number = self.ask("round start", profile=profile, **arguments)["id"]

        def ended() -> dict[str, Any] | None:
            if self.ask("status")["active_round"] is not None:
                return None
            shape: dict[str, Any] = self.ask("round show", id=str(number))
            return shape if shape["state"] != "running" else None

        return _measured(
            wait_for(ended, _ROUND_LIMIT, lambda: f"round {number} has not ended", _POLL)
        )

    def plan(self, profile: str, **arguments: Any) -> dict[str, Any]:
        """What a round would do: the dry run."""
        shape: dict[str, Any] = self.ask("round start", profile=profile, dry_run=True, **arguments)
        return shape


@contextmanager
def bed(folder: str, order: Order) -> Iterator[Bed]:
    """A cluster, taken down at the end whatever happens."""
    cluster = DevCluster.up(folder, order)
    try:
        with closing(Connection(cluster.spec)) as link:
            yield Bed(cluster, link)
    finally:
        cluster.down()


def bench_command(step: dict[str, Any]) -> dict[str, Any]:
    """The step of a plan as the OSD's own command."""
    command = {"prefix": "bench", "count": step["total_bytes"], "size": step["block_size"]}
    if step["prefilled"]:
        command |= {"object_size": step["object_size"], "object_num": step["object_count"]}
    return command


def _measured(shape: dict[str, Any]) -> dict[str, Any]:
    """The round, if all of it was measured; a benchmark says nothing about any other."""
    bad: Sequence[str] = [s["why"] for s in shape["samples"] if s["seconds"] is None]
    if shape["state"] != "done" or bad:
        why = "; ".join([*shape["reasons"], *bad])
        kind = RoundAborted if shape["state"] == "aborted" else ClusterError
        raise kind(f"round {shape['id']} is {shape['state']}: {why}")
    return shape
