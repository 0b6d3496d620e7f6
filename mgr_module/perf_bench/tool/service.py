"""``ceph-perf-bench service``: prints the systemd units and cephadm specifications of this tool.

They are the files of the folder ``services``, printed unchanged. ``service cephadm --install``
prints the cluster's own mgr service with the module mounted.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..errors import InvalidValue, NotFound
from . import cephadm
from .client import CephClient

FOLDER = Path(__file__).with_name("services")


def add_to(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "service",
        help="print a systemd unit or a specification for cephadm",
        description=(
            "Prints a file that makes this tool a service of systemd or of cephadm; its first "
            "lines say how to install it. Without NAME: prints the names."
        ),
    )
    parser.add_argument("file", metavar="NAME", nargs="?", help="the file's name")
    parser.add_argument(
        "--install",
        action="store_true",
        help="with NAME cephadm: the mgr service of this cluster, with the module mounted",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, client: CephClient) -> int:
    """Print the names, or one file; returns the exit code. Raises NotFound, InvalidValue."""
    if args.install != (args.file == "cephadm"):
        raise InvalidValue("'service cephadm --install' prints the mgr service with the module")
    if args.install:
        sys.stdout.write(cephadm.specification(client))
        return 0
    files = {file.name: file for file in sorted(FOLDER.iterdir())}
    if args.file is None:
        print("\n".join(files))
        return 0
    if args.file not in files:
        raise NotFound(f"there is no file {args.file}: choose one of {', '.join(files)}")
    sys.stdout.write(files[args.file].read_text(encoding="utf-8"))
    return 0
