"""A whole round as a file: JSON, OpenMetrics, CSV with a row for each sample or second, raw rows.

``HTML`` is the report of a round to forward, which ``round_document`` makes.

A file is made of parts, most of which have some hundred OSDs: a round of 10,000 OSDs is never in
memory as a whole where the parts are taken one by one.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from ..answers.csv_text import csv_text
from ..answers.metrics_text import PREFIX, Exposition, Labels, Series
from ..model.arguments import not_one_of
from ..model.json_fields import Json
from . import imported, loads

HTML = "html"
FORMATS = ("json", "csv", "openmetrics", HTML)
# Keys of a round that are read in pieces.
_ROWS = ("per_osd", "samples")
_CSV = (
    "round", "profile", "target", "host", "class", "phase", "repeat", "wave", "started_at",
    "bytes", "block_size", "seconds", "call_seconds", "bytes_per_second", "iops", "valid", "why",
)  # fmt: skip
# Makes one part of a file.
Part = Callable[[], str]


class Piece(NamedTuple):
    """Some OSDs of a round: read their results (``rounds.osd_result``), their samples."""

    per_osd: Callable[[], Iterable[Json]]
    samples: Callable[[], Iterable[Json]]


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
        raise not_one_of("as", format_, FORMATS)
    return format_


def parts(shape: Json, pieces: Sequence[Piece], format_: str) -> Sequence[Part]:
    """The parts of a round's file, in order.

    ``shape`` is the round (``rounds.round_whole``) without its OSDs, which are in ``pieces``.
    """
    makers = {"json": _json, "csv": _as_csv, "openmetrics": _openmetrics}
    return makers[checked(format_)](shape, pieces)


def raw_parts(
    sizes: Mapping[str, int], rows: Callable[[str, int, int], Sequence[Json]], piece: int
) -> Sequence[Part]:
    """The parts of the JSON of a round's rows by table; ``rows`` gets a table, limit and offset."""
    made: list[Part] = []
    for table, size in sizes.items():
        pages = [
            functools.partial(rows, table, piece, offset)
            for offset in range(0, max(1, size), piece)
        ]
        made += _array(table, pages, "{" if not made else ",")
    return [*made, lambda: "\n}\n"]


def _json(shape: Json, pieces: Sequence[Piece]) -> Sequence[Part]:
    head = {key: value for key, value in shape.items() if key not in _ROWS}
    if not pieces:
        return [lambda: json.dumps({**head, **{key: shape[key] for key in _ROWS}}, indent=2) + "\n"]
    made: list[Part] = [lambda: json.dumps(head, indent=2)[:-2]]
    for key in _ROWS:
        made += _array(key, [getattr(piece, key) for piece in pieces], ",")
    return [*made, lambda: "\n}\n"]


def _array(key: str, pages: Sequence[Callable[[], Iterable[Json]]], before: str) -> list[Part]:
    """The parts of a JSON array of a row a line; one that is broken by a page has no comma."""

    def part(number: int) -> str:
        lines = [f"\n    {json.dumps(row)}" for row in pages[number]()]
        opening = f'{before}\n  "{key}": [' if number == 0 else "," if lines else ""
        return opening + ",".join(lines) + ("\n  ]" if number == len(pages) - 1 else "")

    return [functools.partial(part, number) for number in range(len(pages))]


def _as_csv(shape: Json, pieces: Sequence[Piece]) -> Sequence[Part]:
    if shape["load"] is not None:
        return [lambda: _table(loads.CSV, loads.seconds_of(shape))]
    if shape["imported"] is not None:
        return [lambda: _table(imported.CSV, imported.rows_of(shape))]
    return [
        lambda: csv_text([_CSV]),
        *[functools.partial(_samples_csv, shape, piece) for piece in pieces],
    ]


def _samples_csv(shape: Json, piece: Piece) -> str:
    hosts = {f"osd.{row['osd']}": row for row in piece.per_osd()}
    rows = []
    for sample in piece.samples():
        row = dict(sample, round=shape["id"], profile=shape["profile"])
        where = hosts.get(sample["target"], {})
        row.update({"host": where.get("host"), "class": where.get("class")})
        row["valid"] = "true" if sample["valid"] else "false"
        rows.append(row)
    return csv_text([row.get(column) for column in _CSV] for row in rows)


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    cells = ([row.get(column) for column in columns] for row in rows)
    return csv_text(itertools.chain([columns], cells))


def _openmetrics(shape: Json, pieces: Sequence[Piece]) -> Sequence[Part]:
    whole = {"round": str(shape["id"]), "profile": shape["profile"]}
    if shape["load"] is None and shape["imported"] is None:
        # A part is a metric of all OSDs, because the lines of a metric must be adjacent.
        series = [functools.partial(_osd_series, whole, pieces, *one) for one in _SERIES]
        return [*series, lambda: "# EOF\n"]
    out = Exposition()
    if shape["load"] is not None:
        _load_series(out, whole, shape)
    else:
        _import_series(out, whole, shape["imported"])
    return [lambda: f"{out.text()}# EOF\n"]


def _osd_series(  # noqa: PLR0913, PLR0917 - a row of _SERIES
    whole: Labels,
    pieces: Sequence[Piece],
    name: str,
    old: str,
    help_: str,
    key: str,
    divisor: float,
) -> str:
    """One metric of all OSDs, also by its deprecated name."""
    out = Exposition()
    named: list[Series] = []
    before: list[Series] = []
    for row in itertools.chain.from_iterable(piece.per_osd() for piece in pieces):
        osd, host, class_, value = row["osd"], row["host"], row["class"] or "", row[key]
        place = {"ceph_daemon": f"osd.{osd}", "hostname": host, "device_class": class_}
        named.append(({**whole, **place}, None if value is None else value / divisor))
        before.append(({**whole, "osd": str(osd), "host": host, "device_class": class_}, value))
    out.gauge(name, help_, named)
    told = f"Deprecated, removed in version 2.0: use {PREFIX}{name}."
    out.gauge(old, told, before)
    return out.text()


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
