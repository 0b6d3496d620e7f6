"""Decide whether two rounds are comparable, with notes.

| not comparable | because |
| --- | --- |
| the same round twice, a round that has not ended | there is nothing to compare |
| any verdict but valid or noisy | its figures are not reliable |
| another kind, profile, phase, block size, prefill | it measures something else |
| over twice the bytes a sample | one may fit into a cache and the other not |
| another cluster | osd.3 there is not osd.3 here |
| no OSD that both measured, on the same device | nothing has a counterpart |
| for clients another pool, size, load, copies, EC, compression | it measures something else |
| results of other tools | a single run has no variation |

Only noted: a noisy round (its noise is in the interval, and a change must be twice its CV), OSDs
that only one of them measured or whose device was replaced (they are left out), and differences in
the environment: comparing before and after an upgrade or a change of options is a main use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model.bench import Step
from ...model.comparison import MeasuredRound
from ...model.imported import TOOLS
from ...model.round import OsdResult, Round, Verdict

_COMPARED = (Verdict.VALID, Verdict.NOISY)
MOST_BYTES_RATIO = 2.0
_NAMED = 5


def obstacles(a: Round, b: Round) -> tuple[str, ...]:
    """Why these rounds are not comparable, as sentences; empty if they are."""
    if a.id == b.id:
        return (f"both are round {a.id}",)
    worthless = tuple(_worthless(a)) + tuple(_worthless(b))
    return (*worthless, *_other_work(a, b))


def _worthless(round_: Round) -> Iterator[str]:
    if not round_.state.ended:
        yield f"round {round_.id} is still {round_.state.value}"
    elif round_.verdict not in _COMPARED:
        verdict = round_.verdict.value if round_.verdict else round_.state.value
        because = f": {round_.reasons[0]}" if round_.reasons else ""
        yield f"round {round_.id} is {verdict}{because}"


def _other_work(a: Round, b: Round) -> Iterator[str]:
    if a.kind != b.kind:
        yield f"round {a.id} is of kind {a.kind}, round {b.id} of kind {b.kind}"
    elif a.kind in TOOLS:
        yield f"rounds of kind {a.kind} have no repeats, so their variation is not known"
    if a.profile != b.profile:
        yield f"round {a.id} ran {a.profile}, round {b.id} {b.profile}"
    elif a.plan.load is None:
        yield from other_step(a.plan.step, b.plan.step)
    clusters = a.environment.get("fsid"), b.environment.get("fsid")
    if None not in clusters and clusters[0] != clusters[1]:
        yield "they were measured on different clusters"


def other_step(a: Step, b: Step) -> Iterator[str]:
    """The differences of two steps that make them incomparable."""
    if a.operation != b.operation:
        yield f"the one measured {a.operation}, the other {b.operation}"
    if a.block_size != b.block_size:
        yield f"block sizes differ: {a.block_size} and {b.block_size} bytes"
    elif (a.object_size, a.object_count) != (b.object_size, b.object_count):
        yield f"objects differ: {_objects(a)} and {_objects(b)}"
    elif max(a.total_bytes, b.total_bytes) > MOST_BYTES_RATIO * min(a.total_bytes, b.total_bytes):
        yield f"samples differ: {a.total_bytes} and {b.total_bytes} bytes"


def _objects(step: Step) -> str:
    if not step.prefilled:
        return "fresh ones"
    return f"{step.object_count} prefilled ones of {step.object_size} bytes"


def pairs(
    a: MeasuredRound, b: MeasuredRound
) -> tuple[list[tuple[OsdResult, OsdResult]], list[str]]:
    """The OSDs that both rounds measured on the same device, by ID, and notes on the others."""
    before = {row.osd: row for row in a.results if row.median_bytes_per_second}
    after = {row.osd: row for row in b.results if row.median_bytes_per_second}
    shared = sorted(before.keys() & after.keys())
    replaced = [osd for osd in shared if _other_device(before[osd], after[osd])]
    kept = [(before[osd], after[osd]) for osd in shared if osd not in set(replaced)]
    notes = [
        note
        for note, osds in (
            (f"measured in round {a.round.id} only", before.keys() - after.keys()),
            (f"measured in round {b.round.id} only", after.keys() - before.keys()),
            ("left out because the device was replaced", replaced),
        )
        for note in _note(note, sorted(osds))
    ]
    return kept, notes


def _other_device(a: OsdResult, b: OsdResult) -> bool:
    """Whether the device differs: by model, or if unknown by device class."""
    if a.model and b.model:
        return a.model != b.model
    return bool(a.device_class and b.device_class) and a.device_class != b.device_class


def _note(what: str, osds: Sequence[int]) -> Iterator[str]:
    if osds:
        yield f"{what}: {_names(osds)}"


def _names(osds: Sequence[int]) -> str:
    named = ", ".join(f"osd.{osd}" for osd in osds[:_NAMED])
    more = len(osds) - _NAMED
    return named + (f" and {more} more" if more > 0 else "")


def noisy_notes(rounds: Sequence[Round]) -> Iterator[str]:
    """A note for each noisy round."""
    for round_ in rounds:
        if round_.verdict == Verdict.NOISY:
            because = f": {round_.reasons[0]}" if round_.reasons else ""
            yield f"round {round_.id} is noisy{because}"
