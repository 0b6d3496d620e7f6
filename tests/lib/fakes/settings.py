"""Settings of a cluster, and the monitors' key store with the journal of what is changed."""

from __future__ import annotations

import json
import logging
from typing import Any, Optional

from fakes.clock import FakeClock
from perf_bench.bench.held import KEYS, Access
from perf_bench.bench.held_kinds import ClusterSettings
from perf_bench.core.workers import Executor, Here
from perf_bench.errors import CommandFailed, NotFound, NotNow

LOG = logging.getLogger("fakes.settings")


class FakeSettings(ClusterSettings):
    """Settings in memory. ``fault`` is raised by the next calls."""

    def __init__(self) -> None:
        self.values: dict[str, Optional[str]] = {
            "flag/noscrub": "unset",
            "flag/nodeep-scrub": "unset",
            "balancer": None,
            "pool/3/pg_autoscale_mode": "on",
        }
        self.fault: Optional[Exception] = None

    def read(self, what: str) -> Optional[str]:
        self._may_fail()
        if what.startswith("config/"):
            return self.values.get(what)
        if what not in self.values:
            raise NotFound(f"no {what}")
        return self.values[what]

    def set(self, what: str, value: Optional[str]) -> None:
        self.read(what)
        self.values[what] = value

    def forget(self) -> None:
        """Nothing is cached."""

    def commands(self, what: str, value: Optional[str]) -> list[str]:
        return [f"set {what} {value}"]

    def _may_fail(self) -> None:
        if self.fault is not None:
            raise self.fault


class FakeKeys:
    """The Monitors port as far as the key store goes. ``fault`` is raised by the next calls."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
        # Pools that the autoscaler is about to split or merge.
        self.moving: list[int] = []
        self.fault: Optional[Exception] = None

    def command(self, prefix: str, **arguments: Any) -> bytes:
        if self.fault is not None:
            raise self.fault
        if prefix == "config-key set":
            if len(arguments["val"]) > 65536:
                raise CommandFailed(27, "config-key set: value too large")
            self.keys[arguments["key"]] = arguments["val"]
        elif prefix == "config-key rm":
            self.keys.pop(arguments["key"], None)
        else:
            raise KeyError(prefix)
        return b""

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        if self.fault is not None:
            raise self.fault
        if prefix == "osd pool autoscale-status":
            mode = {"pg_autoscale_mode": "on", "would_adjust": True}
            return [{"pool_id": pool, **mode} for pool in self.moving]
        assert prefix == "config-key dump"
        return {key: text for key, text in self.keys.items() if key.startswith(arguments["key"])}

    def changes(self) -> list[Any]:
        """What the journal names, in the order of their keys."""
        documents = [json.loads(self.keys[key]) for key in sorted(self.keys) if key > KEYS]
        return [change for document in documents for change in document["changes"]]


class FakeAuthority:
    """An mgr that is active unless ``superseded`` says why not."""

    def __init__(self, writer: str = "4100") -> None:
        self.writer = writer
        self.superseded: Optional[str] = None

    def check(self) -> None:
        if self.superseded is not None:
            raise NotNow(self.superseded)


def an_access(
    settings: Optional[ClusterSettings] = None,
    keys: Optional[FakeKeys] = None,
    clock: Optional[FakeClock] = None,
    authority: Optional[FakeAuthority] = None,
    executor: Optional[Executor] = None,
) -> Access:
    """What changing settings takes, in memory."""
    return Access(
        keys or FakeKeys(),
        settings or FakeSettings(),
        authority or FakeAuthority(),
        clock or FakeClock(),
        LOG,
        executor or Here(),
    )
