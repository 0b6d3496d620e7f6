"""OSDs as JSON and as text, and what their list is sorted and searched by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

from ..answers.findings import more_findings
from ..answers.paging import Fields
from ..answers.text import (
    GAP,
    NOTHING,
    clip_front,
    facts,
    iso,
    minute,
    number,
    rate,
    rounded,
    table,
)
from ..model.frame import CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE
from ..model.json_fields import Json
from ..model.osd import Osd
from ..model.round import OsdResult, RoundLine
from ..model.verdict import NoData, OsdSnapshot, OsdState
from .relief import relieved_line

# Findings in the text about an OSD.
_FINDINGS = 5

# The last round that measured an OSD and its result, by OSD.
Newest = Mapping[int, tuple[RoundLine, OsdResult]]


def osd(
    osd_: Osd, bench: Optional[Json], osd_snapshot: OsdSnapshot, no_data: Optional[NoData] = None
) -> Json:
    """An OSD in a list. Null means no data; a positive ``robust_z`` means slower than its peers.

    ``no_data`` says why it has no verdict; ``since`` is then the end of its last data.
    """
    verdict = osd_snapshot.verdict(osd_.id)
    return {
        "osd": osd_.id,
        "host": osd_.host,
        "class": osd_.device_class,
        "up": osd_.up,
        "in": osd_.in_cluster,
        "location": dict(osd_.location),
        "enclosure": osd_.location.get("enclosure"),
        "device": osd_.devices,
        "model": osd_.model,
        "commit_ms": osd_snapshot.latency_ms(osd_.id, COMMIT),
        "apply_ms": osd_snapshot.apply_ms(osd_.id),
        "read_ms": osd_snapshot.latency_ms(osd_.id, CLIENT_READ),
        "write_ms": osd_snapshot.latency_ms(osd_.id, CLIENT_WRITE),
        "queue_ms": osd_snapshot.latency_ms(osd_.id, QUEUE),
        "ratio": rounded(verdict.ratio),
        "robust_z": rounded(verdict.robust_z),
        "risk": rounded(verdict.risk),
        "state": verdict.state.value,
        "since": iso(no_data.since if no_data else verdict.since),
        "no_data": None
        if no_data is None
        else {"code": no_data.code, "why": str(no_data.why), "help": str(no_data.help)},
        "last_bench": bench,
    }


def last_bench(line: RoundLine, result: OsdResult) -> Json:
    """The result of one OSD in one round."""
    return {
        "round": line.id,
        "profile": line.profile,
        "verdict": line.verdict.value if line.verdict else None,
        "at": iso(line.ended_at),
        "bytes_per_second": result.median_bytes_per_second,
        "iops": result.median_iops,
        "cv_percent": result.cv_percent,
        "robust_z": result.robust_z,
        "percent_of_peers": result.percent_of_peers,
    }


def osd_fields(
    newest: Newest,
    osd_snapshot: OsdSnapshot,
    no_data: Callable[[Osd], Optional[NoData]] = lambda _osd: None,
) -> Fields[Osd]:
    """Functions that read a key of an OSD's JSON from the OSD itself; None for no data.

    To sort 10,000 OSDs takes 50 ms, to make JSON of them before that another 100 ms.
    """

    def of_result(name: str) -> Callable[[Osd], Any]:
        def of(osd: Osd) -> Any:
            bench = newest.get(osd.id)
            return None if bench is None else getattr(bench[1], name)

        return of

    def since(osd: Osd) -> Optional[str]:
        verdict = osd_snapshot.verdict(osd.id)
        why = no_data(osd) if verdict.state is OsdState.NO_DATA else None
        return iso(why.since if why else verdict.since)

    return {
        "osd": lambda osd: osd.id,
        "host": lambda osd: osd.host,
        "class": lambda osd: osd.device_class,
        "device": lambda osd: osd.devices,
        "model": lambda osd: osd.model,
        "up": lambda osd: osd.up,
        "enclosure": lambda osd: osd.location.get("enclosure"),
        "commit_ms": lambda osd: osd_snapshot.latency_ms(osd.id, COMMIT),
        "apply_ms": lambda osd: osd_snapshot.apply_ms(osd.id),
        "read_ms": lambda osd: osd_snapshot.latency_ms(osd.id, CLIENT_READ),
        "write_ms": lambda osd: osd_snapshot.latency_ms(osd.id, CLIENT_WRITE),
        "queue_ms": lambda osd: osd_snapshot.latency_ms(osd.id, QUEUE),
        "ratio": lambda osd: osd_snapshot.verdict(osd.id).ratio,
        "robust_z": lambda osd: osd_snapshot.verdict(osd.id).robust_z,
        "risk": lambda osd: osd_snapshot.verdict(osd.id).risk,
        "state": lambda osd: osd_snapshot.verdict(osd.id).state.value,
        "since": since,
        "last_bench.round": lambda osd: newest[osd.id][0].id if osd.id in newest else None,
        "last_bench.bytes_per_second": of_result("median_bytes_per_second"),
        "last_bench.iops": of_result("median_iops"),
        "last_bench.cv_percent": of_result("cv_percent"),
        "last_bench.robust_z": of_result("robust_z"),
        "last_bench.percent_of_peers": of_result("percent_of_peers"),
    }


# --- as text ---------------------------------------------------------------------------------


def osds_text(shapes: Sequence[Json]) -> str:
    """Text of ``osd ls``: what the watch sees now, then the newest bench against its peers."""
    rows: list[list[str]] = []
    for s in shapes:
        bench = s["last_bench"] or {}
        rows.append(
            [
                f"osd.{s['osd']}",
                clip_front(s["host"].partition(".")[0], 10),
                s["class"] or NOTHING,
                s["state"] if s["up"] else "down",
                number(s["commit_ms"]),
                number(s["read_ms"]),
                number(s["ratio"], 2),
                rate(bench.get("bytes_per_second")),
                number(bench.get("percent_of_peers"), 0),
            ]
        )
    head = ["OSD", "HOST", "CLASS", "STATE", "COMMIT ms", "READ ms", "RATIO", "MiB/s", "BENCH %"]
    return table(head, rows)


def osd_text(shape: Json) -> str:
    """Text of ``osd show``."""
    where = " ".join(f"{kind}={name}" for kind, name in shape["location"].items())
    up = ("up" if shape["up"] else "down") + (", in" if shape["in"] else ", out")
    findings = shape["findings"]
    pairs = [
        ("state", f"{shape['state']}, {up}"),
        ("host", shape["host"]),
        ("class", shape["class"] or NOTHING),
        ("device", " ".join(part for part in (shape["device"], shape["model"]) if part)),
        ("crush", where),
        ("latency", _latencies(shape)),
        *[("relieved", relieved_line(one, shape[one["what"]])) for one in shape["relieved"] or ()],
        *[("finding", f"{f['id']} ({f['state']}): {f['message']}") for f in findings[:_FINDINGS]],
        ("", more_findings(max(0, len(findings) - _FINDINGS))),
        ("explain", shape["explain"]),
    ]
    rows = [
        [
            str(h["round"]),
            h["profile"],
            h["verdict"] or NOTHING,
            minute(h["at"]),
            rate(h["bytes_per_second"]),
            number(h["iops"], 0),
            number(h["cv_percent"]),
            number(h["percent_of_peers"], 0),
        ]
        for h in shape["history"]
    ]
    head = ["ROUND", "PROFILE", "VERDICT", "ENDED (UTC)", "MiB/s", "IOPS", "CV %", "% PEERS"]
    listed = table(head, rows) if rows else "no round has measured it yet"
    return f"osd.{shape['osd']}\n{facts(pairs)}{GAP}{listed}"


def _latencies(shape: Json) -> str:
    names = ("commit", "read", "write", "queue")
    known = [(name, shape[f"{name}_ms"]) for name in names if shape[f"{name}_ms"] is not None]
    return ", ".join(f"{name} {number(value, 2)} ms" for name, value in known)
