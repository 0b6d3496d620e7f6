"""Calls what compares what should be with what is, one step at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Callable, Optional

from .failing_parts import FailingParts, words_of
from .loop import Loop, sleep


@dataclass(frozen=True)
class Reconciler:
    """Compares and takes one step, every ``every`` seconds; ``name`` is that in ``status``."""

    name: str
    every: float
    step: Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Pass:
    """The newest pass of a reconciler, as ``status`` tells it.

    ``at`` is the monotonic time of its end, None before the first; ``problem`` why it fails since
    ``failing_since`` (monotonic), both None while it does not.
    """

    name: str
    at: Optional[float] = None
    seconds: Optional[float] = None
    failing_since: Optional[float] = None
    problem: Optional[str] = None


class Reconcilers:
    """Runs each reconciler as a task of its own: one that waits delays no other."""

    def __init__(self, loop: Loop, monotonic: Callable[[], float], failing: FailingParts) -> None:
        self._loop = loop
        self._monotonic = monotonic
        self._failing = failing
        self._passes: dict[str, Pass] = {}

    def begin(self, reconcilers: Sequence[Reconciler]) -> None:
        """Begin to run them; call it on the loop."""
        for one in reconcilers:
            self._passes[one.name] = Pass(one.name)
            self._loop.spawn(self._run(one))

    @property
    def passes(self) -> Sequence[Pass]:
        """The newest pass of each; may be read from any thread."""
        return tuple(self._passes.values())

    async def _run(self, one: Reconciler) -> None:
        while True:
            began = self._monotonic()
            before = self._passes[one.name]
            since, problem = None, None
            try:
                await one.step()
            except Exception as error:  # noqa: BLE001 - the next pass comes
                since = began if before.failing_since is None else before.failing_since
                problem = words_of(error)
                self._failing.failed(one.name, error)
            else:
                self._failing.went_well(one.name)
            now = self._monotonic()
            self._passes = {
                **self._passes,
                one.name: Pass(one.name, now, now - began, since, problem),
            }
            await sleep(one.every)
