"""May a round start: what is asked, how the cluster is, what the operator allows, the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Optional

from .schedule import Window
from .wear import WearLedger


class Fullness(str, Enum):
    """How full the cluster calls an OSD; one that is none of these is not mentioned."""

    NEARFULL = "nearfull"
    BACKFILLFULL = "backfillfull"
    FULL = "full"


@dataclass(frozen=True)
class HealthCheck:
    """One of the cluster's health checks. ``error`` tells HEALTH_ERR from HEALTH_WARN."""

    code: str
    summary: str = ""
    error: bool = False
    muted: bool = False


@dataclass(frozen=True)
class Space:
    """An OSD's device in bytes."""

    total: int
    used: int


@dataclass(frozen=True)
class Load:
    """What goes on, or what is possible, per second; None where not known."""

    bytes_per_second: Optional[float] = None
    ops_per_second: Optional[float] = None


@dataclass(frozen=True)
class Ask:
    """What a round would do, as far as admission goes. Sizes in bytes, times in seconds.

    ``bytes_per_osd`` is all it writes to each OSD's device, ``peak_bytes_per_osd`` the most that
    stands there at one time. ``pool_bytes`` is what it keeps in the bench pool (0: none).
    """

    osds: tuple[int, ...]
    bytes_per_osd: int
    peak_bytes_per_osd: int
    seconds: float = 0.0
    pool_bytes: int = 0


@dataclass(frozen=True)
class Situation:
    """How the cluster is at this moment. ``None`` means not known, never "nothing".

    ``at`` is unix seconds. ``checks`` are all health checks (empty: HEALTH_OK), ``flags`` the
    OSD map's. ``pgs`` counts PGs by state ("active+clean+laggy"). ``slow_ops`` counts by OSD.
    ``fullness`` and ``space`` are of the chosen OSDs. ``down_in`` are OSDs that are down and
    still in; ``changes`` counts by OSD how often it went up or down in ``Rules.flap_seconds``.
    ``releases`` counts OSDs by version; ``upgrading`` is what the orchestrator says (False
    where there is none). ``client`` is the load of clients now, ``possible`` what the last
    rounds showed the cluster can do for them. ``running`` are rounds that run.
    """

    at: float
    checks: Optional[tuple[HealthCheck, ...]] = None
    flags: Optional[frozenset[str]] = None
    pgs: Optional[Mapping[str, int]] = None
    slow_ops: Optional[Mapping[int, int]] = None
    fullness: Optional[Mapping[int, Fullness]] = None
    space: Optional[Mapping[int, Space]] = None
    nearfull_ratio: float = 0.85
    full_ratio: float = 0.95
    pool_available: Optional[int] = None
    down_in: Optional[tuple[int, ...]] = None
    changes: Optional[Mapping[int, int]] = None
    releases: Optional[Mapping[str, int]] = None
    upgrading: Optional[bool] = None
    client: Optional[Load] = None
    possible: Optional[Load] = None
    wear: Optional[WearLedger] = None
    running: Optional[tuple[int, ...]] = None


# Warnings that neither a bench makes worse nor that make its figures worse, with why:
TOLERATED = (
    "PERF_BENCH_*",  # our own: a suspected OSD is what one wants to measure
    "AUTH_*",  # settings, as the three below
    "POOL_APP_NOT_ENABLED",
    "POOL_NO_REDUNDANCY",
    "TELEMETRY_CHANGED",
    "POOL_PG_NUM_NOT_POWER_OF_TWO",  # numbers of PGs: `osd bench` goes past them
    "POOL_TOO_FEW_PGS",
    "POOL_TOO_MANY_PGS",
    "TOO_FEW_PGS",
    "TOO_MANY_PGS",
    "PG_NOT_SCRUBBED",  # late by days; a round that holds scrubs up adds minutes
    "PG_NOT_DEEP_SCRUBBED",
    "OSD_SLOW_PING_TIME_*",  # stays for minutes after its cause; laggy PGs and slow ops tell of now
    "RECENT_CRASH",  # stays for two weeks; what is down now is looked at by itself
    "RECENT_MGR_MODULE_CRASH",
    "BLUESTORE_SLOW_OP_ALERT",  # fires at one slow operation and stays for a day
)


@dataclass(frozen=True)
class Rules:
    """What the operator allows.

    ``tolerated`` are health checks that do not matter ("*" matches the rest of a name).
    ``client_share`` is the part of what is possible that clients may be using. Of a fifth the
    bench takes what they leave without their queues growing much, and they move its figures
    less than the 10 % over which a round is called noisy. ``wear_bytes_per_day`` per OSD; None:
    by the size of its device. An OSD that goes up or down five times in ``flap_seconds`` flaps.
    ``attended`` is false where nobody reads what could not be known. ``may_raise``: a round may
    raise the ``osd_bench_*`` options for its time.
    """

    tolerated: tuple[str, ...] = TOLERATED
    client_share: float = 0.2
    window: Optional[Window] = None
    timezone: str = "UTC"
    wear_bytes_per_day: Optional[int] = None
    flap_seconds: float = 600.0
    attended: bool = True
    may_raise: bool = False


@dataclass(frozen=True)
class Refusal:
    """One reason against a round. ``forceable``: ``--force`` may override it."""

    code: str
    message: str
    forceable: bool = True


@dataclass(frozen=True)
class Unknown:
    """Something that would have been looked at and is not known.

    ``essential``: the mgr has it from its own maps within seconds of becoming active.
    """

    code: str
    message: str
    essential: bool = False


@dataclass(frozen=True)
class Admission:
    """The decision: every refusal, and everything that could not be looked at.

    What is not known does not refuse by itself: on a cluster that was never measured nobody
    knows what it can do, and who is refused for that learns to type ``--force``. It is said
    instead. Where nobody reads it (``Rules.attended``) an essential unknown is a refusal.
    """

    refusals: tuple[Refusal, ...] = ()
    unknowns: tuple[Unknown, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether the round may start without force."""
        return not self.refusals

    @property
    def reasons(self) -> tuple[str, ...]:
        """The refusals as sentences."""
        return tuple(refusal.message for refusal in self.refusals)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not known, as sentences."""
        return tuple(unknown.message for unknown in self.unknowns)

    @property
    def forceable(self) -> bool:
        """Whether ``--force`` may override every refusal there is."""
        return all(refusal.forceable for refusal in self.refusals)

    def held_by(self, force: bool) -> tuple[Refusal, ...]:
        """The refusals that keep the round from starting, given ``force`` or not."""
        return tuple(one for one in self.refusals if not (force and one.forceable))
