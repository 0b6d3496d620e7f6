"""What rounds order: benches of OSDs, clients that load the cluster, pools for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Callable, Optional, Protocol

from ..model.bench import BenchAnswer, Step
from ..model.pool import Groups, Pool
from ..model.rados import ClientRun, LoadOrder, Row
from ..model.worker import Worker


class Commands(Protocol):
    """Orders to daemons, open for the length of one round.

    ``limit`` is the time in seconds after which any of them is given up.
    """

    @property
    def limit(self) -> float: ...

    def make_objects(
        self, reads: Mapping[int, Step], groups: Groups, token: str, ended: Callable[[], bool]
    ) -> None:
        """Make the objects that OSDs are read by, before the first read; may take minutes.

        They lie in the bench pool, in ``groups``; an OSD that is the primary of none is not read.
        ``ended`` tells that the round is to end: then this and all reads are given up at once.
        Raises CommandFailed.
        """

    def remove_objects(self) -> None:
        """Remove all such objects. Raises CommandFailed."""

    def measure(self, osd: int, step: Step) -> BenchAnswer:
        """Run one bench, or one read of the OSD's objects; waits at most ``limit``.

        Raises CommandFailed with the daemon's errno, or ETIMEDOUT.
        """

    def option(self, osd: int, name: str) -> str:
        """The value that an option has in the OSD at this moment. Raises CommandFailed."""

    def close(self) -> None: ...


class LoadGenerator(Protocol):
    """Clients that load the cluster, each a process; none outlives this mgr."""

    def run(
        self,
        order: LoadOrder,
        heard: Callable[[int, Row], None],
        ended: Callable[[], bool],
    ) -> Sequence[ClientRun]:
        """Run the clients to their end; ``heard`` gets each one's rows as they come.

        Empty, with no client left, within half a second of ``ended``. Raises CommandFailed.
        """

    def workers(self) -> Sequence[Worker]:
        """The workers that answer, by name; takes a second or two.

        Raises CommandFailed.
        """

    def sweep(self, pool: str, namespace: str) -> int:
        """Remove what clients left there; returns once it is gone. Raises CommandFailed.

        ``pool`` is what ``Pools.ensure`` called it.
        """


class Pools(Protocol):
    """Pools, for rounds of clients."""

    def look(self, name: str) -> Optional[Pool]:
        """The pool of that name as the maps have it; None where there is none."""

    def ensure(self, name: str, ended: Callable[[], bool]) -> str:
        """Make the bench's own pool if it is missing; wait until the pool can be used.

        Returns what it is called for good, whatever its name becomes. Waits at most a minute,
        longer for very many groups. Raises CommandFailed, and NotNow for a pool of the bench's name
        that is somebody else's.
        """

    def groups(self, name: str, osds: Collection[int]) -> Groups:
        """The placement groups whose acting primary each of these OSDs is now.

        Raises NotNow for a pool that is not there.
        """

    def free_bytes(self) -> int:
        """What all devices have left."""

    def largest_object(self) -> int:
        """The most bytes that one write of a client may have."""

    def messenger_modes(self) -> Mapping[str, str]:
        """How clients and OSDs talk."""
