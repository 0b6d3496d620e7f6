"""Findings: ``ceph perf-bench finding …`` and ``alert ls``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, Optional

from ..errors import InvalidValue, NotFound
from ..model import finding_kinds
from ..model.finding import ACK_NAME, ACK_TEXT, Acknowledgement, FindingState, Severity
from ..model.finding import Finding as Found
from ..model.finding_kinds import KINDS, FindingKind
from ..model.history import DAY
from ..model.json_fields import iso
from ..model.phrases import osd_names, parse_duration
from ..model.verdict import ExplainedAlert, Ongoing
from .api import Api
from .next_steps import NextSteps, steps_of
from .paging import WHOLE, Page
from .question import ALL, Argument, ArgumentKind, FindingId, Question, Use
from .shape import copied
from .text import GAP, Column, facts, filled, minute, table

_LONGEST_MUTE = 365 * DAY
# On the page of a host: closed findings of a week, and findings in all.
_CLOSED_SHOWN, _MOST_SHOWN = 7 * DAY, 50
# The order of severities, worst first.
RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_WORDS = {
    Ongoing.YES: "goes on",
    Ongoing.OVER: "over, and not forgotten yet",
    Ongoing.STATE: "stands",
    Ongoing.UNKNOWN: "not known",
}

Kind = Literal["slow", "laggy", "hardware", "advice", "operation"]
# What the kinds of findings are about; one that is not here is about slowness.
_KINDS: dict[str, Kind] = {
    finding_kinds.LAGGY_PGS.code: "laggy",
    finding_kinds.CRC_HOTSPOT.code: "hardware",
    finding_kinds.LINK_ERRORS.code: "hardware",
    finding_kinds.MEDIA_ERRORS.code: "hardware",
    finding_kinds.ENCLOSURE_FAULT.code: "hardware",
    finding_kinds.MULTIPATH_DEGRADED.code: "hardware",
    finding_kinds.OSD_FLAPPING.code: "hardware",
    finding_kinds.CONFIG_RISK.code: "advice",
    finding_kinds.ROUND_FAILED.code: "operation",
    finding_kinds.RESTORE_PENDING.code: "operation",
    finding_kinds.STANDBY_MGR.code: "operation",
    finding_kinds.WATCH_FAILED.code: "operation",
    finding_kinds.STORE.code: "operation",
}
# Kinds of findings that slow clients down.
HURTING = ("slow", "laggy", "hardware")


@dataclass(frozen=True)
class Finding(Found):
    """Something wrong, with the figures behind it, and its life.

    next_steps -- What next, with commands; null: it is closed, or of an unknown kind.
    """

    next_steps: Optional[NextSteps] = None


@dataclass(frozen=True)
class CephAlert:
    """One of Ceph's own alerts about slow OSDs, joined to what the watch knows.

    Where, whether its cause goes on, whether these OSDs are slower than their peers now.
    """

    code: str
    title: str
    summary: str
    severity: Literal["error", "warning"]
    muted: bool
    osds: Sequence[int]
    spread: Literal[
        "osd", "device", "host", "enclosure", "rack", "cohort", "all", "several", "unknown"
    ]
    spread_text: str
    ongoing: Ongoing
    ongoing_text: str
    stays_seconds: Optional[float]
    slow: Sequence[int]
    suspect: Sequence[int]
    unjudged: Sequence[int]
    peers_text: str
    meaning: str
    action: str
    findings: Sequence[int]
    tolerated: bool


def kinds(_api: Api) -> list[FindingKind]:
    """Show every kind of finding: what it means, what to do, its evidence in words."""
    return list(KINDS)


def findings(api: Api, all_: bool = False, page: Page = WHOLE) -> tuple[list[Finding], int]:
    """List what is wrong, worst first; with --all what is over too.

    ``all_`` has those that are closed too.
    """
    api.watch.recall()
    found = [one for one in api.watch.findings() if all_ or one.state is not FindingState.CLOSED]
    found.sort(key=worst_first)
    shown, total = page.of(found, Found)
    return answers(api, shown), total


def mute(api: Api, id_: FindingId, for_: Optional[str] = None) -> Finding:
    """Leave a finding out of health for a time: finding mute 3 1d."""
    if for_ is None:
        raise InvalidValue("say for how long, as in: finding mute 3 1d", field="for")
    seconds = parse_duration(for_, "for")
    if seconds > _LONGEST_MUTE:
        raise InvalidValue("a finding is muted for a year at most", field="for")
    _open(api, id_, "mute")
    return answers(api, [api.watch.mute(id_, api.clock.now() + seconds)])[0]


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


def of_osd(api: Api, osd: int, host: str) -> list[Finding]:
    """The findings about an OSD or its host, worst first, closed ones last."""
    about = {("osd", str(osd)), ("host", host)}
    found = [one for one in api.watch.findings() if (one.target.kind, one.target.id) in about]
    return answers(api, sorted(found, key=worst_first))


def of_host(api: Api, host: str, osds: Sequence[int]) -> tuple[list[Finding], int]:
    """The findings about a host or its OSDs, worst first, and how many are left out.

    Closed ones of the last week too.
    """
    about = {("host", host), *(("osd", str(osd)) for osd in osds)}
    since = api.clock.now() - _CLOSED_SHOWN
    found = [
        one
        for one in api.watch.findings()
        if (one.target.kind, one.target.id) in about
        and (one.closed_at is None or one.closed_at >= since)
    ]
    shown = sorted(found, key=worst_first)[:_MOST_SHOWN]
    return answers(api, shown), len(found) - len(shown)


def found_of(api: Api, number: int) -> Found:
    """The finding of that ID. Raises NotFound."""
    found = _there(api, number)
    if found is None:  # right after a failover it may not be read yet
        api.watch.recall()
        found = _there(api, number)
    if found is None:
        raise NotFound(
            f"no finding {number}: 'ceph perf-bench finding ls --all' lists those there are"
        )
    return found


def _there(api: Api, number: int) -> Optional[Found]:
    found = (one for one in api.watch.findings() if one.id == number and number)
    return next(found, None)


def alerts(api: Api) -> list[CephAlert]:
    """Explain Ceph's own alerts about slow OSDs: where, what they mean, what to do."""
    explained = api.watch.ceph_alerts()
    if not explained:
        return []
    tolerated = api.safety.tolerated
    open_ = [one for one in api.watch.findings() if one.state is not FindingState.CLOSED]
    return [
        ceph_alert(
            one,
            [found.id for found in open_ if osds_of(api, found) & set(one.osds)],
            tolerated,
        )
        for one in explained
    ]


