"""Published figures as JSON and as text, and the comparison of a round with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Optional

from ..answers.text import clip, facts, number, size, table
from ..model.comparison import Context, Figure, Work
from ..model.json_fields import Json

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
    operation = "write" if context_.work.operation == "write" else "read"
    subject = f"per-OSD {_work(context_.work, operation)} ({context_.medium})"
    if context_.ratio is not None and context_.measured is not None:
        measured = context_.measured
        return (
            f"{subject}: {context_.ratio:.2f}x of {_amount(context_, measured)} by "
            f"{context_.work.method} ({measured.hardware}; {measured.source})"
        )
    ends = [end for end in (context_.least, context_.most) if end]
    ours = _rate(context_.value, context_.operations)
    if not ends:
        return f"{subject}: {ours}; nothing published is like it{_near(context_.near)}"
    least, most = (_amount(context_, end) for end in (ends[0], ends[-1]))
    plausible = least if len(ends) == 1 else f"{least} to {most}"
    return (
        f"{subject}: {ours}, {_place(context_)} the plausible {plausible} "
        f"({', '.join(dict.fromkeys(end.source for end in ends))})"
    )


def _work(work: Work, operation: str) -> str:
    """Work, as "4 MiB write onto fresh objects"."""
    if work.prefilled:
        return f"{size(work.block_size)} {operation} onto prefilled objects"
    return f"{size(work.block_size)} {operation} onto fresh objects"


def _near(found: Optional[Figure]) -> str:
    """Name the closest figure and its workload."""
    alike = found.alike if found else None
    if found is None or alike is None:
        return ""
    work = _work(alike.work, "writes" if alike.work.operation == "write" else "reads")
    rate, media = _rate(alike.value, alike.operations), " / ".join(sorted(alike.media))
    return f", closest is {rate} of {work} on {media} ({found.hardware}; {found.source})"


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
    if operations:
        return f"{value:.0f} IOPS"
    return f"{value / (1 << 20):.0f} MiB/s"
