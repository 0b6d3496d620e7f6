"""Objects that rounds of clients may have left in pools."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Callable, Optional, Protocol

from ..core.loop import reply
from ..core.workers import Executor
from ..errors import PerfBenchError
from ..model.json_fields import Json
from ..model.rados import ClientRun, LoadOrder, Row
from ..model.worker import Worker


class LoadGenerator(Protocol):
    """Runs clients that load the cluster, each a process that ends with this mgr at the latest."""

    def run(
        self,
        order: LoadOrder,
        on_row: Callable[[int, Row], None],
        ended: Callable[[], bool],
    ) -> Sequence[ClientRun]:
        """Run the clients to their end; ``on_row`` gets a client's number and each of its rows.

        Returns an empty list, with no client left, once ``ended`` returns True: on this host within
        half a second, on workers within two. Raises CommandFailed, also for a pool that gets full.
        """

    def workers(self) -> Sequence[Worker]:
        """The workers by name. Raises NotNow while this mgr cannot know them yet."""

    def worker_next(self, worker: str, text: str) -> Json:
        """Answer a worker that asks what to do. Raises InvalidValue or NotNow."""

    def worker_tell(self, worker: str, text: str) -> Json:
        """Answer a worker that reports what it does. Raises InvalidValue or NotNow."""

    def sweep(self, pool: str, namespace: str) -> int:
        """Remove the objects of clients; returns the number removed. Raises CommandFailed.

        ``pool`` is the name that ``Pools.ensure`` returned.
        """


class LeftoverKeeper(Protocol):
    """Stores which namespaces of which pools may still have objects of rounds.

    Pools are identified as ``Pools.ensure`` returns them, which survives a rename. Each namespace
    is stored for itself: a mgr that was replaced overwrites nothing of the next one.
    """

    def load(self) -> Mapping[str, str]:
        """By namespace its pool. Raises CommandFailed."""

    def add(self, namespace: str, pool: str) -> None: ...

    def remove(self, namespace: str) -> None: ...


def namespace_of(token: str) -> str:
    """The namespace of a round's objects, from the round's token."""
    return f"round-{token}"


class Leftovers:
    """Noted before the first write, and removed when no round uses them.

    A round has a namespace of its own, and only objects there are removed. So the objects of a
    process that was killed are found without its name.
    """

    def __init__(
        self,
        keeper: LeftoverKeeper,
        loader: LoadGenerator,
        workers: Executor,
        log: logging.Logger,
    ) -> None:
        self._keeper = keeper
        self._loader = loader
        self._workers = workers
        self._log = log
        # The namespace of the round that runs.
        self.used: Optional[str] = None
        # Whether there may be some.
        self._suspected = True

    async def note(self, namespace: str, pool: str) -> None:
        """Note a namespace before the first write to it. Raises CommandFailed."""
        self.used, self._suspected = namespace, True
        await reply(self._workers.submit(lambda: self._keeper.add(namespace, pool)))

    async def sweep(self, namespace: str, pool: str) -> None:
        """Remove the objects in a namespace. Raises CommandFailed."""
        await reply(self._workers.submit(lambda: self._loader.sweep(pool, namespace)))

    async def clear(self) -> None:
        """The reconciler: remove all that is noted and that no round uses."""
        if not self._suspected:
            return
        self._suspected = False
        try:
            noted = await reply(self._workers.submit(self._keeper.load))
            for namespace, pool in noted.items():
                if namespace == self.used:
                    self._suspected = True
                else:
                    await self._remove(namespace, pool)
        except BaseException:
            self._suspected = True
            raise

    async def _remove(self, namespace: str, pool: str) -> None:
        self._log.info("clearing namespace %s of pool %s", namespace, pool)
        try:
            await self.sweep(namespace, pool)
            await reply(self._workers.submit(lambda: self._keeper.remove(namespace)))
        except PerfBenchError as error:
            self._suspected = True
            self._log.warning(
                "objects in namespace %s of pool %s stay for now: %s", namespace, pool, error
            )
