"""Findings: ``ceph perf-bench finding …`` and ``alert ls``."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ..core.clock import Clock
from ..errors import InvalidValue, NotFound
from ..model.admission import TOLERATED
from ..model.finding import ACK_NAME, ACK_TEXT, FindingState, Severity
from ..model.finding import Acknowledgement as Noted
from ..model.finding import Finding as Found
from ..model.finding_kinds import BY_CODE, KINDS, EvidenceField
from ..model.history import DAY
from ..model.phrases import parse_duration
from ..watch.service import Watch
from .ceph_alerts import CephAlert, ceph_alert
from .next_steps import NextSteps, steps_text
from .paging import WHOLE, Fields, Page
from .shape import Stamp, copied
from .text import GAP, WIDTH, duration, facts, iso, minute, short_time, size, table

# What next for each finding of one answer.
Steps = Callable[[Found], Optional[NextSteps]]
_LONGEST_MUTE = 365 * DAY
# On the page of a host: closed findings of a week, and findings in all.
_CLOSED_SHOWN, _MOST_SHOWN = 7 * DAY, 50
# The order of severities, worst first.
RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True)
class FindingTarget:
    """What a finding is about: kind osd, host, enclosure, rack, cohort, pool or cluster."""

    kind: str
    id: str


@dataclass(frozen=True)
class Acknowledgement:
    """What an operator noted on a finding.

    by -- Who noted it; null: not named.
    """

    text: str
    at: Stamp
    by: Optional[str]


@dataclass(frozen=True)
class FindingCephAlert:
    """An alert."""

    code: str
    ongoing: str
    text: str


@dataclass(frozen=True)
class Finding:
    """Something wrong, with the figures behind it, and its life.

    acknowledged -- What an operator noted on it; null: nothing.
    next_steps -- What next, with commands; null: it is closed, or of an unknown kind.
    ceph_alerts -- Ceph's own alerts that name the same OSDs.
    """

    id: int
    code: str
    severity: Severity
    target: FindingTarget
    message: str
    evidence: Mapping[str, Any]
    first_seen: Optional[Stamp]
    last_seen: Optional[Stamp]
    state: FindingState
    muted_until: Optional[Stamp]
    closed_at: Optional[Stamp]
    acknowledged: Optional[Acknowledgement]
    next_steps: Optional[NextSteps]
    ceph_alerts: Sequence[FindingCephAlert]


@dataclass(frozen=True)
class FindingDetail(Finding):
    """A finding as one would tell it to a person, the evidence last.

    conclusion -- Who is at fault, and who suffers, as far as it is known.
    harm -- What the cluster's clients get now, against the hour before it began; null: it is over,
        or of a kind that slows no client.
    command -- The command to type first.
    """

    conclusion: str
    harm: Optional[str]
    command: Optional[str]


@dataclass(frozen=True)
class FindingKind:
    """A kind of finding.

    What it means, what to do about it, and the words of its evidence by key.

    severity -- The worst it is raised with.
    """

    code: str
    title: str
    meaning: str
    action: str
    severity: Severity
    evidence: Mapping[str, EvidenceField]


def finding(found: Found) -> Finding:
    """A finding, without what next and Ceph's alerts."""
    return copied(Finding, found, **_nested(found), next_steps=None, ceph_alerts=[])


def _nested(found: Found) -> dict[str, Any]:
    note = found.acknowledged
    return {
        "target": copied(FindingTarget, found.target),
        "acknowledged": None if note is None else copied(Acknowledgement, note),
    }


def kinds() -> list[FindingKind]:
    """All kinds of findings, for pages that show any of them."""
    return [copied(FindingKind, kind, evidence=kind.evidence) for kind in KINDS]


_SEARCHED = ("code", "severity", "target", "message", "state", "acknowledged")
_SORTED: Fields[Found] = {
    "id": lambda found: found.id,
    "code": lambda found: found.code,
    "severity": lambda found: RANK[found.severity],
    # osd.9 before osd.10
    "target": lambda found: (found.target.kind, len(found.target.id), found.target.id),
    "message": lambda found: found.message,
    "state": lambda found: found.state.value,
    "first_seen": lambda found: found.first_seen,
    "last_seen": lambda found: found.last_seen,
}
# As it is read, not as it is sorted.
_READ: Fields[Found] = {
    **_SORTED,
    "severity": lambda found: found.severity.value,
    "target": lambda found: str(found.target),
    "acknowledged": lambda found: found.acknowledged.text if found.acknowledged else None,
}


