"""Why an OSD is slow, as JSON and as text."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..answers.text import GAP, WIDTH, iso, number, short_time, table
from ..model.breakdown import Breakdown, Stage
from ..model.json_fields import Json

# The stages of the table, in the order in which an operation goes through them.
_STAGES = [stage.value for stage in Stage]
_LEAST_SHARE = 0.001
# The keys of a side's shares and of what they are of.
_SIDES = (("operations", "sampled"), ("sub_operations", "sub_sampled"))
_MOST_OTHERS = 3


def breakdown(found: Breakdown) -> Json:
    """The answer to ``osd why``; shares are 0 to 1, and empty without operations."""
    answer = _rounded(asdict(found))
    answer["state"] = "complete" if answer.pop("is_complete") else "asking"
    answer["behind"] = _pairs(answer["behind"], "osd", "seconds")
    answer["blocked_by"] = _pairs(answer["blocked_by"], "reason", "seconds")
    for figure in answer["counters"]:
        figure["others"] = _pairs(figure["others"], "osd", "ms")
    return {**answer, "asked_at": iso(found.asked_at), "until": iso(found.until)}


def _pairs(values: Mapping[Any, float], name: str, value: str) -> list[Json]:
    return [{name: one, value: number_} for one, number_ in values.items()]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, (list, tuple)) else value


# --- as text ---------------------------------------------------------------------------------


def breakdown_text(shape: Json) -> str:
    """Text of ``osd why``: the conclusion, where the time goes, who waits, the counters."""
    until = short_time(shape["until"])
    asked = (
        f"asked until {until} (UTC)"
        if shape["state"] == "complete"
        else f"being asked until {until} (UTC); the same command then shows all"
    )
    parts = [
        f"osd.{shape['osd']}: {asked}\n{_filled(shape['sentences'])}",
        _stages(shape),
        _waits(shape),
        _counters(shape),
        _headed("not known", shape["not_told"]),
        _headed("of the others", [text for peer in shape["peers"] for text in peer["problems"]]),
    ]
    return GAP.join(part for part in parts if part)


def _headed(head: str, sentences: Sequence[str]) -> str:
    return f"{head}\n{_filled(sentences)}" if sentences else ""


def _filled(sentences: Sequence[str]) -> str:
    return "\n".join(
        textwrap.fill(one, WIDTH, initial_indent="  ", subsequent_indent="    ")
        for one in sentences
    )


def _stages(shape: Json) -> str:
    """Seconds and shares of the stages that take any time."""
    rows = []
    for stage in _STAGES:
        shares = [shape[shares].get(stage) for shares, _ in _SIDES]
        if max(share or 0.0 for share in shares) < _LEAST_SHARE:
            continue
        row = [stage.replace("_", " ")]
        for share, (_, sampled) in zip(shares, _SIDES):
            known = share is not None
            row.append(number(share * shape[sampled]["seconds"] if known else None, 3))
            row.append(number(100 * share if known else None))
        rows.append(row)
    counts = [str(shape[sampled]["operations"]) for _, sampled in _SIDES]
    rows.append(["(operations)", counts[0], "", counts[1], ""])
    return table(["STAGE", "OF CLIENTS s", "%", "AS REPLICA s", "%"], rows) if len(rows) > 1 else ""


def _waits(shape: Json) -> str:
    """Whom its operations wait for, and the asked OSDs that wait for it."""
    rows = []
    for key in ("waits_for", "waited_for_by"):
        for wait in shape[key]:
            share, seconds = number(100 * wait["share"]), number(wait["seconds"], 3)
            name = f"{key.replace('_', ' ')} osd.{wait['osd']}"
            rows.append([name, seconds, share, str(wait["operations"])])
    return table(["SUB-OPERATIONS", "s", "%", "OPERATIONS"], rows) if rows else ""


def _counters(shape: Json) -> str:
    others = sorted({one["osd"] for row in shape["counters"] for one in row["others"]})
    shown = others[:_MOST_OTHERS]
    rows = []
    for row in shape["counters"]:
        theirs = {one["osd"]: one["ms"] for one in row["others"]}
        means = [number(theirs.get(osd), 2) for osd in shown]
        rows.append([row["words"], str(row["operations"]), number(row["ms"], 2), *means])
    if not rows:
        return ""
    seconds = shape["counter_seconds"]
    span = "since its start" if seconds is None else f"of {number(seconds)} s"
    head = ["COUNTER", "COUNT", f"osd.{shape['osd']} ms", *[f"osd.{osd} ms" for osd in shown]]
    return f"{table(head, rows)}\n({span})"
