"""The distribution of a round's figures as JSON."""

from __future__ import annotations

from dataclasses import asdict

from ..answers.text import iso
from ..model.comparison import Distribution
from ..model.json_fields import Json


def distribution(round_id: int, found: Distribution) -> Json:
    """Histograms over all OSDs, by figure, and the spans of every wave."""
    return {
        "id": round_id,
        "osds": found.osds,
        "histograms": {
            name: None if histogram is None else asdict(histogram)
            for name, histogram in found.histograms.items()
        },
        "waves": [{**asdict(point), "at": iso(point.at)} for point in found.waves],
    }
