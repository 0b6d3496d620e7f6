"""What is told: the ledger of all findings, and from it the cluster's log and health."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Callable

from ..bench.regressions import Regressions
from ..model.finding import PROFILE, Claim, Finding, Target
from ..model.finding_kinds import BY_CODE
from ..ports import Notifier
from ..report import health
from .ledger import GRACE_SECONDS, ChangeKind, Ledger
from .restore import RestoredState

# Kinds of targets whose findings end as soon as no detector claims them.
_KNOWN_AT_ONCE = ("settings", "schedule")
# Without its own memory the detector needs an hour to see a mild slowdown again.
_COLD_GRACE = 7200.0


class Publisher:
    """Keeps the ledger, and lets the cluster hear of what changes in it."""

    def __init__(
        self, notifier: Notifier, regressions: Regressions, codes: Callable[[], Collection[str]]
    ) -> None:
        """``codes`` are those of the health checks that are switched on."""
        self._notifier = notifier
        self._regressions = regressions
        self._codes = codes
        self._log = health.ClusterLog()
        self.ledger = Ledger()
        # Whether a finding has changed, and whether one came or went; who writes it down resets it.
        self.changed = self.turned = False

    def remember(self, known: RestoredState, now: float, warm: bool) -> None:
        """Take over the findings of before; ``warm``: the detectors remember, too."""
        grace = GRACE_SECONDS if warm else _COLD_GRACE
        self.ledger.load(known.findings, known.next_id, now, grace)
        self.changed = True  # what was found meanwhile has an ID only now

    def tell(self, now: float, claims: Sequence[Claim], looks: bool) -> None:
        """What all claims of one tick come to; ``looks``: the watch is on."""
        changes = self.ledger.update(now, claims, lambda target: self._judged(target, looks))
        # That it was switched off does not mean that anything is well again.
        told = [one for one in changes if looks or _looked_for(one.finding.code)]
        opened = [one.finding for one in told if one.kind is ChangeKind.OPENED]
        closed = [one.finding for one in told if one.kind is ChangeKind.CLOSED]
        for severity, text in self._log.lines(now, opened, closed):
            self._notifier.log(severity, text)
        self.changed = self.changed or bool(changes)
        self.turned = self.turned or bool(opened or closed)
        self._show()

    def mute(self, number: int, until: float, now: float) -> Finding:
        """Mute a finding until then (unix seconds). Raises NotFound."""
        finding = self.ledger.mute(number, until, now).finding
        self._show()
        return finding

    def _judged(self, target: Target, looks: bool) -> bool:
        """Whether a finding of before, which nobody claims, is over; else it has some grace."""
        if target.kind == PROFILE:
            return self._regressions.knows(target.id)
        if target.kind in _KNOWN_AT_ONCE:
            return True
        return not looks

    def _show(self) -> None:
        self._notifier.health(health.checks(self.ledger.findings(), self._codes()))


def _looked_for(code: str) -> bool:
    """Whether that kind is looked for while the watch is off; one of a newer version is not."""
    kind = BY_CODE.get(code)
    return kind is not None and kind.while_off
