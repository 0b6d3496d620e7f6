"""What was looked at and what could not be: each view that says "nothing" says what of, from here.

A part that looks for problems (a detector, the doctor, the schedules) tells it as a ``Look``; the
watch collects them all (``Watch.coverage``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Optional

from .facts import ORCHESTRATOR, STALE_SECONDS, HostFacts
from .phrases import listed, plural

# The code of a gap of hosts whose facts lack a section.
NO_SECTION = "no-section"
PUSH = "ceph-perf-bench facts --push"
# The name of the look at latencies.
SLOW_OSDS = "slow_osds"


@dataclass(frozen=True)
class Gap:
    """Units that could not be looked at, for one reason.

    ``code`` names the reason for programs, ``why`` follows "3 OSDs: " in a sentence. ``units`` are
    names of all ``count``, or empty. ``help`` says what would help, "" if nothing but time does;
    ``command`` is one that helps if it is run ``on`` each of these hosts.
    ``since`` is the earliest time from which on it holds, in unix seconds; None if unknown.
    Units of a gap with ``partly`` were looked at in part.
    """

    code: str
    why: str
    help: str = ""
    units: tuple[str, ...] = ()
    count: int = 0
    since: Optional[float] = None
    partly: bool = False
    command: str = ""
    on: tuple[str, ...] = ()

    def of(self, units: Sequence[str]) -> Gap:
        """The same reason, of these units."""
        return replace(self, units=tuple(units), count=len(units))

    @property
    def remedy(self) -> str:
        """What would help, with the hosts of a command."""
        return f"run '{self.command}' on {listed(self.on)}" if self.command else self.help

    @cached_property
    def named(self) -> frozenset[str]:
        """The units, made once: thousands of findings may close in a tick."""
        return frozenset(self.units)


@dataclass(frozen=True)
class Look:
    """One thing that is looked at, for findings of some kinds.

    ``what`` says what is looked at, of ``total`` units ("OSD", "host", …); each unit is in at most
    one gap. ``codes`` are those of the findings that it may raise.
    """

    name: str
    what: str
    unit: str
    total: int
    codes: tuple[str, ...]
    gaps: tuple[Gap, ...] = ()

    @property
    def looked(self) -> int:
        """The units that were looked at, at least in part."""
        return max(0, self.total - sum(gap.count for gap in self.gaps if not gap.partly))

    @property
    def partly(self) -> int:
        """The units that were looked at only in part."""
        return sum(gap.count for gap in self.gaps if gap.partly)

    @property
    def complete(self) -> bool:
        return not self.gaps


def gap(
    code: str,
    why: str,
    units: Sequence[str],
    help_: str = "",
    since: Optional[float] = None,
    partly: bool = False,
) -> Gap:
    """A gap of these units."""
    return Gap(code, why, help_, tuple(units), len(units), since, partly)


def why_unseen(code: str, names: Collection[str], looks: Iterable[Look]) -> Optional[str]:
    """Why all of these units cannot be looked at now for findings of this kind; None if they are.

    Units that a gap counts without naming them are taken for seen, unless it counts all.
    """
    return next(
        (
            found.why
            for look in looks
            if code in look.codes
            for found in look.gaps
            if not found.partly
            and (found.count == look.total or (names and found.named.issuperset(names)))
        ),
        None,
    )


def away(look: Look, code: str, why: str, help_: str = "") -> Look:
    """The same look, of which nothing could be looked at."""
    return replace(look, gaps=(Gap(code, why, help_, count=look.total),))


def facts_gaps(
    hosts: Iterable[str],
    facts: Optional[Mapping[str, HostFacts]],
    now: float,
    lacks: Callable[[HostFacts], bool],
    section: str,
    partly: bool = False,
) -> tuple[Gap, ...]:
    """The gaps of hosts without facts, with old facts, and with facts that lack a section.

    ``facts`` is None while those in the database are not read.
    """
    names = sorted(set(hosts))
    if not names:
        return ()
    if facts is None:
        why = "the facts of hosts are not read from the database yet"
        return (gap("not-read", why, names, partly=partly),)
    none = [name for name in names if name not in facts]
    old = [name for name in names if name in facts and _is_old(facts[name], now)]
    without = [
        name
        for name in names
        if name in facts and not _is_old(facts[name], now) and lacks(facts[name])
    ]
    by_orchestrator = all(facts[name].source == ORCHESTRATOR for name in without)
    lacking = f"the facts of the host do not tell {section}"
    programs = "docs/host-facts.md lists the programs that collect them"

    def pushed(code: str, why: str, of: list[str], since: Optional[float] = None) -> Gap:
        return Gap(code, why, "", tuple(of), len(of), since, partly, PUSH, tuple(of))

    found = (
        pushed("no-facts", "no facts of the host are known", none),
        pushed(
            "old-facts",
            f"the facts are older than {plural(round(STALE_SECONDS / 86400), 'day')}",
            old,
            min((facts[name].collected_at for name in old), default=None),
        ),
        pushed(NO_SECTION, lacking, without)
        if by_orchestrator
        else gap(NO_SECTION, lacking, without, programs, partly=partly),
    )
    return tuple(one for one in found if one.count)


def _is_old(facts: HostFacts, now: float) -> bool:
    return now - facts.collected_at >= STALE_SECONDS


# --- as sentences ----------------------------------------------------------------------------


def counted(look: Look) -> str:
    """How much was looked at, as "3 of 6 OSDs" or "all 6 OSDs"."""
    units = plural(look.total, look.unit)
    if not look.total:
        return units
    if look.looked == look.total:
        return f"the {units}" if look.total == 1 else f"all {units}"
    return f"{look.looked} of {units}"


def gap_sentences(looks: Iterable[Look]) -> list[str]:
    """Everything that could not be looked at, a sentence each; what has one reason is joined.

    As "latencies …: 2 of 6 OSDs (osd.0 and osd.1) not looked at: why; help".
    """
    by_reason: dict[tuple[Gap, str, int], list[str]] = {}
    for look in looks:
        for one in look.gaps:
            by_reason.setdefault((one, look.unit, look.total), []).append(look.what)
    return [
        f"{', '.join(whats)}: {_missing(one, unit, total)}"
        for (one, unit, total), whats in by_reason.items()
    ]


def _missing(one: Gap, unit: str, total: int) -> str:
    why = f"{one.why}; {one.remedy}" if one.remedy else one.why
    looked = _NOT_LOOKED[unit == "check", one.partly]
    if not one.count:
        return f"{looked}: {why}"
    many = f"{one.count} of {plural(total, unit)}"
    if one.units and one.count < total:
        many = f"{many} ({listed(one.units)})"
    return f"{many} {looked}: {why}"


# By whether it is a check, which looks itself, and whether it could in part.
_NOT_LOOKED = {
    (True, True): "could look in part",
    (True, False): "could not look",
    (False, True): "looked at only in part",
    (False, False): "not looked at",
}
