"""Findings: ``ceph perf-bench finding …`` and ``alert ls``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean, median
from string import Formatter
from typing import Any, Callable, Literal, Optional

from ..errors import InvalidValue, NotFound, StoreUnavailable
from ..hardware.enclosures import DrivePlaces
from ..model.finding import (
    ACK_NAME,
    ACK_TEXT,
    CLIENT_READ,
    CLIENT_WRITE,
    Acknowledgement,
    FindingState,
    Severity,
)
from ..model.finding import Finding as Found
from ..model.finding_kinds import BY_CODE, KINDS, About, FindingKind, steps_in
from ..model.hardware import DrivePlace
from ..model.history import HOUR, ClusterSpan, figures
from ..model.json_fields import iso
from ..model.phrases import osd_names, parse_duration
from ..model.verdict import ExplainedAlert
from .api import MAPS_AGE, Api
from .cluster import spans_between
from .paging import WHOLE, Page
from .question import ALL, Argument, ArgumentKind, FindingId, Question, Use
from .text import GAP, Column, duration, facts, filled, minute, number, short_time, size, table

# Findings of a host, and of these in a text.
_MOST_SHOWN, _IN_TEXT = 50, 5
# The order of severities, worst first.
RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
# Kinds of trouble that slow clients down.
HURTING = ("slow", "laggy", "hardware")
# Seconds: the clients' figures of now are the mean of the newest minutes, those of before of the
# hour before it began.
_NOW, _HOUR_BEFORE = 300.0, 1.0 * HOUR
# A minute that began after the finding did has ended by then.
_FIRST = 120.0


@dataclass(frozen=True)
class NextStep:
    """A step, and its command for a shell; null: none."""

    text: str
    command: Optional[str]


@dataclass(frozen=True)
class NextSteps:
    """What to check, how to relieve it now, how to stop or replace the part safely."""

    check: Sequence[NextStep]
    relieve: Sequence[NextStep]
    replace: Sequence[NextStep]


@dataclass(frozen=True)
class Finding(Found):
    """Something wrong, with the figures behind it, and its life.

    next_steps -- What next, with commands; null: it is closed, or of an unknown kind.
    """

    next_steps: Optional[NextSteps] = None


@dataclass(frozen=True)
class FindingDetail(Finding):
    """A finding as one would tell it to a person, the evidence last.

    conclusion -- Who is at fault, and who suffers, as far as it is known.
    harm -- What the cluster's clients get now, against the hour before it began; null: it is over,
        or of a kind that slows no client.
    command -- The command to type first.
    """

    conclusion: str = ""
    harm: Optional[str] = None
    command: Optional[str] = None


def kinds(_api: Api) -> list[FindingKind]:
    """Show every kind of finding: what it means, what to do."""
    return list(KINDS)


def findings(api: Api, all_: bool = False, page: Page = WHOLE) -> tuple[list[Finding], int]:
    """List what is wrong, worst first; with --all what is over too.

    ``all_`` has those that are closed too.
    """
    api.watch.recall()
    found = api.watch.findings() if all_ else unclosed(api)
    shown, total = page.of(sorted(found, key=worst_first), Found)
    return answers(api, shown), total


def show(api: Api, id_: FindingId) -> FindingDetail:
    """Show a finding with its evidence.

    Raises NotFound.
    """
    found = found_of(api, id_)
    (plain,) = answers(api, [found])
    steps = plain.next_steps.check if plain.next_steps else ()
    commands = [step.command for step in steps if step.command]
    kind, why = BY_CODE.get(found.code), found.evidence.get("why")
    conclusion = str(why[0]) if why else kind.meaning if kind else ""
    # An OSD that is slow may wait for another one: nobody is accused before it was asked.
    asks = [one for one in commands if not why and one.startswith("ceph perf-bench osd why")]
    return FindingDetail(
        **vars(plain),
        conclusion=_NOT_ASKED if asks else conclusion,
        harm=harm(api, found),
        command=next(iter([*asks, *commands]), None),
    )


_NOT_ASKED = (
    "Who is at fault is not known yet, this OSD or one that it waits for: the command asks them."
)


def mute(api: Api, id_: FindingId, for_: Optional[str] = None) -> Finding:
    """Leave a finding out of health for a time: finding mute 3 1d."""
    if for_ is None:
        raise InvalidValue("say for how long, as in: finding mute 3 1d", field="for")
    until = api.clock.now() + parse_duration(for_, "for")
    _open(api, id_, "mute")
    return answers(api, [api.watch.mute(id_, until)])[0]


def acknowledge(
    api: Api,
    id_: FindingId,
    text: Optional[str] = None,
    by: Optional[str] = None,
    remove: bool = False,
) -> Finding:
    """Note on a finding what is known or done: finding ack 3 'disk ordered'; health keeps it.

    Raises InvalidValue, NotFound; to remove none is no error.
    """
    if remove and text is not None:
        raise InvalidValue("give a text or --remove, not both", field="remove")
    noted = None
    if not remove:
        words = _checked_note("text", text or "", ACK_TEXT)
        name = None if by is None else _checked_note("by", by, ACK_NAME)
        noted = Acknowledgement(words, api.clock.now(), name)
    _open(api, id_, "acknowledge")
    return answers(api, [api.watch.acknowledge(id_, noted)])[0]


def _open(api: Api, number: int, to_do: str) -> None:
    if found_of(api, number).state is FindingState.CLOSED:
        raise InvalidValue(f"finding {number} is closed: there is nothing to {to_do}", field="id")


def _checked_note(name: str, words: str, longest: int) -> str:
    """The text without spaces around it. Raises InvalidValue; control characters never get here."""
    words = words.strip()
    if not 0 < len(words) <= longest:
        raise InvalidValue(
            f"{name} has {len(words)} characters, 1 to {longest} are kept", field=name
        )
    return words


# --- which findings, and what they are about -----------------------------------------------------


def unclosed(api: Api) -> list[Found]:
    """The findings that are not closed."""
    return [one for one in api.watch.findings() if one.state is not FindingState.CLOSED]


def found_of(api: Api, number: int) -> Found:
    """The finding of that ID. Raises NotFound."""
    for recalled in (False, True):
        if recalled:  # right after a failover it may not be read yet
            api.watch.recall()
        for one in api.watch.findings():
            if number and one.id == number:
                return one
    raise NotFound(f"no finding {number}: 'ceph perf-bench finding ls --all' lists those there are")


def of_host(api: Api, host: str, osds: Sequence[int]) -> tuple[list[Finding], int]:
    """The findings about a host or these OSDs, worst first, and how many are left out."""
    about = {("host", host), *(("osd", str(osd)) for osd in osds)}
    found = [one for one in api.watch.findings() if (one.target.kind, one.target.id) in about]
    found.sort(key=worst_first)
    return answers(api, found[:_MOST_SHOWN]), max(0, len(found) - _MOST_SHOWN)


def osds_of(api: Api, found: Found) -> list[int]:
    """The OSDs that a finding is about: its target, those that it names, or all that are there."""
    kind, name = found.target.kind, found.target.id
    if kind == "osd":
        return [int(name)] if name.isdigit() else []
    named = [osd for osd in found.evidence.get("osds") or () if isinstance(osd, int)]
    if not named and kind == "enclosure":
        named = [osd for osd, one in api.inventory.by_osd().items() if one == name]
    if not named and kind in ("host", "rack"):
        named = [one.osd for one in api.watch.members() if getattr(one, kind) == name]
    return sorted({*named})


def named(api: Api) -> set[int]:
    """The OSDs that open findings are about."""
    return {osd for one in unclosed(api) for osd in osds_of(api, one)}


def answers(api: Api, found: Sequence[Found]) -> list[Finding]:
    """Findings with what next."""
    steps = steps_of(api)
    return [Finding(**vars(one), next_steps=steps(one)) for one in found]


def about(found: Found) -> About:
    """What kind of trouble a finding is about; one of an unknown kind is about slowness."""
    kind = BY_CODE.get(found.code)
    return kind.about if kind else "slow"


def worst_first(found: Found) -> tuple[Any, ...]:
    """The order of findings: open ones first, of these the worst, then the newest."""
    return found.state is FindingState.CLOSED, RANK[found.severity], -found.first_seen, found.id


def began(found: Found) -> float:
    """When it began as far as its evidence says (unix seconds)."""
    since = found.evidence.get("since")
    known = isinstance(since, (int, float)) and 0 < since <= found.first_seen
    return float(since) if known and since is not None else found.first_seen


# --- what it does to clients ---------------------------------------------------------------------


def harm(api: Api, finding: Found, reads: bool = True) -> Optional[str]:
    """What the cluster's clients get now, against the hour before a finding began.

    Latencies are those of the median OSD: of many OSDs one that is slow does not change them.
    None for a finding that slows nobody down and, unless the database may be read (``reads``), for
    one whose hour before is not in memory.
    """
    if finding.state is FindingState.CLOSED or about(finding) not in HURTING:
        return None
    at, now = began(finding), api.clock.now()
    hour = at - _HOUR_BEFORE, at
    # What was before does not change.
    question = "before", finding.id, at
    before = api.kept.newest(question) or api.watch.cluster_minutes(*hour)
    if not before and reads:
        with suppress(StoreUnavailable):
            before = spans_between(api, *hour)
    if before:
        api.kept.keep(question, before)
    elif not reads:
        return None
    newest = api.watch.cluster_minutes(max(now - _NOW, at), now)
    if not newest and now < at + _FIRST:
        return "not known yet: it began less than two minutes ago"
    told = [
        f"client {words}: {new}, before it began {old}"
        for (words, new), (_, old) in zip(_clients(newest), _clients(before))
        if (new, old) != (_UNKNOWN, _UNKNOWN)
    ]
    return "; ".join(told) or f"{_UNKNOWN}: no operation of a client was seen"


_UNKNOWN = "not known"


def _clients(spans: Sequence[ClusterSpan]) -> list[tuple[str, str]]:
    """The median OSD's mean latencies, and the mean of all clients' operations a second."""
    found = figures(spans)
    reads, writes = (found.get(("work", name), []) for name in ("read_ops", "write_ops"))
    return [
        ("reads", _figure(found.get(("latency", CLIENT_READ), []), median, " ms")),
        ("writes", _figure(found.get(("latency", CLIENT_WRITE), []), median, " ms")),
        ("operations", _figure([sum(both) for both in zip(reads, writes)], fmean, "/s")),
    ]


def _figure(values: Sequence[float], middle: Callable[[Sequence[float]], float], unit: str) -> str:
    if not values:
        return _UNKNOWN
    value = middle(values)
    return f"{number(value, 0 if value >= 10 else 1)}{unit}"


# --- what next: the steps of its kind, with its own names in the commands -------------------------

SECTIONS = ("check", "relieve", "replace")
_TITLES = {
    "check": "what to check",
    "relieve": "how to relieve it now",
    "replace": "how to stop or replace it safely",
}
UNNAMED = "Nothing that can be said without knowing which OSD it is: see the evidence"
# OSDs that a command may list, and that are named as those for which the same is to be done.
MOST_OSDS, _NAMED = 64, 8


def steps_of(api: Api) -> Callable[[Found], Optional[NextSteps]]:
    """A function that returns a finding's steps, for the findings of one answer.

    None for those that are closed, and of a kind that this version does not know.
    """
    places = DrivePlaces(api.inventory, api.cluster, MAPS_AGE)
    backend = api.orchestrator()

    def of(finding: Found) -> Optional[NextSteps]:
        if finding.state is FindingState.CLOSED:
            return None
        osds = [osd for osd in osds_of(api, finding) if osd in places.osds]
        return next_steps(finding, osds, places.of(osds[0]) if osds else None, backend)

    return of


def next_steps(
    finding: Found,
    osds: Sequence[int] = (),
    place: Optional[DrivePlace] = None,
    orchestrator: Optional[str] = None,
) -> Optional[NextSteps]:
    """The steps with what is known for their placeholders; None for an unknown kind.

    ``osds`` are all OSDs of the finding, ``place`` is that of the first.
    """
    kind = BY_CODE.get(finding.code)
    if kind is None:
        return None
    values = _values(finding, osds, place)
    possible = {
        "": True,
        "(with an orchestrator) ": orchestrator is not None,
        "(with cephadm) ": orchestrator == "cephadm",
        "(without cephadm) ": orchestrator != "cephadm",
    }
    found = []
    for section in SECTIONS:
        steps = [_STEP.fullmatch(step) for step in steps_in(getattr(kind, section))]
        here = [step for step in steps if step and possible[step["needs"] or ""]]
        found.append(_section(here, values, osds))
    return NextSteps(*found)


# A step, as in the table of kinds.
_STEP = re.compile(
    r"(?P<needs>\(with[^)]*\) )?(?P<words>[^`]+?)( `(?P<command>[^`]+)`)?( ELSE (?P<unknown>.+))?"
)


def _section(
    steps: Sequence[re.Match[str]], values: Mapping[str, str], osds: Sequence[int]
) -> list[NextStep]:
    quoted = {name: _quoted(name, value) for name, value in values.items()}
    found = []
    of_one = False
    for step in steps:
        words, command, unknown = step["words"], step["command"] or "", step["unknown"]
        names = _names(words + command)
        if names <= values.keys():
            found.append(NextStep(words.format_map(values), command.format_map(quoted) or None))
            of_one = of_one or bool(_OF_ONE & names)
        elif unknown and _names(unknown) <= values.keys() and "osd" in values:
            found.append(NextStep(unknown.format_map(values), None))
    if steps and not found:
        return [NextStep(UNNAMED, None)]
    if of_one and len(osds) > 1:
        text = f"The commands are for osd.{osds[0]}; one after the other the same for "
        found.append(NextStep(text + _named(osds[1:]), None))
    return found


def _names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


# Lists of OSDs: several words of a command.
_LISTS = ("osds", "its_osds", "osd_units")
# Placeholders that are of one OSD: where there are several, the same is to be done for each.
_OF_ONE = {"osd", "its_osds"}


def _quoted(name: str, value: str) -> str:
    return value if name in _LISTS else shlex.quote(value)


def _values(finding: Found, osds: Sequence[int], place: Optional[DrivePlace]) -> dict[str, str]:
    """The placeholders whose value is known."""
    target = finding.target
    of_place = place.host if place else None
    host = target.id if target.kind == "host" else of_place
    found: dict[str, Optional[str]] = {"target": target.id, "host": host}
    if osds:
        found["osd"] = str(osds[0])
    if 0 < len(osds) <= MOST_OSDS:
        found["osds"] = _listed(osds)
    if place is not None:
        its_osds = place.osds or (place.osd,)
        found.update(
            device=place.device,
            device_id=place.device_id,
            enclosure=place.enclosure,
            slot=place.slot,
            its_osds=_listed(its_osds),
            osd_units=" ".join(f"ceph-osd@{osd}" for osd in its_osds),
            drive_osds=", ".join(f"osd.{osd}" for osd in place.osds) or None,
            shared_device=place.device if len(place.osds) > 1 else None,
            other_osds=_named(place.perhaps),
        )
    return {name: value for name, value in found.items() if value}


def _listed(osds: Sequence[int]) -> str:
    return " ".join(map(str, osds))


def _named(osds: Sequence[int]) -> str:
    """The first OSDs by name, and how many more; "" for none."""
    some = ", ".join(f"osd.{osd}" for osd in osds[:_NAMED])
    return f"{some} and {len(osds) - _NAMED} more" if len(osds) > _NAMED else some


# --- Ceph's own alerts ---------------------------------------------------------------------------


@dataclass(frozen=True)
class CephAlert(ExplainedAlert):
    """One of Ceph's own alerts about slow OSDs: what it means, and whether these are slow now."""

    KEYS = (
        ("code", "alert.code"), ("title", "alert.kind.title"), ("summary", "alert.summary"),
        "severity", ("muted", "alert.muted"), "osds", "slow", "suspect", "unjudged", "peers_text",
        ("meaning", "alert.kind.meaning"), ("action", "alert.kind.action"),
    )  # fmt: skip

    @property
    def severity(self) -> Literal["error", "warning"]:
        return "error" if self.alert.error else "warning"

    @property
    def peers_text(self) -> str:
        """Whether these OSDs are slower than their peers now."""
        parts = [
            (self.slow, "slower than the peers"),
            (self.suspect, "suspect"),
            (self.as_peers, "as fast as the peers"),
            (self.unjudged, "cannot be judged ('ceph perf-bench osd ls' says why)"),
        ]
        shown = [f"{osd_names(osds)} {words}" for osds, words in parts if osds]
        return "; ".join(shown) or "no OSD is named"


