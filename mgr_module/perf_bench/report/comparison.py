"""Two rounds compared, baselines, and a profile's history, as JSON and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Optional

from ..answers.text import GAP, NOTHING, clip, facts, iso, minute, number, rate, rest_of_osds, table
from ..model.bench import MIB
from ..model.comparison import (
    Baseline,
    Change,
    ChangePoint,
    Comparison,
    Difference,
    History,
    Latency,
    NotedLatency,
    OsdChange,
    Point,
)
from ..model.finding import Claim
from ..model.json_fields import Json
from .plans import client_latency

# The verdicts on OSDs, in the order in which they are counted.
_COUNTED = (Change.BETTER, Change.WORSE, Change.SAME, Change.INCONCLUSIVE)


# What clients felt of round a and of round b.
Felt = tuple[Optional[NotedLatency], Optional[NotedLatency]]


def comparison(
    found: Comparison,
    limit: Optional[int] = None,
    offset: int = 0,
    clients: Felt = (None, None),
) -> Json:
    """The answer to ``round compare``. ``per_osd`` is a page of the ``osds`` in both rounds."""
    last = None if limit is None else offset + limit
    return {
        "a": found.a,
        "b": found.b,
        "verdict": found.verdict.value,
        "change_percent": found.change_percent,
        "interval_percent": _interval(found.interval_percent),
        "p_value": found.p_value,
        "least_percent": found.least_percent,
        "why": list(found.why),
        "osds": found.osds,
        "counts": {
            verdict.value: sum(change.verdict is verdict for change in found.per_osd)
            for verdict in _COUNTED
        },
        "environment": [asdict(difference) for difference in found.environment],
        "per_osd": [_osd_change(change) for change in found.per_osd[offset:last]],
        "latency": None if found.latency is None else _latency(found.latency),
        "client_latency": _felt(*clients),
    }


def _felt(a: Optional[NotedLatency], b: Optional[NotedLatency]) -> Json:
    """What clients felt of both rounds; the change is of their median, positive is slower."""
    return {
        "a": None if a is None else client_latency(a),
        "b": None if b is None else client_latency(b),
        "change_percent": 100 * (b.median_ms / a.median_ms - 1) if a and b else None,
    }


def _latency(found: Latency) -> Json:
    return {
        "verdict": found.verdict.value,
        "change_percent": found.change_percent,
        "interval_percent": list(found.interval_percent),
        "p_value": found.p_value,
    }


def _osd_change(change: OsdChange) -> Json:
    return {
        "osd": change.osd,
        "host": change.host,
        "verdict": change.verdict.value,
        "change_percent": change.change_percent,
        "interval_percent": _interval(change.interval_percent),
        "p_value": change.p_value,
    }


def _interval(interval: Optional[tuple[float, float]]) -> Optional[list[float]]:
    return None if interval is None else list(interval)


def comparison_text(shape: Mapping[str, Any]) -> str:
    """Text of ``round compare``: the verdict, why, and the OSDs with the worst change first."""
    change, p_value = shape["change_percent"], shape["p_value"]
    pairs = [
        ("change", "" if change is None else f"{_signed(change)} %"),
        ("p", "" if p_value is None else _p_value(p_value)),
        ("latency", _latency_text(shape["latency"])),
        ("osds", _counts_text(shape["counts"])),
        ("clients", _felt_text(shape)),
        *[("because", why) for why in shape["why"]],
    ]
    head = f"round {shape['b']} against round {shape['a']}: {shape['verdict']}"
    text = f"{head}\n{facts(pairs)}"
    if not shape["per_osd"]:
        return text
    return f"{text}{GAP}{_osds(shape['per_osd'])}"


def rest_of_comparison(shape: Mapping[str, Any], offset: int) -> str:
    """What ``round compare`` prints below a page of OSDs that begins after so many."""
    return rest_of_osds(offset, len(shape["per_osd"]), shape["osds"])


def _latency_text(found: Optional[Mapping[str, Any]]) -> str:
    if found is None:
        return ""
    low, high = found["interval_percent"]
    room = f"between {_signed(low)} and {_signed(high)} % (95 % sure)"
    return f"{found['verdict']}: {_signed(found['change_percent'])} %, {room}"


def _counts_text(counts: Mapping[str, int]) -> str:
    """How many OSDs changed how; empty without OSDs."""
    return ", ".join(f"{count} {word}" for word, count in counts.items()) * any(counts.values())


def _felt_text(shape: Mapping[str, Any]) -> str:
    """What clients felt of the rounds, as far as it was noted."""
    found = shape["client_latency"]
    parts = [
        "{median_ms:.3g} ms ({before_ms:.3g} ms before)".format_map(found[side])
        + f" in round {shape[side]}"
        for side in ("a", "b")
        if found[side] is not None
    ]
    change = found["change_percent"]
    return ", ".join([*parts, *([] if change is None else [f"{_signed(change)} %"])])


def _osds(shapes: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            f"osd.{s['osd']}",
            clip(s["host"], 24),
            s["verdict"],
            _signed(s["change_percent"]),
            *(map(_signed, s["interval_percent"] or (None, None))),
            _p_value(s["p_value"]),
        ]
        for s in shapes
    ]
    return table(["OSD", "HOST", "VERDICT", "CHANGE %", "FROM %", "TO %", "p"], rows)


def _signed(percent: Optional[float]) -> str:
    # Adding 0 makes +0.0 of what rounds to -0.0.
    return NOTHING if percent is None else f"{round(percent, 1) + 0:+.1f}"


def _p_value(p_value: Optional[float]) -> str:
    if p_value is None:
        return NOTHING
    return "<0.0001" if p_value < 0.0001 else f"{p_value:.2g}"


def baseline(set_: Baseline) -> Json:
    """A profile's baseline: the round, when it was set, and its figures."""
    round_ = set_.round
    return {
        "profile": round_.profile,
        "round": round_.id,
        "set_at": iso(set_.set_at),
        "started_at": iso(round_.started_at),
        "label": round_.label,
        "block_size": round_.step.block_size,
        "bytes_per_second": round_.summary.get("median_bytes_per_second"),
        "iops": round_.summary.get("median_iops"),
    }