def osds_of(api: Api, found: Found) -> set[int]:
    """The OSDs that a finding is about: its target, those of its host, those it names."""
    target = found.target
    osds = {int(target.id)} if target.kind == "osd" and target.id.isdigit() else set()
    if target.kind == "host":
        osds = {one.osd for one in api.watch.members() if one.host == target.id}
    named = found.evidence.get("osds")
    if isinstance(named, (list, tuple)):
        osds |= {osd for osd in named if isinstance(osd, int)}
    return osds


def named(api: Api) -> set[int]:
    """The OSDs that open findings are about."""
    open_ = [one for one in api.watch.findings() if one.state is not FindingState.CLOSED]
    return set().union(*(osds_of(api, one) for one in open_))


def answers(api: Api, found: Sequence[Found]) -> list[Finding]:
    """Findings with what next."""
    steps = steps_of(api)
    return [Finding(**vars(one), next_steps=steps(one)) for one in found]


def about(found: Found) -> Kind:
    """What kind of trouble a finding is about."""
    return _KINDS.get(found.code, "slow")


def worst_first(found: Found) -> tuple[Any, ...]:
    """The order of findings: open ones first, of these the worst, then the newest."""
    return found.state is FindingState.CLOSED, RANK[found.severity], -found.first_seen, found.id


