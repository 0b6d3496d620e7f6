"""Who may put settings back by hand: anybody, while no mgr of ours runs a round that holds them."""

from __future__ import annotations

import errno
import json
import uuid

from ..errors import Busy, CommandFailed, NotNow
from ..model.quiesce import QuiesceState
from .client import CephClient
from .monitors import CephMonitors

_LIMIT = 15.0
_STATUS = ("perf-bench", "quiesce", "status")
# What an mgr answers that does not have our module, or in which it has failed.
_NOT_OURS = {errno.EINVAL, errno.ENOENT, errno.EOPNOTSUPP, errno.EIO}


class PersonAuthority:
    """The Authority of ``ports`` for a person at a terminal."""

    def __init__(self, client: CephClient, monitors: CephMonitors, force: bool) -> None:
        self._client = client
        self._monitors = monitors
        self._force = force
        # As the monitors number their maps of mgrs: where nobody of ours was, nobody is.
        self._empty_epoch = -1

    @property
    def writer(self) -> str:
        return f"tool-{uuid.uuid4().hex}"  # it writes nothing down

    def check(self) -> None:
        """Raises Busy while a round holds settings, NotNow where that cannot be told."""
        if self._force:
            return
        if self._monitors.command_json("mgr stat")["epoch"] == self._empty_epoch:
            return
        found = self._monitors.command_json("mgr dump")
        loadable = {one["name"] for one in found.get("available_modules", ())}
        ours = "perf_bench" in loadable and "perf_bench" in found["modules"]
        if not (found["available"] and ours and self._is_answered(str(found["active_name"]))):
            self._empty_epoch = found["epoch"]

    def _is_answered(self, mgr: str) -> bool:
        """Whether a mgr of ours says that it holds nothing."""
        try:
            out = self._client.command(*_STATUS, options=("--format", "json"), limit=_LIMIT)
            state, holder = _state(out)
        except CommandFailed as error:
            if error.errno in _NOT_OURS:
                return False
            raise NotNow(
                f"mgr.{mgr} does not say whether a round holds these settings ({error}): try "
                f"again in a minute, when the monitors may have named another mgr, or add --force"
            ) from error
        if state == QuiesceState.HELD.value:
            raise Busy(
                f"{holder} runs and holds these settings: end it with 'ceph perf-bench round "
                f"abort', and they are put back; --force does so while it runs"
            )
        return True


def _state(out: str) -> tuple[str, str]:
    try:
        found = json.loads(out)
        return str(found["state"]), str(found["holder"])
    except (ValueError, TypeError, KeyError) as error:
        raise CommandFailed(errno.EPROTO, f"unknown answer: {error!r}") from error
