"""What a running round has measured so far, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Optional

from ..answers.text import iso
from ..model.comparison import ClientLatency, Interim
from ..model.json_fields import Json


def interim_json(
    place: Optional[tuple[int, int, int]], found: Interim, clients: Optional[ClientLatency]
) -> Json:
    """The keys of ``round live`` that a round of OSDs has; ``place`` is repeat, wave, waves."""
    return {
        "wave": place and place[1],
        "waves": place and place[2],
        "osds": {
            "measured": found.measured,
            "planned": found.planned,
            "classes": [_named(asdict(one)) for one in found.classes],
            "slowest": [_named(asdict(one)) for one in found.slowest],
        },
        "client_latency": None
        if clients is None
        else {
            "before_ms": _ms(clients.before),
            "points": [{"at": iso(at), "ms": _ms(seconds)} for at, seconds in clients.points],
        },
    }


def _named(row: dict[str, Any]) -> Json:
    return {"class": row.pop("device_class"), **row}


def _ms(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else round(1000 * seconds, 3)
