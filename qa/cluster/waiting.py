"""Waiting for a condition with a deadline, and one user of a thing at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Callable, Optional, TypeVar

from .errors import ClusterError

T = TypeVar("T")


def within(condition: Callable[[], Optional[T]], seconds: float, every: float = 0.1) -> Optional[T]:
    """Call `condition` until it answers something true, or for so many seconds; its last answer."""
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer or time.monotonic() >= deadline:
            return answer
        time.sleep(every)


def wait_for(
    condition: Callable[[], Optional[T]],
    seconds: float,
    missing: Callable[[], str],
    every: float = 0.1,
) -> T:
    """Call `condition` until it answers something true and return that.

    After `seconds` a ClusterError says `missing()`. `condition` may raise to give up earlier.
    """
    answer = within(condition, seconds, every)
    if not answer:
        raise ClusterError(f"{missing()} (waited {seconds:g} s)")
    return answer


@contextlib.contextmanager
def locked(path: Path, busy: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock on a folder or file; `busy` is told once when another process holds it."""
    with _opened(path) as handle:
        if not _taken(handle):
            busy()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def locked_if_free_within(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock `path`, or go on without it when its holder hangs."""
    with _opened(path) as handle:
        with contextlib.suppress(ClusterError):
            wait_for(lambda: _taken(handle), seconds, lambda: f"{path} is held", every=0.05)
        yield


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT, 0o644)
    try:
        yield handle
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
