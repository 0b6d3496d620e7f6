"""An operator at a terminal: types commands, reads what they print, waits for what happens."""

from __future__ import annotations

import errno
import json
import re
import shlex
import subprocess
import time
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Callable, TypeVar

from cluster.api import DevCluster
from cluster.errors import ClusterError
from cluster.resident import Reply
from cluster.waiting import wait_for
from perf_bench.answers.questions import QUESTIONS

T = TypeVar("T")
DEVCLUSTER = Path(__file__).resolve().parents[1] / "devcluster"
# A mgr needs up to 30 s to take over the database of a killed one: the lease of its lock.
FAILOVER_SECONDS = 120.0
# All limits below are bounds for a machine that is slow and busy, not what is promised.
READY_SECONDS = 300.0
# A mgr tells the mons of its modules' health checks with its next report.
HEALTH_SECONDS = 180.0
# Samples of a gigabyte each, of OSDs that share one disk.
ROUND_SECONDS = 900.0
# Verdicts of rounds in which all was measured, and nothing else went on.
MEASURED = ("valid", "noisy", "too-short")


def unhurried(cluster: DevCluster) -> None:
    """Let rounds follow each other: a day's in minutes, on OSDs that die between them."""
    options = {
        "admission_wear_gib_per_day": 10000,
        "admission_flap_seconds": 1,
        "admission_map_changes": 0,
    }
    for name, value in options.items():
        cluster.ceph("config", "set", "mgr", f"mgr/perf_bench/{name}", str(value))


def balancer_as_made(cluster: DevCluster) -> None:
    """The balancer on, its option not set, also not in the active mgr, which hears of no "rm"."""
    option = ("mgr", "mgr/balancer/active")
    cluster.ceph("config", "set", *option, "true")

    # Nothing tells when the mgr has heard of it. Woken before, it goes off, and then "on" sets it.
    def stays_on() -> bool:
        with suppress(ClusterError):  # a mgr that is about to take over
            for _ in range(2):
                cluster.ceph("balancer", "on")
                time.sleep(1.0)
                if not cluster.ceph_json("balancer", "status")["active"]:
                    return False
            return True
        return False

    wait_for(stays_on, 120.0, lambda: "the balancer does not stay on")
    cluster.ceph("config", "rm", *option)


def follows_from_its_figures(found: Any) -> bool:
    """Whether the verdict of a comparison is the one that its change and interval allow."""
    change, least = found["change_percent"], found["least_percent"]
    low, high = found["interval_percent"]
    better, worse = low > 0 and change >= least, high < 0 and -change >= least
    allowed = {
        "better": better,
        "worse": worse,
        "same": -least < low <= change <= high < least,
        "inconclusive": low <= change <= high and not (-least < low and high < least),
    }
    return bool(allowed[found["verdict"]])


class Away(AssertionError):
    """No mgr answered that has read its database."""


# What a command ends with while a mgr takes over, or the database waits for OSDs.
_AWAY = (errno.EAGAIN, errno.EOPNOTSUPP, errno.ETIMEDOUT)
_NOT_LOADED = "no valid command found"
# What is said then: other sentences with these codes are refusals.
_SAID = re.compile(
    "the database (in the cluster )?(gave no answer|is busy|did not tell all|does not answer)"
    "|too much waits for the database|not read from the database yet|has just become active"
    "|not confirmed within|Module 'perf_bench' is not"
)
# Commands that change nothing, as lists of words: they may be typed twice.
_READING = [question.name.split() for question in QUESTIONS if not question.writes]
# Whether this thread looks for something: then one that fails is looked past already.
_LOOKING: ContextVar[bool] = ContextVar("looking", default=False)


