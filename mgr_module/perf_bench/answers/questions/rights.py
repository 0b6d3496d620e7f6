"""Rights of the dashboard: scopes and permissions, as its roles have them.

The only place that says which right a question needs. The dashboard asks for the first one itself,
by the method; ``answers/dashboard`` asks for all; the schema, the tab and docs/rights.md derive
from ``Question.rights``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Optional

from ...errors import Forbidden
from ...model.phrases import listed
from ...model.plan import PROFILES, uses_pool
from ...model.rados import POOL
from ..api import Api

# A user's permissions by scope, as {"osd": ["read", "create"]}.
Rights = Mapping[str, Collection[str]]


class Right(NamedTuple):
    """A permission in a scope; the names are Ceph's, see the dashboard's ``security.py``."""

    scope: str
    permission: str

    def __str__(self) -> str:
        return f"{self.permission} of the scope {self.scope}"


# What the dashboard's own REST controllers need by their method.
BY_METHOD = {
    "GET": Right("osd", "read"),
    "POST": Right("osd", "create"),
    "DELETE": Right("osd", "delete"),
}
POOL_CREATE = Right("pool", "create")
POOL_UPDATE = Right("pool", "update")
CONFIG_UPDATE = Right("config-opt", "update")
CONFIG_READ = Right("config-opt", "read")
READ_ONLY: Rights = {"osd": ("read",)}


@dataclass(frozen=True)
class Need:
    """A right beside that of the method.

    when -- whether these arguments need it; None if all do.
    why -- what needs it, in the refusal and in the documentation.
    """

    right: Right
    why: str = ""
    when: Optional[Callable[[Api, Mapping[str, Any]], bool]] = None


def _loads(args: Mapping[str, Any]) -> bool:
    """Whether the profile uses a pool. An unknown profile needs nothing: it is refused anyway."""
    profile = PROFILES.get(args.get("profile", ""))
    return profile is not None and uses_pool(profile)


def _bench_pool(_api: Api, args: Mapping[str, Any]) -> bool:
    return _loads(args) and (args.get("pool") or POOL) == POOL


def _other_pool(_api: Api, args: Mapping[str, Any]) -> bool:
    return _loads(args) and (args.get("pool") or POOL) != POOL


def _of_schedule(api: Api, args: Mapping[str, Any]) -> bool:
    return _bench_pool(api, {"profile": api.schedules.profile(args["name"])})


_MAKES = (
    f"rounds of kind rados and of osd-sandwich use the pool {POOL}, which is made if it does not "
    "exist"
)
OF_ROUND = (
    Need(POOL_CREATE, _MAKES, _bench_pool),
    Need(POOL_UPDATE, "clients write to the pool that is named", _other_pool),
)
OF_SCHEDULE = (Need(POOL_CREATE, _MAKES, _bench_pool),)
OF_RESUMED = (Need(POOL_CREATE, _MAKES, _of_schedule),)
OF_CONFIGURATION = (Need(CONFIG_UPDATE, "it changes Ceph's configuration"),)
# Arguments that are set for a user without this right.
NO_RAISING = {CONFIG_UPDATE: {"may_raise": False}}
NO_CONFIGURATION = {CONFIG_READ: {"config": False}}


def check(rights: Rights, needs: Collection[Need]) -> None:
    """Raise Forbidden, which names every right that is missing and what needs it."""
    lacking = [need for need in needs if not has(rights, need.right)]
    if not lacking:
        return
    missing = [str(need.right) for need in lacking]
    permissions = "permission" if len(missing) == 1 else "permissions"
    sentence = f"your roles lack the {permissions} {listed(missing)}"
    why = list(dict.fromkeys(need.why for need in lacking if need.why))
    raise Forbidden(f"{sentence}: {'; '.join(why)}" if why else sentence)


def has(rights: Rights, right: Right) -> bool:
    """Whether the user has this right."""
    return right.permission in rights.get(right.scope, ())
