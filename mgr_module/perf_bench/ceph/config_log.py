"""The monitors' log of changes of the configuration."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core.clock import Clock, unix
from ..errors import CommandFailed
from ..model.cluster import Kept
from ..model.finding import ConfigChange, ConfigLog
from ..model.phrases import sentence

if TYPE_CHECKING:
    from .mons import Mons  # it needs librados

# Seconds that the newest answer is used, and the entries that are used of it.
_FRESH = 30.0
_READ = 200
# Letters of a value.
_SHOWN = 80
_WORDS = "password|passwd|secret|token|credential"
_SECRET = re.compile(rf"{_WORDS}|(^|[/_.])(\w*_)?keys?$", re.IGNORECASE)
# A user with a password in an address, as in `mgr/telemetry/proxy`.
_SECRET_IN_URL = re.compile(r"//[^/@\s]*:[^/@\s]*@")
# A field of an option that is JSON, as `mgr/dashboard/MULTICLUSTER_CONFIG` is since Ceph 19.
_SECRET_FIELD = re.compile(rf"[\"'][^\"']*({_WORDS})[^\"']*[\"']\s*:", re.IGNORECASE)

# Since Ceph 19 each log-in to the dashboard writes a new token here: no change that anybody made,
# and so many that they would crowd out all others.
_WRITTEN_BY_LOG_INS = "mgr/mgr/dashboard/MULTICLUSTER_CONFIG"


class MonConfigLog:
    """``ceph config log``, read on request."""

    def __init__(self, mons: Mons, clock: Clock) -> None:
        # One more, the oldest, only tells whether the log goes further back.
        ask = partial(mons.command_json, "config log", num=_READ + 1)
        self._kept = Kept(lambda: log_of(ask()), clock.monotonic)

    def read(self) -> ConfigLog:
        """The newest changes, at most 30 s old. Raises CommandFailed."""
        return self._kept.get(_FRESH)


def log_of(entries: Any) -> ConfigLog:
    """The changes in an answer of the monitors, without those that log-ins to the dashboard make.

    Entries that cannot be read are left out. Values of options that hold secrets are not shown.
    It begins with the oldest used entry of an answer that has more, which may be one of a log-in.
    Raises CommandFailed for no list.
    """
    if not isinstance(entries, list):
        raise CommandFailed(71, "config log: unknown answer")
    found: list[ConfigChange] = []
    times: list[float] = []
    for entry in entries[:_READ]:
        with suppress(AttributeError, KeyError, TypeError, ValueError):
            times.append(unix(entry["timestamp"]))
            changes = [_change(times[-1], one) for one in entry.get("changes", ())]
            found += [one for one in changes if one.name != _WRITTEN_BY_LOG_INS]
    begin = min(times, default=None) if len(entries) > _READ else None
    return ConfigLog(found, begin)


def _change(at: float, one: Any) -> ConfigChange:
    name = sentence(str(one["name"])[:_SHOWN])
    values = (one.get("previous_value"), one.get("new_value"))
    hidden = _SECRET.search(name) or any(
        secret.search(str(value)) for value in values for secret in (_SECRET_FIELD, _SECRET_IN_URL)
    )
    before, after = (
        None if value is None else "…" if hidden else sentence(str(value)[:_SHOWN])
        for value in values
    )
    return ConfigChange(at, name, before, after)