class FindingAnswers:
    """What is asked of findings."""

    def __init__(
        self,
        watch: Watch,
        clock: Clock,
        tolerated: Callable[[], Sequence[str]] = lambda: TOLERATED,
        steps: Callable[[], Steps] = lambda: lambda _finding: None,
        harm: Callable[[Found], Optional[str]] = lambda _finding: None,
    ) -> None:
        """``tolerated`` returns the health checks in spite of which rounds may start.

        ``steps`` returns a function that says what next, for the findings of one answer; ``harm``
        says what clients get now and got before.
        """
        self._watch = watch
        self._clock = clock
        self._tolerated = tolerated
        self._steps = steps
        self._harm = harm

    def counts(self) -> dict[str, int]:
        """Open findings by severity."""
        counts = {severity.value: 0 for severity in Severity}
        for one in self._watch.findings():
            if one.state is FindingState.OPEN:
                counts[one.severity.value] += 1
        return counts

    def ls(self, everything: bool = False, page: Page = WHOLE) -> tuple[list[Finding], int]:
        """A page of findings, worst first unless sorted, and their number.

        ``everything`` has those that are closed too.
        """
        self._watch.recall()
        found = [
            one
            for one in self._watch.findings()
            if everything or one.state is not FindingState.CLOSED
        ]
        found.sort(key=worst_first)
        shown, total = page.of(found, _SORTED, _SEARCHED, read=_READ)
        return self._answers(shown), total

    def show(self, number: int) -> FindingDetail:
        """A finding with its conclusion, what it hurts and the first command. Raises NotFound."""
        found = self.found(number)
        (plain,) = self._answers([found])
        steps = plain.next_steps.check if plain.next_steps else ()
        commands = [step.command for step in steps if step.command]
        asks = None if found.evidence.get("why") else _asks_why(commands)
        return copied(
            FindingDetail,
            plain,
            conclusion=_conclusion(found) if asks is None else _NOT_ASKED,
            harm=None if found.state is FindingState.CLOSED else self._harm(found),
            command=asks or next(iter(commands), None),
        )

    def mute(self, number: int, for_: str) -> Finding:
        """Leave a finding out of health for a time ("1d"); raises InvalidValue, NotFound."""
        seconds = parse_duration(for_, "for")
        if seconds > _LONGEST_MUTE:
            raise InvalidValue("a finding is muted for a year at most", field="for")
        self._open(number, "mute")
        return self._answer(self._watch.mute(number, self._clock.now() + seconds))

    def acknowledge(self, number: int, words: str, by: Optional[str] = None) -> Finding:
        """Note on a finding what is known or done about it; its health check stays.

        Raises InvalidValue, NotFound.
        """
        words = _checked_note("text", words, ACK_TEXT)
        name = None if by is None else _checked_note("by", by, ACK_NAME)
        self._open(number, "acknowledge")
        noted = Noted(words, self._clock.now(), name)
        return self._answer(self._watch.acknowledge(number, noted))

    def unacknowledge(self, number: int) -> Finding:
        """Remove the note. Raises InvalidValue, NotFound; none is no error."""
        self._open(number, "acknowledge")
        return self._answer(self._watch.acknowledge(number, None))

    def _open(self, number: int, to_do: str) -> None:
        if self.found(number).state is FindingState.CLOSED:
            raise InvalidValue(
                f"finding {number} is closed: there is nothing to {to_do}", field="id"
            )

    def of_osd(self, osd: int, host: str) -> list[Finding]:
        """The findings about an OSD or its host, worst first, closed ones last."""
        about = {("osd", str(osd)), ("host", host)}
        found = [one for one in self._watch.findings() if (one.target.kind, one.target.id) in about]
        return self._answers(sorted(found, key=worst_first))

    def of_host(self, host: str, osds: Sequence[int]) -> tuple[list[Finding], int]:
        """The findings about a host or its OSDs, worst first, and how many are left out.

        Closed ones of the last week too.
        """
        about = {("host", host), *(("osd", str(osd)) for osd in osds)}
        since = self._clock.now() - _CLOSED_SHOWN
        found = [
            one
            for one in self._watch.findings()
            if (one.target.kind, one.target.id) in about
            and (one.closed_at is None or one.closed_at >= since)
        ]
        shown = sorted(found, key=worst_first)[:_MOST_SHOWN]
        return self._answers(shown), len(found) - len(shown)

    def found(self, number: int) -> Found:
        """The finding of that ID. Raises NotFound."""
        found = self._there(number)
        if found is None:  # right after a failover it may not be read yet
            self._watch.recall()
            found = self._there(number)
        if found is None:
            raise NotFound(
                f"no finding {number}: 'ceph perf-bench finding ls --all' lists those there are"
            )
        return found

    def _there(self, number: int) -> Optional[Found]:
        found = (one for one in self._watch.findings() if one.id == number and number)
        return next(found, None)

    # --- Ceph's own alerts ---

    def alerts(self) -> list[CephAlert]:
        """Ceph's own alerts about slow OSDs, explained, with the open findings about them."""
        explained = self._watch.ceph_alerts()
        if not explained:
            return []
        tolerated = self._tolerated()
        open_ = [one for one in self._watch.findings() if one.state is not FindingState.CLOSED]
        return [
            ceph_alert(
                one,
                [found.id for found in open_ if self.osds_of(found) & set(one.osds)],
                tolerated,
            )
            for one in explained
        ]

    def osds_of(self, found: Found) -> set[int]:
        """The OSDs that a finding is about: its target, those of its host, those it names."""
        target = found.target
        osds = {int(target.id)} if target.kind == "osd" and target.id.isdigit() else set()
        if target.kind == "host":
            osds = {one.osd for one in self._watch.members() if one.host == target.id}
        named = found.evidence.get("osds")
        if isinstance(named, (list, tuple)):
            osds |= {osd for osd in named if isinstance(osd, int)}
        return osds

    def named(self) -> set[int]:
        """The OSDs that open findings are about."""
        open_ = [one for one in self._watch.findings() if one.state is not FindingState.CLOSED]
        return set().union(*map(self.osds_of, open_))

    def _answer(self, found: Found) -> Finding:
        return self._answers([found])[0]

    def _answers(self, found: Sequence[Found]) -> list[Finding]:
        """Findings with Ceph's alerts about the same OSDs, and what next."""
        alerts, steps = self.alerts(), self._steps()
        return [
            copied(
                Finding,
                one,
                **_nested(one),
                next_steps=steps(one),
                ceph_alerts=[
                    FindingCephAlert(alert.code, alert.ongoing.value, alert.ongoing_text)
                    for alert in alerts
                    if one.id in alert.findings
                ],
            )
            for one in found
        ]


