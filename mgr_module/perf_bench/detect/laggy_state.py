"""Episodes as JSON for the store, and back. PG-seconds are kept to the tenth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..model.laggy import Episode, OsdLaggy, Suspect
from .laggy_blame import Tally

State = dict[str, Any]


def episode_state(episode: Episode) -> State:
    """One episode, compact: the OSDs as lists."""
    return {
        **asdict(episode),
        "laggy_pg_seconds": round(episode.laggy_pg_seconds, 1),
        "suspects": [asdict(one) for one in episode.suspects],
        "osds": [
            [one.osd, round(one.laggy_pg_seconds, 1), round(one.pg_seconds, 1)]
            for one in episode.osds
        ],
        "pools": list(episode.pools),
    }


def episode_from(state: Mapping[str, Any]) -> Episode:
    """The episode again."""
    fields: State = {
        **state,
        "suspects": tuple(Suspect(**one) for one in state["suspects"]),
        "osds": tuple(OsdLaggy(*one) for one in state["osds"]),
        "pools": tuple(state["pools"]),
    }
    return Episode(**fields)


def tally_state(tally: Tally, most: int) -> State:
    """The sums so far, of the OSDs with the most."""
    kept = tally.osds(most)
    return {
        "total": tally.total,
        "osds": [
            [
                *(one.osd, one.laggy_pg_seconds, one.pg_seconds),
                *(tally.stale.get(one.osd, 0.0), tally.slow_ops.get(one.osd, 0)),
            ]
            for one in kept
        ],
    }


def tally_from(state: Mapping[str, Any]) -> Tally:
    """The sums again."""
    tally = Tally(total=state["total"])
    for osd, laggy, held, stale, slow_ops in state["osds"]:
        tally.laggy[osd], tally.held[osd] = laggy, held
        if stale:
            tally.stale[osd] = stale
        if slow_ops:
            tally.slow_ops[osd] = slow_ops
    return tally
