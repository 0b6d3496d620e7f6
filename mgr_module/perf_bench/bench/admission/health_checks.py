"""Admission: the cluster's own health checks and flags."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Union

from ...model.admission import Ask, HealthCheck, Refusal, Rules, Situation, Unknown
from ...model.said import say

# Checks that another field of the situation covers; they count only if that is None.
_SAID_BY = {
    "OSD_DOWN": "down_in",
    "OSD_NEARFULL": "fullness",
    "OSD_BACKFILLFULL": "fullness",
    "OSD_FULL": "fullness",
    "OSDMAP_FLAGS": "flags",
    "OSD_UPGRADE_FINISHED": "releases",
    "PG_AVAILABILITY": "pgs",
    "PG_DEGRADED": "pgs",
    "PG_BACKFILL_FULL": "pgs",
    "PG_RECOVERY_FULL": "pgs",
    "SLOW_OPS": "slow_ops",
}
# Errors about keys, not daemons. A cluster that becomes 19.2.6 or 20.2.4 has them for each key
# of the older type.
_HARMLESS_ERRORS = "AUTH_INSECURE_*"
# Flags that show maintenance, or that prevent what a round needs.
_IN_THE_WAY = (
    *("full", "nearfull", "noin", "noout", "noup", "nodown", "pause", "pauserd", "pausewr"),
    *("nobackfill", "norebalance", "norecover"),
)


def check_health(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """Every health check that is neither tolerated nor muted."""
    del ask
    if now.checks is None:
        said = say("health-unknown", "the cluster's health is not known yet")
        yield Unknown("health", said, essential=True)
        return
    for check in sorted(now.checks, key=lambda check: (not check.error, check.code)):
        said_by = _SAID_BY.get(check.code)
        if check.muted or (said_by and getattr(now, said_by) is not None):
            continue
        if _is_tolerated(check, rules):
            continue
        about = f"{check.code}: {check.summary}" if check.summary else check.code
        yield Refusal("health", say("health", "the cluster reports {check}", check=about))


def _is_tolerated(check: HealthCheck, rules: Rules) -> bool:
    if check.error and not fnmatchcase(check.code, _HARMLESS_ERRORS):
        return False
    return any(fnmatchcase(check.code, name) for name in rules.tolerated)


def tolerated(now: Situation, rules: Rules) -> tuple[HealthCheck, ...]:
    """The health checks that stand and do not prevent a round; muted ones too."""
    checks = [one for one in now.checks or () if one.muted or _is_tolerated(one, rules)]
    return tuple(sorted(checks, key=lambda check: check.code))


def check_flags(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """Flags of the OSD map, except harmless ones, as those that stop scrubs."""
    del ask, rules
    if now.flags is None:
        yield Unknown("flags", say("flags-unknown", "the flags of the OSD map are not known"))
        return
    flags = sorted(now.flags.intersection(_IN_THE_WAY))
    if flags:
        yield Refusal(
            "flags",
            say(
                "flags",
                "the {flags#flag|flags} {flags:all} {flags#is|are} set: "
                "the cluster may be under maintenance",
                flags=flags,
            ),
        )
