"""Runs the ``ceph`` command line client as a child process, also for a person who puts back.

librados is not used: every host with a keyring has ``ceph``, perhaps in a container or behind a
wrapper, and the client finds the active mgr itself.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import signal
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ..errors import Busy, CommandFailed, NotNow
from ..model.admission import QuiesceState

# Seconds. A healthy client takes half a second; without an active mgr it waits silently.
CALL_LIMIT = 30.0
# Shorter for a mgr that hangs than for monitors that elect a leader.
_MGR_LIMIT = 15.0
_GRACE = 1.0
# The client exits with the errno; retrying does not help with these.
_FINAL = {errno.ENOENT, errno.EACCES}
# Exit codes of a shell that cannot run the program.
_FINAL_SHELL = {126, 127}
_NO_CLIENT = "Error initializing cluster client"
# Commands that the monitors pass on to the active mgr; without one the client waits for it.
_OF_THE_MGR = "balancer "
# Errors of an mgr without the module perf_bench, or in which that module has failed.
_NOT_OURS = {errno.EINVAL, errno.ENOENT, errno.EOPNOTSUPP, errno.EIO}
_SENTENCE = re.compile(r"^Error E[A-Z]+: (.+)", re.MULTILINE)
_NAME = re.compile(r"^Error (E[A-Z0-9]+):", re.MULTILINE)


class NoAnswer(NotNow):
    """The client gave no answer in time: the command may be carried out all the same."""


class CephClient:
    """Runs ``ceph`` once for each command, each time with a time limit.

    Of the commands to the monitors the arguments become words, in the order given.
    """

    def __init__(self, command: Sequence[str], limit: float = CALL_LIMIT) -> None:
        """``command`` is the client with its own options; ``limit`` is in seconds."""
        self._command = list(command)
        self._limit = limit

    def ask(self, *words: str, limit: Optional[float] = None, file: Optional[str] = None) -> Any:
        """Run ``ceph WORDS``; returns its JSON output. Waits at most ``limit`` seconds.

        ``file`` is what the client reads as ``-i -``.

        Raises CommandFailed for an error that stays, NotNow where a retry may help: no mgr is
        active, its modules are still loading, the client hangs (NoAnswer).
        """
        seconds = self._limit if limit is None else min(limit, self._limit)
        code, out, err = _run([*self._command, *words, "--format", "json"], seconds, file)
        if code:
            sentence = self._sentence(code, err)
            if code in _FINAL or code in _FINAL_SHELL or _NO_CLIENT in err:
                raise CommandFailed(code, sentence)
            raise NotNow(sentence)
        try:
            return json.loads(out)
        except ValueError:
            raise NotNow(f"'ceph {' '.join(words)}' gave an answer that is not JSON") from None

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Run a command of the monitors; returns its output unparsed.

        Raises CommandFailed with the daemon's errno, or ETIMEDOUT without an answer.
        """
        return self._run(prefix, arguments).encode()

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """Run a command of the monitors; returns its JSON output. Raises CommandFailed."""
        try:
            return json.loads(self._run(prefix, arguments, "--format", "json"))
        except ValueError as error:
            raise CommandFailed(errno.EPROTO, f"{prefix}: unknown answer: {error}") from error

    def _run(self, prefix: str, arguments: Mapping[str, Any], *options: str) -> str:
        of_mgr = prefix.startswith((_OF_THE_MGR, "perf-bench "))
        if prefix.startswith(_OF_THE_MGR) and not self.command_json("mgr stat")["available"]:
            why = "no mgr is active, and the balancer is a part of the active mgr"
            raise CommandFailed(errno.EAGAIN, why)
        # After "--" no word is read as an option of the client.
        argv = [*self._command, *options, "--", *prefix.split(), *_words(arguments)]
        limit = min(_MGR_LIMIT, self._limit) if of_mgr else self._limit
        try:
            code, out, err = _run(argv, limit, None)
        except NotNow as error:
            raise CommandFailed(errno.ETIMEDOUT, str(error)) from error
        if code:
            raise CommandFailed(_errno(code, err), self._sentence(code, err))
        return out

    def _sentence(self, code: int, err: str) -> str:
        """The error message on stderr, else its last line."""
        messages = _SENTENCE.findall(err)
        lines = [line for line in err.splitlines() if line.strip()]
        told = str(messages[-1] if messages else lines[-1] if lines else "").strip()
        return told or f"'{self._command[0]}' ended with exit code {code}"


