"""The command line of qa/devcluster."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from typing import Any, NoReturn, Optional

from . import faults, spec
from .api import DevCluster
from .client import become
from .errors import ClusterError, UsageError
from .ports import LOOPBACK
from .spec import Order
from .targets import KINDS


class _Interrupted(BaseException):
    """A signal asked this command to end; no Exception, so that nothing but the edge handles it."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="devcluster", description="A throwaway Ceph cluster of real daemons.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)

    def command(name: str, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.add_argument("--dir", required=True, help="the cluster's folder")
        return sub

    _add_up_options(command("up", "boot a cluster; returns when it is healthy, and prints info"))
    for client in ("ceph", "rados"):
        command(client, f"run the {client} client: --dir DIR -- ARGS")
    _add_fault_options(command("fault", "play a fault on real daemons"))
    restart = command("restart", "stop and start daemons; returns when they are back")
    restart.add_argument("targets", nargs="+", metavar="TARGET")
    replace = command("replace", "make another OSD under its ID, on an empty store")
    replace.add_argument("osd", metavar="osd.N")
    _add_upgrade_options(
        command("upgrade", "restart daemons with a newer release; returns when they are back")
    )
    command("info", "what the cluster is now, as JSON")
    command("down", "end the cluster's processes and delete its folder")
    # What a fault's own process runs; not for people.
    play = commands.add_parser("play")
    play.add_argument("--dir", required=True)
    play.add_argument("id")
    return parser


def _add_up_options(up: argparse.ArgumentParser) -> None:
    up.add_argument(
        "--release", default="native", choices=["native", "pacific", "reef", "tentacle"]
    )
    up.add_argument("--osds", type=int, default=3)
    up.add_argument("--hosts", type=int, default=1, help="CRUSH hosts; OSDs go round them")
    up.add_argument("--mgrs", type=int, default=1)
    up.add_argument("--mons", type=int, default=1)
    up.add_argument(
        "--osd-size",
        type=_size,
        default=Order.osd_bytes,
        help="of an OSD's sparse file, as 5G (default)",
    )
    up.add_argument(
        "--address", default=LOOPBACK, help="of this machine, where daemons listen (127.0.0.1)"
    )
    up.add_argument(
        "--map-osds", type=int, default=0, help="OSDs in the OSD map, most of which never answer"
    )
    up.add_argument("--no-dashboard", action="store_true")
    up.add_argument("--no-module", action="store_true", help="without the module perf_bench")
    up.add_argument(
        "--cache", help="folder for other releases' root file systems (or PERF_BENCH_CACHE)"
    )
    up.add_argument(
        "--keep-failed", action="store_true", help="keep the logs of a boot that failed"
    )


def _add_upgrade_options(upgrade: argparse.ArgumentParser) -> None:
    upgrade.add_argument("--release", required=True, choices=["reef", "tentacle"])
    upgrade.add_argument("--cache", help="as that of up")
    upgrade.add_argument("targets", nargs="*", metavar="TARGET", help="daemons; else all")


def _add_fault_options(fault: argparse.ArgumentParser) -> None:
    fault.add_argument("kind", metavar="KIND", help=", ".join(KINDS))
    fault.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="osd.N, host-N, active, a mgr's name, mon.X, all",
    )
    fault.add_argument(
        "--seconds", type=float, help="undone after so many seconds; else it lasts until clear"
    )
    fault.add_argument(
        "--stop", type=float, default=0.45, help="stall: seconds stopped in turn (0.45)"
    )
    fault.add_argument(
        "--run", type=float, default=0.05, help="stall: seconds running in turn (0.05)"
    )
    fault.add_argument(
        "--delay", type=float, default=0.05, help="slow: seconds more a dispatch (0.05)"
    )


def _size(text: str) -> int:
    units = {"M": 20, "G": 30, "T": 40}
    if not text[:-1].isdigit() or text[-1:] not in units:
        raise argparse.ArgumentTypeError(f"'{text}' is no size like 8G")
    return int(text[:-1]) << units[text[-1]]


def main(argv: Optional[list[str]] = None) -> int:
    """Run one command, return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    _end_on_signals()
    try:
        if os.geteuid() != 0:
            raise ClusterError("devcluster must be run as root")
        return _run(words)
    except _Interrupted as interrupt:
        number = int(interrupt.args[0])
        print(f"devcluster: ended by {signal.Signals(number).name}", file=sys.stderr)
        return 128 + number
    except ClusterError as error:
        print(f"devcluster: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:  # a full disk, a folder that may not be written
        print(f"devcluster: {error}", file=sys.stderr)
        return 1


def _end_on_signals() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def end(number: int, _: Any) -> None:
        for each in numbers:  # what is cleaned up now is not to be broken off by a second Ctrl-C
            signal.signal(each, signal.SIG_IGN)
        raise _Interrupted(number)

    for number in numbers:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, end)


def _run(words: list[str]) -> int:
    cut = words.index("--") if "--" in words else len(words)
    args = _parser().parse_args(words[:cut])
    if args.command in ("ceph", "rados"):
        become(spec.load(args.dir), args.command, words[cut + 1 :])
    cluster = _up(args) if args.command == "up" else DevCluster(args.dir)
    if args.command in ("up", "info"):
        print(json.dumps(cluster.info(), indent=2))
    elif args.command == "fault":
        options = {"stop": args.stop, "run": args.run, "delay": args.delay}
        cluster.fault(args.kind, *args.targets, seconds=args.seconds, **options)
    elif args.command == "restart":
        cluster.restart(*args.targets)
    elif args.command == "replace":
        cluster.replace(args.osd)
    elif args.command == "upgrade":
        cluster.upgrade(args.release, *args.targets, cache=args.cache)
    elif args.command == "play":
        faults.play(cluster.spec, args.id)
    elif args.command == "down":
        cluster.down()
    return 0


def _up(args: argparse.Namespace) -> DevCluster:
    order = Order(
        release=args.release,
        osds=args.osds,
        hosts=args.hosts,
        mgrs=args.mgrs,
        mons=args.mons,
        osd_bytes=args.osd_size,
        map_osds=args.map_osds,
        dashboard=not args.no_dashboard,
        module=not args.no_module,
        address=args.address,
    )
    return DevCluster.up(args.dir, order, cache=args.cache, keep_failed=args.keep_failed)
