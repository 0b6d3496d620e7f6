"""Documents to forward: escaped, bounded, and with what is missing."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import Any, Optional

import pytest

from nouns import a_plan, a_result, a_round, a_stored
from perf_bench.answers.cluster import Event
from perf_bench.answers.documents import (
    MOST_ROWS,
    Line,
    Sign,
    facts,
    note,
    page,
    picture,
    section,
    table,
)
from perf_bench.answers.export import round_page
from perf_bench.answers.period import period_page
from perf_bench.answers.rounds import Round, whole
from perf_bench.answers.text import Column
from perf_bench.model.round import RoundState

ODD = "</title><script>alert(1)</script>\"' onload=x |`*[a](http://b)&amp;\x1b[31m\u202e"
_TAGS = re.compile(
    "html|head|meta|title|style|body|h[12]|p|span|div|ul|li|section|dl|dt|dd|table|tr|th|td|"
    "figure|figcaption|svg|rect|path|line|text|circle|polyline|i"
)


class _Reader(HTMLParser):
    """What a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Optional[str]]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(text: str) -> _Reader:
    """Raise if there is something in it that is not ours, or that is loaded."""
    found = _Reader(text)
    assert not [tag for tag in found.tags if not _TAGS.fullmatch(tag)]
    assert not [name for name in found.attributes if name.startswith("on") or "href" in name]
    assert not {"src", "srcset", "action"} & found.attributes
    assert "url(" not in text
    assert "@import" not in text
    return found


def _shape(**more: Any) -> Round:
    round_ = a_round(
        a_plan([[0, 1]]),
        RoundState.DONE,
        id=7,
        label=ODD,
        reasons=(ODD,),
        environment={"release": ODD, ODD: {"nested": [{"a": ODD}, 2], "none": None}},
    )
    results = [replace(a_result(0), host=ODD, model=ODD), a_result(1, None)]
    return replace(whole(a_stored(round_, results)), **more)


def test_nothing_in_a_page_is_more_than_text() -> None:
    blocks = [
        facts([(ODD, ODD)]),
        table([Column(ODD, str, "word")], [ODD]),
        note(ODD, partial=True),
        picture(ODD, ODD, [Line(ODD, [(0.0, 1.0), (60.0, None), (120.0, 3.0)])]),
    ]
    text = page(ODD, ODD, [section(ODD, *blocks)], Sign(ODD), [ODD])
    found = read(text)
    assert "script" not in found.tags
    # 4 as title, heading, subtitle, sign; 1 missing; 1 section; 2 facts; 2 of the table; 1 note;
    # and 3 of the picture.
    assert "".join(found.texts).count("<script>alert(1)</script>") == 14
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "default-src 'none'" in text


def test_a_round_of_hostile_names() -> None:
    found = read(round_page(_shape(), ODD))
    assert "".join(found.texts).count("<script>") == 8


def test_a_round_that_runs_is_called_so() -> None:
    shape = _shape(ended_at=None, verdict=None, state=RoundState.RUNNING)
    text = round_page(shape, "")
    assert '<span class="sign">running</span>' in text
    assert "<li>the round had not ended when this was written</li>" in text


def test_a_round_of_many_osds_is_bounded() -> None:
    per_osd = [a_result(osd) for osd in range(300)]
    reasons = ["x" * 5000 for _ in range(100)]
    text = round_page(_shape(osds=10_000, per_osd=per_osd, reasons=reasons), "")
    assert "9800 rows left out of 10000" in text
    assert re.search(r"[0-9]+ more left out", text)
    assert len(text) < 1 << 20


def test_a_table_counts_what_is_left_out() -> None:
    columns = [Column("A", str, "word")]
    assert "1 row left out of 201" in table(columns, range(MOST_ROWS + 1))
    assert "left out" not in table(columns, range(3))


