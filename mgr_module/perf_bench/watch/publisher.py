"""Keeps the ledger of findings, and publishes it to the cluster log and to health."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Callable, Optional

from ..bench.comparisons import Regressions
from ..core.failing_parts import CLAIMS
from ..model.coverage import Look
from ..model.facts import STALE_SECONDS
from ..model.finding import PROFILE, Acknowledgement, Claim, Finding
from ..model.finding_kinds import (
    BY_CODE,
    CODES,
    ENCLOSURE_FAULT,
    LINK_ERRORS,
    MEDIA_ERRORS,
    MULTIPATH_DEGRADED,
    WATCH_FAILED,
)
from ..report import health
from .detectors import WatchContext
from .ledger import GRACE_SECONDS, ChangeKind, Key, Ledger

# Kinds of targets whose findings close as soon as no part claims them.
_KNOWN_AT_ONCE = ("settings", "schedule")
# Without its saved state the detector needs an hour to detect a mild slowdown again.
_COLD_GRACE = 7200.0


# Findings about what hosts tell.
_OF_FACTS = frozenset(
    one.code for one in (ENCLOSURE_FAULT, LINK_ERRORS, MEDIA_ERRORS, MULTIPATH_DEGRADED)
)


class Publisher:
    """Updates the ledger from claims, logs what opens and closes, and sets the health checks."""

    def __init__(
        self,
        context: WatchContext,
        regressions: Regressions,
        codes: Callable[[], Collection[str]],
        coverage: Callable[[bool], Sequence[Look]] = lambda _anew: (),
        known: Callable[[Finding], bool] = lambda _finding: False,
        created_at: Callable[[int], Optional[float]] = lambda _osd: None,
    ) -> None:
        """``codes`` returns the enabled health checks, ``coverage`` what was looked at (True: now).

        ``known`` returns whether a detector knows that a finding without a claim is over,
        ``created_at`` when an OSD was made.
        """
        self._notifier = context.notifier
        self._regressions = regressions
        self._failing = context.failing
        self._codes = codes
        self._coverage = coverage
        self._known = known
        self._log = health.ClusterLog()
        # The enabled health checks and those shown, at the newest tick that could show any.
        self._enabled: Collection[str] = CODES
        self._shown: Mapping[str, Mapping[str, Any]] = {}
        # Held while they are shown: another thread than the watch's may add failing parts to them.
        self._showing = threading.Lock()
        self.ledger = Ledger(created_at)
        # Whether a finding has changed, and whether one opened or closed, since the last write;
        # StateSaver resets them.
        self.changed = self.turned = False

    def remember(self, findings: Sequence[Finding], next_id: int, now: float, warm: bool) -> None:
        """Load the stored findings; ``warm``: the detectors' states were loaded, too."""
        grace = GRACE_SECONDS if warm else _COLD_GRACE
        self.ledger.load(findings, next_id, now, grace)
        self.changed = True  # findings that opened before have an ID only now

    def publish(self, now: float, claims: Sequence[Claim], on: bool) -> Sequence[Finding]:
        """Update the ledger from all claims of a tick and publish it; ``on``: the watch is on.

        Returns the findings that have opened.
        """
        unseen = self._unseen(now, claims, on)
        self._failing.went_well(CLAIMS)
        changes = self.ledger.update(
            now,
            claims,
            lambda finding: self._judged(finding, on),
            unseen,
            lambda error: self._failing.failed(CLAIMS, error),
        )
        # Findings that close because the watch was switched off are not logged as cleared.
        logged = [one for one in changes if on or _while_off(one.finding.code)]
        opened = [one.finding for one in logged if one.kind is ChangeKind.OPENED]
        closed = [one.finding for one in logged if one.kind is ChangeKind.CLOSED]
        self.changed = self.changed or bool(changes)
        self.turned = self.turned or bool(opened or closed)
        try:
            looks = self._coverage(True) if closed else ()
            for severity, text in self._log.lines(now, opened, closed, looks):
                self._notifier.log(severity, text)
            self._failing.went_well("cluster-log")
        except Exception as error:  # noqa: BLE001 - health checks must be shown all the same
            self._failing.failed("cluster-log", error)
        self._show()
        return opened

    def show_failing(self, claims: Callable[[], Sequence[Claim]], now: float) -> None:
        """Show what ``claims`` returns beside the health checks that are shown: no tick can.

        Nothing is done while another thread shows some: if that hangs, this one must not.
        """
        if not self._showing.acquire(blocking=False):
            return
        try:
            found = [_finding(claim, now) for claim in claims()]
            self._notifier.health({**self._shown, **health.checks(found, self._enabled)})
        finally:
            self._showing.release()

    def attach(self, key: Key, evidence: Mapping[str, Any]) -> None:
        """Add evidence to a finding, if it is still open."""
        self.changed = self.ledger.attach(key, evidence) or self.changed

    def mute(self, number: int, until: float, now: float) -> Finding:
        """Mute a finding ``until`` (unix seconds). Raises NotFound."""
        finding = self.ledger.mute(number, until, now).finding
        self._show()
        return finding

    def acknowledge(
        self, number: int, acknowledged: Optional[Acknowledgement], now: float
    ) -> Finding:
        """Note this on a finding, None to remove it; its health check stays. Raises NotFound."""
        return self.ledger.acknowledge(number, acknowledged, now).finding

    def _judged(self, finding: Finding, on: bool) -> bool:
        """Whether a restored finding without a claim closes now instead of after the grace."""
        target = finding.target
        if target.kind == PROFILE:
            return self._regressions.knows(target.id)
        if finding.code == WATCH_FAILED.code:
            return self._failing.knows(target.id)
        if target.kind in _KNOWN_AT_ONCE:
            return True
        if not on and not _while_off(finding.code):
            return True
        return self._known(finding)

    def _unseen(self, now: float, claims: Sequence[Claim], on: bool) -> Collection[Key]:
        """The findings about which the newest facts of their hosts lack the section.

        They count as long as facts do.
        """
        claimed = {claim.key for claim in claims}
        silent = [
            finding
            for finding in self.ledger.findings()
            if finding.key not in claimed
            and finding.code in _OF_FACTS
            and now - finding.last_seen < STALE_SECONDS
            and (on or _while_off(finding.code))
        ]
        looks = self._coverage(True) if silent else ()
        return {finding.key for finding in silent if health.lacks_section(finding, looks)}

    def _show(self) -> None:
        enabled = self._codes()
        shown = health.checks(self.ledger.findings(), enabled, lambda: self._coverage(False))
        with self._showing:
            self._enabled, self._shown = enabled, shown
            self._notifier.health(shown)


def _while_off(code: str) -> bool:
    """Whether this kind is detected while the watch is off; False for an unknown code."""
    kind = BY_CODE.get(code)
    return kind is not None and kind.while_off


def _finding(claim: Claim, now: float) -> Finding:
    """A claim as a finding that no ledger has."""
    return Finding(
        0, claim.code, claim.severity, claim.target, claim.message, claim.evidence, claim.since, now
    )