class Operator:
    """Types `ceph perf-bench …` on one cluster, through the release's own client."""

    def __init__(self, cluster: DevCluster) -> None:
        self.cluster = cluster

    def types(self, *words: str) -> Reply:
        """Run the command; a client that hangs for a minute is a failure of its own."""
        return self.cluster.types("perf-bench", *words)

    def pastes(self, line: str) -> Reply:
        """Run a line as it was printed, in a shell whose ``ceph`` is this cluster's client."""
        client = shlex.join([str(DEVCLUSTER), "ceph", "--dir", str(self.cluster.spec.dir), "--"])
        done = subprocess.run(
            ["sh", "-e", "-c", f'ceph() {{ {client} "$@"; }}\n{line}'],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Reply(done.returncode, done.stdout, done.stderr)

    def asks(self, *words: str) -> Any:
        """The command's JSON; the command must succeed. Raises Away, AssertionError otherwise.

        One that only reads is typed until a mgr answers that has read its database.
        """
        reads = "--dry-run" in words or any(words[: len(one)] == (*one,) for one in _READING)
        if _LOOKING.get() or not reads:
            return self.asks_once(*words)
        return self.sees(f"an answer to {words}", lambda: (self.asks_once(*words),))[0]

    def asks_once(self, *words: str) -> Any:
        """As `asks`, but what no mgr answers raises Away at once."""
        reply = self.types(*words, "--format", "json")
        if reply.code in _AWAY or _NOT_LOADED in reply.err:
            raise Away(words, reply)
        assert reply.code == 0, (words, reply)
        return json.loads(reply.out)

    def answered(self, *words: str) -> Reply:
        """As `types`, but until a mgr answers that has read its database: may be typed twice."""

        def reply() -> Reply:
            found = self.types(*words)
            away = found.code in _AWAY and _SAID.search(found.err)
            if away or found.code == errno.ETIMEDOUT or _NOT_LOADED in found.err:
                raise Away(words, found)
            return found

        return reply() if _LOOKING.get() else self.sees(f"an answer to {words}", reply)

    def carries_out(self, *words: str, done: int = 0) -> Any:
        """As `asks`, but again while no mgr answers or something else is under way (EBUSY).

        A try without an answer may have been carried out: ``done`` is the error that the next one
        then ends with, and None is returned.
        """
        tries: list[int] = []

        def tried() -> tuple[Any] | None:
            tries.append(1)
            reply = self.types(*words, "--format", "json")
            if reply.code in _AWAY or _NOT_LOADED in reply.err:
                raise Away(words, reply)
            if reply.code == errno.EBUSY:
                tries.pop()  # it was not
                return None
            if reply.code and reply.code == done and len(tries) > 1:
                return (None,)
            assert reply.code == 0, (words, reply)
            return (json.loads(reply.out),)

        return self.sees(f"{words} carried out", tried)[0]

    def refused(self, *words: str) -> Reply:
        """Run a command that must fail; asserts that it does."""
        reply = self.answered(*words)
        assert reply.code != 0, reply
        return reply

    def starts(self, *words: str) -> int:
        """Start a round as soon as the cluster is fit for one, return its ID.

        The balancer may move a group right before, and then a start is rightly refused for now. The
        round before may count as running for a moment. One that the database does not confirm in
        time may run all the same, and then another one is started after it.
        """
        last: list[Reply] = []

        def started() -> Reply | None:
            reply = self.types("round", "start", *words, "--format", "json")
            last[:] = [reply]
            later = reply.code in (errno.EBUSY, *_AWAY) or _NOT_LOADED in reply.err
            return None if later else reply

        def unfit() -> str:
            return f"the cluster stayed unfit for a round: {last}"

        reply = wait_for(started, READY_SECONDS, unfit, every=1.0)
        assert reply.code == 0, reply
        return int(json.loads(reply.out)["id"])

    def sees(self, what: str, look: Callable[[], T | None], seconds: float = 180.0) -> T:
        """Look until there is something, and return it.

        Commands that no mgr or no daemon answers are looked past; any other error ends it.
        """

        def try_to_look() -> T | None:
            token = _LOOKING.set(True)
            try:
                return look()
            except (Away, ClusterError, subprocess.TimeoutExpired):
                return None
            finally:
                _LOOKING.reset(token)

        def missing() -> str:
            try:
                health = self.cluster.ceph("health", "detail", timeout=10)
            except (ClusterError, subprocess.TimeoutExpired) as error:
                health = str(error)
            return f"{what} was not seen; health then: {health.strip()}"

        every = 0.5 if seconds > 180 else min(0.2, seconds / 300)
        return wait_for(try_to_look, seconds, missing, every=every)

    def sees_in_health(self, code: str, *words: str) -> str:
        """Wait until ``health detail`` has the check and all of the words; return the text.

        What it says may come in parts: the mgr tells of what it knows so far.
        """

        def told() -> str:
            text = self.cluster.ceph("health", "detail")
            return text if all(one in text for one in (code, *words)) else ""

        return self.sees(" and ".join((code, *words)) + " in health", told, HEALTH_SECONDS)

    def sees_gone_from_health(self, code: str) -> None:
        """Wait until ``health detail`` has the check no more."""

        def gone() -> bool:
            return code not in self.cluster.ceph("health", "detail")

        self.sees(f"health without {code}", gone, HEALTH_SECONDS)

    def sees_the_end_of(self, round_id: int, seconds: float = ROUND_SECONDS) -> Any:
        """Wait until the round has ended and return it whole."""

        def ended() -> Any:
            shown = self.asks("round", "show", str(round_id))
            return shown if shown["state"] in {"done", "aborted", "failed"} else None

        return self.sees(f"the end of round {round_id}", ended, seconds)

    def measures(self, *words: str, tries: int = 3) -> Any:
        """Start a round, and once more if it was disturbed or ended; returns it whole."""
        why = None
        for _ in range(tries):
            found = self.sees_the_end_of(self.starts(*words))
            if found["verdict"] in MEASURED:
                return found
            why = found["reasons"]
        raise AssertionError(f"none of {tries} rounds was left alone: {why}")

    def sees_samples_of(self, round_id: int, count: int, seconds: float = ROUND_SECONDS) -> Any:
        """Wait until that many samples are in the store."""

        def there() -> Any:
            samples = self.asks("round", "show", str(round_id))["samples"]
            return samples if len(samples) >= count else None

        return self.sees(f"{count} samples of round {round_id}", there, seconds)

    def sees_it_ready(self, seconds: float = READY_SECONDS) -> Any:
        """Wait until the active mgr has read its database and runs no round."""

        def ready() -> Any:
            status = self.asks("status")
            # A dry run answers before; only a start is refused until the database is read.
            store = status["store"]
            calm = store["ready"] and store["error"] is None and status["active_round"] is None
            return status if calm and self._may_start() else None

        return self.sees("a ready module", ready, seconds)

    def sees_the_database(self, seconds: float = READY_SECONDS) -> Any:
        """Wait until it has been read, and return its status; health may have checks of ours."""

        def there() -> Any:
            store = self.asks("status")["store"]
            return store if store["ready"] and store["error"] is None else None

        return self.sees("a database that was read", there, seconds)

    def sees_no_round(self) -> None:
        """Abort the round that runs, or that a mgr is about to carry on, and wait for its end."""

        def none() -> bool:
            status = self.asks("status")
            if status["active_round"]:
                self.types("round", "abort")
            return bool(status["store"]["ready"]) and not status["active_round"]

        self.sees("no round", none, READY_SECONDS)

    def _may_start(self) -> bool:
        plan = self.asks("round", "start", "osd-iops", "--dry-run")
        return bool(plan["admission"]["allowed"])

    def active_mgr(self) -> str:
        """The name of the active mgr, "" while there is none."""
        return str(self.cluster.ceph_json("mgr", "dump")["active_name"])
