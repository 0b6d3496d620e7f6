"""``ceph-perf-bench wait``: waits for a round to end; the exit code tells its verdict."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Collection, Mapping
from typing import Any, Callable

from ..model.phrases import harmless
from ..model.round import Verdict
from .client import CephClient
from .display import Display
from .follow import Follower, Pace, TimedOut

# The exit code of timeout(1).
EXIT_TIMED_OUT = 124
_BAD = tuple(
    verdict.value
    for verdict in (
        Verdict.NOISY, Verdict.ABORTED, Verdict.FAILED, Verdict.TOO_SHORT, Verdict.CONTAMINATED
    )
)  # fmt: skip
_DEFAULT_BAD = "failed,aborted"
# Thirty years; a system call takes no more than some hundred.
_LONGEST = 1e9


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command and its options."""
    parser = commands.add_parser(
        "wait",
        help="wait for a round to end",
        description=(
            "Waits for a round to end. Prints its state, verdict and reasons as one line on "
            "stdout, its progress on stderr. A failover of the mgr does not end the wait. Exit "
            "code: 0 ended with another verdict than --fail-on names, 1 its verdict is in "
            "--fail-on, 124 timed out, 2 no such round or no access, 130 Ctrl-C."
        ),
    )
    parser.add_argument("id", metavar="ID", type=_round_id, help="the round's number")
    add_options_to(parser)
    parser.set_defaults(run=run)


def add_options_to(parser: argparse.ArgumentParser) -> None:
    """Add the options of a wait: how long, how often, and which verdicts are failures."""
    parser.add_argument(
        "--timeout",
        metavar="S",
        type=seconds,
        help="give up after S seconds (default: wait as long as it takes)",
    )
    parser.add_argument(
        "--fail-on",
        metavar="VERDICTS",
        type=words_of(_BAD),
        default=_DEFAULT_BAD,
        help=f"verdicts that make the exit code 1, of {', '.join(_BAD)} (default: %(default)s)",
    )
    parser.add_argument(
        "--interval",
        metavar="S",
        type=seconds,
        default=2.0,
        help="seconds between two polls (default: %(default)g)",
    )


def run(args: argparse.Namespace, client: CephClient) -> int:
    """Wait and print how the round ended; returns the exit code. Raises CommandFailed."""
    display = Display(sys.stderr)
    follower = Follower(client, args.id, display, Pace(args.interval, args.timeout))
    try:
        ended = follower.until_ended()
    except TimedOut as error:
        display.say(f"ceph-perf-bench: {error}")
        return EXIT_TIMED_OUT
    finally:
        display.clear()
    print(harmless(summary(ended)))
    return 1 if verdict_of(ended) in args.fail_on else 0


def summary(ended: Mapping[str, Any]) -> str:
    """State, verdict and reasons on one line."""
    verdict = "" if ended["verdict"] in (None, ended["state"]) else f", {ended['verdict']}"
    reasons = "; ".join(" ".join(str(reason).split()) for reason in ended["reasons"])
    line = f"round {ended['id']}: {ended['state']}{verdict}"
    return f"{line}: {reasons}" if reasons else line


def verdict_of(ended: Mapping[str, Any]) -> str:
    """The verdict; without one, the state that the round ended in."""
    return str(ended["verdict"] or ended["state"])


def _round_id(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 15:
        raise argparse.ArgumentTypeError(f"'{text}' is not a round: give its number")
    return int(text)


def seconds(text: str) -> float:
    """The value of an option: finite and over 0. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds over 0")
    if value > _LONGEST:
        raise argparse.ArgumentTypeError(f"'{text}' is more than {_LONGEST:.0f} seconds")
    return value


def words_of(known: Collection[str]) -> Callable[[str], frozenset[str]]:
    """A parser of "noisy,aborted", of ``known`` words; an empty text means none."""

    def parse(text: str) -> frozenset[str]:
        names = frozenset(name.strip() for name in text.split(",") if name.strip())
        unknown = sorted(names - set(known))
        if unknown:
            raise argparse.ArgumentTypeError(f"'{unknown[0]}' is not one of {', '.join(known)}")
        return names

    return parse
