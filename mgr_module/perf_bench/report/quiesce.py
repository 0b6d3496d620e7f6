"""Quiesced settings as JSON and as text."""

from __future__ import annotations

from dataclasses import asdict
from typing import Optional

from ..answers.text import facts, iso, short_time
from ..model.json_fields import Json
from ..model.phrases import listed, plural
from ..model.quiesce import QuiesceStatus, Restored, SettingChange


def quiesce(status: QuiesceStatus, round_id: Optional[int]) -> Json:
    """The state of quiesce. Times are ISO 8601 in UTC; ``round_id`` is the holder's, if known."""
    return {
        "state": status.state.value,
        "since": iso(status.since),
        "until": iso(status.until),
        "holder": None if status.holder is None else _holder(status.holder, round_id),
        "round": round_id,
        "changed": [asdict(changed) for changed in status.changed],
        "why": status.why or None,
        "commands": list(status.commands),
        "commands_left_out": status.more_changes,
        "watched": list(status.watched),
        "last": None if status.last is None else outcome(status.last),
    }


def _holder(token: str, round_id: Optional[int]) -> str:
    return token if round_id is None else f"round {round_id}"


def outcome(done: Restored) -> Json:
    """Settings that were restored, and those left because somebody else has set them since."""
    return {
        "put_back": [{"what": change.what, "now": change.was} for change in done.put_back],
        "left": [asdict(left) for left in done.left],
    }


def restored(done: Restored) -> Json:
    """The outcome of ``quiesce restore``."""
    return {
        "complete": done.complete,
        **outcome(done),
        "waiting": [
            {"what": waiting.change.what, "was": waiting.change.was, "why": waiting.why}
            for waiting in done.waiting
        ],
        "unsaved": done.unsaved,
    }


def quiesce_text(shape: Json) -> str:
    """Text of ``quiesce status``."""
    if shape["state"] == "idle":
        head = "idle: nothing is changed in the cluster's settings"
        return "\n".join(part for part in (head, facts(_extras(shape))) if part)
    head = str(shape["state"])
    if shape["since"] is not None:
        head += f" since {short_time(shape['since'])} UTC, by {shape['holder']}"
    # A running round restores them itself.
    by_hand = [] if shape["state"] == "held" else list(shape["commands"])
    if by_hand and shape["commands_left_out"]:
        more = plural(shape["commands_left_out"], "more setting")
        by_hand.append(f"and {more}: 'ceph-perf-bench restore' on any host")
    limit = "" if shape["until"] is None else f"at the latest on {short_time(shape['until'])} UTC"
    pairs = [
        *((changed["what"], _change(changed)) for changed in shape["changed"]),
        ("put back", limit),
        ("because", shape["why"] or ""),
        *((("by hand", command)) for command in by_hand),
        *_extras(shape),
    ]
    return "\n".join([head, facts(pairs)])


def _extras(shape: Json) -> list[tuple[str, str]]:
    """Restores that are pending, and the outcome of the last round's."""
    watched = ", ".join(shape["watched"])
    last = shape["last"] or {"put_back": (), "left": ()}
    return [
        ("watched", f"{watched}: a command may still be carried out" if watched else ""),
        ("put back last", listed([one["what"] for one in last["put_back"]])),
        *(("left", f"{one['what']}: {_left(one)}") for one in last["left"]),
    ]


def _change(changed: Json) -> str:
    now = changed["now"]
    if changed["unread"]:
        return f"not known: {changed['unread']}"
    if now == changed["want"]:
        return f"{_value(now)}, was {_value(changed['was'])}"
    if now == changed["was"]:
        return f"{_value(now)}, as it was"
    return f"{_value(now)}, set by somebody else: it stays"


def _value(value: Optional[str]) -> str:
    return "not set" if value is None else value


def restored_text(shape: Json) -> str:
    """Text of ``quiesce restore``."""
    pairs = [
        *[(one["what"], f"{_value(one['now'])} again") for one in shape["put_back"]],
        *[(one["what"], _left(one)) for one in shape["left"]],
        *[(one["what"], f"not yet: {one['why']}") for one in shape["waiting"]],
        ("journal", shape["unsaved"] or ""),
    ]
    if shape["complete"]:
        head = "put back" if shape["put_back"] or shape["left"] else "nothing was to be put back"
    else:
        head = "not all is put back yet: it is tried again every few seconds"
    return "\n".join(part for part in (head, facts(pairs)) if part)


def _left(left: Json) -> str:
    if left["gone"]:
        return "is gone"
    return f"{_value(left['now'])}, set by somebody else: it stays"


def outcome_text(shape: Json) -> str:
    """The outcome of restoring a round's settings, for ``round show``."""
    parts = [listed([one["what"] for one in shape["put_back"]])]
    parts += [f"{one['what']} is {_left(one)}" for one in shape["left"]]
    parts += [f"{one} was not put back yet at its end" for one in shape["waiting"]]
    return "; ".join(part for part in parts if part)


def changes_text(changes: tuple[SettingChange, ...]) -> list[str]:
    """The settings that a round would change, for a dry run."""
    return [f"{one.what} {_value(one.was)} to {_value(one.want)}" for one in changes]
