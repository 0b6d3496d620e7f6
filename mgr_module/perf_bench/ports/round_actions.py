"""The actions of rounds: benches of OSDs, clients that load the cluster, pools for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Callable, Optional, Protocol

from ..model.bench import BenchAnswer, Step
from ..model.json_fields import Json
from ..model.pool import Groups, Pool
from ..model.rados import ClientRun, LoadOrder, Row
from ..model.worker import Worker


class Commands(Protocol):
    """Commands to OSDs, on connections that stay open for one round.

    ``limit`` is the time in seconds after which a command is given up.
    """

    @property
    def limit(self) -> float: ...

    def make_objects(
        self, reads: Mapping[int, Step], groups: Groups, token: str, ended: Callable[[], bool]
    ) -> None:
        """Make the objects for reads, before the first read; may take minutes.

        They are in the bench pool, in ``groups``; an OSD that is primary of none is not read. When
        ``ended`` returns True, this and all reads are given up at once. Raises CommandFailed.
        """

    def remove_objects(self) -> None:
        """Remove all such objects. Raises CommandFailed."""

    def measure(self, osd: int, step: Step) -> BenchAnswer:
        """Run one bench, once the OSD has answered and has the newest map, or read its objects.

        Three commands at most, each with the ``limit``.
        Raises CommandFailed with the daemon's errno, or ETIMEDOUT.
        """

    def option(self, osd: int, name: str) -> str:
        """The value of an option in the running OSD. Raises CommandFailed."""

    def close(self) -> None: ...


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


class Pools(Protocol):
    """Pools, for rounds of clients."""

    def look(self, name: str) -> Optional[Pool]:
        """The pool of that name, from the maps; None if there is none."""

    def flags(self, name: str) -> Optional[Collection[str]]:
        """The flags of the pool of that name, from the maps; None if there is none."""

    def ensure(self, name: str, ended: Callable[[], bool]) -> str:
        """Make the bench pool if it is missing; wait until the pool can be used.

        Returns an identifier that stays valid if the pool is renamed. Waits at most a minute,
        longer for very many placement groups. Raises CommandFailed, and NotNow for a pool of the
        bench's name that belongs to another application.
        """

    def groups(self, name: str, osds: Collection[int]) -> Groups:
        """By OSD the placement groups whose acting primary it is now.

        Raises NotNow if the pool does not exist.
        """

    def free_bytes(self) -> int:
        """The free bytes of all devices."""

    def largest_object(self) -> int:
        """The largest write of a client in bytes."""

    def messenger_modes(self) -> Mapping[str, str]:
        """The messenger modes between clients and OSDs, by option."""
