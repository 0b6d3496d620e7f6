"""ceph-mgr's way in: its hooks, and nothing else."""

from __future__ import annotations

import errno
from typing import Any, ClassVar, Optional

import mgr_module
from mgr_module import MgrModule, MgrStandbyModule, NotifyType, Option

from .answers import command as cli
from .answers import dashboard
from .answers.question import READ_ONLY
from .ceph.options import options
from .core.workers import Stop
from .wiring import Application


def command_registry() -> Any:
    """An empty registry of decorated commands if this release needs one, else None.

    Ceph 20 looks each command up there first: without the class attribute ``CLICommand`` a module
    loads, but each of its commands raises AttributeError. Older releases ignore the attribute.
    """
    base = getattr(mgr_module, "CLICommandBase", None)
    return None if base is None else base.make_registry_subtype("PerfBenchCLI")


class Module(MgrModule):
    """The active module."""

    COMMANDS: ClassVar[list[dict[str, Any]]] = cli.descriptors()
    CLICommand = command_registry()
    NOTIFY_TYPES: ClassVar[list[NotifyType]] = []
    MODULE_OPTIONS: ClassVar[list[Option]] = options()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stopped = Stop()
        self._application = Application(self)
        self.api = self._application.api

    def serve(self) -> None:
        """ceph-mgr's thread for the module, until it stops."""
        self._application.serve(self._stopped)

    def shutdown(self) -> None:
        """The mgr stops, or is no longer the active one."""
        self._stopped.set()
        self._application.leave()

    def handle_command(self, inbuf: str, cmd: dict[str, Any]) -> tuple[int, str, str]:
        """ceph-mgr's way in for every command of ``COMMANDS``."""
        try:
            return cli.dispatch(self.api, cmd, inbuf or "")
        except Exception:
            self.log.exception("%s failed", cmd)
            return -errno.EIO, "", "internal error: the log of the active mgr says more"

    def answer(
        self,
        question: str,
        arguments: dict[str, Any],
        rights: Optional[dict[str, list[str]]] = None,
    ) -> dict[str, Any]:
        """The dashboard's way in, by ``mgr.remote``; an exception would not survive the way.

        ``rights`` are the permissions of the user by scope. A tab of an older version does not
        pass them: it can still read.
        """
        try:
            return dashboard.answer(
                self.api, question, arguments, READ_ONLY if rights is None else rights
            )
        except Exception:
            self.log.exception("no answer to %s %s", question, arguments)
            return dashboard.crash()

    def load_schema(self, db: Any) -> None:
        """Ceph 17+ would make its own tables here; our migrations do (see store/schema)."""


class StandbyModule(MgrStandbyModule):
    """On standby there is nothing to do: the database belongs to the active mgr alone."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stopped = Stop()

    def serve(self) -> None:
        self._stopped.wait()

    def shutdown(self) -> None:
        self._stopped.set()

    def __del__(self) -> None:
        """Ceph's own would take the log from the active module, which has it by now.

        Both are in one interpreter, and this one, which its log handlers refer to, is removed only
        when Python collects garbage.
        """
