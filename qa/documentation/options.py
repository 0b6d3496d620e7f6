"""The page of the module's options, made from those that ceph-mgr gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Part(NamedTuple):
    """A part of the page: options by the beginnings of their names."""

    title: str
    firsts: tuple[str, ...]
    intro: str = ""


PARTS = (
    Part("Rounds", ("bench_timeout", "max_parallel")),
    Part(
        "When a round may start",
        ("admission_",),
        "[Admission](safety.md#admission) explains them.",
    ),
    Part(
        "What a round changes, and what ends it",
        ("quiesce", "guard"),
        "[Quiesce](safety.md#quiesce) and [the guard](safety.md#the-guard) explain them.",
    ),
    Part(
        "The watch",
        ("watch", "detector", "crc_"),
        "Test a threshold of the detector on your own data first: `ceph perf-bench trace export`, "
        "then `qa/replay trace.csv --config acute_ratio=3`, then set `detector`.",
    ),
    Part(
        "Health checks",
        ("warn_",),
        "Each switches off one [health check](health-checks.md); the finding stays in "
        "`ceph perf-bench finding ls`.",
    ),
    Part(
        "How much is kept",
        ("keep_",),
        "[The database](store.md#retention) explains them. Latencies take about 70 kB per OSD in "
        "all.",
    ),
    Part("Metrics", ("metrics_",), "[Monitoring](monitoring/README.md) explains them."),
    Part("Not to be set", ("module_build",)),
)


def page(options: Sequence[Mapping[str, Any]]) -> str:
    """The parts, as Markdown. Raises ValueError if an option is in no part, or in several."""
    by_part: dict[str, list[Mapping[str, Any]]] = {part.title: [] for part in PARTS}
    for option in options:
        titles = [part.title for part in PARTS if option["name"].startswith(part.firsts)]
        if len(titles) != 1:
            raise ValueError(f"{option['name']}: parts {titles}, see documentation/options.py")
        by_part[titles[0]].append(option)
    texts = ((part.title, part.intro, _table(by_part[part.title])) for part in PARTS)
    return "\n".join("\n\n".join(filter(None, (f"## {a}", b, c))) for a, b, c in texts)


def _table(options: Sequence[Mapping[str, Any]]) -> str:
    lines = ["| option | default | meaning |", "| --- | --- | --- |"]
    lines += [
        f"| `{one['name']}` | {_default(one)} | {one['desc']}{_range(one)} |" for one in options
    ]
    return "\n".join(lines) + "\n"


def _default(option: Mapping[str, Any]) -> str:
    if option["name"] == "module_build":
        return "of the version"
    value = option["default"]
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text}`" if text else ""


def _range(option: Mapping[str, Any]) -> str:
    low, high = option.get("min"), option.get("max")
    return "" if low is None else f" ({low} to {high})"
