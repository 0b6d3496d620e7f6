"""``ceph-perf-bench install | upgrade | uninstall``: the module and the tab on this host."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

from ...errors import NotFound
from ..client import CephClient
from ..wait import seconds
from . import host as hosts
from . import payload as payloads
from .enable import Enabler
from .host import Host, sentences

_CONFIGURED = ("ceph-conf", "--name", "mgr.", "--show-config-value", "mgr_module_path")
_NEXT = """Next:
  1. The same on every other host with a mgr.
  2. ceph-perf-bench install --enable
     enables the module, or lets mgrs that still run other files take turns, and waits until
     the module and its tab answer. By hand: ceph mgr module enable perf_bench --force; if it is
     enabled already: systemctl restart ceph-mgr.target on each host, standby mgrs first."""
_GONE = """Next, once no host has it any more:
  ceph mgr module disable perf_bench
  ceph config-key rm mgr/perf_bench/installed
The database and the pool perf_bench stay: see docs/install.md."""


def add_to(commands: Any) -> None:
    """Add the three sub-commands."""
    for name, run, what in (
        ("install", _install, "put the module and its tab among the mgr modules of this host"),
        ("upgrade", _upgrade, "the same where it is installed already"),
        ("uninstall", _uninstall, "take module and tab away from this host again"),
    ):
        parser: argparse.ArgumentParser = commands.add_parser(name, help=what, description=what)
        add_folder_to(parser)
        if name != "uninstall":
            parser.add_argument(
                "--enable",
                action="store_true",
                help="then enable the module, let mgrs with other files fail over, and wait until "
                "the tab answers",
            )
            parser.add_argument(
                "--timeout", type=seconds, default=300.0, metavar="S",
                help="seconds that --enable waits at most (default: %(default)g)",
            )  # fmt: skip
        parser.set_defaults(run=run)


def add_folder_to(parser: argparse.ArgumentParser) -> None:
    """Add the option for the folder of mgr modules."""
    parser.add_argument(
        "--mgr-modules",
        type=Path,
        metavar="DIR",
        help="the folder of the mgr's modules (default: what ceph-conf says, /usr/share/ceph/mgr)",
    )


def host_of(args: argparse.Namespace) -> Host:
    """The host's mgr modules. Raises NotFound."""
    configured = ""
    if args.mgr_modules is None and shutil.which(_CONFIGURED[0]):
        conf = ("--conf", args.conf) if args.conf else ()
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            done = subprocess.run(
                [*_CONFIGURED, *conf], check=False, capture_output=True, text=True, timeout=10
            )
            configured = done.stdout.strip()
    return hosts.find(args.mgr_modules, configured)


def _upgrade(args: argparse.Namespace, client: CephClient) -> int:
    with sentences():
        host = host_of(args)
        if not host.is_installed:
            raise NotFound(f"there is no perf_bench in {host.modules}: use 'install'")
    return _install(args, client)


def _install(args: argparse.Namespace, client: CephClient) -> int:
    with sentences():
        host = host_of(args)
        payload = payloads.load()
        before = (host.manifest or {}).get("build") or "files of unknown origin"
        was = f" (before: {before})" if host.is_installed and before != payload.build else ""
        host.check_ours()
        if host.differences(payload):
            host.install(payload)
            done = f"is installed{was}"
        else:
            done = "was installed already"
    print(f"perf_bench {payload.build} {done}: {host.module}, {len(payload.files)} files verified")
    if not host.has_dashboard:
        print("no tab: there is no dashboard here (package ceph-mgr-dashboard)")
    elif not payload.has_pages:
        print("no pages for the tab: they have not been built (make wheel)")
    if not args.enable:
        print(_NEXT)
        return 0
    return Enabler(client, payload.build, args.timeout).run(tab=host.has_dashboard)


def _uninstall(args: argparse.Namespace, _client: CephClient) -> int:
    with sentences():
        host = host_of(args)
        found = host.uninstall()
    print(f"perf_bench {'is removed from' if found else 'was not in'} {host.modules}")
    print(_GONE)
    return 0
