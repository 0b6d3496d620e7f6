"""Findings: their life, and how they are told as health checks and in the cluster's log.

A claim opens one, an operator mutes or acknowledges it.

Without a claim it closes. How long a claim must hold before that, and be gone, is in the table of
kinds (``raise_after``, ``clear_after``).

A finding is identified by (code, target). A claim within a day after closing reopens the finding
with its ID, its first time, its acknowledgement and a mute that is still valid: of intermittently
slow OSDs 85 to 90 % are slow again on the same day, and one entry "since Tuesday" is more useful
than forty. After more than a day there is a new finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Callable, NamedTuple, Optional

from ..errors import NotFound
from ..model.finding import (
    CLOSED_KEPT_SECONDS,
    NO_SECTION,
    TOLD_IN_PART,
    Acknowledgement,
    Claim,
    Finding,
    FindingState,
    Look,
    Severity,
    gap_sentences,
    why_unseen,
)
from ..model.finding_kinds import BY_CODE, LINK_ERRORS, MEDIA_ERRORS
from ..model.phrases import plural, span
from ..model.verdict import EVIDENCE as ATTACHED

# Maximum number of findings of one code and kind of target. What so many have in common is named
# instead of them by the detectors; more would be a fault of one, and fill the database.
LIMIT = 500
REOPENED_SECONDS = 86400.0
# Evidence changes every tick; it is written when the state changes, and at this interval.
REFRESH_SECONDS = 300.0
CLOSED_KEPT = 1000
# Lines of a health check.
DETAILS = 10
# Of these, lines about what could not be looked at.
UNSEEN = 2
# Lines for the cluster's log in one tick.
MOST_LINES = 20
_RANK = (Severity.ERROR, Severity.WARNING)

Key = tuple[str, str, str]


class Changes(NamedTuple):
    """The new states of findings that opened, closed, or got another severity or mute."""

    opened: list[Finding]
    closed: list[Finding]
    changed: list[Finding]


class Ledger:
    """All findings. Only the thread that holds the watch changes them; any thread may read them.

    It also works before the store was read, so that an unavailable store delays no alarm; until
    then findings have ID 0.
    """

    def __init__(self, created_at: Callable[[int], Optional[float]] = lambda _osd: None) -> None:
        """``created_at`` returns when an OSD was made (unix seconds); None if that is not known.

        A closed finding of before is about another OSD of that ID, perhaps another drive.
        """
        self._created_at = created_at
        # What other threads read: replaced as a whole after each change.
        self._shown: tuple[tuple[Finding, ...], tuple[Finding, ...]] = ((), ())
        self._live: dict[Key, Finding] = {}
        self._past: list[Finding] = []  # closed ones, by the time of closing
        self._next_id: Optional[int] = None
        self._inherited: set[Key] = set()  # restored from the store, and not claimed since
        self._unsaved: dict[int, Finding] = {}
        self._forgotten: set[int] = set()
        self._saved_at: dict[int, float] = {}

    @property
    def loaded(self) -> bool:
        return self._next_id is not None

    def findings(self, closed: bool = False) -> list[Finding]:
        """Return the open and muted findings by ID; with ``closed`` also the closed ones."""
        live, past = self._shown
        found = [*live, *(past if closed else ())]
        return sorted(found, key=lambda finding: (finding.id, finding.first_seen))

    @property
    def inherited(self) -> list[Finding]:
        """The findings that were restored from the store, and not claimed since."""
        return [self._live[key] for key in self._inherited if key in self._live]

    def load(self, stored: Iterable[Finding], next_id: int, now: float) -> None:
        """Add the stored findings; only the first call has an effect."""
        if self.loaded:
            return
        before, ended = list(self._live.values()), self._past
        self._next_id = next_id
        self._live, self._past = {}, []
        for finding in stored:
            self._keep(finding)
        self._inherited = set(self._live)
        for finding in (*ended, *before):
            self._keep_saved(self._joined(finding), now)
        self._show()

    def update(
        self,
        now: float,
        claims: Iterable[Claim],
        over: Collection[Key] = (),
        unseen: Collection[Key] = (),
        refused: Callable[[Exception], None] = lambda _error: None,
    ) -> Changes:
        """Update the findings to the current claims.

        A claim of which no finding can be made is ``refused``, and its finding stays as it was;
        the others count.

        An inherited finding without a claim is closed only if it is known to be ``over``. Those
        ``unseen`` stay as they were.
        """
        stays: set[Key] = set(unseen)
        changes = Changes([], [], [])
        counts = Counter(key[:2] for key in self._live)
        for claim in claims:
            try:
                stays.add(claim.key)
                if claim.key in self._live:
                    self._go_on(claim, now, changes)
                elif _opens(claim, now, counts):
                    changes.opened.append(self._open(claim, now))
            except Exception as error:  # noqa: BLE001 - one bad claim must not stop the others
                refused(error)
        for key, finding in list(self._live.items()):
            held = 0 <= now - finding.last_seen < _clear_after(finding.code)
            if key not in stays and (key not in self._inherited or key in over) and not held:
                changes.closed.append(self._close(finding, now))
            elif finding.muted_until is not None and finding.muted_until <= now:
                unmuted = replace(finding, state=FindingState.OPEN, muted_until=None)
                changes.changed.append(self._keep_saved(unmuted, now))
        self._forget(now)
        self._show()
        return changes

    def mute(self, number: int, until: float, now: float) -> Finding:
        """Leave the finding out of health ``until`` (unix seconds); a past time ends the mute.

        Raises NotFound if no finding with that ID is open.
        """
        finding = self._open_one(number)
        muted = until > now
        state = FindingState.MUTED if muted else FindingState.OPEN
        changed = replace(finding, state=state, muted_until=until if muted else None)
        self._keep_saved(changed, now)
        self._show()
        return changed

    def acknowledge(
        self, number: int, acknowledged: Optional[Acknowledgement], now: float
    ) -> Finding:
        """Set or replace what an operator notes on the finding; None removes it.

        Raises NotFound if no finding with that ID is open.
        """
        changed = replace(self._open_one(number), acknowledged=acknowledged)
        self._keep_saved(changed, now)
        self._show()
        return changed

    def attach(self, key: Key, evidence: Mapping[str, Any]) -> bool:
        """Add evidence to an open finding, beside its detector's; returns False if none is open.

        The keys are those of the breakdown alone. They stay while the finding is open.
        """
        found = self._live.get(key)
        if found is None:
            return False
        kept = {name: value for name, value in evidence.items() if name in ATTACHED}
        both = {**_of_detector(found.evidence), **kept}
        self._keep_saved(replace(found, evidence=both), found.last_seen)
        self._show()
        return True

    def take_unsaved(self, now: float) -> tuple[list[Finding], list[int]]:
        """Return the findings to write and the IDs to remove; each change is returned once."""
        if not self.loaded:
            return [], []
        for finding in self._live.values():
            if not 0 <= now - self._saved_at.get(finding.id, 0.0) < REFRESH_SECONDS:
                self._unsaved[finding.id] = finding
        found, forgotten = list(self._unsaved.values()), sorted(self._forgotten)
        self._saved_at.update((finding.id, now) for finding in found)
        self._unsaved, self._forgotten = {}, set()
        return found, forgotten

    def _show(self) -> None:
        """Let other threads see what has changed."""
        self._shown = tuple(self._live.values()), tuple(self._past)

    # --- one finding -------------------------------------------------------------------------

    def _open_one(self, number: int) -> Finding:
        """The open or muted finding with this ID. Raises NotFound."""
        for finding in self._live.values():
            if finding.id == number and number:
                return finding
        raise NotFound(f"no open finding {number}: 'ceph perf-bench finding ls' lists them")

    def _go_on(self, claim: Claim, now: float, changes: Changes) -> None:
        """Give an open finding the newest figures; only another severity is a change."""
        self._inherited.discard(claim.key)
        found = self._live[claim.key]
        newer = replace(
            found,
            severity=claim.severity,
            message=claim.message,
            evidence={**_of_detector(claim.evidence), **_attached(found)},
            last_seen=max(now, found.first_seen),  # a clock may be set back
        )
        self._live[claim.key] = newer
        if newer.severity is not found.severity:
            changes.changed.append(self._keep_saved(newer, now))

    def _open(self, claim: Claim, now: float) -> Finding:
        finding = Finding(
            id=0,
            code=claim.code,
            severity=claim.severity,
            target=claim.target,
            message=claim.message,
            evidence=_of_detector(claim.evidence),
            first_seen=min(claim.since, now),
            last_seen=now,
        )
        return self._keep_saved(self._joined(finding), now)

    def _joined(self, finding: Finding) -> Finding:
        """Return the finding merged with an open or recent one of its key, else with a new ID."""
        known = self._live.get(finding.key) or self._last_closed(finding.key)
        if known is None or not _continues(known, finding) or self._of_another(known, finding):
            return replace(finding, id=self._new_id())
        if known in self._past:
            self._past.remove(known)
        state, until = finding.state, known.muted_until
        if until is not None and until > finding.last_seen and state is not FindingState.CLOSED:
            state = FindingState.MUTED
        # What was asked when it opened is still true, unless it was closed since.
        before = {} if known.state is FindingState.CLOSED else _attached(known)
        return replace(
            finding,
            evidence={**before, **finding.evidence},
            id=known.id,
            first_seen=known.first_seen,
            last_seen=max(finding.last_seen, known.first_seen),  # a clock may be set back
            state=state,
            muted_until=until if until is not None and until > finding.last_seen else None,
            acknowledged=finding.acknowledged or known.acknowledged,
        )

    def _of_another(self, known: Finding, again: Finding) -> bool:
        """Whether ``known`` is closed and about the OSD that had this ID before."""
        target = known.target
        if known.state is not FindingState.CLOSED or target.kind != "osd":
            return False
        created_at = self._created_at(int(target.id)) if target.id.isdecimal() else None
        return created_at is not None and known.first_seen < created_at <= again.last_seen

    def _last_closed(self, key: Key) -> Optional[Finding]:
        return next((one for one in reversed(self._past) if one.key == key), None)

    def _close(self, finding: Finding, now: float) -> Finding:
        self._inherited.discard(finding.key)
        closed_at = max(now, finding.first_seen)  # a clock may be set back
        return self._keep_saved(
            replace(finding, state=FindingState.CLOSED, closed_at=closed_at), now
        )

    def _keep_saved(self, finding: Finding, now: float) -> Finding:
        """Keep the finding and mark it for writing."""
        self._keep(finding)
        if finding.id:
            self._unsaved[finding.id] = finding
            self._saved_at[finding.id] = now
        return finding

    def _keep(self, finding: Finding) -> None:
        if finding.state is FindingState.CLOSED:
            self._live.pop(finding.key, None)
            self._past.append(finding)
        else:
            self._live[finding.key] = finding

    def _new_id(self) -> int:
        if self._next_id is None:
            return 0
        self._next_id += 1
        return self._next_id - 1

    def _forget(self, now: float) -> None:
        """Drop findings that were closed long ago, or that are too many."""
        self._past.sort(key=_closed_at)
        spare = len(self._past) - CLOSED_KEPT
        while self._past and (spare > 0 or now - _closed_at(self._past[0]) > CLOSED_KEPT_SECONDS):
            gone = self._past.pop(0)
            spare -= 1
            self._unsaved.pop(gone.id, None)
            self._saved_at.pop(gone.id, None)
            if gone.id:
                self._forgotten.add(gone.id)


def _opens(claim: Claim, now: float, counts: Counter[tuple[str, str]]) -> bool:
    """Whether it has held for long enough. Raises ValueError if so many like it are open."""
    kind = BY_CODE.get(claim.code)
    if kind is not None and kind.raise_after and now - claim.since < kind.raise_after:
        return False
    if counts[claim.code, claim.target.kind] >= LIMIT:
        raise ValueError(f"{LIMIT} findings {claim.code} are open: no further one is kept")
    counts[claim.code, claim.target.kind] += 1
    return True


def _clear_after(code: str) -> float:
    kind = BY_CODE.get(code)
    return kind.clear_after if kind is not None else 0.0


def _attached(finding: Finding) -> Mapping[str, Any]:
    """The evidence that was attached to a finding."""
    return {name: one for name, one in finding.evidence.items() if name in ATTACHED}


def _of_detector(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence without what was attached."""
    return {name: one for name, one in evidence.items() if name not in ATTACHED}


