"""Published figures as JSON and as text, and the comparison of a round with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Optional

from ..model.comparison import Context, Figure, Work
from ..model.json_fields import Json
from ..model.said import Said, say, with_said
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
        **with_said(line=line(context_)),
    }


def _published(found: Optional[Figure]) -> Optional[Json]:
    return figure(found) if found else None


def line(context_: Context) -> Said:
    """A sentence that compares the median OSD with a figure, its hardware and its source."""
    subject = say(
        "published-subject",
        "per-OSD {work} ({medium})",
        work=_work(context_.work, _operation(context_.work.operation)),
        medium=context_.medium,
    )
    if context_.ratio is not None and context_.measured is not None:
        measured = context_.measured
        return say(
            "published-measured",
            "{subject}: {ratio:.2f}x of {figure} by {work} ({hardware}; {source})",
            subject=subject,
            ratio=context_.ratio,
            figure=_amount(context_, measured),
            work=context_.work.method,
            hardware=measured.hardware,
            source=measured.source,
        )
    ends = [end for end in (context_.least, context_.most) if end]
    ours = _rate(context_.value, context_.operations)
    if not ends:
        return say(
            "published-none",
            "{subject}: {rate}; nothing published is like it{near}",
            subject=subject,
            rate=ours,
            near=_near(context_.near),
        )
    least, most = (_amount(context_, end) for end in (ends[0], ends[-1]))
    plausible = (
        least
        if len(ends) == 1
        else say("published-range", "{least} to {most}", least=least, most=most)
    )
    return say(
        "published-plausible",
        "{subject}: {rate}, {place} the plausible {plausible} ({sources:all})",
        subject=subject,
        rate=ours,
        place=_place(context_),
        plausible=plausible,
        sources=list(dict.fromkeys(end.source for end in ends)),
    )


def _work(work: Work, operation: str) -> Said:
    """Work, as "4 MiB write onto fresh objects"."""
    if work.prefilled:
        return say(
            "published-prefilled",
            "{size} {operation} onto prefilled objects",
            size=size(work.block_size),
            operation=operation,
        )
    return say(
        "published-fresh",
        "{size} {operation} onto fresh objects",
        size=size(work.block_size),
        operation=operation,
    )


def _operation(name: str) -> Said:
    return say("published-write", "write") if name == "write" else say("published-read", "read")


def _operations(name: str) -> Said:
    return say("writes", "writes") if name == "write" else say("reads", "reads")


def _near(found: Optional[Figure]) -> str:
    """Name the closest figure and its workload."""
    alike = found.alike if found else None
    if found is None or alike is None:
        return ""
    return say(
        "published-near",
        ", closest is {rate} of {work} on {media} ({hardware}; {source})",
        rate=_rate(alike.value, alike.operations),
        work=_work(alike.work, _operations(alike.work.operation)),
        media=" / ".join(sorted(alike.media)),
        hardware=found.hardware,
        source=found.source,
    )


def _place(context_: Context) -> Said:
    least, most = context_.least, context_.most
    if least and least.alike and context_.value < least.alike.value:
        return say("published-below", "below")
    if most and most.alike and context_.value > most.alike.value:
        return say("published-above", "above")
    return say("published-within", "within")


def _amount(context_: Context, found: Figure) -> str:
    return _rate(found.alike.value, context_.operations) if found.alike else ""


def _rate(value: float, operations: bool) -> Said:
    if operations:
        return say("rate-iops", "{rate:.0f} IOPS", rate=value)
    return say("rate-mib", "{rate:.0f} MiB/s", rate=value / (1 << 20))
