"""``ceph-perf-bench service`` and ``monitoring``: print the files that come with this tool.

The first are systemd units and specifications of cephadm, of the folder ``services``. ``service
cephadm --install`` prints the cluster's own mgr service with the module and the tab's controllers
mounted: its present specification with mounts added, so that placement and the rest stay.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from ..errors import InvalidValue, NotFound, NotNow
from .client import CephClient
from .install import payload

FOLDER = Path(__file__).with_name("services")
_RUNBOOK = re.compile(r'^( +runbook_url: ")', re.MULTILINE)


def add_to(commands: Any) -> None:
    """Add both sub-commands."""
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
    parser.set_defaults(run=_service)
    parser = commands.add_parser(
        "monitoring",
        help="print alert rules for Prometheus or a dashboard for Grafana",
        description=(
            "Prints a file for the folder from which Prometheus, Grafana or Alertmanager reads "
            "it. Without NAME: prints the names."
        ),
    )
    parser.add_argument("file", metavar="NAME", nargs="?", help="the file's name")
    parser.add_argument(
        "--docs-url",
        metavar="URL",
        type=_address,
        help="where the built pages of docs/ are served, for the links of alerts (runbook_url)",
    )
    parser.set_defaults(run=_monitoring)


def _service(args: argparse.Namespace, client: CephClient) -> int:
    if args.install != (args.file == "cephadm"):
        raise InvalidValue("'service cephadm --install' prints the mgr service with the module")
    if args.install:
        sys.stdout.write(specification(client))
        return 0
    return _print({file.name: file.read_bytes() for file in sorted(FOLDER.iterdir())}, args.file)


def _monitoring(args: argparse.Namespace, _client: CephClient) -> int:
    return _print(payload.monitoring_files(), args.file, args.docs_url)


def _print(files: Mapping[str, bytes], name: Optional[str], url: Optional[str] = None) -> int:
    """Print the names, or one file, with the address before runbooks. Raises NotFound."""
    if name is None:
        print("\n".join(files))
    elif name in files:
        text = files[name].decode()
        sys.stdout.write(_RUNBOOK.sub(rf"\g<1>{url}/", text) if url else text)
    else:
        raise NotFound(f"there is no file {name}: choose one of {', '.join(files)}")
    return 0


def _address(text: str) -> str:
    # It goes into YAML between quotation marks, and into links of mails.
    if not re.fullmatch(r"https?://[\w.:\[\]-]+(/[\w./~%+-]*)?", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"'{text}' is not an address such as https://host/path")
    return text.rstrip("/")


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