def alerts(api: Api) -> list[CephAlert]:
    """Explain Ceph's own alerts about slow OSDs: what they mean, what to do."""
    return [CephAlert(**vars(one)) for one in api.watch.ceph_alerts()]


# --- as text -------------------------------------------------------------------------------------

FINDINGS = (
    Column("ID", "id", "word"),
    Column("SEVERITY", "severity", "word"),
    Column("STATE", "state", "word"),
    Column("CODE", "code", "word"),
    Column("SINCE (UTC)", "first_seen", "time"),
)


def findings_text(found: Sequence[Finding]) -> str:
    """Text of ``finding ls``: a line each, and below it what it says."""
    if not found:
        return "no findings, as far as it was possible to look"
    return table(FINDINGS, found, _told)


def _told(one: Finding) -> Sequence[str]:
    note = noted(one.acknowledged)
    return one.message, f"acknowledged {note}" if note else ""


def noted(note: Optional[Acknowledgement]) -> str:
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


def finding_lines(found: Sequence[Finding], left_out: int = 0) -> list[tuple[str, str]]:
    """The first findings as pairs, and how many there are beside them."""
    told = [f"{one.id} ({one.state.value}): {one.message}" for one in found[:_IN_TEXT]]
    more = len(found) + left_out - len(told)
    rest = f"and {more} more: 'ceph perf-bench finding ls --all'" if more else ""
    return [*(("finding", words) for words in told), ("", rest)]


