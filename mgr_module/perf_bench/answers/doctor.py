"""What the doctor advises, and what is done about it: mClock's capacities, relief of an OSD.

``ceph perf-bench doctor``, ``mclock …``, ``osd relieve`` and ``relief ls``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Optional, Union

from ..doctor.checks import mclock
from ..errors import InvalidValue
from ..model.admission import (
    AFFINITY,
    REWEIGHT,
    WORDS,
    Left,
    Outcome,
    Relieved,
    SettingChange,
    figure,
    is_out,
    stored,
)
from ..model.doctor_snapshot import Advice, Capacity
from ..model.osd import no_such_osd
from ..model.phrases import plural
from .api import Api
from .paging import WHOLE, Page
from .question import OF_CONFIGURATION, OsdId, Question
from .shape import Count, Keys
from .text import GAP, Column, facts, table


@dataclass(frozen=True)
class Applied:
    """What a change of several OSDs did; left: how many another call would change.

    needs_consent -- OSDs whose proposal is out of Ceph's range and was not set.
    theirs -- Settings that are not put back: somebody else has set them since.
    waiting -- Settings that are not put back yet.
    """

    changed: Sequence[Count]
    left: int
    needs_consent: Sequence[int] = ()
    theirs: Sequence[Left] = ()
    waiting: Sequence[Outcome] = ()


@dataclass(frozen=True)
class OsdRelieved(Relieved):
    """A relief with what the OSD map has now; null: no such OSD, or not known (unread says why)."""

    KEYS: ClassVar[Keys] = (*Relieved.KEYS, "osd", ("now", "has"), "in_effect", "unread")


@dataclass(frozen=True)
class Undone:
    """What undoing the relief of an OSD did, by setting ("osd/3/reweight").

    put_back -- What has its old value.
    theirs -- What is not put back: somebody else has set it since, or its OSD is gone.
    waiting -- What is not put back yet.
    """

    osd: int
    put_back: Sequence[SettingChange]
    theirs: Sequence[Left]
    waiting: Sequence[Outcome]


# --- advice --------------------------------------------------------------------------------------


def all_advice(api: Api, osd: Optional[OsdId] = None) -> list[Advice]:
    """Advise on settings and hosts, with evidence and the command that mends it.

    Raises NotFound for an OSD that is not there.
    """
    if osd is not None and osd not in api.doctor.snapshot().osds:
        raise no_such_osd(osd)
    found = api.doctor.advice()
    return [one for one in found if osd is None or osd in one.osds]


def advice_text(found: Sequence[Advice]) -> str:
    """Text of ``doctor``."""
    if not found:
        return "nothing to advise, as far as the checks could look"
    return GAP.join(
        f"{one.severity.value}: {one.code}, {one.target}\n"
        + facts([("says", one.message), ("type", one.fix), ("see", one.source)], ("type",))
        for one in found
    )


# --- mClock's capacities -------------------------------------------------------------------------


def capacities(api: Api, page: Page = WHOLE) -> tuple[list[Capacity], int]:
    """List the IOPS that mClock takes OSDs to be capable of, and those measured."""
    found = mclock.capacities(api.doctor.snapshot())
    return page.of(found, Capacity, "osd")


def propose(api: Api, apply: bool = False, beyond: bool = False) -> Union[list[Capacity], Applied]:
    """Propose capacities by what rounds measured; set them with --apply."""
    if apply:
        return apply_capacities(api, beyond)
    return list(mclock.proposed(api.doctor.snapshot()))


def apply_capacities(api: Api, beyond: bool = False) -> Applied:
    """Set the capacities that are proposed."""
    done = api.mclock_tuning.apply(beyond)
    return Applied(done.changed, done.left, needs_consent=done.needs_consent)


def restore_capacities(api: Api) -> Applied:
    """Put back the capacities that were before."""
    done = api.mclock_tuning.restore()
    return Applied(done.changed, done.left, theirs=done.done.left, waiting=done.done.waiting)


_CAPACITIES = (
    Column("OSD", "osd", "osd"),
    Column("CLASS", "device_class", "word"),
    Column("CONFIGURED", "configured_iops", "0"),
    Column("MEASURED", "measured_iops", "0"),
    Column("PROPOSED", "proposed", "0"),
    Column("SOURCE", "source", "word"),
    Column("VERDICT", "verdict", "word"),
)


def capacities_text(found: Sequence[Capacity]) -> str:
    """Text of ``mclock ls``."""
    return f"IOPS of random writes of 4 KiB\n{table(_CAPACITIES, found)}"


def proposed_text(answer: Union[Sequence[Capacity], Applied]) -> str:
    """Text of ``mclock propose``, also with ``--apply``."""
    if isinstance(answer, Applied):
        kept = len(answer.needs_consent)
        done = f"{_done('set', answer)}; 'ceph perf-bench mclock restore' puts back what was"
        out = f"{plural(kept, 'OSD')} out of Ceph's range left as they are: --beyond sets them too"
        return f"{done}\n{out}" if kept else done
    if not answer:
        return "nothing to propose for the OSDs whose small writes rounds have measured"
    asks = any(one.consent for one in answer)
    beyond = "\nthose that are 'rejected' are out of Ceph's range: --apply --beyond" if asks else ""
    changes = "nothing is changed: --apply sets it, 'mclock restore' undoes it"
    return f"{capacities_text(answer)}\n{changes}{beyond}"


def restored_text(answer: Applied) -> str:
    """Text of ``mclock restore``."""
    theirs = [f"{one.what} is {one.now or 'not set'}" for one in answer.theirs]
    return "\n".join(
        [
            _done("put back", answer),
            *(f"{one} by somebody else: it stays" for one in theirs),
            *(f"{one.change.what} is not put back yet: {one.why}" for one in answer.waiting),
        ]
    )


def _done(verb: str, answer: Applied) -> str:
    left = f" ({answer.left} are left: do it again)" if answer.left else ""
    return f"{verb} the capacity of {plural(len(answer.changed), 'OSD')}{left}"


# --- relief --------------------------------------------------------------------------------------


def reliefs(api: Api) -> list[OsdRelieved]:
    """List OSDs that are relieved, since when, and what the OSD map has now."""
    return [OsdRelieved(**vars(one)) for one in api.relief.ls()]


def relieve(
    api: Api,
    id_: OsdId,
    affinity: Optional[str] = None,
    reweight: Optional[str] = None,
    undo: bool = False,
    yes_i_really_mean_it: bool = False,
) -> Union[OsdRelieved, Undone]:
    """Take load off an OSD, with --undo put back what was: osd relieve 7 --affinity 0.

    Raises InvalidValue.
    """
    if undo:
        if affinity is not None or reweight is not None:
            raise InvalidValue("--undo goes without --affinity and --reweight", field="undo")
        return _undo(api, id_)
    if affinity is not None and reweight is not None:
        raise InvalidValue("give --affinity or --reweight, one after the other", "reweight")
    if reweight is not None:
        what, value = REWEIGHT, _part("reweight", reweight)
        if is_out(what, float(stored(value))):
            raise InvalidValue(
                f"reweight 0 takes osd.{id_} out: that is 'ceph osd out {id_}'", "reweight"
            )
    else:
        what, value = AFFINITY, _part("affinity", "0" if affinity is None else affinity)
    if not yes_i_really_mean_it:
        raise InvalidValue(_sets(id_, what, value), "yes_i_really_mean_it")
    return OsdRelieved(**vars(api.relief.relieve(id_, what, value)))


def _undo(api: Api, osd: int) -> Undone:
    """Put back what was before the relief, unless somebody has changed it since."""
    done = api.relief.undo(osd)
    return Undone(osd, [*done.put_back, *done.same], done.left, done.waiting)


def _part(name: str, text: str) -> float:
    """A number from 0 to 1. Raises InvalidValue."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise InvalidValue(f"{name} is a number from 0 to 1, not '{text[:40]}'", field=name)
    return value


