"""The cluster, asked through its own command line client as a child process.

Not through librados: a host that has a keyring has ``ceph``, in whatever container or behind
whatever wrapper, and the client itself finds the mgr that is active now.
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

# A healthy client takes half a second. Without an active mgr it waits for one, silently.
CALL_LIMIT = 30.0
_GRACE = 1.0
# The client exits with the errno: these say that there is no such thing, or no way in for us.
_FINAL = {errno.ENOENT, errno.EACCES}
# What a shell says of a program that it cannot run.
_FINAL_SHELL = {126, 127}
_NO_CLIENT = "Error initializing cluster client"
_SENTENCE = re.compile(r"^Error E[A-Z]+: (.+)", re.MULTILINE)
_NAME = re.compile(r"^Error (E[A-Z0-9]+):", re.MULTILINE)


class CephClient:
    """Runs ``ceph`` once for every question, each time with a limit."""

    def __init__(self, command: Sequence[str], limit: float = CALL_LIMIT) -> None:
        """``command`` is the client with its own options; ``limit`` is in seconds."""
        self._command = list(command)
        self._limit = limit

    def ask(self, *words: str, limit: Optional[float] = None, file: Optional[str] = None) -> Any:
        """The JSON answer of ``ceph WORDS``, waited for at most ``limit`` seconds.

        ``file`` is what the client reads as ``-i -``.

        Raises CommandFailed when the answer is no and stays no, and NotNow when there was none:
        no mgr is active, it does not have its modules yet, the client hangs.
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
        """What ``ceph WORDS`` prints, as it is; no word is taken for an option of the client.

        Raises CommandFailed with the daemon's errno, ETIMEDOUT when there was no answer.
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
    """The error that the client names; a wrapper around it may have exit codes of its own."""
    found = _NAME.findall(err)
    return int(getattr(errno, found[-1], code)) if found else code


def _sentence(err: str) -> str:
    """What the client has to say: the error's own sentence, else its last words."""
    found = _SENTENCE.findall(err)
    lines = [line for line in err.splitlines() if line.strip()]
    return str(found[-1] if found else lines[-1] if lines else "").strip()


def _run(argv: list[str], limit: float, file: Optional[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a child. Raises NotNow after ``limit`` seconds."""
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL if file is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # A group of its own: Ctrl-C is ours to handle, and a wrapper ends with its children.
            start_new_session=True,
        )
    except OSError as error:
        raise CommandFailed(
            error.errno or errno.EIO, f"cannot run '{argv[0]}': {error.strerror}"
        ) from error
    with child:
        try:
            out, err = child.communicate(file, timeout=limit)
        except subprocess.TimeoutExpired:
            _end(child)
            raise NotNow(f"'{argv[0]}' gave no answer within {limit:.3g} s") from None
        except BaseException:
            _end(child)
            raise
    return child.returncode, out, err


def _end(child: subprocess.Popen[str]) -> None:
    """End a child and all that it started; nobody waits for pipes that one of them kept."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        # Gone already, or not ours to signal (sudo): either way there is nothing more to do.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.communicate(timeout=_GRACE)
            break
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