def alerts_text(alerts: Sequence[CephAlert]) -> str:
    """Text of ``alert ls``."""
    if not alerts:
        return "Ceph raises none of the alerts about slow OSDs that are explained here"
    return GAP.join(
        f"{one.severity}: {one.alert.code}{', muted' * one.alert.muted}\n{facts(_alert(one))}"
        for one in alerts
    )


def _alert(one: CephAlert) -> Sequence[tuple[str, str]]:
    return (
        ("says", one.alert.summary),
        ("now", one.peers_text),
        ("meaning", one.alert.kind.meaning),
        ("what to do", one.alert.kind.action),
    )


def finding_text(one: FindingDetail) -> str:
    """Text of ``finding show``: what a person would tell, then the evidence and the steps."""
    kind = BY_CODE.get(one.code)
    muted = f", muted until {short_time(one.muted_until)} UTC" if one.muted_until else ""
    closed = f", closed {short_time(one.closed_at)} UTC" if one.closed_at else ""
    pairs = [
        ("conclusion", one.conclusion),
        ("hurts", one.harm or ""),
        ("type first", one.command or ""),
        ("since", f"{short_time(one.first_seen)} UTC, last seen {short_time(one.last_seen)}"),
        ("state", f"{one.severity.value}, {one.state.value}{muted}{closed}"),
        ("acknowledged", noted(one.acknowledged)),
        ("kind", one.code),
    ]
    if kind:
        meaning = "" if kind.meaning == one.conclusion else kind.meaning
        pairs += [("meaning", meaning), ("what to do", kind.action)]
    problem = filled(f"finding {one.id}: {one.message}", 0, 2)
    # The conclusion stands above.
    why = [words for words in one.evidence.get("why", ()) if words != one.conclusion]
    evidence = _evidence({**one.evidence, "why": " ".join(why)})
    return f"{problem}\n{facts(pairs, ('type first',))}{evidence}{steps_text(one.next_steps)}"