def worst_first(found: Found) -> tuple[Any, ...]:
    """The order of findings: open ones first, of these the worst, then the newest."""
    return found.state is FindingState.CLOSED, RANK[found.severity], -found.first_seen, found.id


def began(found: Found) -> float:
    """When it began as far as its evidence says (unix seconds)."""
    since = found.evidence.get("since")
    known = isinstance(since, (int, float)) and 0 < since <= found.first_seen
    return float(since) if known and since is not None else found.first_seen


# Of an OSD that is slow, before it is known what its operations wait for.
_NOT_ASKED = (
    "Who is at fault is not known yet, this OSD or one that it waits for: the command asks them."
)


def _asks_why(commands: Sequence[str]) -> Optional[str]:
    """The command that asks an OSD whom its operations wait for, if it is among them."""
    return next((one for one in commands if one.startswith("ceph perf-bench osd why")), None)


def _conclusion(found: Found) -> str:
    """Who is at fault and who suffers: what its OSD told, or else what such a finding means."""
    why = found.evidence.get("why")
    if isinstance(why, list) and why:
        return str(why[0])
    kind = BY_CODE.get(found.code)
    return kind.meaning if kind else ""


def _checked_note(name: str, words: str, longest: int) -> str:
    """The text without spaces around it. Raises InvalidValue; control characters never get here."""
    words = words.strip()
    if not words:
        raise InvalidValue(
            f"{name} is empty, as in: finding ack 3 'cable ordered, ticket 4711'", field=name
        )
    if len(words) > longest:
        raise InvalidValue(
            f"{name} has {len(words)} characters, at most {longest} are kept", field=name
        )
    return words


# --- as text -------------------------------------------------------------------------------------


def findings_text(found: Sequence[Finding]) -> str:
    """Text of ``finding ls``: a line each, and below it what it says."""
    if not found:
        return "no findings, as far as it was possible to look"
    rows = [
        [str(one.id), one.severity.value, one.state.value, one.code, minute(one.first_seen)]
        for one in found
    ]
    head, *lines = table(["ID", "SEVERITY", "STATE", "CODE", "SINCE (UTC)"], rows).splitlines()
    indent = " " * 4
    text = [head]
    for line, one in zip(lines, found):
        text.append(line)
        noted = _noted(one.acknowledged)
        told = [one.message, f"acknowledged {noted}"] if noted else [one.message]
        text += [
            textwrap.fill(words, WIDTH, initial_indent=indent, subsequent_indent=indent)
            for words in told
        ]
    return "\n".join(text)


