from __future__ import annotations

import pytest

from perf_bench.model.phrases import gib, ms_text, osd_names, span, time_text, times_text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (osd_names({7}), "osd.7"),
        (osd_names((8, 7)), "osd.7 and osd.8"),
        (osd_names(range(6)), "osd.0, osd.1, osd.2, osd.3 and 2 more"),
        (span(30), "30 s"),
        (span(60), "1 min"),
        (span(7200), "2 h"),
        (span(7500), "2 h 05 min"),
        (gib(1 << 30), "1.0 GiB"),
        (ms_text(0.0042), "4.2 ms"),
        (ms_text(0.042), "42 ms"),
        (times_text(1.416), "1.42"),
        (times_text(4.06), "4.1"),
        (times_text(25.2), "25"),
        (time_text(0), "1970-01-01 00:00 UTC"),
    ],
)
def test_figures_and_names_in_words(text: str, wanted: str) -> None:
    assert text == wanted
