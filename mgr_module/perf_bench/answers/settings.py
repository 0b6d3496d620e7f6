"""Settings that rounds hold, and the module's own: ``quiesce …``, ``option …``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

from ..errors import PerfBenchError
from ..model.admission import (
    Changed,
    Left,
    ModuleOption,
    Outcome,
    QuiesceState,
    QuiesceStatus,
    Restored,
    SettingChange,
    Threshold,
)
from ..model.phrases import listed
from .api import Api
from .question import OF_CONFIGURATION, Question
from .text import facts, short_time


@dataclass(frozen=True)
class Quiesce(QuiesceStatus):
    """What a round has changed in the cluster's settings; the round, if it is known."""

    round: Optional[int] = None


@dataclass(frozen=True)
class QuiesceRestored(Quiesce):
    """The state after a restore, and its outcome."""

    complete: bool = True
    put_back: Sequence[SettingChange] = ()
    left: Sequence[Left] = ()
    waiting: Sequence[Outcome] = ()
    unsaved: Optional[str] = None


# --- what rounds hold ----------------------------------------------------------------------------


def held(api: Api) -> Quiesce:
    """Show what a round has changed in the cluster's settings.

    Raises CommandFailed if the journal cannot be read.
    """
    status = api.safety.status()
    return quiesce(status, _round_of(api, status.holder) if status.holder else None)


def put_back(api: Api) -> QuiesceRestored:
    """Put back what a round changed, where none runs any more."""
    done = api.safety.restore()
    return restored(held(api), done)


def _round_of(api: Api, token: str) -> Optional[int]:
    try:
        return api.store.call(lambda store: store.round_of_token(token))
    except PerfBenchError:  # the database may be away, the settings are what matters
        return None


def quiesce(status: QuiesceStatus, round_id: Optional[int]) -> Quiesce:
    """The state of quiesce; ``round_id`` is the holder's, if known."""
    named = status if round_id is None else replace(status, holder=f"round {round_id}")
    return Quiesce(**vars(named), round=round_id)


def restored(status: Quiesce, done: Restored) -> QuiesceRestored:
    """The outcome of ``quiesce restore``, and the state after it."""
    told = ("complete", "put_back", "left", "waiting", "unsaved")
    return QuiesceRestored(**vars(status), **{name: getattr(done, name) for name in told})


def quiesce_text(of: Quiesce) -> str:
    """Text of ``quiesce status``."""
    idle = of.state is QuiesceState.IDLE
    head = "idle: nothing is changed in the cluster's settings" if idle else of.state.value
    if of.since is not None:
        head += f" since {short_time(of.since)} UTC, by {of.holder}"
    # A running round restores them itself.
    by_hand = [] if of.state is QuiesceState.HELD else list(of.commands)
    watched, last = ", ".join(of.watched), of.last or Restored()
    pairs = [
        *((changed.what, _change(changed)) for changed in of.changed),
        ("put back", f"at the latest on {short_time(of.until)} UTC" if of.until else ""),
        ("because", of.why or ""),
        *(("by hand", command) for command in by_hand),
        ("watched", f"{watched}: a command may still be carried out" if watched else ""),
        ("put back last", listed([one.what for one in last.put_back])),
        *(("left", f"{one.what}: {_left(one.gone, one.now)}") for one in last.left),
    ]
    return f"{head}\n{facts(pairs)}".rstrip("\n")


def _change(changed: Changed) -> str:
    now = changed.now
    if changed.unread:
        return f"not known: {changed.unread}"
    if now == changed.want:
        return f"{_value(now)}, was {_value(changed.was)}"
    if now == changed.was:
        return f"{_value(now)}, as it was"
    return f"{_value(now)}, set by somebody else: it stays"


def _value(value: Optional[str]) -> str:
    return "not set" if value is None else value


def _left(gone: bool, now: Optional[str]) -> str:
    return "is gone" if gone else f"{_value(now)}, set by somebody else: it stays"


def restored_text(of: QuiesceRestored) -> str:
    """Text of ``quiesce restore``."""
    pairs = [
        *[(one.what, f"{_value(one.was)} again") for one in of.put_back],
        *[(one.what, _left(one.gone, one.now)) for one in of.left],
        *[(one.change.what, f"not yet: {one.why}") for one in of.waiting],
        ("journal", of.unsaved or ""),
    ]
    if of.complete:
        head = "put back" if of.put_back or of.left else "nothing was to be put back"
    else:
        head = "not all is put back yet: it is tried again every few seconds"
    return f"{head}\n{facts(pairs)}".rstrip("\n")


def outcome_text(noted: Mapping[str, Any]) -> str:
    """The outcome that the environment of a round has, for ``round show``."""
    parts = [listed([one["what"] for one in noted["put_back"]])]
    parts += [f"{one['what']} is {_left(one['gone'], one['now'])}" for one in noted["left"]]
    parts += [f"{one} was not put back yet at its end" for one in noted["waiting"]]
    return "; ".join(part for part in parts if part)


def change_text(change: SettingChange) -> str:
    """A setting that a round would change, for a dry run."""
    return f"{change.what} {_value(change.was)} to {_value(change.want)}"


# --- options of the module -----------------------------------------------------------------------


def options(api: Api) -> list[ModuleOption]:
    """List the module's options with their values, defaults and bounds."""
    return list(api.options())


def thresholds(api: Api) -> list[Threshold]:
    """List the thresholds of the detector of slow OSDs that are in effect."""
    return list(api.thresholds())


QUESTIONS = (
    Question("quiesce status", held, text=quiesce_text, rest="GET quiesce"),
    Question(
        "quiesce restore",
        put_back,
        text=restored_text,
        rest="POST quiesce/restore",
        writes=True,
        needs=OF_CONFIGURATION,
    ),
    Question("option ls", options, rest="GET option"),
    Question("option thresholds", thresholds, rest="GET option/threshold"),
)
