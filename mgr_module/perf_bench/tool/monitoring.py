"""``ceph-perf-bench monitoring``: alert rules and dashboard, into the folders of the monitoring."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import Any, Optional

from ..errors import InvalidValue, NotFound, PerfBenchError
from .client import CephClient
from .install.host import sentences
from .install.payload import monitoring_files

RULES = "ceph-perf-bench-alerts.yml"
DASHBOARD = "ceph-perf-bench-grafana.json"
# A file of ours has it within its first bytes, so that no other one is replaced.
_MARKS = {RULES: b"# Alerts of perf_bench", DASHBOARD: b"perf_bench"}
_RUNBOOK = re.compile(r'^( +runbook_url: ")', re.MULTILINE)


def add_to(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "monitoring",
        help="install alert rules for Prometheus and a dashboard for Grafana",
        description=(
            "Puts alert rules and dashboard into the folders that are named, and changes nothing "
            "else: Prometheus and Grafana read them when they are told to. NAME prints one file; "
            "without NAME and folders: prints the names."
        ),
    )
    parser.add_argument("file", metavar="NAME", nargs="?", help="print this file")
    parser.add_argument("--rules", metavar="DIR", type=Path, help="a folder of Prometheus' rules")
    parser.add_argument(
        "--dashboards", metavar="DIR", type=Path, help="a folder that Grafana reads dashboards from"
    )
    parser.add_argument(
        "--docs-url",
        metavar="URL",
        type=_address,
        help="where the built pages of docs/ are served, for the links of alerts (runbook_url)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, _client: CephClient) -> int:
    """Print the names or a file, or install; returns the exit code. Raises PerfBenchError."""
    files = {
        name: _with_runbooks(content, args.docs_url) for name, content in monitoring_files().items()
    }
    wanted = {RULES: args.rules, DASHBOARD: args.dashboards}
    folders = {name: folder for name, folder in wanted.items() if folder is not None}
    if args.file is not None:
        if folders:
            raise InvalidValue("give either a name or folders")
        if args.file not in files:
            raise NotFound(f"there is no file {args.file}: choose one of {', '.join(files)}")
        sys.stdout.write(files[args.file].decode())
        return 0
    if not folders:
        print("\n".join(files))
        return 0
    with sentences():
        for name, folder in folders.items():  # all are looked at before one is changed
            _check(folder / name, _MARKS[name])
        for name, folder in folders.items():
            print(f"{folder / name} {_put(folder / name, files[name])}")
    print(
        "Next: let Prometheus read its rules anew (SIGHUP, or POST /-/reload), and scrape the mgrs"
    )
    return 0


def _with_runbooks(content: bytes, url: Optional[str]) -> bytes:
    """The file with the address before the runbooks of its alerts."""
    if url is None:
        return content
    return _RUNBOOK.sub(lambda found: f"{found[1]}{url}/", content.decode()).encode()


def _address(text: str) -> str:
    # It goes into YAML between quotation marks, and into links of mails.
    if not re.fullmatch(r"https?://[\w.:\[\]-]+(/[\w./~%+-]*)?", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"'{text}' is not an address such as https://host/path")
    return text.rstrip("/")


def _check(path: Path, mark: bytes) -> None:
    """Raise for a folder that is missing, and for a file that is not ours."""
    if not path.parent.is_dir():
        raise NotFound(f"there is no folder {path.parent}")
    if path.is_symlink() or (path.exists() and mark not in path.read_bytes()):
        raise PerfBenchError(f"{path} is not of ceph-perf-bench: it is left as it is")


def _put(path: Path, content: bytes) -> str:
    """Write the file in one step, with mode 0644; returns what was done."""
    if path.exists() and path.read_bytes() == content and path.stat().st_mode & 0o777 == 0o644:
        return "was installed already"
    # Neither Prometheus nor Grafana reads files with this ending.
    temporary = path.with_name(f".{path.name}.new")
    try:
        # Root may write for the folder's owner here: what waits at that name may be a link.
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return "is installed"
