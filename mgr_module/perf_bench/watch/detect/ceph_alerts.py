"""Follows Ceph's own alerts about slow OSDs, and joins them to what the watch knows.

It claims nothing: the alerts are in health already. It says which of them go on, and which are
only not forgotten yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Optional, Protocol

from ...core.clock import Clock
from ...model.ceph_alerts import MOST_OSDS, SLOW_OPS, CephAlert, ExplainedAlert, Lasts, Ongoing
from ...model.cluster import Counters
from ...model.detector import Detector, WatchTick
from ...model.finding import Claim
from ...model.frame import Watched
from ...model.pacing import Every
from ...model.said import Said, say
from ...model.verdict import OsdState, OsdVerdict

_EVERY = 15.0
# Without an event for this long it does not go on; the mgr keeps 100 s of points.
_QUIET = 900.0
_FORMAT = 1
_DAY = 86400.0
_STANDS = {
    Lasts.NOW: (
        Ongoing.YES,
        say("alert-now", "it stands only while its cause goes on"),
    ),
    Lasts.STATE: (
        Ongoing.STATE,
        say("alert-state", "a state, not an event: it stands until something changes it"),
    ),
    Lasts.MEAN: (
        Ongoing.YES,
        say("alert-mean", "means of up to 15 min, and not all pairs improve"),
    ),
}
# What OSDs may have in common, narrowest first.
_SHARED: Sequence[tuple[str, Said, Callable[[Watched], Optional[str]]]] = (
    ("device", say("one-device", "one device"), lambda one: one.device),
    ("host", say("one-host", "one host"), lambda one: one.host),
    ("enclosure", say("one-enclosure", "one enclosure"), lambda one: one.enclosure),
    ("rack", say("one-rack", "one rack"), lambda one: one.rack),
    ("cohort", say("one-model", "one model or kind"), lambda one: one.cohort),
)


class CephAlerts(Protocol):
    """Ceph's own health checks about slow OSDs (model/ceph_alerts.py)."""

    def alerts(self) -> Optional[Sequence[CephAlert]]:
        """Those that stand now, also muted ones; None before the monitors have sent any health.

        Takes some milliseconds where a check names many OSDs.
        """


