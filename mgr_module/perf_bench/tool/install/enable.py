"""Enables the module, lets mgrs with other files take turns, and waits until the tab answers."""

from __future__ import annotations

import errno
import http.client
import json
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any, Optional, TypeVar
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

from ...errors import CommandFailed, NotNow
from ...model.cluster import MARK_KEY, MODULE, MgrBuild, mgr_builds
from ...model.phrases import harmless
from ..client import CephClient

T = TypeVar("T")
_POLL = 2.0
_ANSWER_LIMIT = 10.0


class Enabler:
    """``run`` once. ``seconds`` limits all of it."""

    def __init__(
        self,
        client: CephClient,
        build: str,
        seconds: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._build = build
        self._seconds = seconds
        self._sleep = sleep
        self._deadline = time.monotonic() + seconds

    def run(self, tab: bool) -> int:
        """Returns 0 if all mgrs have the build and module and tab answer, else 1."""
        found = mgrs_of(self._client)
        names = {mgr.name for mgr in found.mgrs}
        if not found.enabled:
            # Forced, because the mgrs that run do not know it yet; each of them starts anew.
            self._client.command(f"mgr module enable {MODULE} --force")
            _say("enabled; the mgrs start anew")
            found = self._until("a mgr is active", lambda: self._active(any_build=False))
        found = self._until("a mgr is active", self._active)
        failed: list[str] = []
        while (active := found.active) and self._must_fail(active, found, failed):
            failed.append(active.name)
            _say(f"some mgrs run other files: mgr.{active.name} fails over and starts anew")
            self._client.command("mgr fail", who=active.name)
            found = self._until("a mgr is active again", partial(self._active, found.active_gid))
        self._until("perf_bench answers", self._answers)
        _say("perf_bench answers")
        if tab:
            self._await_tab()
        # One that starts anew is not known to the monitors for some seconds.
        missing = f"{', '.join(f'mgr.{name}' for name in sorted(names))} are all back"
        return self._end(self._until(missing, lambda: self._complete(names)))

    def _must_fail(self, active: MgrBuild, found: Mgrs, failed: Sequence[str]) -> bool:
        """Whether a failover of the active mgr may help.

        It starts anew and reads its files again. Standbys become active in the order in which they
        started, so each has its turn; one that has other files even then does not stay active.
        """
        if len(failed) > 2 * len(found.mgrs):
            return False
        behind = [mgr.name for mgr in found.mgrs if mgr.build != self._build]
        if active.name in behind:
            return active.name not in failed or len(behind) < len(found.mgrs)
        return active.name not in failed and not set(behind) <= set(failed)

    def _active(self, but: int = 0, any_build: bool = True) -> Optional[Mgrs]:
        """The mgrs if one is active, of another process than ``but``.

        Unless ``any_build``, only once one of them has the module.
        """
        found = mgrs_of(self._client)
        known = any_build or any(mgr.build for mgr in found.mgrs)
        return found if found.is_available and found.active_gid != but and known else None

    def _complete(self, names: AbstractSet[str]) -> Optional[Mgrs]:
        found = mgrs_of(self._client)
        return found if names <= {mgr.name for mgr in found.mgrs} else None

    def _answers(self) -> Optional[bool]:
        self._client.ask("perf-bench", "status", limit=_ANSWER_LIMIT)
        return True

    def _await_tab(self) -> None:
        services = self._client.ask("mgr", "services")
        if "dashboard" not in services:
            _say("no tab: the dashboard is off (ceph mgr module enable dashboard)")
            return
        url = f"{str(services['dashboard']).rstrip('/')}/perf-bench/entry.js"
        self._until(f"the tab answers at {url}", lambda: _is_served(url) or None)
        _say(f"the tab answers: {services['dashboard']}#/perf-bench")

    def _until(self, what: str, look: Callable[[], Optional[T]]) -> T:
        """What ``look`` finds; it is asked again while no mgr answers. Raises NotNow."""
        last = ""
        while True:
            try:
                found = look()
            except (CommandFailed, NotNow) as error:
                found, last = None, f": {error}"
            if found:
                return found
            if time.monotonic() >= self._deadline:
                raise NotNow(f"waited {self._seconds:g} s in vain until {what}{last}")
            self._sleep(_POLL)

    def _end(self, found: Mgrs) -> int:
        behind = [mgr for mgr in found.mgrs if mgr.build != self._build]
        for mgr in behind:
            _say(
                f"mgr.{mgr.name} on {found.host(mgr)} has {mgr.build or 'no perf_bench'}: install "
                f"it there, then: systemctl restart ceph-mgr@{mgr.name}"
            )
        return 1 if behind else 0


def _is_served(url: str) -> bool:
    """Whether that file is served. Its certificate is not checked: nothing secret is sent."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    opener = build_opener(ProxyHandler({}), HTTPSHandler(context=context))
    try:
        with opener.open(url, timeout=_ANSWER_LIMIT) as answer:
            return bool(answer.status == 200)
    except (OSError, http.client.HTTPException):
        return False


def _say(text: str) -> None:
    print(harmless(text), flush=True)


# --- the mgrs of the cluster, and what each has ------------------------------------------------


@dataclass(frozen=True)
class Mgrs:
    """All mgrs, and by name what they say of themselves (hostname, ceph_version_short).

    ``mark`` is what the module wrote when it was last active, None if it never was.
    """

    mgrs: Sequence[MgrBuild]
    metadata: Mapping[str, Mapping[str, str]]
    enabled: bool
    active_gid: int
    is_available: bool
    mark: Optional[Mapping[str, Any]]

    @property
    def active(self) -> Optional[MgrBuild]:
        return next((mgr for mgr in self.mgrs if mgr.is_active), None)

    def host(self, mgr: MgrBuild) -> str:
        return str(self.metadata.get(mgr.name, {}).get("hostname", "unknown"))


def mgrs_of(client: CephClient) -> Mgrs:
    """Ask the monitors; needs no mgr. Raises CommandFailed, NotNow."""
    try:
        mgr_map = client.command_json("mgr dump")
        metadata = {str(one["name"]): one for one in client.command_json("mgr metadata")}
        return Mgrs(
            mgr_builds(mgr_map),
            metadata,
            MODULE in mgr_map["modules"],
            int(mgr_map["active_gid"]),
            bool(mgr_map["available"]),
            _mark(client),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotNow(f"the monitors gave an unknown answer: {error!r}") from error


def _mark(client: CephClient) -> Optional[Mapping[str, Any]]:
    try:
        mark = json.loads(client.command("config-key get", key=MARK_KEY))
    except CommandFailed as error:
        if error.errno == errno.ENOENT:
            return None
        raise
    return mark if isinstance(mark, dict) else {}