def _closed_at(finding: Finding) -> float:
    return finding.closed_at or 0.0


def _continues(known: Finding, again: Finding) -> bool:
    """Whether ``again`` is the same finding as ``known``: open, or closed within a day."""
    if known.state is not FindingState.CLOSED:
        return True
    return again.last_seen - _closed_at(known) <= REOPENED_SECONDS


# --- as the cluster's health checks, and as lines for its log ------------------------------------


def checks(
    findings: Iterable[Finding],
    codes: Collection[str],
    coverage: Callable[[], Sequence[Look]] = tuple,
) -> dict[str, dict[str, Any]]:
    """What ``set_health_checks`` takes: one check for each of these codes that has findings.

    Muted findings and information are left out. ``count`` is how many things are wrong: the
    cluster ends a ``ceph health mute`` when it grows. ``coverage``, asked only if there are
    checks, tells what could not be looked at; the details end with that.
    """
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.code in codes and _is_raised(finding):
            by_code.setdefault(finding.code, []).append(finding)
    looks = coverage() if by_code else ()
    return {code: _check(code, by_code[code], looks) for code in sorted(by_code)}


def _is_raised(finding: Finding) -> bool:
    return finding.state is FindingState.OPEN and finding.severity in _RANK


def _check(code: str, findings: list[Finding], looks: Sequence[Look]) -> dict[str, Any]:
    findings.sort(key=_order)
    count = len(findings)
    return {
        "severity": findings[0].severity.value,
        "summary": BY_CODE[code].summary(count),
        "count": count,
        "detail": _detail([finding.message for finding in findings], count, _unseen(code, looks)),
    }


