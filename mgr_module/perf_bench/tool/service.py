"""``ceph-perf-bench service``: the units and specifications by which this tool runs as a service.

They are files of the folder ``services``, printed as they are.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..errors import NotFound
from .client import CephClient

FOLDER = Path(__file__).with_name("services")


def add_to(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "service",
        help="print a systemd unit or a specification for cephadm",
        description=(
            "Prints a file by which this tool runs as a service of systemd or of cephadm; "
            "what to do with it stands in its first lines. Without NAME: which there are."
        ),
    )
    parser.add_argument("file", metavar="NAME", nargs="?", help="the file's name")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, _client: CephClient) -> int:
    """Print the names, or one file. Raises NotFound."""
    there = {file.name: file for file in sorted(FOLDER.iterdir())}
    if args.file is None:
        print("\n".join(there))
        return 0
    if args.file not in there:
        raise NotFound(f"there is no {args.file}, but {', '.join(there)}")
    sys.stdout.write(there[args.file].read_text(encoding="utf-8"))
    return 0
