"""Runs the ``ceph`` command line client as a child process.

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
from collections.abc import Sequence
from typing import Any, Optional

from ..errors import CommandFailed, NotNow

# Seconds. A healthy client takes half a second; without an active mgr it waits silently.
CALL_LIMIT = 30.0
_GRACE = 1.0
# The client exits with the errno; retrying does not help with these.
_FINAL = {errno.ENOENT, errno.EACCES}
# Exit codes of a shell that cannot run the program.
_FINAL_SHELL = {126, 127}
_NO_CLIENT = "Error initializing cluster client"
_SENTENCE = re.compile(r"^Error E[A-Z]+: (.+)", re.MULTILINE)
_NAME = re.compile(r"^Error (E[A-Z0-9]+):", re.MULTILINE)


class NoAnswer(NotNow):
    """The client gave no answer in time: the command may be carried out all the same."""


class CephClient:
    """Runs ``ceph`` once for each command, each time with a time limit."""

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
            sentence = _sentence(err) or f"'{self._command[0]}' ended with exit code {code}"
            if code in _FINAL or code in _FINAL_SHELL or _NO_CLIENT in err:
                raise CommandFailed(code, sentence)
            raise NotNow(sentence)
        try:
            return json.loads(out)
        except ValueError:
            raise NotNow(f"'ceph {' '.join(words)}' gave an answer that is not JSON") from None

    def command(
        self, *words: str, options: Sequence[str] = (), limit: Optional[float] = None
    ) -> str:
        """Run ``ceph WORDS``; returns its output unparsed. No word is read as a client option.

        Raises CommandFailed with the daemon's errno, or ETIMEDOUT without an answer.
        """
        seconds = self._limit if limit is None else min(limit, self._limit)
        try:
            code, out, err = _run([*self._command, *options, "--", *words], seconds, None)
        except NotNow as error:
            raise CommandFailed(errno.ETIMEDOUT, str(error)) from error
        if code:
            sentence = _sentence(err) or f"'{self._command[0]}' ended with exit code {code}"
            raise CommandFailed(_errno(code, err), sentence)
        return out


def _errno(code: int, err: str) -> int:
    """The errno named on stderr, else the exit code, which a wrapper may have changed."""
    names = _NAME.findall(err)
    return int(getattr(errno, names[-1], code)) if names else code


def _sentence(err: str) -> str:
    """The error message on stderr, else its last line."""
    messages = _SENTENCE.findall(err)
    lines = [line for line in err.splitlines() if line.strip()]
    return str(messages[-1] if messages else lines[-1] if lines else "").strip()


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
