"""The thresholds and bounds of rounds that a user interface shows."""

from __future__ import annotations

from ..model.json_fields import Json
from ..model.json_input import LARGEST_FILE
from ..model.rados import MAX_CLIENTS, MAX_SECONDS, MAX_THREADS, MIN_SECONDS
from .compare.summary import HALF_PERCENT, HALF_Z, SLOW_PERCENT, SLOW_Z
from .plan.phases import MOST_RESTS
from .schedule.next_run import MIN_EVERY


def limits() -> Json:
    """Return the thresholds of verdicts and the bounds of requests; z scores have no unit."""
    return {
        "slow_percent": SLOW_PERCENT,
        "slow_z": SLOW_Z,
        "half_percent": HALF_PERCENT,
        "half_z": HALF_Z,
        "max_clients": MAX_CLIENTS,
        "max_threads": MAX_THREADS,
        "min_seconds": MIN_SECONDS,
        "max_seconds": MAX_SECONDS,
        "max_rests": MOST_RESTS,
        "min_every_seconds": MIN_EVERY,
        "max_import_bytes": LARGEST_FILE,
    }
