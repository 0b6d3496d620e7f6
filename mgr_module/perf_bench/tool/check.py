"""``ceph-perf-bench check``: which mgr has which version of the module, and what differs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple, Optional

from ..errors import InvalidValue, NotFound, PerfBenchError
from ..model.cluster import MgrBuild
from ..model.phrases import harmless
from .client import CephClient
from .install import add_folder_to, host_of
from .install.enable import Mgrs, mgrs_of
from .install.host import Host, sentences

# Differences that are named; the others are counted.
_NAMED = 10


class Local(NamedTuple):
    """This host's installation. ``build`` is None where nothing is installed.

    ``refusal`` says why 'install' would leave it alone; it is empty where it would not.
    """

    folder: str
    build: Optional[str]
    differences: Sequence[str]
    refusal: str


def add_to(commands: Any) -> None:
    """Add the sub-command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "check",
        help="show which mgr has which version of the module, and what differs",
        description=(
            "Compares the files of this host with their checksums, and shows for every mgr of the "
            "cluster, active or standby, which version of the module it runs. Needs no mgr, and "
            "no enabled module. Exit code: 0 all mgrs have the same and the module is enabled, 1 "
            "something differs or is missing, 2 the cluster cannot be asked."
        ),
    )
    add_folder_to(parser)
    parser.add_argument(
        "--local", action="store_true", help="compare the files of this host, and ask no cluster"
    )
    parser.add_argument(
        "--format",
        choices=("plain", "json"),
        default="plain",
        help="what is printed (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, client: CephClient) -> int:
    """Print what was found; returns the exit code."""
    local = _local(args)
    found, away = None, ""
    if not args.local:
        try:
            found = mgrs_of(client)
        except PerfBenchError as error:
            away = f"the cluster cannot be asked: {error}"
    problems = [*_local_problems(local, args.local), *(_problems(found, local) if found else ())]
    if args.format == "json":
        print(json.dumps({**_shape(local, found), "problems": problems, "away": away}, indent=2))
    else:
        for line in (*_lines(local, found), *problems, *([away] if away else ())):
            print(harmless(line))
    if away:
        return 2
    return 1 if problems else 0


def _local(args: argparse.Namespace) -> Optional[Local]:
    """None where this host has no modules of a mgr. Raises NotFound for a folder named wrongly."""
    with sentences():
        try:
            host = host_of(args)
        except NotFound:
            if args.mgr_modules is None:
                return None
            raise
        build = (host.manifest or {}).get("build", "without checksums")
        return Local(
            str(host.modules),
            str(build) if host.is_installed else None,
            [str(one) for one in host.differences()],
            _refusal(host),
        )


def _refusal(host: Host) -> str:
    try:
        host.check_ours()
    except InvalidValue as error:
        return str(error)
    return ""


def _local_problems(local: Optional[Local], alone: bool) -> Iterator[str]:
    if local is None or (local.build is None and not local.differences):
        if alone:
            yield "perf_bench is not installed on this host"
        return
    yield from local.differences[:_NAMED]
    if len(local.differences) > _NAMED:
        yield f"and {len(local.differences) - _NAMED} more differences on this host"
    if local.differences:
        yield local.refusal or "'ceph-perf-bench install' puts the files of this host right"


def _problems(found: Mgrs, local: Optional[Local]) -> Iterator[str]:
    active = found.active
    if active is None:
        yield "no mgr is active"
    if not found.enabled:
        ran = ", though it was: it was disabled" if found.mark else ""
        yield f"the module is not enabled{ran} (ceph mgr module enable perf_bench)"
    elif active and active.build is None:
        yield (
            f"the module is enabled, but mgr.{active.name} on {found.host(active)} does not have "
            "it: no schedule runs, nothing is watched, and settings of a round that ran may be "
            "held (ceph-perf-bench restore --dry-run); install it there, or fail over"
        )
    if active and local and local.build and active.build not in (None, local.build):
        anew = "ceph-perf-bench install --enable"
        if local.refusal:
            anew = "systemctl restart ceph-mgr.target"
        yield (
            f"this host has {local.build}, and the active mgr.{active.name} runs {active.build}: "
            f"'{anew}' lets mgrs start anew"
        )
    expected = (active.build if active else None) or (local.build if local else None)
    for mgr in found.mgrs:
        if mgr.error:
            yield f"mgr.{mgr.name} on {found.host(mgr)} cannot run it: {mgr.error}"
        if mgr is not active and mgr.build is None:
            yield f"mgr.{mgr.name} on {found.host(mgr)} does not have it: install it there"
        elif mgr is not active and expected and mgr.build != expected:
            yield f"mgr.{mgr.name} on {found.host(mgr)} runs other files than {expected}"


def _lines(local: Optional[Local], found: Optional[Mgrs]) -> Iterator[str]:
    if local is None:
        yield "this host: no mgr modules"
    else:
        good = ", every file as installed" if local.build and not local.differences else ""
        yield f"this host: {local.build or 'not installed'} in {local.folder}{good}"
    if found is None:
        return
    mark = found.mark or {}
    if mark:
        yield f"last active: {mark.get('build')}, since {_time(mark.get('since'))}"
    rows = [("MGR", "HOST", "ROLE", "CEPH", "PERF_BENCH"), *(_row(found, m) for m in found.mgrs)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()


def _row(found: Mgrs, mgr: MgrBuild) -> tuple[str, ...]:
    ceph = str(found.metadata.get(mgr.name, {}).get("ceph_version_short", "unknown"))
    role = "active" if mgr.is_active else "standby"
    return mgr.name, found.host(mgr), role, ceph, mgr.build or "-"


def _time(seconds: object) -> str:
    if not isinstance(seconds, (int, float)):
        return "unknown"
    return f"{datetime.fromtimestamp(seconds, tz=timezone.utc):%Y-%m-%d %H:%M} UTC"


def _shape(local: Optional[Local], found: Optional[Mgrs]) -> dict[str, Any]:
    shape: dict[str, Any] = {"host": local._asdict() if local else None}
    if found:
        shape.update(
            enabled=found.enabled,
            mark=found.mark,
            mgrs=[
                {**mgr._asdict(), "host": found.host(mgr), "ceph": _row(found, mgr)[3]}
                for mgr in found.mgrs
            ],
        )
    return shape
