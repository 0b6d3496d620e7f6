"""Wiring only: the parts, ceph-mgr's hooks, and who gives what to whom."""

from __future__ import annotations

import errno
import threading
from typing import Any, ClassVar, Optional, cast

from mgr_module import MgrModule, MgrStandbyModule, NotifyType, Option

from . import cli, remote
from .api import Api
from .bench import Bench
from .ceph.clock import SystemClock
from .ceph.cluster import MgrCluster, mon_hosts, release_of
from .ceph.commands import RadosCommands
from .ceph.database import backend_of, open_database
from .ceph.progress import MgrProgress
from .ceph.registry import command_registry
from .conduct import World
from .ports import Commands
from .store.desk import Desk
from .store.sqlite import SqliteRoundStore

# How long serve() waits before it tries again to read the database.
_WAKE_EVERY = 5.0
_CLOSE_LIMIT = 5.0


class Module(MgrModule):
    """The active module."""

    COMMANDS: ClassVar[list[dict[str, Any]]] = cli.descriptors()
    CLICommand = command_registry()
    NOTIFY_TYPES: ClassVar[list[NotifyType]] = []
    MODULE_OPTIONS: ClassVar[list[Option]] = [
        Option(
            name="bench_timeout",
            type="int",
            default=300,
            min=10,
            max=3600,
            desc="seconds after which a bench that gave no answer is given up",
            runtime=True,
        ),
        Option(
            name="max_parallel",
            type="int",
            default=64,
            min=1,
            max=256,
            desc="OSDs that are benched at the same time at most, one a host",
            runtime=True,
        ),
    ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stopped = threading.Event()
        clock = SystemClock()
        self._cluster = MgrCluster(self, clock)
        store = SqliteRoundStore(lambda: open_database(self), backend_of(self))
        self._desk = Desk(store, self.log)
        world = World(
            cluster=self._cluster,
            open_commands=self._open_commands,
            desk=self._desk,
            progress=MgrProgress(self, clock),
            clock=clock,
            log=self.log,
        )
        self._bench = Bench(world, lambda: self._number("max_parallel"))
        self.api = Api(self._bench, self._cluster, self._desk, clock, lambda: release_of(self))

    def serve(self) -> None:
        """Read the database as soon as it answers; then the round's own thread does the work."""
        said: Optional[str] = None
        while not self._stopped.is_set():
            try:
                self._bench.wake()
                break
            except Exception as error:  # noqa: BLE001 - whatever it is, it may pass
                if str(error) != said:  # once, not every few seconds through an outage
                    self.log.warning("the database is not there yet: %s", error)
                    said = str(error)
            self._stopped.wait(_WAKE_EVERY)
        self._stopped.wait()

    def shutdown(self) -> None:
        """Leave a running round to the next active mgr and let go of the database."""
        self._stopped.set()
        self._bench.leave()
        self._desk.close(_CLOSE_LIMIT)

    def handle_command(self, inbuf: str, cmd: dict[str, Any]) -> tuple[int, str, str]:
        """ceph-mgr's way in for every command of ``COMMANDS``."""
        del inbuf  # no command reads a file yet
        try:
            return cli.dispatch(self.api, cmd)
        except Exception:
            self.log.exception("%s failed", cmd)
            return -errno.EIO, "", "internal error: the log of the active mgr says more"

    def answer(self, question: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The dashboard's way in, by ``mgr.remote``; an exception would not survive the way."""
        try:
            return remote.answer(self.api, question, arguments)
        except Exception:
            self.log.exception("no answer to %s %s", question, arguments)
            return remote.crash()

    def load_schema(self, db: Any) -> None:
        """Ceph 17+ would make its own tables here; our migrations do (see store/schema)."""

    def _open_commands(self) -> Commands:
        limit = self._number("bench_timeout")
        keyring = str(self.get_ceph_option("keyring") or "")
        return RadosCommands(f"mgr.{self.get_mgr_id()}", keyring, mon_hosts(self), limit)

    def _number(self, option: str) -> int:
        return cast("int", self.get_module_option(option))


class StandbyModule(MgrStandbyModule):
    """On standby there is nothing to do: the database belongs to the active mgr alone."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stopped = threading.Event()

    def serve(self) -> None:
        self._stopped.wait()

    def shutdown(self) -> None:
        self._stopped.set()
