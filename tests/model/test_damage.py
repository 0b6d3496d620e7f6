"""Rows that cannot be read, by name."""

from __future__ import annotations

from typing import Any

from perf_bench.model.store import UnreadableRow


def test_a_row_has_a_name_also_when_its_key_is_damaged() -> None:
    cases: list[tuple[str, tuple[Any, ...], str]] = [
        ("rounds", (7,), "round 7"),
        ("samples", (7, 3, "write", 2), "sample write 2 of osd.3 in round 7"),
        ("episodes", (1700006400.4,), "laggy episode of 1700006400"),
        ("not of ours", (1,), "not of ours"),
        # The database takes anything in any column.
        ("episodes", ("x",), "episodes"),
        ("episodes", (None,), "episodes"),
        ("series", (1,), "series"),
    ]
    for table, key, name in cases:
        assert str(UnreadableRow(table, key, "no JSON")) == name