# The units of evidence, by a part of its keys.
_UNITS = (
    ("bytes_per_second", "B/s"),
    ("^bytes|_bytes$", "B"),
    ("_ms$", "ms"),
    ("_seconds$", "s"),
    ("_percent$", "percent"),
    ("ratio$|^times_as_long$", "ratio"),
    ("(^|_)share(_of_time)?$|^(part|peers_median)$", "fraction"),
    ("^(at|asked_at|down|up|since|setup_known_since)$", "time"),
    ("^(commands|fix)$", "command"),
)
# What a key ends with only for its unit.
_SUFFIX = re.compile("_(ms|seconds|bytes|percent)$")


def _unit(key: str) -> str:
    return next((unit for part, unit in _UNITS if re.search(part, key)), "")


def _words(key: str) -> str:
    return _SUFFIX.sub("", key).replace("_", " ")


def _evidence(values: Mapping[str, Any]) -> str:
    """The evidence, its keys as words; entries of several parts are in JSON only."""
    pairs = [(_words(key), _value(value, _unit(key))) for key, value in values.items()]
    if not any(text for _, text in pairs):
        return ""
    commands = [_words(key) for key in values if _unit(key) == "command"]
    return f"{GAP}evidence\n{facts(pairs, commands)}"


def _value(value: Any, unit: str) -> str:
    """A value of evidence as text; what is not known is left out by ``facts``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        apart = " && " if unit == "command" else ", "
        return apart.join(text for text in (_value(one, unit) for one in value) if text)
    if isinstance(value, (int, float)):
        if unit in _FIGURES:
            return _FIGURES[unit](value)
        return f"{value:.3g}" if isinstance(value, float) else str(value)
    return value if isinstance(value, str) else ""


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


def steps_text(steps: Optional[NextSteps]) -> str:
    """The steps below a finding; empty for none."""
    if steps is None:
        return ""
    parts = []
    for section in SECTIONS:
        if not getattr(steps, section):
            continue
        lines = [_TITLES[section]]
        for step in getattr(steps, section):
            lines.append(facts([("-", step.text)]))
            if step.command:
                lines.append(f"     {step.command}")
        parts.append("\n".join(lines))
    return GAP + GAP.join(parts)


QUESTIONS = (
    Question(
        "finding ls",
        findings,
        [Argument("all", ArgumentKind.FLAG, rest_name="everything")],
        findings_text,
        rest="GET finding",
        covers=ALL,
    ),
    Question("alert ls", alerts, text=alerts_text, rest="GET alert"),
    Question("finding kinds", kinds, rest="GET finding/kind"),
    Question(
        "finding mute",
        mute,
        [Argument("for", rest=Use.NEEDED)],
        lambda one: f"finding {one.id} is muted until {iso(one.muted_until)}",
        rest="POST finding/ID/mute",
        writes=True,
    ),
    Question(
        "finding ack",
        acknowledge,
        [Argument("by", rest=Use.SESSION)],
        acknowledged_text,
        rest="POST finding/ID/ack",
        writes=True,
    ),
    Question("finding show", show, text=finding_text, rest="GET finding/ID"),
)
