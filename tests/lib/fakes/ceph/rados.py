"""librados as we use it: its classes, with the cluster of a MgrWorld behind them."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any, Optional

from .world import Answer, MgrWorld

# What a client may set; a name that Ceph does not know is an error there too.
KNOWN_SETTINGS = {
    "mon_host",
    "keyring",
    "rados_osd_op_timeout",
    "rados_mon_op_timeout",
    "client_mount_timeout",
    "admin_socket",
    "log_file",
    "log_to_stderr",
}


class Error(Exception):
    """The base of librados' errors, with the errno where there is one."""

    def __init__(self, message: str, errno: Optional[int] = None) -> None:
        super().__init__(message)
        self.errno = errno

    def __str__(self) -> str:
        message = super().__str__()
        return message if self.errno is None else f"[errno {self.errno}] {message}"


class ObjectNotFound(Error):
    pass


class NoData(Error):
    pass


class ObjectBusy(Error):
    pass


class TimedOut(Error):
    pass


class RadosStateError(Error):
    pass


class Ioctx:
    """A pool without objects: the database is a file elsewhere."""

    def __enter__(self) -> Ioctx:  # noqa: PYI034 - Self needs Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def set_namespace(self, namespace: str) -> None:
        pass

    def get_xattr(self, key: str, name: str) -> bytes:
        raise ObjectNotFound(f"no object {key}", 2)


class Rados:
    """A client. ``world`` is set by ``module_for``."""

    world: MgrWorld

    def __init__(
        self,
        rados_id: Optional[str] = None,
        name: Optional[str] = None,
        clustername: Optional[str] = None,
        conf_defaults: Optional[dict[str, str]] = None,
        conffile: Optional[str] = None,
        conf: Optional[dict[str, str]] = None,
        flags: int = 0,
        context: object = None,
    ) -> None:
        if conffile is not None and not self.world.has_conf:
            raise ObjectNotFound("error calling conf_read_file", 2)
        for setting, value in (conf or {}).items():
            if setting not in KNOWN_SETTINGS:
                raise ObjectNotFound(f"error calling conf_set: {setting}", 2)
            if not isinstance(value, str):
                raise TypeError(f"{setting} must be a string")
        self._state = "configuring"
        # One with the mgr's context is ceph-mgr's own, MgrModule.rados, and stays.
        self._counts = int(context is None)
        self.settings = {"name": name, "conffile": conffile, **(conf or {})}
        self.world.clients.append(self.settings)

    def conf_read_file(self, path: Optional[str] = None) -> None:
        self._require("configuring")
        if not self.world.has_conf:
            raise ObjectNotFound("error calling conf_read_file", 2)
        self.settings["conffile"] = path or ""

    def connect(self, timeout: int = 0) -> None:
        self._require("configuring")
        if not self.world.reachable:
            raise TimedOut("error connecting to the cluster", 110)
        self._state = "connected"
        self.world.connected += self._counts

    def shutdown(self) -> None:
        if self._state == "connected":
            self.world.connected -= self._counts
        self._state = "shutdown"

    def mon_command(
        self, cmd: str, inbuf: bytes, timeout: int = 0, target: object = None
    ) -> Answer:
        self._require("connected")
        if self.world.mon_silent:
            raise TimedOut("no answer", 110)
        return self.world.mon_command(json.loads(cmd))

    def osd_command(self, osdid: int, cmd: str, inbuf: bytes, timeout: int = 0) -> Answer:
        self._require("connected")
        order: dict[str, Any] = json.loads(cmd)
        found = self.world.osd_command(osdid, order)
        self._require("connected")
        return found

    def open_ioctx(self, ioctx_name: str) -> Ioctx:
        self._require("connected")
        return Ioctx()

    def open_ioctx2(self, pool_id: int) -> Ioctx:
        self._require("connected")
        return Ioctx()

    def _require(self, state: str) -> None:
        if self._state != state:
            raise RadosStateError(
                f"You cannot perform that operation on a Rados object in state {self._state}."
            )


def module_for(world: MgrWorld) -> ModuleType:
    """The module ``rados`` of that world."""
    made = ModuleType("rados")
    vars(made).update(
        Error=Error,
        ObjectNotFound=ObjectNotFound,
        NoData=NoData,
        ObjectBusy=ObjectBusy,
        TimedOut=TimedOut,
        RadosStateError=RadosStateError,
        Rados=type("Rados", (Rados,), {"world": world}),
    )
    return made