def _noted(note: Optional[Acknowledgement]) -> str:
    """The acknowledgement; empty for none."""
    if note is None:
        return ""
    by = f" by {note.by}" if note.by else ""
    return f"{minute(note.at)} UTC{by}: {note.text}"


def acknowledged_text(one: Finding) -> str:
    """Text of ``finding ack``."""
    if one.acknowledged is None:
        return f"finding {one.id} is not acknowledged any more"
    return f"finding {one.id} is acknowledged; its health check stays"


def finding_text(one: FindingDetail) -> str:
    """Text of ``finding show``: what a person would tell, then the evidence and the steps."""
    kind = BY_CODE.get(one.code)
    seen = f"{short_time(one.first_seen)} UTC, last seen {short_time(one.last_seen)}"
    muted = f", muted until {short_time(one.muted_until)} UTC" if one.muted_until else ""
    closed = f", closed {short_time(one.closed_at)} UTC" if one.closed_at else ""
    meaning = kind.meaning if kind else ""
    pairs = [
        ("conclusion", one.conclusion),
        ("hurts", one.harm),
        ("type first", one.command),
        ("since", seen),
        ("state", f"{one.severity.value}, {one.state.value}{muted}{closed}"),
        ("acknowledged", _noted(one.acknowledged)),
        ("kind", one.code),
        ("meaning", "" if meaning == one.conclusion else meaning),
        ("what to do", kind.action if kind else ""),
        *[
            ("Ceph's alert", f"{alert.code} names its OSDs: {alert.text}")
            for alert in one.ceph_alerts
        ],
    ]
    problem = textwrap.fill(f"finding {one.id}: {one.message}", WIDTH, subsequent_indent="  ")
    # The conclusion stands above.
    why = [words for words in one.evidence.get("why", ()) if words != one.conclusion]
    values = {**one.evidence, "why": why} if "why" in one.evidence else one.evidence
    evidence = _evidence(values, kind.evidence if kind else {})
    head = facts([(name, str(value or "")) for name, value in pairs], ("type first",))
    return f"{problem}\n{head}{evidence}{steps_text(one.next_steps)}"


_Known = Mapping[str, EvidenceField]


def _evidence(values: Mapping[str, Any], known: _Known) -> str:
    """The evidence in the table's words and order; a key that it does not have comes last."""
    order = [*(key for key in known if key in values), *sorted(values.keys() - known.keys())]
    if not order:
        return ""
    fields = [(_field(key, known), values[key]) for key in order]
    pairs = [(field.words, _value(value, field.unit, known)) for field, value in fields]
    commands = [field.words for field, _ in fields if field.unit == "command"]
    return f"{GAP}evidence\n{facts(pairs, commands)}"


def _field(key: str, known: _Known) -> EvidenceField:
    return known.get(key) or EvidenceField(key.replace("_", " "), "")


def _value(value: Any, unit: str, known: _Known) -> str:
    """A value of evidence as text; what is not known is left out by ``facts``."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(
            f"{field.words} {_value(one, field.unit, known)}"
            for field, one in ((_field(key, known), one) for key, one in value.items())
        )
    if isinstance(value, (list, tuple)):
        entries = [_value(one, unit, known) for one in value]
        apart = " / " if any(isinstance(one, Mapping) for one in value) else ", "
        if all(entry.endswith(".") for entry in entries):
            apart = " "  # sentences
        return (" && " if unit == "command" else apart).join(entries)
    if isinstance(value, (int, float)):
        return _FIGURES.get(unit, _plain)(value)
    return str(value)


def _plain(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3g}"


_FIGURES: Mapping[str, Callable[[float], str]] = {
    "fraction": lambda value: f"{100 * value:.3g} %",
    "percent": lambda value: f"{value:.3g} %",
    "ratio": lambda value: f"x{value:.3g}",
    "s": duration,
    "ms": lambda value: f"{value:.3g} ms",
    "B": size,
    "B/s": lambda value: f"{size(value)}/s",
    "time": lambda value: f"{short_time(iso(value))} UTC",
}


def more_findings(count: int) -> str:
    """What stands below findings of which so many are left out; empty if none is."""
    return f"and {count} more: 'ceph perf-bench finding ls --all'" if count else ""
