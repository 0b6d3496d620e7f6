"""``ceph-perf-bench service``: prints the systemd units and cephadm specifications of this tool.

They are the files of the folder ``services``, printed unchanged. ``service cephadm --install``
prints the cluster's own mgr service with the module and the tab's controllers mounted: its present
specification with mounts added, so that placement and the rest stay.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InvalidValue, NotFound, NotNow
from .client import CephClient
from .install import payload

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
        sys.stdout.write(specification(client))
        return 0
    files = {file.name: file for file in sorted(FOLDER.iterdir())}
    if args.file is None:
        print("\n".join(files))
        return 0
    if args.file not in files:
        raise NotFound(f"there is no file {args.file}: choose one of {', '.join(files)}")
    sys.stdout.write(files[args.file].read_text(encoding="utf-8"))
    return 0


MOUNTED = "/opt/ceph-perf-bench"
_MGR = "/usr/share/ceph/mgr"
_HEAD = f"""\
# The mgr service of this cluster, with perf_bench mounted read-only from {MOUNTED}.
# First, on every host that may run a mgr (a mgr whose host lacks the folder does not start):
#   mkdir -p -m 755 {MOUNTED}
#   ceph-perf-bench install --mgr-modules {MOUNTED}
#   ceph-perf-bench check --local --mgr-modules {MOUNTED}
# Then, with this as mgr.yaml:
#   ceph orch apply -i mgr.yaml
#   ceph mgr module enable perf_bench --force
# After each later install on the hosts: ceph orch restart mgr
# (a container sees the folder that it was started with; a failover alone loads nothing new)"""


def mounts(controllers: Sequence[str]) -> list[str]:
    """The arguments of the container: two items for each mount, as every release takes them."""
    ours = f"{MOUNTED}/perf_bench"
    pairs = [(ours, f"{_MGR}/perf_bench")]
    pairs += [
        (f"{ours}/{payload.CONTROLLERS}{name}", f"{_MGR}/dashboard/controllers/{name}")
        for name in sorted(controllers)
    ]
    return [word for source, target in pairs for word in ("-v", f"{source}:{target}:ro")]


def specification(client: CephClient) -> str:
    """The text for ``ceph orch apply -i``. Raises NotNow, CommandFailed."""
    found = client.ask("orch", "ls", "--service_type", "mgr", "--export")
    if not isinstance(found, list) or not found or not isinstance(found[0], dict):
        raise NotNow("the orchestrator has no mgr service: this is for clusters of cephadm")
    present = found[0]
    added = mounts(list(payload.load().controllers))
    kept = list(_without_ours(present.get("extra_container_args") or ()))
    lines = [
        f"{key}: {json.dumps(value)}"
        for key, value in present.items()
        if key not in ("extra_container_args", "events", "status")
    ]
    lines += ["extra_container_args:", *(f"  - {json.dumps(word)}" for word in (*kept, *added))]
    return "\n".join([_HEAD, *lines]) + "\n"


def _without_ours(arguments: Sequence[Any]) -> Iterator[Any]:
    """The arguments without mounts of an earlier version of ours."""
    words = [_word(argument) for argument in arguments]
    for at, argument in enumerate(arguments):
        following = words[at + 1] if at + 1 < len(words) else ""
        is_mount = words[at] == "-v" and following.startswith(f"{MOUNTED}/")
        if not is_mount and not words[at].startswith(f"{MOUNTED}/"):
            yield argument


def _word(argument: Any) -> str:
    """An argument as a text; Ceph 18 and later also export objects."""
    if isinstance(argument, Mapping):
        return str(argument.get("argument", ""))
    return str(argument)
