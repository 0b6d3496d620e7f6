"""The part `mutants`: the changes of a source that people make by forgetting."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest

from reliability.mutants.forgotten import edits


@pytest.mark.parametrize(
    ("operator", "source", "changed"),
    [
        ("DropCall", "a.save()\n", ["pass\n"]),
        ("DropCall", "async def f():\n    await a.save()\n", ["async def f():\n    pass\n"]),
        ("DropCall", "b = a.save()\n", []),
        ("DropOperand", "x = a and b\n", ["x = ((b))\n", "x = ((a))\n"]),
        (
            "DropOperand",
            "x = a or b or c\n",
            ["x = ((b) or (c))\n", "x = ((a) or (c))\n", "x = ((a) or (b))\n"],
        ),
        ("DropElement", "x = ('ä', 2)\n", ["x = (2,)\n", "x = ('ä',)\n"]),
        ("DropElement", "x = {1, 2}\n", ["x = {2}\n", "x = {1}\n"]),
        ("DropElement", "a, b = c\n", []),
        ("DropElement", "x = [1]\n", []),
        ("DropSorted", "x = sorted(a, key=k)\n", ["x = list(a)\n"]),
        ("SwapArguments", "f(a, b, key=c)\n", ["f(b, a, key=c)\n"]),
        ("SwapArguments", "f(a, 1)\n", []),
        ("SwapArguments", "f(a, a)\n", []),
        (
            "ReturnEarly",
            "def f() -> None:\n    a()\n    b()\n",
            ["def f() -> None:\n    a()\n    return\n    b()\n"],
        ),
        ("ReturnEarly", "def f() -> int:\n    a()\n    return 1\n", []),
    ],
)
def test_what_people_forget(operator: str, source: str, changed: Sequence[str]) -> None:
    found = [edit.applied(source) for edit in edits(source) if edit.operator == operator]
    assert found == changed
    for one in found:
        ast.parse(one)
