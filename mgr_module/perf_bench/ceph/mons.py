"""Commands to the monitors and through them, with real return codes and a time limit.

It uses a separate client, because ``MgrModule.set_store`` ignores the monitors' errors,
``get_store`` reads the mgr's copy, and both wait for ever without a quorum.
"""

from __future__ import annotations

import errno
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import rados
from mgr_module import MgrModule

from ..core.clock import Clock
from ..errors import CommandFailed, NotNow
from ..model.cluster import MARK_KEY, Every, MgrBuild, mgr_builds
from ..version import build
from .client import SharedClient

# A key each, so that a mgr that was replaced and wakes up overwrites none of the next one's.
_NOTES = "mgr/perf_bench/traces"


class Mons:
    """Implements Monitors. Thread-safe."""

    def __init__(self, open_: Callable[[], rados.Rados]) -> None:
        """``open_`` connects a client whose calls have a time limit; it may raise CommandFailed."""
        # Others, who ask OSDs, use it as well.
        self.client = SharedClient(open_)

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Run a command; returns its output. Raises CommandFailed with the monitors' errno."""
        try:
            return self.client.mon({"prefix": prefix, **arguments})
        except CommandFailed as error:
            raise CommandFailed(error.errno, f"{prefix}: {error}") from error

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """Run a command; returns its JSON output. Raises CommandFailed."""
        out = self.command(prefix, **arguments, format="json")
        try:
            return json.loads(out)
        except ValueError as error:
            raise CommandFailed(errno.EPROTO, f"{prefix}: unknown answer: {error}") from error

    def key(self, name: str) -> Optional[str]:
        """A value of the monitors' config-key store; None if the key does not exist."""
        try:
            return self.command("config-key get", key=name).decode()
        except CommandFailed as error:
            if error.errno == errno.ENOENT:
                return None
            raise

    def close(self) -> None:
        """Disconnect for good; later calls raise CommandFailed."""
        self.client.close()


class MgrAuthority:
    """The right to change settings: only the mgr that the monitors name as the active one has it.

    A mgr that was stopped for a while (SIGSTOP, a frozen virtual machine) does not know that
    another one has taken over, so the monitors are asked right before each change. The active mgr
    is known by its global ID, which is never reused.
    """

    def __init__(self, mgr: MgrModule, mons: Mons) -> None:
        """Make it while this mgr becomes active, when its own map names it as active."""
        self._mons = mons
        self._name = str(mgr.get_mgr_id())
        self._gid = int(mgr.get("mgr_map")["active_gid"])
        self._epoch: Optional[int] = None

    @property
    def writer(self) -> str:
        return str(self._gid)

    def check(self) -> None:
        """Raises NotNow if another mgr is active, CommandFailed without the monitors."""
        stat = self._mons.command_json("mgr stat")
        if stat["epoch"] == self._epoch:
            return  # already checked for this epoch of the map
        mgr_map = self._mons.command_json("mgr dump")
        if mgr_map["active_gid"] != self._gid:
            raise NotNow(
                f"mgr.{self._name} is no longer the active mgr "
                f"({mgr_map['active_name'] or 'none'} is), so it changes no settings"
            )
        self._epoch = mgr_map["epoch"]


class MonLeftovers:
    """Keeps notes of objects that rounds of clients have left in pools.

    They are keys of the monitors, which need no pool to be available.
    """

    def __init__(self, mons: Mons) -> None:
        self._mons = mons

    def load(self) -> Mapping[str, str]:
        found = self._mons.command_json("config-key dump", key=_NOTES)
        whole = found.pop(_NOTES, None)  # versions before had all in one
        if whole is not None:
            for namespace, pool in json.loads(whole).items():
                self.add(namespace, pool)
                found[f"{_NOTES}/{namespace}"] = pool
            self._mons.command("config-key rm", key=_NOTES)
        return {key[len(_NOTES) + 1 :]: pool for key, pool in found.items()}

    def add(self, namespace: str, pool: str) -> None:
        self._mons.command("config-key set", key=f"{_NOTES}/{namespace}", val=pool)

    def remove(self, namespace: str) -> None:
        self._mons.command("config-key rm", key=f"{_NOTES}/{namespace}")


# --- which build is active, and which mgr has which files --------------------------------------


_RETRY_SECONDS = 60.0


class InstallationMark:
    """Tells the loss of the module later: written at the monitors once by each active mgr.

    Only if another build was active before.
    """

    def __init__(self, mons: Mons, clock: Clock, log: logging.Logger) -> None:
        self._mons = mons
        self._clock = clock
        self._log = log
        self._retry = Every(_RETRY_SECONDS)
        self._is_written = False

    def tick(self) -> None:
        """Call every few seconds. Waits for the monitors."""
        if self._is_written or not self._retry.is_due(self._clock.monotonic()):
            return
        try:
            if _build_of(self._mons.key(MARK_KEY)) != build():
                mark = {"build": build(), "since": round(self._clock.now())}
                self._mons.command("config-key set", key=MARK_KEY, val=json.dumps(mark))
            self._is_written = True
        except CommandFailed as error:
            self._log.warning("cannot note the active build at the monitors: %s", error)


def _build_of(text: Optional[str]) -> object:
    try:
        return json.loads(text or "{}").get("build")
    except (ValueError, AttributeError):
        return None


class MapOfMgrs:
    """Implements MgrBuilds, from the mgr's own copy of the map of mgrs."""

    def __init__(self, mgr: MgrModule) -> None:
        self._mgr = mgr

    def builds(self) -> Sequence[MgrBuild]:
        return mgr_builds(self._mgr.get("mgr_map"))
