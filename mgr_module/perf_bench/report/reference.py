"""Published figures as JSON and as text, and the comparison of a round with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Optional

from ..model.json_fields import Json
from ..model.reference import Context, Figure
from .text import clip, facts, number, size, table

_WORKLOAD = 42


def figure(figure_: Figure) -> Json:
    """A published figure. ``comparable``: ``round show`` may compare a round with it."""
    shape = asdict(figure_)
    shape["comparable"] = shape.pop("alike") is not None
    return shape


def figures(shapes: Sequence[Mapping[str, Any]]) -> str:
    """Text of ``reference ls``: one table, with source, hardware and notes between its rows."""
    rows = [
        [s["id"], clip(_workload(s), _WORKLOAD), number(s["osds"], 0), _value(s)] for s in shapes
    ]
    head, *printed = table(["ID", "WHAT", "OSDS", "FIGURE"], rows).split("\n")
    lines = [head]
    source = hardware = ""
    for shape, row in zip(shapes, printed):
        if shape["source"] != source:
            source, hardware = shape["source"], ""
            lines += [" ", source]
        if _hardware(shape) != hardware:
            hardware = _hardware(shape)
            lines.append(facts([("on", hardware)]))
        lines.append(row)
        if shape["note"]:
            lines.append(facts([("  note", shape["note"])]))
    return "\n".join(lines)


def _hardware(shape: Mapping[str, Any]) -> str:
    release = f" (Ceph {shape['ceph']})" if shape["ceph"] else ""
    return f"{shape['hardware']}{release}"


def _workload(shape: Mapping[str, Any]) -> str:
    return ", ".join(part for part in (shape["workload"], shape["redundancy"]) if part)


def _value(shape: Mapping[str, Any]) -> str:
    value, unit = shape["value"], shape["unit"]
    if unit == "B/s":
        return f"{size(value)}/s"
    if unit == "1/s":
        return f"{value:.0f} {'per core' if 'per_core' in shape['metric'] else 'IOPS'}"
    return f"{value:g} {unit}"


def context(context_: Context) -> Json:
    """A round's OSDs of one medium compared with published figures; ``line`` says it in words."""
    return {
        "medium": context_.medium,
        "osds": context_.osds,
        "value": context_.value,
        "unit": "1/s" if context_.operations else "B/s",
        "ratio": context_.ratio,
        "figure": _published(context_.measured),
        "least": _published(context_.least),
        "most": _published(context_.most),
        "near": _published(context_.near),
        "line": line(context_),
    }


def _published(found: Optional[Figure]) -> Optional[Json]:
    return figure(found) if found else None


def line(context_: Context) -> str:
    """A sentence that compares the median OSD with a figure, its hardware and its source."""
    work = context_.work
    onto = "prefilled" if work.prefilled else "fresh"
    subject = f"per-OSD {size(work.block_size)} {work.operation} onto {onto} objects"
    subject += f" ({context_.medium})"
    if context_.ratio is not None and context_.measured is not None:
        measured = context_.measured
        of = _amount(context_, measured)
        return (
            f"{subject}: {number(context_.ratio, 2)}x of {of} by {work.method} "
            f"({measured.hardware}; {measured.source})"
        )
    ends = [end for end in (context_.least, context_.most) if end]
    ours = _rate(context_.value, context_.operations)
    if not ends:
        return f"{subject}: {ours}; nothing published is like it{_near(context_.near)}"
    sources = ", ".join(dict.fromkeys(end.source for end in ends))
    plausible = " to ".join(_amount(context_, end) for end in ends)
    return f"{subject}: {ours}, {_place(context_)} the plausible {plausible} ({sources})"


def _near(found: Optional[Figure]) -> str:
    """Name the closest figure and its workload."""
    alike = found.alike if found else None
    if found is None or alike is None:
        return ""
    onto = "prefilled" if alike.work.prefilled else "fresh"
    return (
        f", closest is {_rate(alike.value, alike.operations)} of {size(alike.work.block_size)} "
        f"{alike.work.operation}s onto {onto} objects on {' or '.join(sorted(alike.media))} "
        f"({found.hardware}; {found.source})"
    )


def _place(context_: Context) -> str:
    least, most = context_.least, context_.most
    if least and least.alike and context_.value < least.alike.value:
        return "below"
    if most and most.alike and context_.value > most.alike.value:
        return "above"
    return "within"


def _amount(context_: Context, found: Figure) -> str:
    return _rate(found.alike.value, context_.operations) if found.alike else ""


def _rate(value: float, operations: bool) -> str:
    return f"{value:.0f} IOPS" if operations else f"{value / (1 << 20):.0f} MiB/s"
