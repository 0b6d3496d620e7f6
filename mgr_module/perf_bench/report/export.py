"""A whole round as a file: JSON, OpenMetrics, or CSV with a row for each sample or second."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import InvalidValue
from ..model.json_fields import Json
from . import imported, loads
from .csv_text import csv_text
from .metrics_text import PREFIX, Exposition, Labels

FORMATS = ("json", "csv", "openmetrics")
_CSV = (
    "round", "profile", "target", "host", "class", "phase", "repeat", "wave", "started_at",
    "bytes", "block_size", "seconds", "call_seconds", "bytes_per_second", "iops", "valid", "why",
)  # fmt: skip
# Name, deprecated name, help, key in per_osd, divisor of the value.
_SERIES = (
    ("round_osd_bytes_per_second", "round_bytes_per_second",
     "Median write bandwidth of an OSD in a round.", "median_bytes_per_second", 1),
    ("round_osd_iops", "round_iops",
     "Median write operations per second of an OSD in a round.", "median_iops", 1),
    ("round_osd_peers_ratio", "round_percent_of_peers",
     "Result of an OSD in a round over the median of its peers.", "percent_of_peers", 100),
    ("round_osd_cv_ratio", "round_cv_percent",
     "Coefficient of variation between an OSD's repeats in a round.", "cv_percent", 100),
)  # fmt: skip


def checked(format_: str) -> str:
    """The format's name. Raises InvalidValue with the valid names."""
    if format_ not in FORMATS:
        raise InvalidValue(f"--as {format_}: one of {', '.join(FORMATS)} is needed", field="as")
    return format_


def export(shape: Json, format_: str) -> str:
    """A whole round (``rounds.round_whole`` with every OSD) in the given format."""
    makers = {"json": _json, "csv": _as_csv, "openmetrics": _openmetrics}
    return makers[checked(format_)](shape)


def _json(shape: Json) -> str:
    return json.dumps(shape, indent=2) + "\n"


def _as_csv(shape: Json) -> str:
    if shape["load"] is not None:
        return _table(loads.CSV, loads.seconds_of(shape))
    if shape["imported"] is not None:
        return _table(imported.CSV, imported.rows_of(shape))
    hosts = {f"osd.{row['osd']}": row for row in shape["per_osd"]}
    rows = []
    for sample in shape["samples"]:
        row = dict(sample, round=shape["id"], profile=shape["profile"])
        where = hosts.get(sample["target"], {})
        row.update({"host": where.get("host"), "class": where.get("class")})
        row["valid"] = "true" if sample["valid"] else "false"
        rows.append(row)
    return _table(_CSV, rows)


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    cells = ([row.get(column) for column in columns] for row in rows)
    return csv_text(itertools.chain([columns], cells))


def _openmetrics(shape: Json) -> str:
    out = Exposition()
    whole = {"round": str(shape["id"]), "profile": shape["profile"]}
    if shape["load"] is not None:
        _load_series(out, whole, shape)
    elif shape["imported"] is not None:
        _import_series(out, whole, shape["imported"])
    else:
        _osd_series(out, whole, shape["per_osd"])
    return f"{out.text()}# EOF\n"


def _osd_series(out: Exposition, whole: Labels, osds: Sequence[Any]) -> None:
    """The series of OSDs, each also by its deprecated name."""
    named, before = [], []
    for row in osds:
        osd, host, class_ = row["osd"], row["host"], row["class"] or ""
        place = {"ceph_daemon": f"osd.{osd}", "hostname": host, "device_class": class_}
        named.append({**whole, **place})
        before.append({**whole, "osd": str(osd), "host": host, "device_class": class_})
    for name, old, help_, key, divisor in _SERIES:
        values = [row[key] for row in osds]
        ratios = [None if value is None else value / divisor for value in values]
        out.gauge(name, help_, zip(named, ratios))
        told = f"Deprecated, removed in the next version: use {PREFIX}{name}."
        out.gauge(old, told, zip(before, values))


def _load_series(out: Exposition, whole: Labels, shape: Json) -> None:
    load = shape["load"]
    named = {name: str(load[name]) for name in ("pool", "operation", "clients", "threads")}
    for name, help_, key in loads.SERIES:
        out.gauge(name, f"{help_}.", [({**whole, **named}, shape["summary"].get(key))])


def _import_series(out: Exposition, whole: Labels, found: Json) -> None:
    jobs = found["jobs"]
    # Jobs of fio may share a name, and samples of OpenMetrics no labels.
    named = [
        {**whole, "job": str(number), "name": job["name"], "operation": job["operation"]}
        for number, job in enumerate(jobs)
    ]
    for name, help_, key in imported.SERIES:
        out.gauge(name, f"{help_}.", zip(named, (job[key] for job in jobs)))
