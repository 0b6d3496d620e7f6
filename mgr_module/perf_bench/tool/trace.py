"""``ceph-perf-bench trace``: the recorded latencies as CSV, asked for piece by piece."""

from __future__ import annotations

import argparse
import errno
import sys
from typing import Any

from ..errors import CommandFailed
from .client import CephClient


def add_to(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "trace",
        help="print the recorded latencies as CSV, however many there are",
        description=(
            "Prints what 'ceph perf-bench trace export' does, which refuses what is too much for "
            "one answer; here the mgr is asked for some OSDs at a time."
        ),
    )
    parser.add_argument("--since", metavar="TIME", help="how far back, as 6h (default: 1d)")
    parser.add_argument("--osds", metavar="EXPR", help="which OSDs (default: all)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, client: CephClient) -> int:
    """Print all pieces. Raises CommandFailed or NotNow; what was printed before is good then."""
    words = [f"--{name}={getattr(args, name)}" for name in ("since", "osds") if getattr(args, name)]
    begin = 0
    while True:
        piece = client.ask("perf-bench", "trace", "export", f"--from={begin}", *words)
        header, _, rows = piece["csv"].partition("\n")
        sys.stdout.write(rows if begin else f"{header}\n{rows}")
        if piece["next"] is None:
            return 0
        if piece["next"] <= begin:
            raise CommandFailed(errno.EPROTO, f"the mgr does not get beyond osd.{begin}")
        begin = piece["next"]
