"""Decide from a snapshot whether a round may start now; lists all reasons, not only the first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Callable, Union

from ...model.admission import Admission, Ask, Refusal, Rules, Situation, Unknown
from . import health_checks, limits, osd_maps, osds, placement_groups, space

Answer = Union[Refusal, Unknown]
Check = Callable[[Ask, Situation, Rules], Iterator[Answer]]

# In the order in which an operator should read them: what runs, what is broken, what may break,
# the operator's rules.
CHECKS: tuple[Check, ...] = (
    osds.check_running,
    osds.check_down,
    osds.check_changes,
    osd_maps.check_maps,
    osds.check_upgrade,
    placement_groups.check_pgs,
    osds.check_slow_ops,
    health_checks.check_health,
    health_checks.check_flags,
    space.check_fullness,
    space.check_space,
    space.check_pool,
    limits.check_clients,
    limits.check_wear,
    limits.check_window,
)


def decide(ask: Ask, now: Situation, rules: Rules) -> Admission:
    """Refuse rounds that could do harm or would give wrong results; list unknowns."""
    answers = [answer for check in CHECKS for answer in check(ask, now, rules)]
    refusals = [answer for answer in answers if isinstance(answer, Refusal)]
    unknowns = [answer for answer in answers if isinstance(answer, Unknown)]
    if not rules.attended:
        refusals += [Refusal(one.code, one.message) for one in unknowns if one.essential]
        unknowns = [one for one in unknowns if not one.essential]
    tolerated = health_checks.tolerated(now, rules)
    return Admission(tuple(refusals), tuple(unknowns), tolerated)
