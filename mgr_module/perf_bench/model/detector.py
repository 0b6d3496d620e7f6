"""What a detector is: it looks at every tick of the watch and says what is wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional, Protocol

from .coverage import Look
from .finding import Claim, Finding
from .frame import Frame, Watched


@dataclass(frozen=True)
class WatchTick:
    """What the watch hands to every detector at a tick.

    ``now`` is unix seconds. While the watch is off (``on`` is False) nothing is collected.
    ``frames`` are those that are new since the tick before, oldest first. ``members`` are all OSDs
    by ID, ``stale`` those whose reports stand still, ``running_round`` the ID of the bench round
    that runs now. ``clock_step`` is by how many seconds the clock was set since the tick before.
    ``replaced`` are the OSDs that were made anew under the ID of another one, since the tick before
    or the saved state: what is known of that one is not theirs. ``offset`` is ``now`` less the
    steady time, which is unix seconds as if the clock had not been set since this mgr began.
    """

    now: float
    on: bool = True
    frames: Sequence[Frame] = ()
    members: Sequence[Watched] = ()
    stale: Collection[int] = ()
    running_round: Optional[int] = None
    clock_step: float = 0.0
    replaced: Collection[int] = ()
    offset: float = 0.0

    @property
    def steady(self) -> float:
        """For durations; ``offset`` makes unix seconds of it, to tell or to save them."""
        return self.now - self.offset


class Gauge(NamedTuple):
    """A metric of a detector: ``name`` without the prefix, samples as labels and value.

    ``per_osd`` says that it may have a series for every OSD.
    """

    name: str
    help: str
    samples: Sequence[tuple[Mapping[str, str], float]]
    per_osd: bool = False


class Detector(Protocol):
    """One kind of fault, or a few that are seen from the same figures.

    All methods are called on the watch's thread. What raises is logged and told in
    ``status``; the other detectors go on, and the claims of the tick before stay.
    """

    # The name of its saved state in the store.
    name: str
    # Whether it looks also while the watch is off.
    while_off: bool = False
    # Set by a detector whose state must be saved now; reset once that is written.
    urgent: bool = False

    def tick(self, tick: WatchTick) -> None:
        """Look once; every few seconds."""

    def claims(self) -> Sequence[Claim]:
        """What is wrong as of the newest tick."""

    def knows(self, finding: Finding) -> bool:  # noqa: ARG002 - most need data of minutes
        """Whether a restored finding without a claim is over, and not only not seen again yet.

        It counts only for findings of the kinds that ``looks`` tells.
        """
        return False

    def looks(self) -> Sequence[Look]:
        """What it looks at, and what of that it cannot look at now; every kind of its findings.

        Asked once a minute. The watch itself tells that it is off, and that the detector failed.
        """
        return ()

    def save(self) -> Mapping[str, Any]:
        """What must survive the mgr, JSON-ready; empty for nothing.

        Saved every 5 minutes, and at once while ``urgent`` is set.
        """
        return {}

    def restore(self, state: Mapping[str, Any], now: float) -> None:  # noqa: ARG002
        """Take over what another mgr saved; ``now`` is unix seconds.

        It may come after the first ticks, where the database was away: then it adds to what was
        seen since, or leaves it. A KeyError, TypeError, ValueError or IndexError says that the
        state cannot be read; nothing has been taken then.
        """
        return

    def explain(self, osd: int) -> Sequence[str]:  # noqa: ARG002 - most have nothing to say
        """What it thinks of one OSD, in sentences for ``osd show``; empty for nothing."""
        return ()

    def metrics(self) -> Sequence[Gauge]:
        """Figures for Prometheus beside the findings."""
        return ()
