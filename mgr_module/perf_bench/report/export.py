"""A whole round as a file: JSON, CSV (a row a sample) or OpenMetrics (an OSD a series)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from ..errors import InvalidValue

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
    hosts = {f"osd.{row['osd']}": row for row in shape["per_osd"]}
    out = io.StringIO()
    writer = csv.DictWriter(out, _CSV, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for sample in shape["samples"]:
        row: dict[str, Any] = dict(sample, round=shape["id"], profile=shape["profile"])
        where = hosts.get(sample["target"], {})
        row.update({"host": where.get("host"), "class": where.get("class")})
        row["valid"] = "true" if sample["valid"] else "false"
        writer.writerow(row)
    return out.getvalue()


def _openmetrics(shape: Mapping[str, Any]) -> str:
    lines: list[str] = []
    for name, help_, key in _SERIES:
        metric = f"ceph_perf_bench_{name}"
        lines += [f"# TYPE {metric} gauge", f"# HELP {metric} {help_}."]
        for row in shape["per_osd"]:
            if row[key] is not None:
                labels = {
                    "round": str(shape["id"]),
                    "profile": shape["profile"],
                    "osd": str(row["osd"]),
                    "host": row["host"],
                    "device_class": row["class"] or "",
                }
                text = ",".join(f'{key_}="{_escaped(value)}"' for key_, value in labels.items())
                lines.append(f"{metric}{{{text}}} {row[key]!r}")
    return "\n".join([*lines, "# EOF"]) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