def _sets(osd: int, what: str, value: float) -> str:
    """What the relief would change, for who has not agreed to it."""
    moves = "data of it moves to others" if what == REWEIGHT else "no data moves"
    sets = f"this sets the {WORDS[what]} of osd.{osd} to {value:g}, {moves}"
    return f"{sets}: add --yes-i-really-mean-it"


def reliefs_text(found: Sequence[OsdRelieved]) -> str:
    """Text of ``relief ls``."""
    if not found:
        return "no OSD is relieved"
    return f"{table(_RELIEFS, found)}\n'ceph perf-bench osd relieve ID --undo' puts back what was"


def relieved_text(answer: Union[OsdRelieved, Undone]) -> str:
    """Text of ``osd relieve``, also with ``--undo``."""
    if isinstance(answer, Undone):
        return _undone_text(answer)
    return (
        f"{WORDS[answer.what]} of osd.{answer.osd} was {answer.was:g}: {_state(answer)}; "
        f"'ceph perf-bench osd relieve {answer.osd} --undo' puts it back"
    )


def _state(one: OsdRelieved) -> str:
    if one.unread:
        return f"not known: {one.unread}"
    if one.has is None:
        return "there is no such OSD any more"
    if is_out(one.what, one.has):
        return f"it is out, and has {one.set_to:g} when it is in again"
    differs = "" if one.in_effect else ", changed by somebody else or not set yet"
    return f"it is {one.has:g} in the OSD map{differs}"


_RELIEFS = (
    Column("OSD", "osd", "osd"),
    Column("WHAT", lambda one: WORDS[one.what], "word"),
    Column("WAS", "was", "plain"),
    Column("SET TO", "set_to", "plain"),
    Column("SINCE (UTC)", "since", "time"),
    Column("STATE", _state, "word"),
)


def _undone_text(done: Undone) -> str:
    told = [
        *((one.what, f"is {figure(one.was):g} again") for one in done.put_back),
        *((one.what, _stays(one)) for one in done.theirs),
        *((one.change.what, f"is not put back: {one.why}") for one in done.waiting),
    ]
    return "\n".join(
        f"{WORDS[what.rpartition('/')[2]]} of osd.{done.osd} {words}" for what, words in told
    )


def _stays(one: Left) -> str:
    if one.gone:
        return "is gone: there is no such OSD any more"
    return f"is {figure(one.now):g}, set by somebody else since: it stays"


QUESTIONS = (
    Question("mclock ls", capacities, text=capacities_text, rest="GET mclock"),
    Question("mclock propose", propose, text=proposed_text, writes=True),
    Question(
        "mclock apply",
        apply_capacities,
        rest="POST mclock/apply",
        writes=True,
        needs=OF_CONFIGURATION,
    ),
    Question(
        "mclock restore",
        restore_capacities,
        text=restored_text,
        rest="POST mclock/restore",
        writes=True,
        needs=OF_CONFIGURATION,
    ),
    Question("osd relieve", relieve, text=relieved_text, writes=True),
    Question("relief ls", reliefs, text=reliefs_text),
    Question("doctor", all_advice, text=advice_text, covers=("doctor",), rest="GET doctor"),
)
