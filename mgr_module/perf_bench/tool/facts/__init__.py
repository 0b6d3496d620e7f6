"""``ceph-perf-bench facts``: what this host tells of its devices, enclosures and paths, as JSON.

Every source is optional: a section that nobody can tell is left out, and so is each value.
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
from ...model.facts import FORMAT, facts_of
from ..client import CephClient
from . import disks, enclosures, machine, pcie, processes
from .checksum import crc32c
from .host_commands import HostCommands, RecordedCommands
from .host_files import HostFiles, printable

# The folder below a recorded root in which the outputs of programs lie.
OUTPUTS = "outputs"


def add_to(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "facts",
        help="print what this host tells of its devices, enclosures and paths",
        description="Prints the facts of this host as JSON, for 'ceph perf-bench host import'.",
    )
    parser.add_argument("--push", action="store_true", help="hand them over to the cluster instead")
    parser.add_argument("--host", help="the host's name, as its OSDs have it (default: its own)")
    parser.add_argument(
        "--root",
        default="/",
        help=f"where sys, proc, var and dev lie; programs are asked on / only, elsewhere their "
        f"outputs are taken from ROOT/{OUTPUTS}",
    )
    parser.add_argument(
        "--no-smart", action="store_true", help="ask no disk for what it counts itself"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, client: CephClient) -> int:
    """Print the facts, or hand them over."""
    tree = HostFiles(args.root)
    if not tree.has("sys"):
        raise InvalidValue(f"{args.root} has no folder sys: nothing is known of a host", "root")
    programs = HostCommands() if tree.live else RecordedCommands(Path(args.root) / OUTPUTS)
    found = collect(tree, programs, args.host, time.time(), with_smart=not args.no_smart)
    facts_of(found)  # whoever prints facts that nobody takes has a fault of its own
    if not args.push:
        json.dump(found, sys.stdout, indent=1)
        print()
        return 0
    words = ("perf-bench", "host", "import", found["host"])
    told = client.ask(*words, "-i", "-", file=json.dumps(found))
    print(f"handed over: {', '.join(told['sections'])}")
    return 0


def collect(
    tree: HostFiles,
    programs: HostCommands,
    host: Optional[str],
    now: float,
    with_smart: bool = True,
) -> dict[str, Any]:
    """The facts as a document; ``now`` is unix seconds."""
    name = host or tree.text("proc/sys/kernel/hostname") or (tree.live and os.uname().nodename)
    if not name:
        raise InvalidValue("the host's name is not known: give it as --host NAME", field="host")
    moment = datetime.fromtimestamp(int(now), tz=timezone.utc)
    found: dict[str, Any] = {
        "format": FORMAT,
        "host": printable(name),
        "collected_at": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    for section, read in _sections(tree, programs, with_smart).items():
        told = read()
        if told or told == []:
            found[section] = told
    return found


def _sections(
    tree: HostFiles, programs: HostCommands, with_smart: bool
) -> Mapping[str, Callable[[], Any]]:
    """How each section is had; an empty list means that there is none, None not known."""
    sections: dict[str, Callable[[], Any]] = {
        "osds": lambda: disks.osds(tree) or None,
        "processes": lambda: processes.processes(tree) or None,
        "enclosures": lambda: enclosures.enclosures(tree, programs),
        "multipath": lambda: enclosures.multipath(tree, programs),
        "phys": lambda: disks.phys(tree),
        "pcie": lambda: pcie.pcie(tree) or None,
        "block": lambda: disks.block(tree),
        "smart": lambda: disks.smart(tree, programs) or None,
        "cpu": lambda: machine.cpu(tree),
        "numa": lambda: machine.numa(tree),
        "memory": lambda: machine.memory(tree),
        "kernel": lambda: machine.kernel(tree),
        "crc32c": lambda: crc32c() if tree.live else None,
    }
    if not with_smart:
        del sections["smart"]
    return sections
