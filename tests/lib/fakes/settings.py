"""Settings of a cluster, the monitors' key store with the journal, and the restore helper."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any, Optional

from fakes.clock import FakeClock
from perf_bench.errors import CommandFailed, NotFound, NotNow
from perf_bench.model.quiesce import SettingChange
from perf_bench.ports import Settings
from perf_bench.settings.journal import JOURNAL, Journal
from perf_bench.settings.undo import Access

LOG = logging.getLogger("fakes.settings")


class FakeSettings:
    """The RoundSettings port. ``fault`` is raised by the next calls.

    ``slow`` has by setting who goes on with what was changed, ``authors`` who else has set it.
    """

    def __init__(self) -> None:
        self.values: dict[str, Optional[str]] = {
            "flag/noscrub": "unset",
            "flag/nodeep-scrub": "unset",
            "balancer": None,
            "pool/3/pg_autoscale_mode": "on",
        }
        self.moving: list[int] = []
        self.slow: dict[str, str] = {}
        self.authors: dict[str, str] = {}
        self.half_set: dict[str, str] = {}
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

    def lagging(self, change: SettingChange) -> Optional[str]:
        self._may_fail()
        return self.slow.get(change.what)

    def author(self, change: SettingChange) -> Optional[str]:
        self._may_fail()
        return self.authors.get(change.what)

    def forget(self) -> None:
        """Nothing is cached."""

    def is_half_set(self, change: SettingChange, value: Optional[str]) -> bool:
        self._may_fail()
        return change.what in self.half_set and value == self.half_set[change.what]

    def commands(self, change: SettingChange) -> list[str]:
        return [f"set {change.what} {change.was}"]

    def moving_pools(self) -> Sequence[int]:
        self._may_fail()
        return self.moving

    def _may_fail(self) -> None:
        if self.fault is not None:
            raise self.fault


class FakeKeys:
    """The Monitors port as far as the key store goes. ``fault`` is raised by the next calls."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
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
        assert prefix == "config-key dump"
        return {key: text for key, text in self.keys.items() if key.startswith(arguments["key"])}

    def osd_command_json(self, osd: int, prefix: str, **arguments: Any) -> Any:
        raise KeyError(prefix)

    def documents(self, prefix: str = JOURNAL) -> list[Any]:
        """What the keys below a prefix hold, in their order."""
        return [json.loads(self.keys[key]) for key in sorted(self.keys) if key.startswith(prefix)]


class FakeAuthority:
    """An mgr that is active unless ``superseded`` says why not."""

    def __init__(self, writer: str = "4100") -> None:
        self.writer = writer
        self.superseded: Optional[str] = None

    def check(self) -> None:
        if self.superseded is not None:
            raise NotNow(self.superseded)


def an_access(
    settings: Optional[Settings] = None,
    keys: Optional[FakeKeys] = None,
    clock: Optional[FakeClock] = None,
    prefix: str = JOURNAL,
    authority: Optional[FakeAuthority] = None,
) -> Access:
    """What changing settings takes, in memory."""
    journal = Journal(keys or FakeKeys(), prefix)
    return Access(
        journal,
        settings or FakeSettings(),
        authority or FakeAuthority(),
        clock or FakeClock(),
        LOG,
    )


class FakeRestoreHelper:
    """A restore helper that counts."""

    alive = 0

    def __init__(self, holder: str, seconds: float, **_where: str) -> None:
        self.holder = holder
        self.seconds = seconds
        type(self).alive += 1

    def dismiss(self) -> None:
        type(self).alive -= 1
