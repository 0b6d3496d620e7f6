"""What clients felt of rounds, and what they may feel of the next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Optional

from .bench import Step
from .json_fields import Json
from .round import Verdict

# The key of a round's environment.
_KEY = "client_latency"


@dataclass(frozen=True)
class NotedLatency:
    """Clients' mean latency around a round: before it, and the median and highest meanwhile."""

    before_ms: float
    median_ms: float
    highest_ms: float

    @property
    def noted(self) -> Json:
        """The entry of the round's environment."""
        return {_KEY: asdict(self)}

    @classmethod
    def of(cls, environment: Mapping[str, Any]) -> Optional[NotedLatency]:
        """What a round's environment has of it; None if it has none, or none that is usable."""
        found = environment.get(_KEY)
        if not isinstance(found, Mapping):
            return None
        figures = [found.get(name) for name in ("before_ms", "median_ms", "highest_ms")]
        usable = [one for one in figures if isinstance(one, (int, float)) and math.isfinite(one)]
        return cls(*usable) if len(usable) == len(figures) and min(usable) > 0 else None


class ImpactState(str, Enum):
    """Whether the last comparable rounds tell what clients will feel, and if not, why."""

    KNOWN = "known"
    NO_ROUNDS = "no-rounds"  # no comparable round has ended yet
    NOT_MEASURED = "not-measured"  # too few operations of clients, or the watch was off
    OWN_CLIENTS = "own-clients"  # in rounds of clients most operations are their own
    UNREAD = "unread"  # the database does not answer


@dataclass(frozen=True)
class PastRound:
    """What is kept of an ended round to say what clients felt; ``at_once`` is its widest wave."""

    id: int
    ended_at: Optional[float]
    verdict: Optional[Verdict]
    step: Step
    at_once: int
    clients: Optional[NotedLatency]


@dataclass(frozen=True)
class ClientImpact:
    """What clients felt of the newest comparable rounds, newest first."""

    state: ImpactState
    rounds: tuple[PastRound, ...] = ()