class CephAlertDetector(Detector):
    """Reads the alerts every 15 s, and the counters of at most MOST_OSDS of their OSDs."""

    name = "ceph_alerts"
    while_off = True

    def __init__(self, alerts: CephAlerts, counters: Counters, clock: Clock) -> None:
        self._alerts = alerts
        self._counters = counters
        self._clock = clock
        self._due = Every(_EVERY)
        self._members: Sequence[Watched] = ()
        # OSDs that have stopped reporting: others wait for them, and these are named.
        self._stale: Collection[int] = ()
        # None before the first look.
        self.current: Optional[Sequence[CephAlert]] = None
        # By alert when it was first seen, and by alert and OSD the newest event.
        self._seen: dict[str, float] = {}
        self._events: dict[tuple[str, int], float] = {}
        # By alert since when its events are followed, and the OSDs that send its counters.
        self._followed: dict[str, float] = {}
        self._counted: dict[str, frozenset[int]] = {}
        self._looked_at = 0.0

    def tick(self, tick: WatchTick) -> None:
        self._members, self._stale = tick.members or self._members, tick.stale
        self._shift(tick.clock_step)
        if not self._due.is_due(self._clock.monotonic()):
            return
        found = self._alerts.alerts()
        if found is None:
            return
        self.current, self._looked_at = found, tick.now
        codes = {alert.code for alert in found}
        self._seen = {code: at for code, at in self._seen.items() if code in codes}
        self._followed = {code: at for code, at in self._followed.items() if code in codes}
        self._counted = {code: osds for code, osds in self._counted.items() if code in codes}
        self._events = {key: at for key, at in self._events.items() if key[0] in codes}
        for alert in found:
            self._seen.setdefault(alert.code, tick.now)
            if alert.kind.counters:
                self._follow(alert, tick.now)

    def _shift(self, seconds: float) -> None:
        """Follow a clock that was set, so that what was an hour ago is an hour ago still."""
        if seconds:
            self._looked_at += seconds
            self._seen = {code: at + seconds for code, at in self._seen.items()}
            self._followed = {code: at + seconds for code, at in self._followed.items()}
            self._events = {key: at + seconds for key, at in self._events.items()}

    def _follow(self, alert: CephAlert, now: float) -> None:
        """Note when the counters of its OSDs last grew."""
        counted = set()
        for osd in sorted(alert.osds)[:MOST_OSDS]:
            sent = self._counters.names(osd).intersection(alert.kind.counters)
            if sent:
                counted.add(osd)
            for name in sent:
                points = self._counters.points(osd, name)
                grew = [at for (_, old, _), (at, new, _) in zip(points, points[1:]) if new > old]
                if grew:
                    key = alert.code, osd
                    self._events[key] = max(min(grew[-1], now), self._events.get(key, 0.0))
        self._counted[alert.code] = frozenset(counted)
        self._followed.setdefault(alert.code, now)

    def claims(self) -> Sequence[Claim]:
        return ()

    # --- what it means -----------------------------------------------------------------------

    def explained(self, verdict: Callable[[int], OsdVerdict], now: float) -> list[ExplainedAlert]:
        """The alerts, joined to the OSDs' places and to their verdicts now."""
        return [self._explain(alert, verdict, now) for alert in self.current or ()]

    def _explain(
        self, alert: CephAlert, verdict: Callable[[int], OsdVerdict], now: float
    ) -> ExplainedAlert:
        osds = blamed(alert)
        last = max((self._events.get((alert.code, osd), 0.0) for osd in alert.osds), default=0.0)
        ongoing, why = self._ongoing(alert, last or None, now)
        states = {osd: verdict(osd).state for osd in osds}
        spread, text = spread_of(osds, self._members)
        return ExplainedAlert(
            alert,
            osds,
            spread,
            text,
            ongoing,
            why,
            self._seen.get(alert.code, now),
            last or None,
            *(
                tuple(osd for osd in osds if states[osd] is state)
                for state in (OsdState.SLOW, OsdState.SUSPECT, OsdState.OK, OsdState.NO_DATA)
            ),
        )

    def _ongoing(self, alert: CephAlert, last: Optional[float], now: float) -> tuple[Ongoing, str]:
        if alert.kind.lasts is Lasts.EVENT:
            return self._of_events(alert, last, now)
        if alert.improving:
            return Ongoing.OVER, say(
                "alert-improving", "all pairs are possibly improving; means of up to 15 min"
            )
        ongoing, why = _STANDS[alert.kind.lasts]
        if alert.code == SLOW_OPS.code and self._stale:
            why = say(
                "alert-stale",
                "{why}; {osds:osds} stopped reporting, look there first",
                why=why,
                osds=self._stale,
            )
        return ongoing, why

    def _of_events(
        self, alert: CephAlert, last: Optional[float], now: float
    ) -> tuple[Ongoing, str]:
        """Whether events of an alert that stays for its lifetime go on."""
        stays = say(
            "alert-stays",
            "it stays for {span:span} after the last event",
            span=alert.lifetime or _DAY,
        )
        followed = self._followed.get(alert.code)
        counted = self._counted.get(alert.code, frozenset()) >= set(alert.osds)
        since = followed if last is None and counted else last
        if since is not None and now - since > (alert.lifetime or _DAY) + _QUIET:
            # On Ceph 19 most of BlueStore's kinds of slow operations are in none of the counters.
            return Ongoing.UNKNOWN, say(
                "alert-renewed",
                "{stays}, and stands for longer: events went on that no counter tells of, such as "
                "slow reads of omap ('slow operation observed' in the OSDs' logs)",
                stays=stays,
            )
        if last is not None and now - last >= _QUIET and len(alert.osds) > MOST_OSDS:
            return Ongoing.UNKNOWN, say(
                "alert-last-of",
                "the last event that is counted, of {most} of its {all} OSDs, was {span:span} ago; "
                "{stays}",
                most=MOST_OSDS,
                all=len(alert.osds),
                span=_minutes(now - last),
                stays=stays,
            )
        if last is not None:
            ongoing = Ongoing.YES if now - last < _QUIET else Ongoing.OVER
            return ongoing, say(
                "alert-last",
                "the last event that is counted was {span:span} ago; {stays}",
                span=_minutes(now - last),
                stays=stays,
            )
        if followed is None or not counted:
            return Ongoing.UNKNOWN, say(
                "alert-uncounted", "no counter tells when it happened; {stays}", stays=stays
            )
        if now - followed < _QUIET:
            return Ongoing.UNKNOWN, say(
                "alert-short",
                "no event in the last {span:span}, all that is known; {stays}",
                span=_minutes(now - followed + 100),
                stays=stays,
            )
        return Ongoing.OVER, say(
            "alert-over",
            "no event that is counted since it is followed, for {span:span}; {stays}",
            span=_minutes(now - followed),
            stays=stays,
        )

    def explain(self, osd: int) -> Sequence[str]:
        now = self._clock.now()
        return [
            say(
                "alert-names",
                "Ceph's alert {code} names it: {why}.",
                code=alert.code,
                why=self._ongoing_of(alert, osd, now),
            )
            for alert in self.current or ()
            if osd in alert.osds
        ]

    def _ongoing_of(self, alert: CephAlert, osd: int, now: float) -> str:
        return self._ongoing(alert, self._events.get((alert.code, osd)), now)[1]

    # --- saved state -------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        if not self._seen:
            return {}
        events = [[code, osd, at] for (code, osd), at in self._events.items()]
        return {
            "format": _FORMAT,
            "at": self._looked_at,
            "seen": dict(self._seen),
            "followed": dict(self._followed),
            "events": events,
        }

    def restore(self, state: Mapping[str, Any], now: float) -> None:
        """Add what another mgr saw; alerts that are gone are forgotten at the next look.

        Their events only if it looked lately: else nobody knows of those since.
        """
        if state.get("format") != _FORMAT:
            return
        looked_at = min(float(state.get("at", now)), now)  # not in the state of an older version
        seen: dict[str, float] = {str(c): min(float(at), now) for c, at in state["seen"].items()}
        followed: dict[str, float] = {
            str(c): min(float(at), now) for c, at in state["followed"].items()
        }
        events = {(str(code), int(osd)): min(float(at), now) for code, osd, at in state["events"]}
        if now - looked_at >= _QUIET:
            followed, events = {}, {}
        self._looked_at = max(looked_at, self._looked_at)
        for known, saved in ((self._seen, seen), (self._followed, followed)):
            for code, at in saved.items():
                known[code] = min(at, known.get(code, at))
        for key, at in events.items():
            self._events[key] = max(at, self._events.get(key, 0.0))


