"""Admission: the placement groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Union

from ...model.admission import Ask, Refusal, Rules, Situation, Unknown
from ...model.phrases import plural

# Words of a PG's state, by their meaning for a round. A PG may count for several.
_TROUBLES: tuple[tuple[str, frozenset[str], str], ...] = (
    (
        "pg-peering",
        frozenset(("peering", "peered", "activating")),
        "{} peering: clients wait for them",
    ),
    (
        "pg-recovery",
        frozenset(
            ("recovering", "recovery_wait", "recovery_toofull", "recovery_unfound",
             "forced_recovery")
        ),
        "{} in recovery, which shares the devices with a bench",
    ),
    (
        "pg-backfill",
        frozenset(
            ("backfilling", "backfill_wait", "backfill_toofull", "backfill_unfound",
             "forced_backfill")
        ),
        "{} in backfill, which shares the devices with a bench",
    ),
    (
        "pg-degraded",
        frozenset(("degraded", "undersized", "stale", "down", "incomplete", "inconsistent")),
        "{} without all good copies",
    ),
    ("pg-laggy", frozenset(("laggy", "wait")), "{} laggy: OSDs answer too late already"),
)  # fmt: skip
# A PG without any of these is not active, nor about to become so.
_ACTIVE_SOON = frozenset(("active", "peering", "peered", "activating"))


def check_pgs(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """PGs that are not healthy: the round would harm them, and they would affect its results."""
    del ask, rules
    if now.pgs is None:
        yield Unknown("pgs", "the states of the PGs are not known yet", essential=True)
        return
    words = {frozenset(state.split("+")): count for state, count in now.pgs.items() if count}
    inactive = sum(count for state, count in words.items() if not state & _ACTIVE_SOON)
    if inactive:
        yield Refusal("pg-inactive", f"{_are(inactive)} not active: clients wait for them")
    for code, trouble, sentence in _TROUBLES:
        count = _having(words, trouble)
        if count:
            yield Refusal(code, sentence.format(_are(count)))


def _having(words: Mapping[frozenset[str], int], trouble: frozenset[str]) -> int:
    return sum(count for state, count in words.items() if state & trouble)


def _are(count: int) -> str:
    return f"{plural(count, 'PG')} {'is' if count == 1 else 'are'}"
