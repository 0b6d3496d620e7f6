"""``ceph-perf-bench wait`` and ``run``: follow a round to its end; the exit code tells its verdict.

A failover of the mgr does not end the wait.
"""

from __future__ import annotations

import argparse
import errno
import math
import shutil
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Callable, Optional, TextIO

from ..errors import CommandFailed, NotNow
from ..model.json_fields import Json
from ..model.phrases import duration_text, harmless, one_line
from ..model.round import Change, RoundState, Verdict
from .client import CephClient, NoAnswer

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
    """Add both sub-commands and their options."""
    _add_run_to(commands)
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
    _add_options_to(parser)
    parser.set_defaults(run=_wait)


def _add_options_to(parser: argparse.ArgumentParser) -> None:
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


def _wait(args: argparse.Namespace, client: CephClient) -> int:
    """Wait and print how the round ended; returns the exit code. Raises CommandFailed."""
    ended = _followed(args, client, args.id)
    if ended is None:
        return EXIT_TIMED_OUT
    return 1 if verdict_of(ended) in args.fail_on else 0


def _followed(args: argparse.Namespace, client: CephClient, number: int) -> Optional[Json]:
    """Wait for the round's end and print it; None, and a sentence, if it is not in time."""
    ended = Follower(client, number, args.interval, args.timeout).until_ended()
    if ended is not None:
        print(harmless(summary(ended)), flush=True)
    return ended


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
    """The value of an option: over 0, and below any limit. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= _LONGEST:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number of seconds over 0, up to {_LONGEST:.0f}"
        )
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


# --- polling a round until it ends, with its progress -------------------------------------------


_WIDTH = 80
# Erases the rest of a terminal's line.
_ERASE = "\x1b[K"
# Seconds. A mgr that takes over needs up to a minute, so more frequent polling gains nothing.
_LONGEST_PAUSE = 15.0
# Seconds without any answer after which there is no perf_bench in the cluster.
_FIRST_ANSWER = 120.0


class _TimedOut(Exception):
    """The round has not ended in time; ``str()`` is the sentence shown."""


class Follower:
    """Polls one round; use one object for each round.

    Its progress is one line of a terminal that is drawn over and over, or lines for a log.
    """

    def __init__(
        self,
        client: CephClient,
        round_id: int,
        interval: float,
        timeout: Optional[float],
        stream: Optional[TextIO] = None,
    ) -> None:
        """``interval`` and ``timeout`` are in seconds; ``stream`` is stderr if not given."""
        self._client = client
        self._id = round_id
        self._interval = interval
        self._timeout = timeout
        self._stream = stream or sys.stderr
        self._began = time.monotonic()
        self._answered = self._drawn = False
        self._failures = 0
        self._last = ""
        self._stage: object = None

    def until_ended(self) -> Optional[Json]:
        """Wait for the end; returns the JSON object of ``round show``, None if it is not in time.

        Raises CommandFailed (no such round, no access, no perf_bench at all).
        """
        try:
            while True:
                pause = self._interval
                try:
                    ended = self._poll()
                    self._answered, self._failures = True, 0
                    if ended is not None:
                        return ended
                except NotNow as error:
                    pause = self._note_failure(str(error))
                left = self._left()
                time.sleep(pause if left is None else min(pause, left))
        except _TimedOut as error:
            self._say(f"ceph-perf-bench: {error}")
            return None
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the round in the cluster goes on") from None
        finally:
            self._clear()

    def _poll(self) -> Optional[Json]:
        """The round if it has ended; else shows its progress and returns None.

        A run of the client takes 0.5 s of CPU: ``round show`` runs only if ``status`` does not
        name the round.
        """
        active = self._ask("status")["active_round"]
        if active is not None and active["id"] == self._id:
            self._show(
                active["profile"], active["phase"], active["progress"], active["eta_seconds"]
            )
            return None
        shown: Json = self._ask("round", "show", str(self._id), "--limit", "1")
        if RoundState(shown["state"]).ended:
            return shown
        self._show(shown["profile"], shown["state"])
        return None

    def _ask(self, *words: str) -> Any:
        return self._client.ask("perf-bench", *words, limit=self._left())

    def _show(
        self,
        profile: str,
        phase: str,
        fraction: Optional[float] = None,
        eta: Optional[float] = None,
    ) -> None:
        """Tell how far it is; what is no terminal gets a line for each phase, and each tenth."""
        # Rounded down, so that 100 % means complete.
        percent = None if fraction is None else int(100 * fraction + 1e-9)
        done = "" if percent is None else f", {percent} %"
        left = "" if eta is None else f", {duration_text(eta)} left"
        self._last = one_line(f"round {self._id} {profile}: {phase}{done}{left}")
        stage = phase, None if percent is None else percent // 10
        if self._stream.isatty():
            # One column less: writing the last column moves a terminal to the next line.
            width = min(_WIDTH, shutil.get_terminal_size().columns) - 1
            self._write(f"\r{self._last[:width]}{_ERASE}")
            self._drawn = True
        elif stage != self._stage:
            self._stage = stage
            self._say(self._last)

    def _say(self, sentence: str) -> None:
        self._clear()
        self._write(f"{harmless(sentence)}\n")

    def _clear(self) -> None:
        if self._drawn:
            self._write(f"\r{_ERASE}")
            self._drawn = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()

    def _note_failure(self, sentence: str) -> float:
        """Report the first of several failed polls; returns the next pause in seconds."""
        self._left()  # raises _TimedOut: a call that our own time-out cut short is no failure
        waited = time.monotonic() - self._began
        if not self._answered and self._timeout is None and waited >= _FIRST_ANSWER:
            why = f"perf_bench gave no answer in {waited:.0f} s: {sentence}"
            raise CommandFailed(errno.ETIMEDOUT, why)
        if not self._failures:
            self._say(f"perf_bench gives no answer ({sentence}); trying again")
        self._failures += 1
        self._last = sentence
        return min(self._interval * 2.0 ** min(self._failures, 20), _LONGEST_PAUSE)

    def _left(self) -> Optional[float]:
        """Seconds until the time-out, None without one; raises _TimedOut after it."""
        if self._timeout is None:
            return None
        left = self._timeout - (time.monotonic() - self._began)
        if left <= 0:
            last = f" ({self._last})" if self._last else ""
            raise _TimedOut(f"round {self._id} has not ended within {self._timeout:g} s{last}")
        return left


# --- a round from its start to its verdict, and against the baseline ---------------------------


EXIT_COMPARED = 3
_CHANGES = tuple(change.value for change in Change)


def _add_run_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
    _add_options_to(parser)
    parser.add_argument(
        "--fail-on-change",
        metavar="CHANGES",
        type=words_of(_CHANGES),
        default=Change.WORSE.value,
        help=f"changes that make the exit code 3, of {', '.join(_CHANGES)} (default: %(default)s)",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace, client: CephClient) -> int:
    """Run the round; returns the exit code. Raises PerfBenchError."""
    options = [
        f"--{name}={value}"
        for name, value in (("osds", args.osds), ("label", args.label))
        if value is not None
    ]
    number = _start_round(client, args.profile, options)
    print(f"round {number}: started", flush=True)
    ended = _followed(args, client, number)
    if ended is None:
        return EXIT_TIMED_OUT
    if verdict_of(ended) in args.fail_on:
        return 1
    change = _compared(client, number, args.profile)
    return EXIT_COMPARED if change in args.fail_on_change else 0


def _start_round(client: CephClient, profile: str, options: Sequence[str]) -> int:
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
