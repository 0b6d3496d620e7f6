"""``mgr_module`` as we use it, in the shape it has in each release."""

from __future__ import annotations

import logging
import sqlite3
import sys
from enum import Enum, IntEnum
from types import ModuleType
from typing import Any, Callable, ClassVar, Optional

from .config import value_of
from .world import MgrWorld


class NotifyType(str, Enum):
    osd_map = "osd_map"
    health = "health"


class Option(dict[str, Any]):
    """A module's option. 16 knows no ``level``, so there is none here."""

    def __init__(
        self,
        name: str,
        default: Any = None,
        type: str = "str",  # noqa: A002 - Ceph's own name
        desc: Optional[str] = None,
        min: Any = None,  # noqa: A002
        max: Any = None,  # noqa: A002
        runtime: bool = False,
    ) -> None:
        if type not in {"uint", "int", "str", "float", "bool", "secs", "size"}:
            raise ValueError(f"no such type of an option: {type}")
        given = {
            "name": name,
            "default": default,
            "type": type,
            "desc": desc,
            "min": min,
            "max": max,
            "runtime": runtime,
        }
        super().__init__({key: value for key, value in given.items() if value is not None})


class MonCommandFailed(RuntimeError):
    pass


class OSDMap:
    def __init__(self, world: MgrWorld) -> None:
        self._world = world

    def get_epoch(self) -> int:
        return int(self._world.osd_map["epoch"])

    def pg_to_up_acting_osds(self, pool_id: int, ps: int) -> dict[str, Any]:
        acting = self._world.acting.get((pool_id, ps), [])
        return {"acting": acting, "acting_primary": acting[0] if acting else -1}


class _Part:
    """What the active and the standby module share."""

    MODULE_OPTIONS: ClassVar[list[Option]] = []

    def _begin(self, module_name: str, world: object) -> None:
        if not isinstance(world, MgrWorld):
            raise TypeError("the last argument is the mgr's own; here that is a MgrWorld")
        self.module_name = module_name
        self._world = world
        self._logger = logging.getLogger(f"fake-mgr.{module_name}")
        self._world.logs = True

    @property
    def log(self) -> logging.Logger:
        return self._logger

    def get_mgr_id(self) -> str:
        return self._world.mgr_id

    def get_ceph_option(self, key: str) -> Any:
        if key not in self._world.ceph_options:
            raise KeyError(f"option not found: {key}")
        return self._world.ceph_options[key]

    def get_module_option(self, key: str, default: Any = None) -> Any:
        options = {option["name"]: option for option in self.MODULE_OPTIONS}
        if key not in options:
            raise RuntimeError(f"Config option '{key}' is not in {type(self).__name__}")
        own = options[key].get("default", default)
        found = self._world.module_options.get((self.module_name, key), own)
        # A text, as `ceph config set --force` stores it, is made a number as late as here.
        number = isinstance(found, str) and options[key].get("type") == "int"
        return int(found, 0) if number else found

    def get(self, data_name: str) -> Any:
        return self._world.tree() if data_name == "osd_map_tree" else self._world.data[data_name]

    def serve(self) -> None:
        pass

    def shutdown(self) -> None:
        pass


class MgrStandbyModule(_Part):
    def __init__(self, module_name: str, capsule: object) -> None:
        self._begin(module_name, capsule)

    def __del__(self) -> None:
        self._world.logs = False  # what has the module's handlers by then, has them no more


class _Counters:
    """Counters as up to 19."""

    _world: MgrWorld

    def get_counter(self, svc_type: str, svc_name: str, path: str) -> dict[str, list[Any]]:
        return {path: self._world.counters.get((svc_name, path), [])}

    def get_perf_schema(self, svc_type: str, svc_name: str) -> dict[str, dict[str, dict[str, Any]]]:
        return {f"{svc_type}.{svc_name}": self._world.schemas.get(svc_name, {})}


