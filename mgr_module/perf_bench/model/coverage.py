"""What was looked at and what could not be: each view that says "nothing" says what of, from here.

A part that looks for problems (a detector, the doctor, the schedules) tells it as a ``Look``; the
watch collects them all (``Watch.coverage``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Optional

from .facts import ORCHESTRATOR, STALE_SECONDS, HostFacts
from .said import Said, say

# The code of a gap of hosts whose facts lack a section.
NO_SECTION = "no-section"
PUSH = "ceph-perf-bench facts --push"
# The name of the look at latencies.
SLOW_OSDS = "slow_osds"
# Names in a sentence; the rest is counted.
_NAMED = 4


@dataclass(frozen=True)
class Gap:
    """Units that could not be looked at, for one reason.

    ``code`` names the reason for programs, ``why`` follows "3 OSDs: " in a sentence. ``units`` are
    names of all ``count``, or empty. ``help`` says what would help, "" if nothing but time does.
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
    return Look(
        look.name,
        look.what,
        look.unit,
        look.total,
        look.codes,
        (Gap(code, why, help_, count=look.total),),
    )


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
        why = say("facts-not-read", "the facts of hosts are not read from the database yet")
        return (gap("not-read", why, names, partly=partly),)
    none = [name for name in names if name not in facts]
    old = [name for name in names if name in facts and _is_old(facts[name], now)]
    without = [
        name
        for name in names
        if name in facts and not _is_old(facts[name], now) and lacks(facts[name])
    ]
    programs = say("section-help", "docs/host-facts.md lists the programs that collect them")
    by_orchestrator = all(facts[name].source == ORCHESTRATOR for name in without)
    found = [
        gap(
            "no-facts",
            say("no-facts", "no facts of the host are known"),
            none,
            push_on(none),
            partly=partly,
        ),
        gap(
            "old-facts",
            say(
                "old-facts",
                "the facts are older than {days|day|days}",
                days=round(STALE_SECONDS / 86400),
            ),
            old,
            push_on(old),
            min((facts[name].collected_at for name in old), default=None),
            partly,
        ),
        gap(
            NO_SECTION,
            say("no-section", "the facts of the host do not tell {section}", section=section),
            without,
            push_on(without) if by_orchestrator else programs,
            partly=partly,
        ),
    ]
    return tuple(one for one in found if one.count)


def push_on(hosts: Sequence[str]) -> str:
    """What brings the facts of these hosts."""
    if not hosts:
        return ""
    return say("push-on", "run '{command}' on {hosts:list}", command=PUSH, hosts=hosts)


def command_help(command: str) -> Said:
    """A command that is the help."""
    return say("command-help", "'{command}'", command=command)


def _is_old(facts: HostFacts, now: float) -> bool:
    return now - facts.collected_at >= STALE_SECONDS


# --- as sentences ----------------------------------------------------------------------------


# What is looked at, by one and by several.
_UNITS: Mapping[str, Callable[[int], Said]] = {
    "OSD": lambda count: say("unit-osd", "{count|OSD|OSDs}", count=count),
    "PG": lambda count: say("unit-pg", "{count|PG|PGs}", count=count),
    "host": lambda count: say("unit-host", "{count|host|hosts}", count=count),
    "cohort": lambda count: say("unit-cohort", "{count|cohort|cohorts}", count=count),
    "profile": lambda count: say("unit-profile", "{count|profile|profiles}", count=count),
    "schedule": lambda count: say("unit-schedule", "{count|schedule|schedules}", count=count),
    "database": lambda count: say("unit-database", "{count|database|databases}", count=count),
    "journal": lambda count: say("unit-journal", "{count|journal|journals}", count=count),
    "check": lambda count: say("unit-check", "{count|check|checks}", count=count),
    "mgr": lambda count: say("unit-mgr", "{count|mgr|mgrs}", count=count),
    "part": lambda count: say("unit-part", "{count|part|parts}", count=count),
}


def counted(look: Look) -> Said:
    """How much was looked at, as "3 of 6 OSDs" or "all 6 OSDs"."""
    units = _UNITS[look.unit](look.total)
    if not look.total:
        return units
    if look.looked == look.total:
        return say("looked-all", "{total#the|all} {units}", total=look.total, units=units)
    return say("looked-some", "{looked} of {units}", looked=look.looked, units=units)


def gap_sentences(looks: Iterable[Look]) -> list[Said]:
    """Everything that could not be looked at, a sentence each; what has one reason is joined.

    As "latencies …: 2 of 6 OSDs (osd.0 and osd.1) not looked at: why; help".
    """
    by_reason: dict[tuple[Gap, str, int], list[str]] = {}
    for look in looks:
        for one in look.gaps:
            by_reason.setdefault((one, look.unit, look.total), []).append(look.what)
    return [
        say("gap", "{what:all}: {missing}", what=whats, missing=_missing(one, unit, total))
        for (one, unit, total), whats in by_reason.items()
    ]


def _missing(one: Gap, unit: str, total: int) -> Said:
    why: str = one.why
    if one.help:
        why = say("gap-help", "{why}; {help}", why=why, help=one.help)
    if not one.count:
        return _not_looked(unit == "check", one.partly, why)
    units = _UNITS[unit](total)
    many = say("gap-some", "{count} of {units}", count=one.count, units=units)
    if one.units and one.count < total:
        more = one.count - _NAMED
        many = (
            say("gap-named", "{many} ({names:list})", many=many, names=one.units)
            if more <= 0
            else say(
                "gap-named-more",
                "{many} ({names:all} and {more} more)",
                many=many,
                names=one.units[:_NAMED],
                more=more,
            )
        )
    looked = _not_looked(unit == "check", one.partly, why)
    return say("gap-many", "{many} {looked}", many=many, looked=looked)


def _not_looked(itself: bool, partly: bool, why: str) -> Said:
    """Of what is looked at, and of checks, which look themselves: not at all, or in part."""
    if itself and partly:
        return say("could-look-partly", "could look in part: {why}", why=why)
    if itself:
        return say("could-not-look", "could not look: {why}", why=why)
    if partly:
        return say("looked-partly", "looked at only in part: {why}", why=why)
    return say("not-looked", "not looked at: {why}", why=why)
