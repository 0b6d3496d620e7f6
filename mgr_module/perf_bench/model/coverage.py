"""What was looked at and what could not be: each view that says "nothing" says what of, from here.

A part that looks for problems (a detector, the doctor, the schedules) tells it as a ``Look``; the
watch collects them all (``Watch.coverage``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from .facts import STALE_SECONDS, HostFacts
from .phrases import listed, plural

# Names that a gap keeps; the rest is counted.
MOST_NAMES = 20
PUSH = "ceph-perf-bench facts --push"
# The name of the look at latencies.
SLOW_OSDS = "slow_osds"


@dataclass(frozen=True)
class Gap:
    """Units that could not be looked at, for one reason.

    ``code`` names the reason for programs, ``why`` follows "3 OSDs: " in a sentence. ``units`` are
    names, at most MOST_NAMES of ``count``. ``help`` says what would help, "" if nothing but time
    does. ``since`` is the earliest time from which on it holds, in unix seconds; None if unknown.
    Units of a gap with ``partly`` were looked at in part.
    """

    code: str
    why: str
    help: str = ""
    units: tuple[str, ...] = ()
    count: int = 0
    since: Optional[float] = None
    partly: bool = False


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
    """A gap of these units, of which the first are named."""
    return Gap(code, why, help_, tuple(units[:MOST_NAMES]), len(units), since, partly)


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
        why = "the facts of hosts are not read from the database yet"
        return (gap("not-read", why, names, partly=partly),)
    none = [name for name in names if name not in facts]
    old = [name for name in names if name in facts and _is_old(facts[name], now)]
    without = [
        name
        for name in names
        if name in facts and not _is_old(facts[name], now) and lacks(facts[name])
    ]
    found = [
        gap("no-facts", "no facts of the host are known", none, push_on(none), partly=partly),
        gap(
            "old-facts",
            f"the facts are older than {round(STALE_SECONDS / 86400)} days",
            old,
            push_on(old),
            min((facts[name].collected_at for name in old), default=None),
            partly,
        ),
        gap(
            "no-section",
            f"the facts of the host do not tell {section}",
            without,
            "docs/host-facts.md lists the programs that collect them",
            partly=partly,
        ),
    ]
    return tuple(one for one in found if one.count)


def push_on(hosts: Sequence[str]) -> str:
    """What brings the facts of these hosts."""
    return f"run '{PUSH}' on {listed(hosts)}" if hosts else ""


def _is_old(facts: HostFacts, now: float) -> bool:
    return now - facts.collected_at >= STALE_SECONDS


# --- as sentences ----------------------------------------------------------------------------


def counted(look: Look) -> str:
    """How much was looked at, as "3 of 6 OSDs" or "all 6 OSDs"."""
    if not look.total:
        return f"no {look.unit}"
    if look.looked == look.total:
        return f"the 1 {look.unit}" if look.total == 1 else f"all {look.total} {look.unit}s"
    return f"{look.looked} of {plural(look.total, look.unit)}"


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


# Of what is looked at, and of checks, which look themselves: not at all, and in part.
_VERBS = (("not looked at", "looked at only in part"), ("could not look", "could look in part"))


def _missing(one: Gap, unit: str, total: int) -> str:
    named = f" ({listed(one.units)})" if one.units and one.count < total else ""
    verb = _VERBS[unit == "check"][one.partly]
    many = f"{one.count} of {plural(total, unit)}{named} " if one.count else ""
    helps = f"; {one.help}" if one.help else ""
    return f"{many}{verb}: {one.why}{helps}"