class MgrModule(_Part):
    """What is the same in all."""

    COMMANDS: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, module_name: str, py_modules_ptr: object, this_ptr: object) -> None:
        self._begin(module_name, this_ptr)
        self._rados: Any = None

    @property
    def version(self) -> str:
        return self._world.version

    @property
    def release_name(self) -> str:
        return self._world.release_name

    @property
    def rados(self) -> Any:
        if self._rados is None:
            self._rados = sys.modules["rados"].Rados(context=self.get_context())
            self._rados.connect()
        return self._rados

    def get_context(self) -> object:
        return self._world

    def get_osdmap(self) -> OSDMap:
        return OSDMap(self._world)

    def get_foreign_ceph_option(self, entity: str, key: str) -> Any:
        options = self._world.options
        if ("", key) not in options:
            raise KeyError(f"option not found: {key}")
        if (entity, key) in options:
            return options[entity, key]
        nodes = self._world.data["osd_map_tree"]["nodes"]
        found = value_of(self._world.config, nodes, entity, key)
        return options["", key] if found is None else found

    def set_module_option(self, key: str, val: Any) -> None:
        """With None it is removed, at the monitors and here; others are not needed."""
        assert val is None
        self._world.mon_command(
            {"prefix": "config rm", "who": "mgr", "name": f"mgr/{self.module_name}/{key}"}
        )
        self._world.module_options.pop((self.module_name, key), None)

    def get_module_option_ex(self, module: str, key: str, default: Any = None) -> Any:
        if module == self.module_name:
            return self.get_module_option(key, default)
        return self._world.module_options.get((module, key), default)

    def get_metadata(
        self, svc_type: str, svc_id: str, default: Optional[dict[str, str]] = None
    ) -> Optional[dict[str, str]]:
        found: Optional[dict[str, str]] = self._world.data["osd_metadata"].get(svc_id, default)
        return found

    def get_daemon_health_metrics(self) -> dict[str, list[dict[str, Any]]]:
        return self._world.daemon_health

    def set_health_checks(self, checks: dict[str, Any]) -> None:
        self._world.health_checks = checks

    class ClusterLogPrio(IntEnum):
        DEBUG = 0
        INFO = 1
        SEC = 2
        WARN = 3
        ERROR = 4

    def cluster_log(self, channel: str, priority: ClusterLogPrio, message: str) -> None:
        self._world.cluster_log.append((channel, priority.name, message))

    def config_notify(self) -> None:
        pass

    def remote(self, module_name: str, method_name: str, *args: Any, **kwargs: Any) -> Any:
        if module_name not in self._world.modules:
            raise ImportError("Module not found")
        method = getattr(self._world.modules[module_name], method_name, None)
        if method is None:
            raise NameError("Method not found")
        try:
            return method(*args, **kwargs)
        except Exception as error:
            raise RuntimeError(f"Remote method threw exception: {error}") from error

    def handle_command(self, inbuf: str, cmd: dict[str, Any]) -> tuple[int, str, str]:
        raise NotImplementedError

    def _handle_command(self, inbuf: str, cmd: dict[str, Any]) -> tuple[int, str, str]:
        """What ceph-mgr itself calls."""
        return self.handle_command(inbuf, cmd)

    def _ceph_register_client(self, *what: Any) -> None:
        (address,) = what
        self._world.registered.append((address,))


class MgrModule16(_Counters, MgrModule):
    """As in 16."""


class MgrModule17(MgrModule):
    """As in 17 and later: with a database of the module's own."""

    MGR_POOL_NAME = ".mgr"

    def open_db(self) -> Optional[sqlite3.Connection]:
        world = self._world
        if self.MGR_POOL_NAME not in {pool["pool_name"] for pool in world.osd_map["pools"]}:
            if not any(osd["up"] and osd["in"] for osd in world.osd_map["osds"]):
                return None
            order = {"prefix": "osd pool create", "pool": self.MGR_POOL_NAME}
            code, _, message = world.mon_command(order)
            if code:
                raise MonCommandFailed(f"{order['prefix']} failed: {message} retval: {code}")
        if world.database is None:
            raise sqlite3.OperationalError("unable to open database file")
        db = sqlite3.connect(world.database, check_same_thread=False, isolation_level=None)
        self._ceph_register_client("libcephsqlite", "127.0.0.1:0/1", True)
        return db

    def _ceph_register_client(self, *what: Any) -> None:
        name, address, replace = what
        self._world.registered.append((name, address, replace))


class MgrModule18(_Counters, MgrModule17):
    """As in 17 to 19."""


class CLICommandBase:
    """20: a registry of decorated commands, one for each module."""

    COMMANDS: ClassVar[dict[str, Callable[..., Any]]] = {}

    @classmethod
    def make_registry_subtype(cls, name: str) -> type[CLICommandBase]:
        return type(name, (cls,), {"COMMANDS": {}})


class MgrModule20(MgrModule17):
    """As in 20: its commands are looked up among the decorated ones first."""

    CLICommand: Any

    def get_unlabeled_counter(
        self, svc_type: str, svc_name: str, path: str
    ) -> dict[str, list[Any]]:
        return {path: self._world.counters.get((svc_name, path), [])}

    def get_unlabeled_perf_schema(
        self, svc_type: str, svc_name: str
    ) -> dict[str, dict[str, dict[str, Any]]]:
        return {f"{svc_type}.{svc_name}": self._world.schemas.get(svc_name, {})}

    def _handle_command(self, inbuf: str, cmd: dict[str, Any]) -> tuple[int, str, str]:
        if cmd["prefix"] not in self.CLICommand.COMMANDS:
            return self.handle_command(inbuf, cmd)
        raise KeyError("we decorate no commands")


def mgr_module_of(release: str) -> ModuleType:
    """The module ``mgr_module`` as that release has it."""
    made = ModuleType("mgr_module")
    bases = {"pacific": MgrModule16, "reef": MgrModule18, "tentacle": MgrModule20}
    # New classes each time: what one test sets on them is gone with it.
    vars(made).update(
        MgrModule=type("MgrModule", (bases[release],), {}),
        MgrStandbyModule=type("MgrStandbyModule", (MgrStandbyModule,), {}),
        MonCommandFailed=MonCommandFailed,
        NotifyType=NotifyType,
        Option=Option,
    )
    if release == "tentacle":
        vars(made).update(CLICommandBase=CLICommandBase)
    return made
