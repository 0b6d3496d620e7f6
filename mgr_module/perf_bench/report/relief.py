"""Relieved OSDs as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ..answers.text import iso, minute, shown, table
from ..model.json_fields import Json
from ..model.quiesce import WORDS, Left, Relief, Restored, SettingChange, is_out


def noted(one: Relief) -> Json:
    """A relief as the journal has it."""
    return {
        "what": one.what,
        "was": _number(one.change.was),
        "set_to": _number(one.change.want),
        "since": iso(one.since),
    }


def relief(one: Relief) -> Json:
    """A relief with what the OSD map has ``now``; null: no such OSD, or not known (``unread``)."""
    return {
        "osd": one.osd,
        **noted(one),
        "now": _number(one.now),
        "in_effect": one.in_effect,
        "unread": one.unread,
    }


def relieved_line(one: Json, now: Optional[float]) -> str:
    """A relief in ``osd show``; ``now`` is the value in the OSD map."""
    found = "" if now == one["set_to"] else f", but it is {shown(now)} in the OSD map"
    if is_out(one["what"], now):
        found = ", but it is out, and has that when it is in again"
    return (
        f"{WORDS[one['what']]} {one['set_to']:g}, was {one['was']:g}, since "
        f"{minute(one['since'])} UTC{found}"
    )


def undone(osd: int, done: Restored) -> Json:
    """What undoing did, by setting."""
    return {
        "osd": osd,
        "put_back": [_change(one) for one in done.put_back],
        "as_before": [_change(one) for one in done.same],
        "theirs": [_theirs(one) for one in done.left],
        "waiting": [{"what": _what(one.change.what), "why": one.why} for one in done.waiting],
    }


def reliefs_text(shapes: Sequence[Json]) -> str:
    """Print ``relief ls``."""
    if not shapes:
        return "no OSD is relieved"
    rows = [
        [
            f"osd.{one['osd']}", WORDS[one["what"]], f"{one['was']:g}", f"{one['set_to']:g}",
            minute(one["since"]), _state(one),
        ]
        for one in shapes
    ]  # fmt: skip
    head = ["OSD", "WHAT", "WAS", "SET TO", "SINCE (UTC)", "STATE"]
    return f"{table(head, rows)}\n'ceph perf-bench osd relieve ID --undo' puts back what was"


def relieved_text(shape: Json) -> str:
    """Print ``osd relieve``."""
    if "put_back" in shape:
        return _undone_text(shape)
    name = f"{WORDS[shape['what']]} of osd.{shape['osd']}"
    return (
        f"{name} was {shape['was']:g}: {_state(shape)}; "
        f"'ceph perf-bench osd relieve {shape['osd']} --undo' puts it back"
    )


def _state(one: Json) -> str:
    if one["unread"]:
        return f"not known: {one['unread']}"
    if one["now"] is None:
        return "there is no such OSD any more"
    if one["in_effect"]:
        return f"it is {one['now']:g} in the OSD map"
    if is_out(one["what"], one["now"]):
        return f"it is out, and has {one['set_to']:g} when it is in again"
    return f"it is {one['now']:g} in the OSD map, changed by somebody else or not set yet"


def _undone_text(shape: Json) -> str:
    of = f"of osd.{shape['osd']}"
    return "\n".join(
        [
            *(f"{WORDS[x['what']]} {of} is {x['was']:g} again" for x in shape["put_back"]),
            *(f"{WORDS[x['what']]} {of} was {x['was']:g} already" for x in shape["as_before"]),
            *(f"{WORDS[x['what']]} {of} {_left(x)}" for x in shape["theirs"]),
            *(f"{WORDS[x['what']]} {of} is not put back: {x['why']}" for x in shape["waiting"]),
        ]
    )


def _left(one: Json) -> str:
    if one["gone"]:
        return "is gone: there is no such OSD any more"
    return f"is {one['now']:g}, set by somebody else since: it stays, and was {one['was']:g} before"


def _theirs(one: Left) -> Json:
    return {
        "what": _what(one.what), "was": _number(one.was), "now": _number(one.now),
        "gone": one.gone,
    }  # fmt: skip


def _change(one: SettingChange) -> Json:
    return {"what": _what(one.what), "was": _number(one.was), "was_set_to": _number(one.want)}


def _what(setting: str) -> str:
    return setting.rpartition("/")[2]


def _number(text: Optional[str]) -> Optional[float]:
    return None if text is None else float(text)