class PersonAuthority:
    """Decides whether a person may put settings back: only while no round holds them."""

    def __init__(self, client: CephClient, force: bool) -> None:
        self._client = client
        self._force = force
        # Epoch of the MgrMap in which no mgr with perf_bench was active: it is asked once.
        self._empty_epoch = -1
        # What the tool cannot put back it records in a key of its own.
        self.writer = f"tool-{uuid.uuid4().hex}"

    def check(self) -> None:
        """Raises Busy while a round holds settings, NotNow if that cannot be determined."""
        if self._force:
            return
        mgr_map = self._client.command_json("mgr dump")
        loadable = {module["name"] for module in mgr_map.get("available_modules", ())}
        enabled = "perf_bench" in loadable and "perf_bench" in mgr_map["modules"]
        if not mgr_map["available"] or not enabled or mgr_map["epoch"] == self._empty_epoch:
            return
        try:
            status = self._client.command_json("perf-bench quiesce status")
            state, holder = str(status["state"]), str(status["holder"])
        except (CommandFailed, TypeError, KeyError) as error:
            if isinstance(error, CommandFailed) and error.errno in _NOT_OURS:
                self._empty_epoch = mgr_map["epoch"]
                return
            why = str(error) if isinstance(error, CommandFailed) else f"unknown answer: {error!r}"
            raise NotNow(
                f"mgr.{mgr_map['active_name']} does not say whether a round holds these settings "
                f"({why}): try again in a minute, after a possible failover, or add --force"
            ) from error
        if state == QuiesceState.HELD.value:
            raise Busy(
                f"{holder} is running and holds these settings: end it with 'ceph perf-bench "
                f"round abort', which puts them back, or add --force to put them back now"
            )


def _words(arguments: Mapping[str, Any]) -> list[str]:
    """The arguments as words, with their names if a value looks like one ("--x")."""
    values = {name: str(value) for name, value in arguments.items()}
    if any(value.startswith("--") for value in values.values()):
        return [f"--{name}={value}" for name, value in values.items()]
    return list(values.values())


def _errno(code: int, err: str) -> int:
    """The errno named on stderr, else the exit code, which a wrapper may have changed."""
    names = _NAME.findall(err)
    return int(getattr(errno, names[-1], code)) if names else code


def _run(argv: list[str], limit: float, file: Optional[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a child. Raises NoAnswer after ``limit`` seconds."""
    child: Optional[subprocess.Popen[str]] = None
    try:
        child = _start(argv, file)
        out, err = child.communicate(file, timeout=limit)
    except BaseException as error:
        if child is not None:
            _end(child)
        if isinstance(error, subprocess.TimeoutExpired):
            raise NoAnswer(f"'{argv[0]}' gave no answer within {limit:.3g} s") from None
        raise
    return child.returncode, out, err


def _start(argv: list[str], file: Optional[str]) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL if file is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # A process group of its own: Ctrl-C does not reach it, and a wrapper can be ended
            # together with its children.
            start_new_session=True,
        )
    except OSError as error:
        raise CommandFailed(
            error.errno or errno.EIO, f"cannot run '{argv[0]}': {error.strerror}"
        ) from error


def _end(child: subprocess.Popen[str]) -> None:
    """End a child and its process group, and close our ends of its pipes."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        # It has already ended, or we may not signal it (sudo).
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.communicate(timeout=_GRACE)
            break
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
