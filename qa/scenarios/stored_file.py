"""The file of the module's database as objects in RADOS, to change it while the module is off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scenarios.operator import Operator

OBJECT = 4 << 20


def stored(operator: Operator) -> Any:
    """What `store status` says once the database answers it, within 2 s; before it says less."""

    def whole() -> Any:
        status = operator.asks("store", "status")
        return status if status["error"] is None else None

    return operator.sees("the status of the database", whole)


def pool_of(operator: Operator) -> str:
    """The pool of the database."""
    return str(stored(operator)["backend"]).rsplit(" ", 1)[-1]


def file_of(operator: Operator) -> str:
    """The name of the database's file."""
    return str(operator.asks("store", "status")["file"])


class Objects:
    """The objects of the database's files in RADOS."""

    def __init__(self, operator: Operator) -> None:
        self.rados = operator.cluster.rados
        self.where = ("--pool", pool_of(operator), "--namespace", "perf_bench")

    def of(self, file: str) -> list[str]:
        """The names of a file's objects, in order."""
        names = self.rados(*self.where, "ls").split()
        return sorted(name for name in names if name[:-17] == file)

    def get(self, file: str, path: Path) -> None:
        piece = path.with_suffix(".piece")
        with path.open("wb") as whole:
            for number, name in enumerate(self.of(file)):
                self.rados(*self.where, "get", name, str(piece))
                whole.seek(number * OBJECT)
                whole.write(piece.read_bytes())

    def put(self, file: str, path: Path) -> None:
        """Replace a file's contents, and what libcephsqlite notes of its length."""
        piece, data = path.with_suffix(".piece"), path.read_bytes()
        for number in range(-(-len(data) // OBJECT)):
            piece.write_bytes(data[number * OBJECT : (number + 1) * OBJECT])
            self.rados(*self.where, "put", f"{file}.{number:016x}", str(piece))
        first = f"{file}.{0:016x}"
        for name, value in (("size", len(data)), ("allocated", len(data) + 32 * OBJECT)):
            self.rados(*self.where, "setxattr", first, f"striper.{name}", f"{value:016d}")
