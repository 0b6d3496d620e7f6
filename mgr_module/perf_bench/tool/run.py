"""``ceph-perf-bench run``: a round from its start to its verdict, and against the baseline."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, Optional

from ..model.comparison import Change
from ..model.phrases import harmless
from .client import CephClient, NoAnswer
from .display import Display
from .follow import Follower, Pace, TimedOut
from .wait import EXIT_TIMED_OUT, add_options_to, summary, verdict_of, words_of

EXIT_COMPARED = 3
_CHANGES = tuple(change.value for change in Change)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command and its options."""
    parser = commands.add_parser(
        "run",
        help="start a round, wait for it, and compare it with its profile's baseline",
        description=(
            "Starts a round, waits for its end, and compares it with the baseline of its profile "
            "if there is one. Prints a line for each on stdout, its progress on stderr. Exit "
            "code: 0 all is well, 1 the round's verdict is in --fail-on, 3 the comparison's is in "
            "--fail-on-change, 124 timed out (the round goes on), 2 the round was refused, there "
            "is no access, or it is not known whether it has started, 130 Ctrl-C (the round goes "
            "on)."
        ),
    )
    parser.add_argument("profile", metavar="PROFILE", help="the profile of the round")
    parser.add_argument("--osds", metavar="OSDS", help="only these OSDs, as 'round start' has it")
    parser.add_argument("--label", metavar="TEXT", help="a label for the round")
    add_options_to(parser)
    parser.add_argument(
        "--fail-on-change",
        metavar="CHANGES",
        type=words_of(_CHANGES),
        default=Change.WORSE.value,
        help=f"changes that make the exit code 3, of {', '.join(_CHANGES)} (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, client: CephClient) -> int:
    """Run the round; returns the exit code. Raises PerfBenchError."""
    options = [
        f"--{name}={value}"
        for name, value in (("osds", args.osds), ("label", args.label))
        if value is not None
    ]
    number = _start(client, args.profile, options)
    print(f"round {number}: started", flush=True)
    display = Display(sys.stderr)
    follower = Follower(client, number, display, Pace(args.interval, args.timeout))
    try:
        ended = follower.until_ended()
    except TimedOut as error:
        display.say(f"ceph-perf-bench: {error}")
        return EXIT_TIMED_OUT
    finally:
        display.clear()
    print(harmless(summary(ended)), flush=True)
    if verdict_of(ended) in args.fail_on:
        return 1
    change = _compared(client, number, args.profile)
    return EXIT_COMPARED if change in args.fail_on_change else 0


def _start(client: CephClient, profile: str, options: Sequence[str]) -> int:
    """Start the round; returns its number. Raises PerfBenchError."""
    unknown = "whether a round has started is not known, 'ceph perf-bench round ls' shows it"
    try:
        return int(client.ask("perf-bench", "round", "start", profile, *options)["id"])
    except NoAnswer as error:  # the mgr may be slow, and start it yet
        raise NoAnswer(f"{error}: {unknown}") from error
    except KeyboardInterrupt:
        raise KeyboardInterrupt(unknown) from None


def _compared(client: CephClient, number: int, profile: str) -> Optional[str]:
    """Print how the round compares with its baseline; returns the verdict, None without one."""
    baselines = client.ask("perf-bench", "baseline", "ls")
    found = [one["round"] for one in baselines if one["profile"] == profile]
    if not found:
        print(f"{profile} has no baseline: not compared")
        return None
    pair = (str(found[0]), str(number))
    shape = client.ask("perf-bench", "round", "compare", *pair, "--limit", "1")
    print(harmless(_change(shape)))
    return str(shape["verdict"])


def _change(shape: dict[str, Any]) -> str:
    """The comparison on one line."""
    change = "" if shape["change_percent"] is None else f" {shape['change_percent']:+.1f} %"
    why = "; ".join(" ".join(str(one).split()) for one in shape["why"])
    line = f"round {shape['b']} against baseline {shape['a']}: {shape['verdict']}{change}"
    return f"{line}: {why}" if why else line
