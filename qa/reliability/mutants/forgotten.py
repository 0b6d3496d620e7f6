"""What people forget, as changes of a source: a call, an operand, a member, an order, an argument.

cosmic-ray changes operators and numbers. Of 60 mistakes that were made by hand, as people make
them, tests that noticed 96 % of its changes missed a quarter: these are of their kind.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

_Place = tuple[tuple[int, int], tuple[int, int]]


class Edit(NamedTuple):
    """The text at ``place`` (line from 1 and character from 0, both ends) becomes ``text``."""

    operator: str
    place: _Place
    text: str

    def applied(self, source: str) -> str:
        """The source with this change."""
        lines = source.splitlines(keepends=True)
        (first, begin), (last, end) = self.place
        before, after = "".join(lines[: first - 1]), "".join(lines[last:])
        return f"{before}{lines[first - 1][:begin]}{self.text}{lines[last - 1][end:]}{after}"


def edits(source: str) -> Iterator[Edit]:
    """All such changes of a source, in the order of its places within each kind."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr):
            yield from _dropped_call(node, lines)
        elif isinstance(node, ast.BoolOp):
            yield from _dropped_operand(node, lines)
        elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            yield from _dropped_element(node, lines)
        elif isinstance(node, ast.Call):
            yield from _dropped_sorted(node, lines)
            yield from _swapped(node, lines)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _returned_early(node, lines)


def _place(node: ast.expr | ast.stmt, lines: list[str]) -> _Place:
    """Where a node is, in characters: ast counts bytes."""

    def character(line: int, column: int) -> tuple[int, int]:
        return line, len(lines[line - 1].encode()[:column].decode())

    last = node.end_lineno or node.lineno
    return character(node.lineno, node.col_offset), character(last, node.end_col_offset or 0)


def _dropped_call(node: ast.Expr, lines: list[str]) -> Iterator[Edit]:
    value = node.value.value if isinstance(node.value, ast.Await) else node.value
    if isinstance(value, ast.Call):
        yield Edit("DropCall", _place(node, lines), "pass")


def _dropped_operand(node: ast.BoolOp, lines: list[str]) -> Iterator[Edit]:
    word = " and " if isinstance(node.op, ast.And) else " or "
    for number in range(len(node.values)):
        left = node.values[:number] + node.values[number + 1 :]
        text = word.join(f"({ast.unparse(one)})" for one in left)
        yield Edit("DropOperand", _place(node, lines), f"({text})")


def _dropped_element(node: ast.Tuple | ast.List | ast.Set, lines: list[str]) -> Iterator[Edit]:
    # What is assigned to needs all its names.
    is_target = not isinstance(node, ast.Set) and not isinstance(node.ctx, ast.Load)
    if is_target or len(node.elts) < 2:
        return
    for number in range(len(node.elts)):
        left = node.elts[:number] + node.elts[number + 1 :]
        if isinstance(node, ast.Set):
            text = ast.unparse(ast.Set(left))
        elif isinstance(node, ast.List):
            text = ast.unparse(ast.List(left, ast.Load()))
        else:
            text = ast.unparse(ast.Tuple(left, ast.Load()))
        yield Edit("DropElement", _place(node, lines), text)


def _dropped_sorted(node: ast.Call, lines: list[str]) -> Iterator[Edit]:
    if isinstance(node.func, ast.Name) and node.func.id == "sorted" and node.args:
        yield Edit("DropSorted", _place(node, lines), f"list({ast.unparse(node.args[0])})")


def _swapped(node: ast.Call, lines: list[str]) -> Iterator[Edit]:
    """Neighbours that look alike: two names, two attributes, two numbers."""
    for number in range(len(node.args) - 1):
        one, other = node.args[number : number + 2]
        if type(one) is not type(other) or not isinstance(one, (ast.Name, ast.Attribute)):
            continue
        if ast.dump(one) != ast.dump(other):
            args = [*node.args[:number], other, one, *node.args[number + 2 :]]
            text = ast.unparse(ast.Call(node.func, args, node.keywords))
            yield Edit("SwapArguments", _place(node, lines), text)


def _returned_early(
    node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]
) -> Iterator[Edit]:
    """Before each statement but the first of a function that returns nothing."""
    if not isinstance(node.returns, ast.Constant) or node.returns.value is not None:
        return
    is_text = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    for one in node.body[2 if is_text else 1 :]:
        begin = _place(one, lines)[0]
        yield Edit("ReturnEarly", (begin, begin), f"return\n{' ' * begin[1]}")
