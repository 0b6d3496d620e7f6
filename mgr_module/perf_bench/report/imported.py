"""Imported rounds as text, and as the rows and series of files."""

from __future__ import annotations

from collections.abc import Iterator

from ..answers.text import NOTHING, clip, milliseconds, number, rate, size, table
from ..model.json_fields import Json

CSV = (
    "round", "profile", "name", "operation", "seconds", "bytes", "bytes_per_second", "operations",
    "iops", "block_size", "mean_latency", "min_latency", "max_latency", "p50_latency",
    "p95_latency", "p99_latency",
)  # fmt: skip
# name, help, key of a job
SERIES = (
    ("import_bytes_per_second", "Bandwidth as another tool reported it", "bytes_per_second"),
    ("import_iops", "Operations per second as another tool reported them", "iops"),
    ("import_latency_seconds", "Mean latency as another tool reported it", "mean_latency"),
)


def what(imported: Json) -> str:
    """The tool and its version, as text."""
    tool = imported["tool"]
    return f"by {tool} {imported['version'].removeprefix(f'{tool}-')}, and taken over"


def jobs(imported: Json) -> str:
    """A table with a row for each job and operation."""
    rows = [
        [
            clip(job["name"], 16),
            clip(job["operation"], 8),
            size(job["block_size"]) if job["block_size"] else NOTHING,
            number(job["seconds"]),
            rate(job["bytes_per_second"]),
            number(job["iops"], 0),
            *(milliseconds(job[f"{name}_latency"]) for name in ("mean", "p99", "max")),
        ]
        for job in imported["jobs"]
    ]
    head = ["JOB", "DOES", "BLOCK", "SECONDS", "MiB/s", "IOPS", "MEAN ms", "p99 ms", "MAX ms"]
    return table(head, rows)


def rows_of(shape: Json) -> Iterator[Json]:
    """A row of a file for each job."""
    for job in shape["imported"]["jobs"]:
        yield {"round": shape["id"], "profile": shape["profile"], **job}
