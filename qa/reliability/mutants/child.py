"""Tries mutants in a tree of its own: `python -m reliability.mutants.child FOLDER LOG`.

It collects the tests of a folder once. Each line of its stdin is a mutant; for each it forks, puts
the change into the functions that were imported, and runs the tests that reach it until one fails.
What is not in the body of a function, and what imports have run, is tried by another interpreter.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NoReturn, TextIO

import pytest

from .kinds import MODULE, tests_of

_CHOSEN = Path("../chosen.json")
_MORE_SECONDS = 10
# Others work on the machine: what waits long has not hung.
_WALL = 6
_MEMORY = 8 << 30
_QUIET = ("-q", "-x", "-p", "no:cacheprovider", "--basetemp=../basetemp")


class _Elsewhere(Exception):
    """A change that is not within functions."""


class _Server:
    """Runs mutants instead of the tests that pytest has collected."""

    def __init__(self, answers: TextIO) -> None:
        self._answers = answers

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        for line in sys.stdin:
            print(json.dumps(_tried(json.loads(line), items)), file=self._answers, flush=True)
        return True


def _tried(order: dict[str, Any], items: dict[str, pytest.Item]) -> dict[str, Any]:
    """What becomes of a mutant: killed by a test, or by its time limit, or not at all."""
    path = Path(MODULE, order["file"]).resolve()
    source = path.read_text(encoding="utf-8")
    chosen = [items[name] for name in order["tests"] if name in items]
    began = time.monotonic()
    killer = Path("../killer")
    killer.write_text("", encoding="utf-8")
    path.write_text(order["changed"], encoding="utf-8")
    Path(cache_from_source(str(path))).unlink(missing_ok=True)
    try:
        status = _forked(order, str(path), source, chosen)
    finally:
        path.write_text(source, encoding="utf-8")
        _CHOSEN.unlink(missing_ok=True)
        for left in Path("../basetemp").glob("*"):
            shutil.rmtree(left, ignore_errors=True)
    by = killer.read_text(encoding="utf-8") or ("" if status == 0 else f"status {status}")
    return {"by": by, "tests": len(chosen), "seconds": time.monotonic() - began}


def _forked(order: dict[str, Any], path: str, source: str, chosen: Sequence[pytest.Item]) -> int:
    limit = _MORE_SECONDS + 3 * order["seconds"]
    child = os.fork()
    if not child:
        _mutant(order, path, source, chosen, int(limit))
    ends = time.monotonic() + _WALL * limit
    try:
        while time.monotonic() < ends:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                return status
            time.sleep(0.01)
        os.kill(child, signal.SIGKILL)
        return os.waitpid(child, 0)[1]
    finally:
        # What its tests have started is in its session.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)


def _mutant(
    order: dict[str, Any], path: str, source: str, chosen: Sequence[pytest.Item], limit: int
) -> NoReturn:
    """In the child: the tests on the changed code; the status says whether one failed."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    try:
        if order["imported"]:
            raise _Elsewhere
        _put_in(path, source, order["changed"])
    except (_Elsewhere, ValueError):
        names = [item.nodeid for item in chosen]
        _CHOSEN.write_text(json.dumps(names), encoding="utf-8")
        files = dict.fromkeys(name.partition("::")[0] for name in names)
        # Not the folder itself on the path: its mgr_module would hide Ceph's.
        again = ["-P", "-m", "pytest", "-p", "reliability.mutants.child", *_QUIET, *files]
        os.execv(sys.executable, [sys.executable, *again])  # noqa: S606 - limits, session: kept
    except BaseException:  # noqa: BLE001 - the change makes something that cannot even be put in
        os._exit(3)
    status = 1
    try:
        for item, after in zip(chosen, [*chosen[1:], None]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        status = 0
    finally:
        os._exit(status)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In another interpreter, only the tests of the mutant, in their order."""
    if _CHOSEN.is_file():
        found = {item.nodeid: item for item in items}
        items[:] = [found[name] for name in json.loads(_CHOSEN.read_text(encoding="utf-8"))]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The first test that fails ends a mutant (a plugin's function, in both interpreters)."""
    if report.failed:
        Path("../killer").write_text(report.nodeid, encoding="utf-8")
        os._exit(1)


def _put_in(path: str, source: str, changed: str) -> None:
    """Change the functions that exist; raises _Elsewhere if the change is not in their bodies."""
    swaps = dict(_swaps(compile(source, path, "exec"), compile(changed, path, "exec")))
    gc.unfreeze()  # tests/conftest.py hides what the collection made
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename == path:
            new = swaps.get(each.__code__)
            if new is not None:
                each.__code__ = new


def _swaps(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions that differ, each with the new one."""
    ours, theirs = _within(old), _within(new)
    if old.co_flags & inspect.CO_OPTIMIZED:
        if old != new:
            yield old, new
    elif _skeleton(old) != _skeleton(new):
        raise _Elsewhere  # a module's or a class's own body
    if len(ours) == len(theirs):
        for before, after in zip(ours, theirs):
            # A comprehension outside of functions has run.
            over = before.co_name.startswith("<") and before.co_name != "<lambda>"
            if before != after and over and not old.co_flags & inspect.CO_OPTIMIZED:
                raise _Elsewhere
            yield from _swaps(before, after)


def _within(code: CodeType) -> Sequence[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def _skeleton(code: CodeType) -> CodeType:
    consts = (None if isinstance(const, CodeType) else const for const in code.co_consts)
    return code.replace(co_consts=tuple(consts))


def main(folder: str, log: str) -> int:
    """Answer on stdout; what tests print goes to the log."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with Path(log).open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    words = [*_QUIET, "-s", "-p", "no:faulthandler", *tests_of(folder)]
    return int(pytest.main(words, plugins=[_Server(answers), sys.modules[__name__]]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
