"""Laggy PGs as text for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .text import GAP, NOTHING, clip, duration, facts, minute, number, table

Shape = Mapping[str, Any]

ROWS = 20


def laggy(shape: Shape) -> str:
    """Print ``laggy ls``: what is now, then the OSDs, pools and episodes there are."""
    now = shape["now"]
    if now["at"] is None:
        return "not known yet: the watch has not looked at the placement groups"
    head = f"now {now['laggy']} laggy and {now['wait']} waiting of {now['pgs']} placement groups"
    if not shape["episodes"] and not shape["pools"]:
        return f"{head}; none was laggy since the watch began"
    blocks = [
        _part(["STARTED (UTC)", "LASTED", "PEAK", "PG TIME", "ROUND", "WHAT"], _episodes(shape)),
        _part(["OSD", "HOST", "PG TIME", "% OF ITS PGS"], _osds(shape)),
        facts(_pools(shape)),
    ]
    return GAP.join([head, *[block for block in blocks if block]])


def _part(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    more = len(rows) - ROWS
    return table(head, rows[:ROWS]) + (f"\n… and {more} more" if more > 0 else "")


def _episodes(shape: Shape) -> list[list[str]]:
    return [
        [
            minute(one["from"]),
            "goes on" if one["to"] is None else duration(one["seconds"]),
            str(one["peak"]),
            duration(one["laggy_pg_seconds"]),
            str(one["round"] or NOTHING),
            clip(_suspects(one), 20),
        ]
        for one in shape["episodes"]
    ]


def _suspects(episode: Shape) -> str:
    if episode["stuck"]:
        return "stuck, no OSD"
    names = [f"osd.{one['osd']}" for one in episode["suspects"]]
    return ", ".join(names) or "none stands out"


def _osds(shape: Shape) -> list[list[str]]:
    return [
        [
            f"osd.{one['osd']}",
            clip(one["host"] or NOTHING, 30),
            duration(one["laggy_pg_seconds"]),
            number(100 * one["share"]),
        ]
        for one in shape["osds"]
    ]


def _pools(shape: Shape) -> list[list[str]]:
    def words(one: Shape) -> str:
        spent = duration(one["laggy_pg_seconds"])
        return f"{one['laggy']} laggy, {one['wait']} waiting now; PG time {spent}"

    return [[clip(one["pool"], 30), words(one)] for one in shape["pools"][:ROWS]]
