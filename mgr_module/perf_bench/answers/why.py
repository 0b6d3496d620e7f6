"""Why an OSD is slow, as text; the answer's classes are those of ``model/breakdown``."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Optional

from ..model.verdict import OsdWhy, OsdWhySampled, Stage
from .text import GAP, WIDTH, number, short_time, table

# Less of the time is not worth a row.
_LEAST_SHARE = 0.001
_MOST_OTHERS = 3


def text(found: OsdWhy) -> str:
    """Text of ``osd why``: the conclusion, where the time goes, who waits, the counters."""
    until = short_time(found.until)
    asked = (
        f"asked until {until} (UTC)"
        if found.is_complete
        else f"being asked until {until} (UTC); the same command then shows all"
    )
    parts = [
        f"osd.{found.osd}: {asked}\n{_filled(found.sentences)}",
        _stages(found),
        _waits(found),
        _counters(found),
        _headed("not known", found.not_told),
        _headed("of the others", [problem for peer in found.peers for problem in peer.problems]),
    ]
    return GAP.join(part for part in parts if part)


def _headed(head: str, sentences: Sequence[str]) -> str:
    return f"{head}\n{_filled(sentences)}" if sentences else ""


def _filled(sentences: Sequence[str]) -> str:
    return "\n".join(
        textwrap.fill(one, WIDTH, initial_indent="  ", subsequent_indent="    ")
        for one in sentences
    )


def _stages(found: OsdWhy) -> str:
    """Seconds and shares of the stages that take any time."""
    sides = ((found.operations, found.sampled), (found.sub_operations, found.sub_sampled))
    rows = [
        [
            stage.value.replace("_", " "),
            *(cell for shares, of in sides for cell in _time(shares.get(stage.value), of)),
        ]
        for stage in Stage
        if any(shares.get(stage.value, 0.0) >= _LEAST_SHARE for shares, _ in sides)
    ]
    if not rows:
        return ""
    clients, replica = (str(of.operations) for _, of in sides)
    rows.append(["(operations)", clients, "", replica, ""])
    return table(["STAGE", "OF CLIENTS s", "%", "AS REPLICA s", "%"], rows)


def _time(share: Optional[float], of: OsdWhySampled) -> tuple[str, str]:
    if share is None:
        return number(None), number(None)
    return number(share * of.seconds, 3), number(100 * share)


def _waits(found: OsdWhy) -> str:
    """Whom its operations wait for, and the asked OSDs that wait for it."""
    sides = (("waits for", found.waits_for), ("waited for by", found.waited_for_by))
    rows = [
        [
            f"{name} osd.{wait.osd}",
            number(wait.seconds, 3),
            number(100 * wait.share),
            str(wait.operations),
        ]
        for name, waits in sides
        for wait in waits
    ]
    return table(["SUB-OPERATIONS", "s", "%", "OPERATIONS"], rows) if rows else ""


def _counters(found: OsdWhy) -> str:
    shown = sorted({one.osd for row in found.counters for one in row.others})[:_MOST_OTHERS]
    rows = []
    for row in found.counters:
        theirs = {one.osd: one.ms for one in row.others}
        means = [number(theirs.get(osd), 2) for osd in shown]
        rows.append([row.words, str(row.operations), number(row.ms, 2), *means])
    if not rows:
        return ""
    seconds = found.counter_seconds
    span = "since its start" if seconds is None else f"of {number(seconds)} s"
    head = ["COUNTER", "COUNT", f"osd.{found.osd} ms", *[f"osd.{osd} ms" for osd in shown]]
    return f"{table(head, rows)}\n({span})"
