"""May a round start now? Decided from a snapshot; every reason is listed, not only the first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Callable, Union

from ..model.admission import Admission, Ask, Refusal, Rules, Situation, Unknown
from . import health, load, osds, pgs, room

Answer = Union[Refusal, Unknown]
Check = Callable[[Ask, Situation, Rules], Iterator[Answer]]

# In the order in which an operator should read them: what runs, what is broken, what may break,
# what is not agreed.
CHECKS: tuple[Check, ...] = (
    osds.check_running,
    osds.check_down,
    osds.check_changes,
    osds.check_upgrade,
    pgs.check_pgs,
    osds.check_slow_ops,
    health.check_health,
    health.check_flags,
    room.check_fullness,
    room.check_space,
    room.check_pool,
    load.check_clients,
    load.check_wear,
    load.check_window,
)


def decide(ask: Ask, now: Situation, rules: Rules) -> Admission:
    """Refuse what could do harm or would measure nothing; say what is not known."""
    answers = [answer for check in CHECKS for answer in check(ask, now, rules)]
    refusals = [answer for answer in answers if isinstance(answer, Refusal)]
    unknowns = [answer for answer in answers if isinstance(answer, Unknown)]
    if not rules.attended:
        refusals += [Refusal(one.code, one.message) for one in unknowns if one.essential]
        unknowns = [one for one in unknowns if not one.essential]
    return Admission(tuple(refusals), tuple(unknowns))
