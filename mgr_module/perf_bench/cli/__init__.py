"""The questions as commands: a table of commands for each journey, and who carries one out."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Any

from ..api import Api
from ..errors import PerfBenchError
from ..report import tables
from . import hardware, operations, rounds, watching
from .command import Answer, Args, Command, render

# (return code, stdout, stderr) as ceph-mgr wants it.
Reply = tuple[int, str, str]


def _status(api: Api, _args: Args) -> Answer:
    return Answer(api.status(), tables.status)


COMMANDS: Sequence[Command] = (
    Command("status", "r", "Show what perf_bench is doing", "", _status),
    *rounds.COMMANDS,
    *operations.COMMANDS,
    *watching.COMMANDS,
    *hardware.COMMANDS,
)
_BY_PREFIX = {f"perf-bench {command.name}": command for command in COMMANDS}


def descriptors() -> list[dict[str, Any]]:
    """The commands as ``MgrModule.COMMANDS`` takes them."""
    return [command.descriptor() for command in COMMANDS]


def dispatch(api: Api, order: Args, file: str = "") -> Reply:
    """Carry out one command; ``file`` is what came with -i.

    Every error of the family becomes its errno and one sentence.
    """
    command = _BY_PREFIX.get(order.get("prefix", ""))
    if command is None:
        return -errno.EINVAL, "", f"unknown command '{order.get('prefix')}'"
    try:
        answer = command.call(api, {**order, "file": file} if command.reads else order)
        return 0, render(answer, order.get("format")), ""
    except PerfBenchError as error:
        return -error.errno, "", str(error)
