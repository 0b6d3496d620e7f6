"""Decide whether a person may put settings back: only while no mgr runs a round that holds them."""

from __future__ import annotations

import errno
import json
import uuid

from ..errors import Busy, CommandFailed, NotNow
from ..model.admission import QuiesceState
from .client import CephClient
from .monitors import CephMonitors

_LIMIT = 15.0
_STATUS = ("perf-bench", "quiesce", "status")
# Errors of an mgr without the module perf_bench, or in which that module has failed.
_NOT_OURS = {errno.EINVAL, errno.ENOENT, errno.EOPNOTSUPP, errno.EIO}


class PersonAuthority:
    """The Authority of ``ports`` for a person at a terminal."""

    def __init__(self, client: CephClient, monitors: CephMonitors, force: bool) -> None:
        self._client = client
        self._monitors = monitors
        self._force = force
        # Epoch of the MgrMap in which no mgr with perf_bench was active; spares a second check.
        self._empty_epoch = -1
        # What the tool cannot put back it records in a key of its own.
        self.writer = f"tool-{uuid.uuid4().hex}"

    def check(self) -> None:
        """Raises Busy while a round holds settings, NotNow if that cannot be determined."""
        if self._force:
            return
        if self._monitors.command_json("mgr stat")["epoch"] == self._empty_epoch:
            return
        mgr_map = self._monitors.command_json("mgr dump")
        loadable = {module["name"] for module in mgr_map.get("available_modules", ())}
        enabled = "perf_bench" in loadable and "perf_bench" in mgr_map["modules"]
        active = str(mgr_map["active_name"])
        if not (mgr_map["available"] and enabled and self._has_module(active)):
            self._empty_epoch = mgr_map["epoch"]

    def _has_module(self, mgr: str) -> bool:
        """Whether perf_bench answers there. Raises Busy if it holds settings, NotNow if unclear."""
        try:
            out = self._client.command(*_STATUS, options=("--format", "json"), limit=_LIMIT)
            state, holder = _state(out)
        except CommandFailed as error:
            if error.errno in _NOT_OURS:
                return False
            raise NotNow(
                f"mgr.{mgr} does not say whether a round holds these settings ({error}): try "
                f"again in a minute, after a possible failover, or add --force"
            ) from error
        if state == QuiesceState.HELD.value:
            raise Busy(
                f"{holder} is running and holds these settings: end it with 'ceph perf-bench "
                f"round abort', which puts them back, or add --force to put them back now"
            )
        return True


def _state(out: str) -> tuple[str, str]:
    try:
        status = json.loads(out)
        return str(status["state"]), str(status["holder"])
    except (ValueError, TypeError, KeyError) as error:
        raise CommandFailed(errno.EPROTO, f"unknown answer: {error!r}") from error
