"""The text of ``status``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from ..core.reconcile import Pass
from ..model.json_fields import Json
from ..model.phrases import plural, times_text
from .coverage import kinds_looked
from .text import duration, facts, iso, minute, short_time, size


def status_text(shape: Json) -> str:
    """Text of ``status``."""
    active, watch, store = shape["active_round"], shape["watch"], shape["store"]
    if active:
        done = f"{100 * active['progress']:.0f} %"
        eta = "" if active["eta_seconds"] is None else f", {duration(active['eta_seconds'])} left"
        running = f"{active['id']} ({active['profile']}): {active['phase']}, {done}{eta}"
        running += _waits_for(active["waits_for"])
    else:
        running = "none"
    stored = store["error"] or f"{plural(store['rounds'], 'round')} in {store['backend']}"
    if store["bytes"] is not None and not store["error"]:
        stored += f", {size(store['bytes'])} of at most {size(store['limit_bytes'])}"
    if not (store["ready"] or store["error"]):
        stored += ", not read yet"
    if store["integrity"] not in ("ok", "unchecked", "pages unchecked"):
        stored += f" ({store['integrity']}: 'ceph perf-bench store status')"
    pairs = [
        ("round", running),
        ("findings", _open_findings(shape["findings"])),
        ("not sure yet", _suspects(shape["suspects"])),
        ("slow in rounds", _slow_in_rounds(shape["slow_in_rounds"])),
        ("relieved", _relieved(shape["relieved_osds"])),
        ("coverage", kinds_looked(shape["coverage"])),
        ("watch", watch_text(watch, store["error"])),
        ("store", stored),
        ("failing", _failing(shape["reconcilers"], f"{watch['problem']} {store['error']}")),
    ]
    return f"perf_bench {shape['version']} on {shape['release']}\n{facts(pairs)}"


def passes(found: Sequence[Pass], began: float) -> list[Json]:
    """What each part of the loop did last; ``began`` is unix time minus monotonic seconds."""
    return [
        {
            "name": one.name,
            "last_pass_at": _moment(began, one.at),
            "seconds": None if one.seconds is None else round(one.seconds, 3),
            "failing_since": _moment(began, one.failing_since),
            "problem": one.problem,
        }
        for one in found
    ]


def _moment(began: float, at: Optional[float]) -> Optional[str]:
    return None if at is None else iso(began + at)


def _failing(shapes: Sequence[Json], told: str) -> str:
    """What fails, but for what is told already: a database that does not answer fails many."""
    return "; ".join(
        f"{one['name']} since {short_time(one['failing_since'])} UTC ({one['problem']})"
        for one in shapes
        if one["failing_since"] is not None and str(one["problem"]) not in told
    )


def _waits_for(shape: Json) -> str:
    """The OSDs whose bench takes long."""
    names = [f"osd.{one['osd']} ({duration(one['seconds'])})" for one in shape["longest"]]
    more = shape["osds"] - len(names)
    shown = ", ".join(names) + (f" and {more} more" if more else "")
    return f"; waits for {shown}" if names else ""


def _suspects(shape: Json) -> str:
    """The OSDs that seem slow without a finding about them yet."""
    worst = [_suspect(one) for one in shape["worst"]]
    more = shape["osds"] - len(worst)
    return "; ".join([*worst, f"{more} more"] if more else worst)


def _suspect(shape: Json) -> str:
    times = "" if shape["ratio"] is None else f", {times_text(shape['ratio'])} times its peers"
    since = f" since {minute(shape['since'])} UTC" if shape["since"] else ""
    return f"osd.{shape['osd']} is suspect{times}{since}"


def _slow_in_rounds(shape: Json) -> str:
    worst = [
        f"osd.{one['osd']} at {one['percent_of_peers']:.0f} % of its peers in round {one['round']}"
        for one in shape["worst"]
    ]
    if not worst:
        return ""
    more = shape["osds"] - len(worst)
    shown = "; ".join([*worst, f"{more} more"] if more else worst)
    about = "them" if shape["osds"] > 1 else "it"
    look = f"'ceph perf-bench round show {shape['worst'][0]['round']}'"
    return f"{shown} (no finding about {about}): {look}"


def _relieved(count: Optional[int]) -> str:
    return f"{plural(count, 'OSD')}: 'ceph perf-bench relief ls'" if count else ""


def _open_findings(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{count} {severity}" for severity, count in counts.items() if count)
    return f"{shown}: 'ceph perf-bench finding ls'" if shown else "none open"


def watch_text(shape: Json, told: Optional[str] = None) -> str:
    """Return what the watch looks at, since its last look, and what is in the way.

    ``told`` is why the database does not answer, which stands in a line of its own.
    """
    problem = shape["problem"]
    if problem and problem.partition(": ")[2] == told:
        problem = None
    trouble = f", but: {problem}" if problem else ""
    if not shape["on"]:
        return f"off ({plural(shape['osds'], 'OSD')}){trouble}"
    if shape["last_tick_at"] is None:
        return f"{plural(shape['osds'], 'OSD')}, about to begin{trouble}"
    if shape["late_seconds"]:
        trouble += f", but the next look is {duration(shape['late_seconds'])} late"
    looks = f"every {shape['tick_seconds']:g} s, last {short_time(shape['last_tick_at'])} UTC"
    return f"{plural(shape['osds'], 'OSD')} ({shape['judged']} judged) {looks}{trouble}"
