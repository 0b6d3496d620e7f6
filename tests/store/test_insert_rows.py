"""Rows are inserted many at a time, within what every SQLite allows in a statement."""

import sqlite3
from collections.abc import Iterator

import pytest

from perf_bench.store.database import insert_rows

COLUMNS = ("osd", "host", "seconds")
# Of each statement of three columns 333 rows: three whole ones and a part.
ROWS = [(osd, f"host{osd % 7}", osd / 2) for osd in range(1000)]


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(":memory:")
    opened.execute("CREATE TABLE figures (osd INTEGER PRIMARY KEY, host TEXT, seconds REAL)")
    yield opened
    opened.close()


def stored(db: sqlite3.Connection) -> list[tuple[int, str, float]]:
    return db.execute("SELECT osd, host, seconds FROM figures ORDER BY osd").fetchall()


def test_every_row_is_stored_once(db: sqlite3.Connection) -> None:
    statements: list[str] = []
    db.set_trace_callback(statements.append)
    insert_rows(db, "figures", COLUMNS, iter(ROWS))
    assert stored(db) == ROWS
    assert sum(one.startswith("INSERT") for one in statements) == 4


def test_a_statement_has_at_most_999_parameters(db: sqlite3.Connection) -> None:
    asked: list[int] = []

    class Counting:
        def execute(self, query: str, values: tuple[object, ...]) -> None:
            asked.append(len(values))
            assert query.count("?") == len(values)
            db.execute(query, values)

    insert_rows(Counting(), "figures", COLUMNS, ROWS)  # type: ignore[arg-type]
    assert asked == [999, 999, 999, 3]


@pytest.mark.parametrize(("existing", "host"), [("IGNORE", "old"), ("REPLACE", "host5")])
def test_a_row_that_is_there_stays_or_is_replaced(
    db: sqlite3.Connection, existing: str, host: str
) -> None:
    db.execute("INSERT INTO figures VALUES (5, 'old', 1.0)")
    insert_rows(db, "figures", COLUMNS, ROWS, existing)
    assert [row[1] for row in stored(db) if row[0] == 5] == [host]
    assert len(stored(db)) == len(ROWS)


def test_nothing_is_inserted_of_nothing(db: sqlite3.Connection) -> None:
    insert_rows(db, "figures", COLUMNS, [])
    assert stored(db) == []