@pytest.mark.parametrize("lines", [[], [Line("gaps", [(0.0, None)])]])
def test_a_picture_of_nothing_is_none(lines: list[Line]) -> None:
    assert picture("none", "", lines) == ""


def test_one_point_and_zeros_are_drawn() -> None:
    dot = picture("flat", "ms", [Line("a", [(5.0, 0.0)])])
    assert "h0" in dot
    flat = picture("flat", "ms", [Line("a", [(0.0, 0.0), (1.0, 0.0)])])
    assert 'class="line"' in flat
    assert "nan" not in dot + flat


def _period(**more: Any) -> dict[str, Any]:
    return {
        "from": "2026-10-24T00:00:00.000Z",
        "to": "2026-11-23T00:00:00.000Z",
        "version": "1",
        "release": "18.2.7 reef",
        "fsid": "f",
        "incomplete": [],
        "findings": {"open": 0, "opened": 0, "closed": 0, "rows": [], "left_out": 0},
        "rounds": {"total": 0, "verdicts": {}, "rows": [], "left_out": 0},
        "trends": {"latency": []},
        "changes": {"configuration": "told", "events": []},
        **more,
    }


def _rows(text: str) -> list[list[str]]:
    rows = re.findall("<tr>(<td>.*)</tr>", text)
    return [[unescape(cell) for cell in re.findall("<td>(.*?)</td>", row)] for row in rows]


def test_a_quiet_month_is_good_only_if_all_is_known() -> None:
    assert '<span class="sign good">no open findings</span>' in period_page(_period())
    told = '<span class="sign">no open findings in what was looked at</span>'
    assert told in period_page(_period(incomplete=["x"]))


def test_latencies_are_told() -> None:
    rows = [[3600 * hour, 12, 1.0 + (hour >= 5), 2.0, 4.0] for hour in range(8)]
    trends = {"latency": [{"channel": "commit", "group": "", "rows": rows}]}
    told = _rows(period_page(_period(trends=trends)))
    assert ["commit", "all OSDs", "12", "1.00", "4.00"] in told


def test_a_round_that_runs_is_not_called_ended() -> None:
    rounds = {"total": 2, "verdicts": {"running": 1, "valid": 1}, "rows": [], "left_out": 0}
    text = period_page(_period(rounds=rounds))
    assert "<dt>of these</dt><dd>1 running, 1 valid</dd>" in text


def test_a_line_has_gaps_where_nothing_is_known_and_the_whole_time() -> None:
    day = 86400
    began = 1792800000  # 2026-10-24
    hours = [*range(24), *range(240, 264)]
    rows = [[began + 3600 * hour, 12, 1.0, 2.0, 4.0] for hour in hours]
    trends = {"latency": [{"channel": "commit", "group": "", "rows": rows}]}
    text = period_page(_period(trends=trends))
    (drawn,) = re.findall(r'<path class="line" d="([^"]*)"', text)
    first, second = drawn.removeprefix("M").split("M")
    assert (first.count("L"), second.count("L")) == (23, 23)
    # The axis is 30 days from 64 to 704: the second line begins on the tenth day.
    assert float(second.split()[0]) == pytest.approx(64 + 640 * 10 * day / (30 * day), abs=1)


def test_events_are_told() -> None:
    at = "2026-11-01T10:00:00.000Z"
    events = [
        Event("config", at, None, None, "osd/osd_max_backfills", "", [], 0, None, "4"),
        Event("restart", at, None, None, "", "", [3, 4], 0, None, None),
        Event("down", at, None, None, "", "", [5], 900, None, None),
        Event("down", at, None, None, "", "", [], 1, None, None),
    ]
    shape = _period(changes={"configuration": "told", "events": events})
    told = [words for _at, words in _rows(period_page(shape))]
    assert told == [
        "osd/osd_max_backfills: not set -> 4",
        "osd.3 and osd.4 restarted",
        "osd.5 and 900 OSDs that are not named went down",
        "1 OSD that is not named went down",
    ]