def blamed(alert: CephAlert) -> tuple[int, ...]:
    """The OSDs that it is about; of slow pings those in the most pairs, if some stand out."""
    if alert.kind.link and alert.osds:
        most = max(alert.osds.values())
        if most > 1 and most >= alert.lines:
            return tuple(sorted(osd for osd, count in alert.osds.items() if count == most))
    return tuple(sorted(alert.osds))


def spread_of(osds: Sequence[int], members: Sequence[Watched]) -> tuple[str, str]:
    """How far these OSDs reach: a word, and what they have in common in words."""
    by_osd = {member.osd: member for member in members}
    known = [by_osd[osd] for osd in osds if osd in by_osd]
    if not osds:
        return "unknown", say("spread-none", "the alert names no OSD")
    if len(osds) == 1:
        name: str = f"osd.{osds[0]}"
        if known:
            name = say("osd-of-host", "{osd} of {host}", osd=name, host=known[0].host)
        return "osd", say("spread-osd", "one OSD ({osd})", osd=name)
    if len(known) < len(osds):
        return "several", say(
            "spread-osds", "{count|OSD|OSDs} ({osds:osds})", count=len(osds), osds=osds
        )
    if len(osds) == len(members):
        return "all", say(
            "spread-all",
            "all {count} OSDs: not one device, but what all of them share",
            count=len(osds),
        )
    for kind, words, value in _SHARED:
        values = {value(member) for member in known}
        there = Counter(value(member) for member in members)
        if len(values) == 1 and None not in values and len(there) > 1:
            shared = values.pop()
            return kind, say(
                "spread-shared",
                "{what} ({name}): {count} of its {total|OSD|OSDs}",
                what=words,
                name=shared,
                count=len(osds),
                total=there[shared],
            )
    return "several", say(
        "spread-hosts",
        "{count} of {all} OSDs on {hosts|host|hosts}",
        count=len(osds),
        all=len(members),
        hosts=len({member.host for member in known}),
    )


def _minutes(seconds: float) -> float:
    """Whole minutes in seconds, and at least one: alerts are read every 15 s."""
    return 60.0 * max(1, round(seconds / 60))
