"""The command line of ``ceph-perf-bench``: global options, then a sub-command."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NoReturn, Optional

from ..errors import PerfBenchError
from ..model.phrases import harmless
from ..version import VERSION
from . import check, facts, install, restore, service, wait, worker
from .client import CephClient

PROGRAM = "ceph-perf-bench"
EXIT_USAGE = 2
# Each has add_to(commands), which sets ``run``: (arguments, client) -> exit code.
_SUB_COMMANDS = (install, check, wait, restore, facts, worker, service)


class UsageError(Exception):
    """Bad arguments, in one sentence."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run one sub-command; returns the exit code. Errors are one sentence on stderr."""
    try:
        args = command_line().parse_args(argv)
        with _ended_by_sigterm():
            code: int = args.run(args, CephClient(_client_command(args)))
            # At the end of the interpreter it would be no sentence. There may be no stdout (">&-").
            print(end="", flush=True)
            return code
    except (UsageError, PerfBenchError) as error:
        print(harmless(f"{PROGRAM}: {error}"), file=sys.stderr)
        return EXIT_USAGE
    except BrokenPipeError:  # as by "| head"
        _drop_output()
        return 128 + signal.SIGPIPE
    except OSError as error:  # as of a full file system
        _drop_output()
        why = error.strerror if error.strerror and error.filename is None else error
        print(harmless(f"{PROGRAM}: {why}"), file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt as error:  # raised anew by who knows what goes on
        print(f"{PROGRAM}: {'; '.join(('interrupted', *map(str, error.args)))}", file=sys.stderr)
        return 128 + signal.SIGINT


def _drop_output() -> None:
    """Send what is not written yet nowhere, or the interpreter would fail on it again."""
    with suppress(OSError, ValueError):  # a stream without a file
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def command_line() -> _Parser:
    """The parser of all sub-commands."""
    parser = _Parser(prog=PROGRAM, description="The host tool of the ceph-mgr module perf_bench.")
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {VERSION}")
    parser.add_argument(
        "--ceph",
        metavar="CMD",
        type=_words,
        default=["ceph"],
        help="the client's command, with a wrapper before it if needed (default: ceph)",
    )
    for short, long_, what in (
        ("-c", "--conf", "the cluster's ceph.conf"),
        ("-n", "--name", "the client's name, as client.admin"),
        ("-k", "--keyring", "the client's keyring"),
    ):
        parser.add_argument(short, long_, metavar=long_[2:].upper(), help=f"{what}, for the client")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for sub_command in _SUB_COMMANDS:
        sub_command.add_to(commands)
    return parser


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}") from None
    if not words:
        raise argparse.ArgumentTypeError("the client's command is empty")
    return words


def _client_command(args: argparse.Namespace) -> list[str]:
    command = list(args.ceph)
    for name in ("conf", "name", "keyring"):
        value = getattr(args, name)
        if value is not None:
            command += [f"--{name}", value]
    return command


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Turn SIGTERM into SystemExit, so that the client is ended and the bar is cleared."""

    def end(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
