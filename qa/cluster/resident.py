"""Python programs of a cluster's release that stay: an order takes milliseconds.

They run in the cluster's own root, for the client library has to be the release's. A new `ceph`
takes half a second of a core to start and to connect.
"""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

from .daemons import environment
from .errors import ClusterError
from .namespaces import inside
from .processes import Process, end
from .spec import Spec


class Reply(NamedTuple):
    """What a command left on the terminal."""

    code: int
    out: str
    err: str


class Silent(ClusterError):
    """There was no answer in time, or the program ended."""


class Ended(Silent):
    """The program ended instead of an answer."""


class Resident:
    """One program. It starts with the first order, and anew after one that was not answered.

    So it does if it has ended since the last one: Ceph 16's library dies now and then of SIGSEGV
    when the mgr changes, also where nothing is ordered.
    """

    def __init__(self, spec: Spec, program: str, *words: str) -> None:
        """`program` reads orders and writes answers, each one line of JSON."""
        self._spec = spec
        self._argv = ["python3", "-c", program, *words]
        self._child: Optional[subprocess.Popen[str]] = None

    def ask(self, order: Any, seconds: float) -> Any:
        """The answer. Raises Silent when there is none within so many seconds, Ended at once."""
        child = self._running()
        assert child.stdin is not None  # noqa: S101 - it was opened with pipes
        assert child.stdout is not None  # noqa: S101
        answer: Optional[str] = ""
        try:
            child.stdin.write(json.dumps(order) + "\n")
            child.stdin.flush()
            told = select.select([child.stdout], [], [], seconds)[0]
            answer = child.stdout.readline() if told else None
        except BrokenPipeError:
            pass
        if not answer:
            self.close()
            if answer is None:
                raise Silent(f"no answer in {seconds:g} s")
            raise Ended("no answer, for its client ended")
        return json.loads(answer)

    def close(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        if child.poll() is None:
            process = Process.of(child.pid)
            end([process] if process else [], grace=0)
        # Closes the pipes, one of which may hold an order that nobody reads any more.
        with contextlib.suppress(BrokenPipeError), child:
            child.wait()

    def _running(self) -> subprocess.Popen[str]:
        if self._child is not None and self._child.poll() is not None:
            self.close()
        if self._child is None:
            self._child = subprocess.Popen(
                inside(self._spec, self._argv),
                env=environment(self._spec),
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # Ctrl-C is for us: what we clean up needs it
            )
        return self._child


# The release's own `ceph`, whose commands share one connection and one reading of what commands
# there are. To find a command it copies each of a thousand signatures, which takes a core 0.08 s;
# here only those whose first word fits. An order is [words, stdin]; an answer is
# [code, stdout, stderr].
_CEPH = """
import functools, json, os, shutil, sys, tempfile, traceback
import ceph_argparse, rados

class Shared(rados.Rados):
    def conf_parse_argv(self, words):
        return words  # a handle that is connected cannot: options of the library are not shared
    def connect(self, *words, **named):
        if self.state != "connected":
            super().connect(*words, **named)

shared = functools.lru_cache(maxsize=None)(lambda: Shared(name="client.admin", conffile=""))

class Handles:
    def __call__(self, *words, **named):
        return shared()
    def __getattr__(self, name):
        return getattr(Shared, name)  # `ceph` of 18 and 20 reads constants of the class

rados.Rados = Handles()
path = shutil.which("ceph")
ceph = {"__name__": "ceph", "__file__": path}
with open(path) as file:
    exec(compile(file.read(), path, "exec"), ceph)
ceph["parse_json_funcsigs"] = functools.lru_cache(maxsize=2)(ceph["parse_json_funcsigs"])

match = ceph_argparse.matchnum

def match_by_first_word(args, signature, partial=False):
    first = signature[0].instance if args and signature else None
    if isinstance(first, ceph_argparse.CephPrefix) and not first.prefix.startswith(args[0]):
        return 0
    return match(args, signature, partial)

ceph_argparse.matchnum = match_by_first_word

def run(words):
    try:
        return ceph["main"]()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except Exception:
        traceback.print_exc()
        return 1

orders, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
for line in orders:
    words, given = json.loads(line)
    files = [tempfile.TemporaryFile() for _ in range(3)]
    files[0].write(given.encode())
    files[0].seek(0)
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
    sys.stdin = open(0, closefd=False)
    sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))
    sys.argv = ["ceph", *words]
    code = run(words)
    sys.stdout.flush()
    sys.stderr.flush()
    texts = []
    for file in files[1:]:
        file.seek(0)
        texts.append(file.read().decode(errors="replace"))
        file.close()
    print(json.dumps([code or 0, *texts]), file=answers, flush=True)
"""
# Options by which a command is of another user or connects otherwise.
_OF_THE_CONNECTION = {"-n", "--name", "--id", "-k", "--keyring", "--connect-timeout", "-c"}


class Terminals:
    """Each `ceph` command on a resident one that has nothing else to do; several at a time."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._lock = threading.Lock()
        self._idle: list[Resident] = []
        self._all: list[Resident] = []

    def ceph(self, words: Sequence[str], stdin: str, seconds: float) -> Reply:
        """Run `ceph WORDS`. Raises subprocess.TimeoutExpired as `subprocess.run` does."""
        with self._lock:
            resident = self._idle.pop() if self._idle else Resident(self._spec, _CEPH)
            self._all.append(resident)
        began = time.monotonic()
        try:
            return Reply(*resident.ask([list(words), stdin], seconds))
        except Silent:
            if time.monotonic() - began < seconds:
                raise
            raise subprocess.TimeoutExpired(["ceph", *words], seconds) from None
        finally:
            with self._lock:
                self._idle.append(resident)
                self._all.remove(resident)

    def close(self) -> None:
        with self._lock:
            for resident in [*self._idle, *self._all]:
                resident.close()
            self._idle.clear()


def is_shared(words: Sequence[str]) -> bool:
    """Whether the command can have the connection of others."""
    return not any(word.partition("=")[0] in _OF_THE_CONNECTION for word in words)
