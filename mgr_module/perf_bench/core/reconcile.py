"""Calls what compares what should be with what is, one step at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Callable, Optional

from ..model.json_fields import Moment, Thousandths
from .clock import Clock
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
    """The newest pass of what compares what should be with what is."""

    KEYS = ("name", ("last_pass_at", "at"), "seconds", "failing_since", "problem")
    name: str
    at: Optional[Moment] = None  # of its end; None before the first
    seconds: Optional[Thousandths] = None
    failing_since: Optional[Moment] = None
    problem: Optional[str] = None  # while it fails


class Reconcilers:
    """Runs each reconciler as a task of its own: one that waits delays no other."""

    def __init__(self, loop: Loop, clock: Clock, failing: FailingParts) -> None:
        self._loop = loop
        self._clock = clock
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
            at, began = self._clock.now(), self._clock.monotonic()
            before = self._passes[one.name]
            since, problem = None, None
            try:
                await one.step()
            except Exception as error:  # noqa: BLE001 - the next pass comes
                since = at if before.failing_since is None else before.failing_since
                problem = words_of(error)
                self._failing.failed(one.name, error)
            else:
                self._failing.went_well(one.name)
            took = self._clock.monotonic() - began
            done = Pass(one.name, self._clock.now(), took, since, problem)
            self._passes = {**self._passes, one.name: done}
            await sleep(one.every)
