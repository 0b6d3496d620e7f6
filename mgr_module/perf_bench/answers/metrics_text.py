"""Prometheus' text format for metrics, version 0.0.4."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Optional, Union

PREFIX = "ceph_perf_bench_"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = Mapping[str, str]
# Labels may be given as `rendered` text, too: those of an OSD are used in a dozen lines.
Series = tuple[Union[Labels, str], Optional[float]]


class Exposition:
    """Collects metrics; one without any value is left out."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def gauge(self, name: str, help_: str, series: Iterable[Series]) -> None:
        """Add a gauge."""
        self._family("gauge", name, help_, series)

    def counter(self, name: str, help_: str, series: Iterable[Series]) -> None:
        """Add a counter; its name ends in ``_total``."""
        self._family("counter", name, help_, series)

    def _family(self, type_: str, name: str, help_: str, series: Iterable[Series]) -> None:
        metric = PREFIX + name
        # No data gives no series, so that graphs have a gap and not a zero.
        lines = [
            f"{metric}{_labels(labels)} {_value(value)}"
            for labels, value in series
            if value is not None and not math.isnan(value)
        ]
        if lines:
            self._lines += [f"# HELP {metric} {help_}", f"# TYPE {metric} {type_}", *lines]

    def text(self) -> str:
        """All metrics; the last line ends with a newline, too."""
        return "".join(f"{line}\n" for line in self._lines)


def _labels(labels: Union[Labels, str]) -> str:
    text = labels if isinstance(labels, str) else rendered(labels)
    return f"{{{text}}}" if text else ""


def rendered(labels: Labels) -> str:
    """Labels as the text between the braces."""
    return ",".join(f'{name}="{escaped(value)}"' for name, value in labels.items())


def escaped(value: str) -> str:
    """A label's value, escaped: any name stays one value on one line."""
    if value.isalnum() and value.isascii():
        return value
    value = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    # A lone surrogate cannot be sent as UTF-8, and would break the whole page.
    return value.encode("utf-8", "replace").decode("utf-8")


def _value(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(float(value)).removesuffix(".0")
