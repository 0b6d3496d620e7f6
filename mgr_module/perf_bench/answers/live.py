"""A running round as far as it is, and how the figures of a round are distributed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Callable, Optional

from ..bench.context import ActiveRound
from ..model import round as comparison
from ..model.osd import Osd
from ..model.round import Histogram, Interim, Span
from .loads import series
from .shape import Count, Stamp, copied
from .text import iso


@dataclass(frozen=True)
class LiveClient:
    """A client of the repeat that runs; rows of series as of LoadClient."""

    client: Count
    series: Sequence[Sequence[float]]


@dataclass(frozen=True)
class LatencyPoint:
    """What clients felt in one minute."""

    at: Optional[Stamp]
    ms: Optional[float]


@dataclass(frozen=True)
class ClientLatency:
    """Clients' mean latency while the round runs; null with too few operations."""

    before_ms: Optional[float]
    points: Sequence[LatencyPoint]


@dataclass(frozen=True)
class Live:
    """A running round as far as it is; null or empty where it does not run.

    client_latency -- Null for rounds of clients, whose operations are most of all.
    """

    id: Count
    phase: Optional[str]
    repeat: Optional[int]
    clients: Sequence[LiveClient]
    wave: Optional[int]
    waves: Optional[int]
    osds: Interim
    client_latency: Optional[ClientLatency]


@dataclass(frozen=True)
class WavePoint:
    """Consecutive waves of a repeat, of which wave is the first.

    waves -- How many waves it has; more than one where a chart has no room for all.
    spans -- By figure: bytes_per_second, iops, percent_of_own (an OSD's own median is 100).
    """

    at: Optional[Stamp]
    phase: str
    repeat: int
    wave: int
    waves: int
    spans: Mapping[str, Span]


@dataclass(frozen=True)
class Histograms:
    """How many OSDs have which figure."""

    percent_of_peers: Optional[Histogram]
    bytes_per_second: Optional[Histogram]
    iops: Optional[Histogram]


@dataclass(frozen=True)
class Distribution:
    """How the figures of all OSDs of a round are distributed."""

    id: int
    osds: int
    histograms: Annotated[Mapping[str, Any], Histograms]
    waves: Sequence[WavePoint]


def live(
    round_id: int,
    active: Optional[ActiveRound],
    osds: Callable[[], Sequence[Osd]],
    felt: Callable[[], Optional[comparison.ClientLatency]],
) -> Live:
    """The round as far as it is; nothing of one that does not run (``active``).

    ``osds`` are the cluster's, ``felt`` is what clients feel of a round of OSDs.
    """
    if active is None or active.round.id != round_id:
        return Live(round_id, None, None, (), None, None, Interim(), None)
    if active.round.plan.load is not None:
        rows = dict(active.rows)
        running = [LiveClient(client, series(rows[client])) for client in sorted(rows)]
        at = active.phase, active.done + 1
        return Live(round_id, *at, running, None, None, Interim(), None)
    repeat, wave, waves = active.place() or (None, None, None)
    interim, clients = active.interim(osds()), felt()
    latency = None if clients is None else _latency(clients)
    return Live(round_id, active.phase, repeat, (), wave, waves, interim, latency)


def _latency(clients: comparison.ClientLatency) -> ClientLatency:
    points = [LatencyPoint(iso(at), _ms(seconds)) for at, seconds in clients.points]
    return ClientLatency(_ms(clients.before), points)


def _ms(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else round(1000 * seconds, 3)


def distribution(round_id: int, found: comparison.Distribution) -> Distribution:
    """Histograms over all OSDs, by figure, and the spans of every wave."""
    waves = [copied(WavePoint, point) for point in found.waves]
    return Distribution(round_id, found.osds, found.histograms, waves)
