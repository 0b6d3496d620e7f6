"""A whole round as a file: JSON, CSV (a row a sample, or a second of a client) or OpenMetrics."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import InvalidValue
from . import imported, loads

FORMATS = ("json", "csv", "openmetrics")
_CSV = (
    "round", "profile", "target", "host", "class", "phase", "repeat", "wave", "started_at",
    "bytes", "block_size", "seconds", "call_seconds", "bytes_per_second", "iops", "valid", "why",
)  # fmt: skip
# name, help, key in per_osd
_SERIES = (
    ("round_bytes_per_second", "Median write bandwidth of osd bench", "median_bytes_per_second"),
    ("round_iops", "Median write operations per second of osd bench", "median_iops"),
    ("round_percent_of_peers", "Bandwidth against the median of the peers", "percent_of_peers"),
    ("round_cv_percent", "Coefficient of variation between repeats", "cv_percent"),
)


def checked(format_: str) -> str:
    """The format's name; raises InvalidValue with those there are."""
    if format_ not in FORMATS:
        raise InvalidValue(f"--as {format_}: one of {', '.join(FORMATS)} is needed", field="as")
    return format_


def export(shape: Mapping[str, Any], format_: str) -> str:
    """A whole round (``shapes.round_whole`` with every OSD) in the given format."""
    makers = {"json": _json, "csv": _as_csv, "openmetrics": _openmetrics}
    return makers[checked(format_)](shape)


def _json(shape: Mapping[str, Any]) -> str:
    return json.dumps(shape, indent=2) + "\n"


def _as_csv(shape: Mapping[str, Any]) -> str:
    if shape["load"] is not None:
        return _table(loads.CSV, loads.seconds_of(shape))
    if shape["imported"] is not None:
        return _table(imported.CSV, imported.rows_of(shape))
    hosts = {f"osd.{row['osd']}": row for row in shape["per_osd"]}
    rows = []
    for sample in shape["samples"]:
        row: dict[str, Any] = dict(sample, round=shape["id"], profile=shape["profile"])
        where = hosts.get(sample["target"], {})
        row.update({"host": where.get("host"), "class": where.get("class")})
        row["valid"] = "true" if sample["valid"] else "false"
        rows.append(row)
    return _table(_CSV, rows)


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _openmetrics(shape: Mapping[str, Any]) -> str:
    if shape["load"] is not None:
        return _load_metrics(shape)
    if shape["imported"] is not None:
        return _import_metrics(shape)
    lines: list[str] = []
    for name, help_, key in _SERIES:
        metric = f"ceph_perf_bench_{name}"
        lines += _head(metric, help_)
        for row in shape["per_osd"]:
            if row[key] is not None:
                labels = {
                    "osd": str(row["osd"]),
                    "host": row["host"],
                    "device_class": row["class"] or "",
                }
                lines.append(f"{metric}{_labelled(shape, labels)} {row[key]!r}")
    return "\n".join([*lines, "# EOF"]) + "\n"


def _load_metrics(shape: Mapping[str, Any]) -> str:
    lines: list[str] = []
    load = shape["load"]
    labels = {name: str(load[name]) for name in ("pool", "operation", "clients", "threads")}
    for name, help_, key in loads.SERIES:
        metric = f"ceph_perf_bench_{name}"
        lines += _head(metric, help_)
        if shape["summary"].get(key) is not None:
            lines.append(f"{metric}{_labelled(shape, labels)} {shape['summary'][key]!r}")
    return "\n".join([*lines, "# EOF"]) + "\n"


def _import_metrics(shape: Mapping[str, Any]) -> str:
    lines: list[str] = []
    for name, help_, key in imported.SERIES:
        metric = f"ceph_perf_bench_{name}"
        lines += _head(metric, help_)
        for number, job in enumerate(shape["imported"]["jobs"]):
            if job[key] is not None:
                # Jobs of fio may share a name, and samples of OpenMetrics no labels.
                labels = {"job": str(number), "name": job["name"], "operation": job["operation"]}
                lines.append(f"{metric}{_labelled(shape, labels)} {job[key]!r}")
    return "\n".join([*lines, "# EOF"]) + "\n"


def _head(metric: str, help_: str) -> list[str]:
    return [f"# TYPE {metric} gauge", f"# HELP {metric} {help_}."]


def _labelled(shape: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    """The labels of a series, the round's own first."""
    whole = {"round": str(shape["id"]), "profile": shape["profile"], **labels}
    text = ",".join(f'{name}="{_escaped(value)}"' for name, value in whole.items())
    return f"{{{text}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
