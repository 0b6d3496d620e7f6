"""From an empty folder to a healthy cluster."""

from __future__ import annotations

import http.client
import os
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Optional, TypeVar

from . import client, daemons, wide_map
from .crashes import crashes_of, is_known
from .errors import ClusterError
from .layout import lay_out, write_secret
from .replacing import make_osd
from .spec import Spec
from .waiting import wait_for

T = TypeVar("T")
# Two cores boot 24 OSDs, or three clusters at a time on a slow disk; what one OSD adds to the time
# a boot may take. A daemon that dies is named at once.
_BASE_SECONDS, _SECONDS_PER_OSD = 420.0, 20.0


def say(text: str) -> None:
    """Tell the person who waits."""
    print(text, file=sys.stderr, flush=True)


class Boot:
    """One boot. Every wait looks at the daemons too, so that a dead one is named at once."""

    def __init__(self, spec: Spec, progress: Callable[[str], None] = say) -> None:
        self._spec = spec
        self._began = time.monotonic()
        self._deadline = self._began + _BASE_SECONDS + _SECONDS_PER_OSD * spec.osds
        self._progress = progress
        self._started: list[str] = []

    def run(self) -> None:
        lay_out(self._spec)
        self._start_mons()
        self._start("mgr.x")
        self._start_osds()
        self._wait("an active mgr", self._mgr_is_active, every=0.5)
        for daemon in self._spec.mgr_daemons[1:]:
            self._start(daemon)
        self._wait("all OSDs up and in and all standby mgrs", self._all_are_up, every=0.5)
        self._say(f"{self._spec.osds} OSDs up, {len(self._spec.mgrs)} mgr(s)")
        if self._spec.dashboard_ports:
            self._open_dashboard()
        if self._spec.module:
            self._wait("module perf_bench", self._module_is_there, every=0.5)
            self._wait("perf_bench with its database read", self._module_is_ready, every=0.5)
            self._say("perf_bench answers, a round can be started")
        self._wait("HEALTH_OK", self._is_healthy, every=0.5)
        self._say("HEALTH_OK")

    def _say(self, text: str) -> None:
        self._progress(f"[{time.monotonic() - self._began:5.1f} s] {text}")

    def _wait(self, what: str, condition: Callable[[], T], every: float) -> T:
        last: dict[str, str] = {"error": ""}

        def checked() -> Optional[T]:
            self._check_daemons()
            try:
                return condition()
            except ClusterError as error:  # a mgr that respawns refuses commands for a moment
                last["error"] = f": {error}"
                return None

        left = max(1.0, self._deadline - time.monotonic())
        return wait_for(checked, left, lambda: f"{what} did not come{last['error']}", every)

    def _check_daemons(self) -> None:
        for daemon in self._started:
            gone = daemons.lost(self._spec, daemon)
            if not gone:
                continue
            crashes = crashes_of(self._spec, daemon)
            if any(crash.pid == gone.pid and is_known(crash) for crash in crashes):
                self._say(f"{daemon} died of the distribution's known illness; started again")
                daemons.start(self._spec, daemon)
                continue
            raise ClusterError(f"{daemon} died:\n{daemons.tail(self._spec, daemon)}")

    def _start(self, daemon: str) -> None:
        daemons.start(self._spec, daemon)
        self._started.append(daemon)

    def _start_mons(self) -> None:
        spec = self._spec
        monmap = str(spec.dir / "monmap")
        create = ["monmaptool", "--create", "--fsid", spec.fsid]
        for name, port in spec.mon_ports.items():
            create += ["--addv", name, f"[v2:{spec.address}:{port}]"]
        daemons.run_tool(spec, [*create, monmap])
        seed = str(spec.dir / "seed.keyring")
        given = ["--osdmap", str(wide_map.make(spec))] if spec.map_osds else []
        for name in spec.mon_ports:
            mkfs = ["ceph-mon", "--mkfs", "--id", name, "--monmap", monmap, "--keyring", seed]
            daemons.run_tool(spec, [*mkfs, *given])
            self._start(f"mon.{name}")
        for name, port in spec.mon_ports.items():
            self._wait(f"mon.{name}", lambda at=port: _listens(spec.address, at), every=0.05)  # type: ignore[misc]
        commands = self._making_room()
        commands += [f"osd new {osd_uuid(spec, osd)} {osd[4:]}" for osd in spec.osd_names]
        # Forced, because no mgr that knows the module runs yet; so it costs no restart of one.
        commands += ["mgr module enable perf_bench --force"] if spec.module else []
        client.session(spec, [*commands, *self._dashboard_options()])
        self._say(f"{len(spec.mon_ports)} mon(s) up")

    def _making_room(self) -> list[str]:
        """Take the IDs of the real OSDs out of a wide map, and leave the others up for good."""
        if not self._spec.map_osds:
            return []
        osds = " ".join(osd[4:] for osd in self._spec.osd_names)
        return ["osd set nodown", f"osd down {osds}", f"osd rm {osds}"]

    def _dashboard_options(self) -> list[str]:
        # Unless forced they are taken only after a mgr that knows them, which then needs a restart.
        ports = self._spec.dashboard_ports
        options = {"ssl": "false", "server_addr": "127.0.0.1"} if ports else {}
        options.update({f"{name}/server_port": str(port) for name, port in ports.items()})
        return [
            f"config set mgr mgr/dashboard/{key} {value} --force" for key, value in options.items()
        ]

    def _start_osds(self) -> None:
        def make(osd: str) -> None:
            make_osd(self._spec, osd, osd_uuid(self._spec, osd))
            self._start(osd)

        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            try:
                for _ in pool.map(make, self._spec.osd_names):
                    self._check_daemons()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _status(self) -> Any:
        return client.ceph_json(self._spec, "status", timeout=30)

    def _mgr_is_active(self) -> bool:
        return bool(self._status()["mgrmap"]["available"])

    def _all_are_up(self) -> bool:
        status = self._status()
        osds, spec = status["osdmap"], self._spec
        standbys = int(status["mgrmap"]["num_standbys"])
        up, inside = int(osds["num_up_osds"]), int(osds["num_in_osds"])
        return up == inside == (spec.map_osds or spec.osds) and standbys == len(spec.mgrs) - 1

    def _is_healthy(self) -> bool:
        status = self._status()
        health, pgs = status["health"], status["pgmap"].get("pgs_by_state", [])
        # Of a wide map the flag `nodown` stays.
        ignored = {"OSDMAP_FLAGS"} if self._spec.map_osds else set()
        if health["status"] != "HEALTH_OK" and not health["checks"].keys() <= ignored:
            checks = health["checks"].items()
            reasons = [f"{code} ({check['summary']['message']})" for code, check in checks]
            raise ClusterError(f"{health['status']} {', '.join(reasons)}")
        # Health is OK for a minute more while PGs are not there yet.
        return all(state["state_name"] == "active+clean" for state in pgs)

    def _module_is_there(self) -> bool:
        state = client.ceph_json(self._spec, "mgr", "module", "ls")
        if "perf_bench" not in state["enabled_modules"]:
            raise ClusterError("it is not among the enabled modules")
        active = client.ceph_json(self._spec, "mgr", "dump")
        found = [m for m in active["available_modules"] if m["name"] == "perf_bench"]
        if not found or not found[0]["can_run"]:
            raise ClusterError(found[0]["error_string"] if found else "the mgr does not see it")
        return True

    def _module_is_ready(self) -> bool:
        """Until the module has read its database it answers, but starts no round."""
        store = client.ceph_json(self._spec, "perf-bench", "status", timeout=30)["store"]
        if store["error"] or not store["ready"]:
            raise ClusterError(store["error"] or "it has not read its database yet")
        return True

    def _open_dashboard(self) -> None:
        spec = self._spec
        url = self._wait("the dashboard's address", lambda: dashboard_url(spec), every=0.5)
        self._wait("the dashboard's page", lambda: _answers(url), every=0.2)
        secret = spec.dir / "dashboard.secret"
        write_secret(secret, spec.dashboard_password)
        create = [
            "ceph",
            "dashboard",
            "ac-user-create",
            "admin",
            "-i",
            str(secret),
            "administrator",
        ]
        self._wait("the dashboard's user", lambda: client.run(spec, create), every=0.5)
        secret.unlink()
        self._say(f"dashboard at {url}")


def osd_uuid(spec: Spec, osd: str) -> str:
    """An OSD's uuid, derived from the cluster's so that mkfs and the mon agree without a record."""
    head, tail = spec.fsid[:-4], spec.fsid[-4:]
    return f"{head}{int(tail, 16) ^ (int(osd[4:]) + 1):04x}"


def dashboard_url(spec: Spec) -> str:
    """The active mgr's dashboard, "" while there is none."""
    return str(client.ceph_json(spec, "mgr", "services", timeout=30).get("dashboard", ""))


def _listens(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=1).close()
        return True
    except OSError:
        return False


def _answers(url: str) -> bool:
    address = url.split("/")[2]
    link = http.client.HTTPConnection(address, timeout=5)  # not urllib: no proxy between us
    try:
        link.request("GET", "/")
        return bool(link.getresponse().status == 200)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        link.close()
