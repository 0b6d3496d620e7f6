"""Hosts and their facts as JSON and as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Optional

from ..answers.findings import more_findings
from ..answers.text import (
    GAP,
    NOTHING,
    clip_front,
    duration,
    facts,
    iso,
    minute,
    number,
    rate,
    shown,
    size,
    table,
)
from ..model.facts import STALE_SECONDS, Cpu, Crc32c, HostFacts, Kernel, MemoryFacts, Numa
from ..model.json_fields import Json
from ..model.phrases import plural

_SECTIONS = (
    "osds", "processes", "enclosures", "multipath", "phys", "pcie", "block", "smart", "cpu", "numa",
    "memory", "kernel", "crc32c",
)  # fmt: skip
_TOLD = {"cpu": Cpu, "numa": Numa, "memory": MemoryFacts, "kernel": Kernel, "crc32c": Crc32c}
SEARCHED = ("host",)
FIELDS: Mapping[str, Callable[[Json], Any]] = {
    "host": lambda shape: shape["host"],
    "osds": lambda shape: len(shape["osds"]),
    "collected_at": lambda shape: shape["collected_at"],
    "received_at": lambda shape: shape["received_at"],
    "age_seconds": lambda shape: shape["age_seconds"],
}


def host(
    name: str,
    osds: Sequence[int],
    known: Optional[HostFacts],
    received_at: Optional[float],
    now: float,
) -> Json:
    """A host. Without facts their keys are null. ``sections`` are those that its facts have.

    ``source`` is "host" or "orchestrator", whichever the facts are from.
    """
    told = [one for one in _SECTIONS if known is not None and getattr(known, one) is not None]
    return {
        "host": name,
        "osds": list(osds),
        "collected_at": None if known is None else iso(known.collected_at),
        "received_at": iso(received_at),
        "age_seconds": None if known is None else round(now - known.collected_at, 1),
        "source": None if known is None else known.source or "host",
        "sections": told,
        "enclosures": _count(known, "enclosures"),
        "multipath": _count(known, "multipath"),
        "disks": _count(known, "block"),
    }


def told_by(known: Optional[HostFacts]) -> Optional[Json]:
    """What a host tells of itself beside its devices; null for what it does not, or without facts.

    The page of a host names and writes these.
    """
    if known is None:
        return None
    return {
        f"{section}_{field.name}": getattr(getattr(known, section), field.name, None)
        for section, kind in _TOLD.items()
        for field in fields(kind)
    }


def host_sheet(shape: Json) -> str:
    """Text of ``host show``."""
    findings = [
        ("finding", f"{one['id']} ({one['state']}): {one['message']}") for one in shape["findings"]
    ]
    findings.append(("", more_findings(shape["findings_left_out"])))
    told = shape["told"]
    known = [] if told is None else [_told_on(shape)]
    known += [_written(name, value) for name, value in (told or {}).items() if value is not None]
    rounds = [
        [
            str(one["id"]),
            one["profile"],
            one["verdict"] or NOTHING,
            minute(one["ended_at"]),
            str(one["osds"]),
            number(one["percent_of_peers"], 0),
        ]
        for one in shape["rounds"]
    ]
    head = ["ROUND", "PROFILE", "VERDICT", "ENDED (UTC)", "OSDS", "% PEERS"]
    listed = table(head, rounds) if rounds else "no round has measured its OSDs yet"
    unread = shape["rounds_osds_left_out"]
    if unread:
        listed += f"\n(without what they measured of {unread} of the host's OSDs)"
    osds = ", ".join(f"osd.{osd}" for osd in shape["osds"])
    return f"host {shape['host']}\n{facts([('osds', osds), *findings, *known])}{GAP}{listed}"


def _told_on(shape: Json) -> tuple[str, str]:
    return "facts of", f"{minute(shape['collected_at'])} UTC, age {_age(shape['age_seconds'])}"


# How figures are written, by the end of their names.
_UNITS: Mapping[str, Callable[[float], str]] = {
    "_bytes_per_second": lambda value: f"{rate(value)} MiB/s",
    "_bytes": size,
    "_seconds": lambda value: f"{value:g} s",
    "_percent": lambda value: f"{number(value)} %",
}


def _written(name: str, value: Any) -> tuple[str, str]:
    """The name in words, and the value with its unit."""
    for end, write in _UNITS.items():
        if name.endswith(end):
            return name[: -len(end)].replace("_", " "), write(value)
    return name.replace("_", " "), str(value)


def _count(known: Optional[HostFacts], section: str) -> Optional[int]:
    entries = getattr(known, section, None)
    return None if entries is None else len(entries)


def hosts(shapes: Sequence[Json]) -> str:
    """Text of ``host ls``."""
    head = ["HOST", "OSDS", "COLLECTED (UTC)", "AGE", "DISKS", "ENCL", "MPATH"]
    return table(head, [_row(shape) for shape in shapes])


def _row(shape: Json) -> list[str]:
    return [
        clip_front(shape["host"], 20),
        str(len(shape["osds"])),
        minute(shape["collected_at"]),
        _age(shape["age_seconds"]),
        *[shown(shape[key]) for key in _COUNTED],
    ]


_COUNTED = ("disks", "enclosures", "multipath")


def _age(seconds: Optional[float]) -> str:
    """The age of facts; stale ones are marked, as nothing is concluded from them."""
    if seconds is None:
        return NOTHING
    if seconds < STALE_SECONDS:
        return duration(seconds)
    return f"{plural(round(seconds / 86400), 'day')}, stale"


def taken(shape: Json) -> str:
    """Text of ``host import``."""
    told = ", ".join(shape["sections"]) or "nothing but the host's name"
    return f"the facts of {shape['host']} are taken over\n{facts([('told', told)])}"
