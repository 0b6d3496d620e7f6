"""Why an OSD is slow, as JSON and as text."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Optional

from ..model.breakdown import Breakdown, Figure, Sampled, Stage, Wait
from ..model.json_fields import Json
from ..model.said import with_said
from .text import GAP, NOTHING, WIDTH, iso, number, rounded, table

# The stages of the table, in the order in which an operation goes through them.
_STAGES = [stage.value for stage in Stage]
_MOST_OTHERS = 3


def breakdown(found: Breakdown) -> Json:
    """The answer to ``osd why``; shares are 0 to 1, and empty without operations."""
    return {
        "osd": found.osd,
        "state": "complete" if found.is_complete else "asking",
        "asked_at": iso(found.asked_at),
        "asks": found.asks,
        "asks_left": found.asks_left,
        **with_said(sentences=found.sentences, not_told=found.not_told),
        "operations": _shares(found.operations),
        "sampled": _sampled(found.sampled),
        "sub_operations": _shares(found.sub_operations),
        "sub_sampled": _sampled(found.sub_sampled),
        "commit": _shares(found.commit),
        "read": _shares(found.read),
        "waits_for": [_wait(wait) for wait in found.waits_for],
        "waited_for_by": [_wait(wait) for wait in found.waited_for_by],
        "behind": [
            {"osd": osd, "seconds": rounded(seconds)}
            for osd, seconds in sorted(found.behind.items(), key=lambda one: (-one[1], one[0]))
        ],
        "blocked_by": [
            {"reason": reason, "seconds": rounded(seconds)}
            for reason, seconds in found.blocked_by.items()
        ],
        "counters": [_figure(figure) for figure in found.figures],
        "counter_seconds": rounded(found.counter_seconds),
        "peers": [
            {
                "osd": peer.osd,
                "host": peer.host,
                "role": peer.role,
                "operations": peer.operations,
                "problems": list(peer.problems),
            }
            for peer in found.peers
        ],
    }


def _shares(shares: Mapping[str, float]) -> dict[str, float]:
    return {name: round(share, 4) for name, share in shares.items()}


def _sampled(sampled: Sampled) -> Json:
    return {
        "operations": sampled.operations,
        "in_flight": sampled.in_flight,
        "seconds": rounded(sampled.seconds),
        "longest_seconds": rounded(sampled.longest),
    }


def _wait(wait: Wait) -> Json:
    return {
        "osd": wait.osd,
        "seconds": rounded(wait.seconds),
        "share": rounded(wait.share, 4),
        "operations": wait.operations,
    }


def _figure(figure: Figure) -> Json:
    return {
        "counter": figure.name,
        **with_said(words=figure.words),
        "ms": rounded(figure.ms, 4),
        "operations": figure.operations,
        "others": [{"osd": osd, "ms": rounded(ms, 4)} for osd, ms in sorted(figure.peers.items())],
    }


# --- as text ---------------------------------------------------------------------------------


def breakdown_text(shape: Json) -> str:
    """Text of ``osd why``: what it comes to, where the time goes, the counters."""
    asked, in_all = shape["asks"], shape["asks"] + shape["asks_left"]
    state = f"asked {asked} of {in_all} times" if shape["asks_left"] else f"asked {asked} times"
    parts = [f"osd.{shape['osd']}: {state}", _said(shape["sentences"])]
    parts += [_stages(shape)] if shape["operations"] or shape["sub_operations"] else []
    parts += [_counters(shape)] if shape["counters"] else []
    parts += [f"not known\n{_said(shape['not_told'])}"] if shape["not_told"] else []
    parts += [_unasked(shape)] if any(peer["problems"] for peer in shape["peers"]) else []
    return f"{parts[0]}\n{GAP.join(parts[1:])}"


def _said(sentences: Sequence[str]) -> str:
    return "\n".join(
        textwrap.fill(
            sentence,
            WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for sentence in sentences
    )


def _stages(shape: Json) -> str:
    """The shares of the stages that take any time."""
    clients, replica = shape["operations"], shape["sub_operations"]
    rows = [
        [stage.replace("_", " "), _percent(clients.get(stage)), _percent(replica.get(stage))]
        for stage in _STAGES
        if max(clients.get(stage, 0.0), replica.get(stage, 0.0)) >= 0.001
    ]
    return table(["STAGE", "OF CLIENTS %", "AS REPLICA %"], rows)


def _percent(share: Optional[float]) -> str:
    return NOTHING if share is None else number(100 * share)


def _counters(shape: Json) -> str:
    others = sorted({one["osd"] for row in shape["counters"] for one in row["others"]})
    shown = others[:_MOST_OTHERS]
    rows = []
    for row in shape["counters"]:
        theirs = {one["osd"]: one["ms"] for one in row["others"]}
        rows.append(
            [
                row["words"],
                str(row["operations"]),
                number(row["ms"], 2),
                *[number(theirs.get(osd), 2) for osd in shown],
            ]
        )
    seconds = shape["counter_seconds"]
    span = "since its start" if seconds is None else f"of {number(seconds)} s"
    head = ["COUNTER", "COUNT", f"osd.{shape['osd']} ms", *[f"osd.{osd} ms" for osd in shown]]
    return f"{table(head, rows)}\n({span})"


def _unasked(shape: Json) -> str:
    return "\n".join(
        f"osd.{peer['osd']}: {problem}" for peer in shape["peers"] for problem in peer["problems"]
    )