def began(found: Found) -> float:
    """When it began as far as its evidence says (unix seconds)."""
    since = found.evidence.get("since")
    known = isinstance(since, (int, float)) and 0 < since <= found.first_seen
    return float(since) if known and since is not None else found.first_seen


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


def ceph_alert(
    one: ExplainedAlert, findings: Sequence[int], tolerated: Collection[str]
) -> CephAlert:
    """An alert; ``findings`` are about its OSDs, ``tolerated`` are health checks that rounds are.

    Rounds start in spite of one that is muted, or tolerated and no error.
    """
    raised, kind = one.alert, one.alert.kind
    allowed = any(fnmatchcase(raised.code, name) for name in tolerated)
    return copied(
        CephAlert,
        one,
        code=raised.code,
        title=kind.title,
        summary=raised.summary,
        severity="error" if raised.error else "warning",
        muted=raised.muted,
        ongoing_text=f"{_WORDS[one.ongoing]}: {one.why}",
        stays_seconds=raised.lifetime,
        peers_text=_peers(one),
        meaning=kind.meaning,
        action=kind.action,
        findings=findings,
        tolerated=raised.muted or (allowed and not raised.error),
    )


def _peers(one: ExplainedAlert) -> str:
    """Whether these OSDs are slower than their peers now."""
    parts = [
        (one.slow, f"slower than {_their(one.slow)} peers"),
        (one.suspect, "suspect"),
        (one.as_peers, f"as fast as {_their(one.as_peers)} peers"),
        (one.unjudged, "cannot be judged ('ceph perf-bench osd ls' says why)"),
    ]
    shown = [f"{osd_names(osds)} {words}" for osds, words in parts if osds]
    return "; ".join(shown) or "no OSD is named"


def _their(osds: Sequence[int]) -> str:
    return "its" if len(osds) == 1 else "their"


# --- as text -------------------------------------------------------------------------------------

_FINDINGS = (
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
    head, *lines = table(_FINDINGS, found).splitlines()
    text = [head]
    for line, one in zip(lines, found):
        note = noted(one.acknowledged)
        told = [one.message, f"acknowledged {note}"] if note else [one.message]
        text += [line, *(filled(words, 4) for words in told)]
    return "\n".join(text)


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


def finding_lines(found: Sequence[Finding], left_out: int) -> list[tuple[str, str]]:
    """Findings as pairs, and how many there are beside them."""
    more = f"and {left_out} more: 'ceph perf-bench finding ls --all'" if left_out > 0 else ""
    told = [("finding", f"{one.id} ({one.state.value}): {one.message}") for one in found]
    return [*told, ("", more)]


def alerts_text(alerts: Sequence[CephAlert]) -> str:
    """Text of ``alert ls``."""
    if not alerts:
        return "Ceph raises none of the alerts about slow OSDs that are explained here"
    return GAP.join(_one(alert) for alert in alerts)


def alerts_below(api: Api) -> str:
    """What ``finding ls`` ends with; empty without alerts."""
    raised = alerts(api)
    return f"{GAP}Ceph's own alerts{GAP}{alerts_text(raised)}" if raised else ""


def _one(alert: CephAlert) -> str:
    pairs = [
        ("says", alert.summary),
        ("where", alert.spread_text),
        ("still", alert.ongoing_text),
        ("now", alert.peers_text),
        ("findings", ", ".join(map(str, alert.findings)) or "none is about these OSDs"),
        ("meaning", alert.meaning),
        ("what to do", alert.action),
        ("rounds", "tolerate it" if alert.tolerated else "are refused while it stands"),
    ]
    muted = ", muted" if alert.muted else ""
    return f"{alert.severity}: {alert.code}{muted}\n{facts(pairs)}"


QUESTIONS = (
    Question(
        "finding ls",
        findings,
        [Argument("all", ArgumentKind.FLAG, rest_name="everything")],
        findings_text,
        rest="GET finding",
        covers=ALL,
        below=alerts_below,
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
)
