"""``ceph-perf-bench worker``: runs clients of rounds on this host when a round asks for them."""

from __future__ import annotations

import argparse
import os
import sys
import uuid
from pathlib import Path
from typing import Any

from ..errors import CommandFailed, InvalidValue
from ..model.phrases import harmless
from ..model.rados import NAME
from ..version import VERSION
from .client import CephClient

# Whom it connects as where nothing is said: the key of its own where the host has one.
_NAME = "client.perf-bench-worker"
_KEYRING = "/etc/ceph/ceph.{}.keyring"


def add_to(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "worker",
        help="run clients of rounds on this host when a round asks for them",
        description=(
            "Waits for rounds that are started with --workers, and runs their 'rados bench' on "
            "this host, in the pool perf_bench only. Needs 'rados' "
            "(ceph-common), librados' Python binding (python3-rados) and a key as "
            "docs/workers.md has it. Opens no port. "
            "Ends with Ctrl-C or SIGTERM."
        ),
    )
    parser.add_argument("--id", metavar="NAME", help="the worker's name (default: the host's)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, _client: CephClient) -> int:
    """Serve until a signal ends it. Raises CommandFailed without librados or without access."""
    host = os.uname().nodename
    name = args.id or host.partition(".")[0]
    if not NAME.fullmatch(name):
        raise InvalidValue(
            f"{name!a} is no name of a worker: use up to 64 letters, digits, '.', '_' and '-', the "
            "first a letter or a digit",
            "id",
        )
    try:
        from ..clients.connect import serve  # noqa: PLC0415 - needs librados
    except ImportError as error:
        raise CommandFailed(
            2, f"librados' Python binding is missing here ({error}): install python3-rados"
        ) from error
    registration = {"host": host, "version": VERSION, "instance": uuid.uuid4().hex[:12]}
    try:
        serve(name, registration, args.name or _default_name(name), args.conf, args.keyring, _say)
    except (KeyboardInterrupt, SystemExit):
        _say("ended")
        os._exit(0)  # a thread of librados may hang if the cluster does
    return 0


def _default_name(worker: str) -> str:
    own = f"{_NAME}.{worker}"
    return own if Path(_KEYRING.format(own)).exists() else _NAME


def _say(line: str) -> None:
    print(harmless(f"worker: {line}"), file=sys.stderr, flush=True)