def _order(finding: Finding) -> tuple[int, float, str, int, str]:
    """Worst first, then oldest."""
    rank, target = _RANK.index(finding.severity), finding.target
    return rank, finding.first_seen, target.kind, len(target.id), target.id


def _unseen(code: str, looks: Sequence[Look]) -> Sequence[str]:
    """What findings of this kind could not be looked for in; the first sentences."""
    found: list[str] = [*gap_sentences(look for look in looks if code in look.codes)]
    more = len(found) - UNSEEN
    if more <= 0:
        return found
    rest = f"{plural(more, 'more reason')} why not all was looked at"
    return [*found[:UNSEEN], f"{rest}: 'ceph perf-bench coverage ls'"]


def _detail(messages: Sequence[str], count: int, unseen: Sequence[str]) -> list[str]:
    shown = DETAILS - len(unseen)
    if len(messages) <= shown:
        return [*messages, *unseen]
    return [*messages[:shown], f"and {count - shown} more", *unseen]


class Line(NamedTuple):
    """A line for the cluster's log."""

    severity: Severity
    text: str


def log_lines(
    opened: Iterable[Finding], closed: Iterable[Finding], looks: Sequence[Look] = ()
) -> list[Line]:
    """Lines for what opened and closed in a tick, at most so many and one that counts the others.

    Muted findings and information are not told. ``looks`` are what is looked at now: what closed
    because it cannot be is not called cleared.
    """
    found = [_opened(one) for one in opened if _is_raised(one)]
    found += [_closed(one, looks) for one in closed if _is_told_closed(one)]
    more = len(found) - MOST_LINES
    if more > 0:
        text = f"PERF_BENCH: and {more} more: 'ceph perf-bench finding ls --all' has them"
        found[MOST_LINES:] = [Line(Severity.WARNING, text)]
    return found


