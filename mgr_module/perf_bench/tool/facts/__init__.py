"""``ceph-perf-bench facts``: prints this host's devices, enclosures and paths as JSON.

Every source is optional: an unknown section is left out, and so is an unknown value.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Optional

from ...errors import InvalidValue
from ...model.hardware import FORMAT, facts_of
from ..client import CephClient
from . import disks, enclosures, machine
from .host_files import HostCommands, HostFiles, RecordedCommands, printable

# The folder below a recorded root with the outputs of programs.
OUTPUTS = "outputs"


def add_to(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "facts",
        help="print this host's devices, enclosures and paths",
        description="Prints the facts of this host as JSON, for 'ceph perf-bench host import'.",
    )
    parser.add_argument("--push", action="store_true", help="import them into the cluster instead")
    parser.add_argument("--host", help="the host's name in the CRUSH map (default: its own)")
    parser.add_argument(
        "--root",
        default="/",
        help=f"the folder with sys, proc, var and dev; programs run only for /, for any other "
        f"folder their outputs are read from ROOT/{OUTPUTS}",
    )
    parser.add_argument("--no-smart", action="store_true", help="read no SMART data of disks")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, client: CephClient) -> int:
    """Print the facts, or import them; returns the exit code. Raises InvalidValue."""
    tree = HostFiles(args.root)
    if not tree.has("sys"):
        raise InvalidValue(f"{args.root} has no folder sys: it is not a host's root", "root")
    programs = HostCommands() if tree.live else RecordedCommands(Path(args.root) / OUTPUTS)
    document = collect(tree, programs, args.host, time.time(), with_smart=not args.no_smart)
    facts_of(document)  # raises if the mgr would refuse them
    if not args.push:
        json.dump(document, sys.stdout, indent=1)
        print()
        return 0
    words = ("perf-bench", "host", "import", document["host"])
    answer = client.ask(*words, "-i", "-", file=json.dumps(document))
    print(f"imported: {', '.join(answer['sections'])}")
    return 0


def collect(
    tree: HostFiles,
    programs: HostCommands,
    host: Optional[str],
    now: float,
    with_smart: bool = True,
) -> dict[str, Any]:
    """The facts as a JSON object; ``now`` is unix seconds. Raises InvalidValue without a name."""
    name = host or tree.text("proc/sys/kernel/hostname") or (tree.live and os.uname().nodename)
    if not name:
        raise InvalidValue("the host's name is not known: give it as --host NAME", field="host")
    moment = datetime.fromtimestamp(int(now), tz=timezone.utc)
    document: dict[str, Any] = {
        "format": FORMAT,
        "host": printable(name),
        "collected_at": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    for section, read in _sections(tree, programs, with_smart).items():
        value = read()
        if value or value == []:
            document[section] = value
    return document


def _sections(
    tree: HostFiles, programs: HostCommands, with_smart: bool
) -> Mapping[str, Callable[[], Any]]:
    """The function that reads each section: [] means that there are none, None means unknown."""
    return {
        "osds": lambda: disks.osds(tree) or None,
        "processes": lambda: machine.processes(tree) or None,
        "enclosures": lambda: enclosures.enclosures(tree, programs),
        "multipath": lambda: enclosures.multipath(tree, programs),
        "phys": lambda: disks.phys(tree),
        "pcie": lambda: disks.pcie(tree) or None,
        "block": lambda: disks.block(tree),
        "smart": lambda: (with_smart and disks.smart(tree, programs)) or None,
        "cpu": lambda: machine.cpu(tree),
        "numa": lambda: machine.numa(tree),
        "memory": lambda: machine.memory(tree),
        "kernel": lambda: machine.kernel(tree),
        "crc32c": lambda: machine.crc32c() if tree.live else None,
    }