def baselines_text(shapes: Sequence[Mapping[str, Any]]) -> str:
    """Text of ``baseline ls``."""
    if not shapes:
        return "no baselines yet: 'ceph perf-bench baseline set ID' makes a valid round one"
    rows = [
        [
            s["profile"],
            str(s["round"]),
            minute(s["started_at"]),
            _figure(s),
            minute(s["set_at"]),
            clip(s["label"], 12),
        ]
        for s in shapes
    ]
    head = ["PROFILE", "ROUND", "STARTED (UTC)", "MEDIAN", "SET (UTC)", "LABEL"]
    return table(head, rows)


def _figure(shape: Mapping[str, Any]) -> str:
    if shape["iops"] is None:
        return NOTHING
    if shape["block_size"] >= MIB:
        return f"{rate(shape['bytes_per_second'])} MiB/s"
    return f"{number(shape['iops'], 0)} IOPS"


def history(past: History, claim: Optional[Claim], baseline: Optional[int] = None) -> Json:
    """A profile's rounds, where their level changed, and the regression if there is one."""
    return {
        "profile": past.profile,
        "block_size": past.block_size,
        "baseline": baseline,
        "cv_percent": past.cv_percent,
        "least_percent": past.least_percent,
        "points": [_point(point, past.block_size) for point in past.points],
        "changes": [_change(change) for change in past.changes],
        "left_out": list(past.left_out),
        "regression": None
        if claim is None
        else {
            "code": claim.code,
            "message": claim.message,
            "evidence": dict(claim.evidence),
        },
    }


def _point(point: Point, block_size: int) -> Json:
    return {
        "round": point.round,
        "at": iso(point.at),
        "bytes_per_second": point.value,
        "iops": point.value / block_size,
        "mean_latency": point.latency,
        "since_last": _differences(point.since_last),
    }


def _change(change: ChangePoint) -> Json:
    return {
        "round": change.round,
        "at": iso(change.at),
        "change_percent": change.change_percent,
        "p_value": change.p_value,
        "rounds_before": change.before,
        "rounds_after": change.after,
        "bytes_per_second_before": change.level_before,
        "bytes_per_second_after": change.level_after,
        "explained_by": _differences(change.explained_by),
    }


def _differences(found: Sequence[Difference]) -> list[Json]:
    return [asdict(difference) for difference in found]


def history_text(shape: Mapping[str, Any]) -> str:
    """Text of a profile's history: a row for each round, changes of level marked at their first."""
    if not shape["points"]:
        left_out = facts([("left out", why) for why in shape["left_out"]])
        return f"{shape['profile']}: no valid round yet\n{left_out}".rstrip()
    regression = shape["regression"]
    spread, least = shape["cv_percent"], shape["least_percent"]
    known = "" if spread is None else f"{spread:.1f} % from round to round (CV)"
    pairs = [
        ("spread", known),
        ("counts", "" if least is None else f"{least:.1f} % and more, over 3 rounds"),
        ("baseline", "" if shape["baseline"] is None else f"round {shape['baseline']}"),
        ("regression", regression["message"] if regression else ""),
        *[("change", _change_text(change)) for change in shape["changes"]],
        *[("left out", why) for why in shape["left_out"]],
    ]
    count = len(shape["points"])
    head = f"{shape['profile']}: {count} {'round' if count == 1 else 'rounds'}"
    about = facts(pairs)
    return "\n".join([head, *([about] if about else [])]) + GAP + _points(shape)


def _change_text(change: Mapping[str, Any]) -> str:
    reasons = "; ".join(f"{d['name']}: {d['was']} -> {d['now']}" for d in change["explained_by"])
    because = f", explained by {reasons}" if reasons else ""
    return f"{change['change_percent']:+.1f} % from round {change['round']} on{because}"


def _points(shape: Mapping[str, Any]) -> str:
    large = shape["block_size"] >= MIB
    clients = any(point["mean_latency"] is not None for point in shape["points"])
    began = {change["round"]: change for change in shape["changes"]}
    rows = [
        [
            str(point["round"]),
            minute(point["at"]),
            rate(point["bytes_per_second"]) if large else number(point["iops"], 0),
            *([number(1000 * (point["mean_latency"] or 0), 2)] if clients else []),
            _signed(began[point["round"]]["change_percent"]) if point["round"] in began else "",
        ]
        for point in shape["points"]
    ]
    figures = ["MiB/s" if large else "IOPS", *(["MEAN ms"] if clients else [])]
    return table(["ROUND", "STARTED (UTC)", *figures, "LEVEL %"], rows)
