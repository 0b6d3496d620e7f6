"""A dashboard with our tab, its users, and what an operator does to the cluster behind it."""

from __future__ import annotations

import json
from typing import Any, Callable, Optional

from cluster.api import DevCluster
from cluster.errors import ClusterError
from cluster.waiting import wait_for

from .rest import PatientRest, Reply

READER = "reader"
# Over in ten seconds on two cores; two waves on three hosts.
QUICK = {"profile": "osd-throughput", "repeats": 1}
# Long enough to be met while it runs.
LONG = {"profile": "osd-throughput", "repeats": 40}
ENDED = ("done", "aborted", "failed")


class Site:
    """The dashboard of one cluster. A mgr that respawns gives it the same address again."""

    def __init__(self, cluster: DevCluster) -> None:
        self.cluster = cluster
        info = cluster.info()
        self.url = str(info["dashboard_url"]).rstrip("/")
        self.password = str(info["dashboard_password"])
        self.add_user(READER, "read-only")
        self.admin = PatientRest(self.url).log_in("admin", self.password)
        self.reader = PatientRest(self.url).log_in(READER, self.password)
        self.stranger = PatientRest(self.url)

    def add_user(self, name: str, role: str) -> None:
        """Make a user with the administrator's password."""
        secret = self.cluster.spec.dir / f"{name}.secret"
        secret.touch(mode=0o600)
        secret.write_text(self.password, encoding="utf-8")
        self.cluster.ceph("dashboard", "ac-user-create", name, "-i", str(secret), role)
        secret.unlink()

    def start(self, request: dict[str, Any]) -> int:
        """Start a round as soon as the cluster is fit for one, return its ID.

        A group that the balancer moves, or a round before it that is being saved, refuses it for
        now.
        """

        def started() -> Optional[Reply]:
            reply = self.admin.post("/round", request)
            return None if reply.status in (409, 503, 504) else reply

        reply = wait_for(started, 180.0, lambda: f"no start: {self._refusal(request)}", every=0.5)
        assert reply.status == 201, reply
        return int(reply.json["id"])

    def _refusal(self, request: dict[str, Any]) -> str:
        """Why a round does not start."""
        return self.admin.post("/round", {**request, "dry_run": True}).body.decode()

    def round(self, number: int) -> Any:
        return self.admin.get(f"/round/{number}").json

    def sees_the_end_of(self, number: int, seconds: float = 900.0) -> Any:
        """Wait until the round has ended; returns it whole."""

        def ended() -> Any:
            reply = self.admin.get(f"/round/{number}")
            if reply.status in (503, 504):  # the database waits for the very OSD that is stalled
                return None
            assert reply.status == 200, reply
            return reply.json if reply.json["state"] in ENDED else None

        return wait_for(ended, seconds, lambda: f"round {number} did not end", every=0.2)

    def is_calm(self) -> None:
        """End what runs, heal what is broken, and wait until a round could start."""
        self.cluster.fault("clear", "all")

        def calm() -> bool:
            status = self.admin.get("/status")
            if status.status != 200:
                return False
            active = status.json["active_round"]
            if active:
                self.admin.post(f"/round/{active['id']}/abort")
            dry = self.admin.post("/round", {**QUICK, "dry_run": True})
            return not active and dry.status == 200 and dry.json["admission"]["allowed"]

        wait_for(answering(calm), 600.0, lambda: "perf_bench did not become calm", every=0.3)

    def switch(self, verb: str) -> None:
        """Enable or disable the module; the mgr respawns, wait until the dashboard is back."""
        self.cluster.ceph("mgr", "module", verb, "perf_bench")
        wanted = 200 if verb == "enable" else 503

        def back() -> bool:
            return self.admin.get("/status").status == wanted

        wait_for(answering(back), 300.0, lambda: f"no {wanted} after {verb}", every=0.3)


def answering(look: Callable[[], bool]) -> Callable[[], bool]:
    """``look``, with False for a dashboard that is away for the moment."""

    def looked() -> bool:
        try:
            return look()
        except (OSError, ClusterError, json.JSONDecodeError):
            return False

    return looked