def _is_told_closed(finding: Finding) -> bool:
    return finding.severity in _RANK and finding.muted_until is None


def _opened(finding: Finding) -> Line:
    return Line(finding.severity, f"{finding.code}: {finding.message}")


def _closed(finding: Finding, looks: Sequence[Look]) -> Line:
    lasted = span((finding.closed_at or finding.last_seen) - finding.first_seen)
    found = (why_unseen(finding.code, units, looks) for units in _units(finding))
    why = next((why for why in found if why is not None), None)
    how = "cleared" if why is None else "not looked at any more"
    end = "" if why is None else f" ({why})"
    return Line(Severity.INFO, f"{finding.code} {how}: {finding.target} after {lasted}{end}")


def lacks_section(finding: Finding, looks: Sequence[Look]) -> bool:
    """Whether the newest facts of all its hosts lack what the finding is about, or a part of it."""
    of_facts = [
        replace(
            look,
            gaps=tuple(
                replace(gap, partly=gap.partly and gap.code == NO_SECTION)
                for gap in look.gaps
                if gap.code in (NO_SECTION, TOLD_IN_PART)
            ),
        )
        for look in looks
    ]
    return any(why_unseen(finding.code, units, of_facts) for units in _units(finding))


def _units(finding: Finding) -> list[Collection[str]]:
    """What is looked at for a finding, as looks at OSDs and at hosts name it."""
    host = finding.evidence.get("host")
    if finding.code in (LINK_ERRORS.code, MEDIA_ERRORS.code) and isinstance(host, str):
        return [host.split(", ")]
    kind, hosts, osds = finding.target.kind, *map(finding.evidence.get, ("hosts", "osds"))
    if kind == "enclosure" and isinstance(hosts, list):
        return [hosts]
    if kind != "osd" and isinstance(osds, list) and osds:
        return [[str(finding.target)], [f"osd.{osd}" for osd in osds]]
    return [[str(finding.target)]]
