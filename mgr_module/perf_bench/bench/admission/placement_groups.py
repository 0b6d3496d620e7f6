"""Admission: the placement groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Callable, Union

from ...model.admission import Ask, Refusal, Rules, Situation, Unknown
from ...model.said import say

# Words of a PG's state, by their meaning for a round. A PG may count for several.
_TROUBLES: tuple[tuple[str, frozenset[str], Callable[[int], str]], ...] = (
    (
        "pg-peering",
        frozenset(("peering", "peered", "activating")),
        lambda count: say(
            "pg-peering", "{count|PG is|PGs are} peering: clients wait for them", count=count
        ),
    ),
    (
        "pg-recovery",
        frozenset(
            ("recovering", "recovery_wait", "recovery_toofull", "recovery_unfound",
             "forced_recovery")
        ),
        lambda count: say(
            "pg-recovery",
            "{count|PG is|PGs are} in recovery, which shares the devices with a bench",
            count=count,
        ),
    ),
    (
        "pg-backfill",
        frozenset(
            ("backfilling", "backfill_wait", "backfill_toofull", "backfill_unfound",
             "forced_backfill")
        ),
        lambda count: say(
            "pg-backfill",
            "{count|PG is|PGs are} in backfill, which shares the devices with a bench",
            count=count,
        ),
    ),
    (
        "pg-degraded",
        frozenset(("degraded", "undersized", "stale", "down", "incomplete", "inconsistent")),
        lambda count: say(
            "pg-degraded", "{count|PG is|PGs are} without all good copies", count=count
        ),
    ),
    (
        "pg-laggy",
        frozenset(("laggy", "wait")),
        lambda count: say(
            "pg-laggy", "{count|PG is|PGs are} laggy: OSDs answer too late already", count=count
        ),
    ),
)  # fmt: skip
# A PG without any of these is not active, nor about to become so.
_ACTIVE_SOON = frozenset(("active", "peering", "peered", "activating"))


def check_pgs(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """PGs that are not healthy: the round would harm them, and they would affect its results."""
    del ask, rules
    if now.pgs is None:
        said = say("pgs-unknown", "the states of the PGs are not known yet")
        yield Unknown("pgs", said, essential=True)
        return
    words = {frozenset(state.split("+")): count for state, count in now.pgs.items() if count}
    inactive = sum(count for state, count in words.items() if not state & _ACTIVE_SOON)
    if inactive:
        yield Refusal(
            "pg-inactive",
            say(
                "pg-inactive",
                "{count|PG is|PGs are} not active: clients wait for them",
                count=inactive,
            ),
        )
    for code, trouble, sentence in _TROUBLES:
        count = _having(words, trouble)
        if count:
            yield Refusal(code, sentence(count))


def _having(words: Mapping[frozenset[str], int], trouble: frozenset[str]) -> int:
    return sum(count for state, count in words.items() if state & trouble)
