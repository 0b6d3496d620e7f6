"""The command line of qa/devcluster."""

import argparse
import json
import os
import signal
import sys
from typing import Any, List, NoReturn, Optional

from .errors import ClusterError, UsageError


class _Interrupted(BaseException):
    """A signal asked this command to end; not an Exception, so that nothing handles it but the edge."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="devcluster", description="A throwaway Ceph cluster of real daemons.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    up = commands.add_parser("up")
    up.add_argument("--dir", required=True)
    up.add_argument("--release", default="native", choices=["native", "pacific", "reef", "tentacle"])
    up.add_argument("--osds", type=int, default=3)
    up.add_argument("--hosts", type=int, default=1)
    up.add_argument("--mgrs", type=int, default=1)
    up.add_argument("--no-dashboard", action="store_true")
    up.add_argument("--no-module", action="store_true")
    up.add_argument("--keep-failed", action="store_true")
    up.add_argument("--cache")
    for name in ("info", "down"):
        commands.add_parser(name).add_argument("--dir", required=True)
    for name in ("ceph", "rados"):
        sub = commands.add_parser(name)
        sub.add_argument("--dir", required=True)
    return parser


def main(argv: Optional[List[str]] = None) -> int:
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


def _end_on_signals() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def end(number: int, _: Any) -> None:
        for each in numbers:  # what is cleaned up now is not to be broken off by a second Ctrl-C
            signal.signal(each, signal.SIG_IGN)
        raise _Interrupted(number)

    for number in numbers:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup's choice stands
            signal.signal(number, end)


def _run(words: List[str]) -> int:
    cut = words.index("--") if "--" in words else len(words)
    args = _parser().parse_args(words[:cut])
    rest = words[cut + 1 :]
    if args.command in ("ceph", "rados"):
        from . import client, spec

        client.become(spec.load(args.dir), args.command, rest)
    from .api import DevCluster

    if args.command == "up":
        cluster = DevCluster.up(
            args.dir, release=args.release, osds=args.osds, hosts=args.hosts, mgrs=args.mgrs,
            dashboard=not args.no_dashboard, module=not args.no_module, cache=args.cache,
            keep_failed=args.keep_failed,
        )
        print(json.dumps(cluster.info(), indent=2))
    elif args.command == "info":
        print(json.dumps(DevCluster(args.dir).info(), indent=2))
    elif args.command == "down":
        DevCluster(args.dir).down()
    return 0
