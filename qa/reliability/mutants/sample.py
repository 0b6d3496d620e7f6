"""Draws mutants: `python -m reliability.mutants.sample SEED OUT`.

One half is what people forget (`forgotten.py`), the other cosmic-ray's. Not among those: what
Python does not run (annotations), what the type checker holds (`frozen=True`), `==` for `is` and
back, which differ only for values that Python may or may not keep twice, and shifts and bits for
arithmetic, which no test of a float could pass.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import cosmic_ray.mutating  # type: ignore[import-not-found]
import cosmic_ray.plugins  # type: ignore[import-not-found]
from cosmic_ray.ast import ast_nodes, get_ast  # type: ignore[import-not-found]

from toolchain.bootstrap import ROOT

from .forgotten import edits
from .kinds import MODULE, SAMPLES, Mutant

_OPERATORS = {
    name.partition("/")[2]: cosmic_ray.plugins.get_operator(name)()
    for name in cosmic_ray.plugins.operator_names()
    if "Variable" not in name  # those draw numbers of their own, without our seed
    and not name.endswith(("_Eq_Is", "_Is_Eq", "_NotEq_IsNot", "_IsNot_NotEq"))
    and not re.search("(Add|Sub|Mul|Div|Mod|Pow)_([RL]Shift|Bit(Or|And|Xor))$", name)
}
_Place = tuple[tuple[int, int], tuple[int, int]]


class _Chance(NamedTuple):
    """Where an operator could change a file."""

    rank: bytes
    file: Path
    operator: str
    occurrence: int
    place: _Place


def main(seed: int, out: Path) -> None:
    """Write the sample of every folder."""
    drawn = [mutant for folder, count in SAMPLES for mutant in draw(ROOT, folder, count, seed)]
    out.write_text(json.dumps([mutant._asdict() for mutant in drawn]), encoding="utf-8")


def draw(root: Path, folder: str, count: int, seed: int) -> Sequence[Mutant]:
    """So many mutants of a folder. A change of the code leaves most of a seed's sample alone."""
    place = root / MODULE / folder
    files = sorted(place.rglob("*.py")) or [place.with_suffix(".py")]
    chances = sorted(chance for file in files for chance in _chances(file, f"{seed} {file.name}"))
    drawn: dict[str, Mutant] = {}
    for is_forgotten, most in ((True, count // 2), (False, count)):
        for chance in chances:
            if len(drawn) == most:
                break
            if (chance.operator not in _OPERATORS) is not is_forgotten:
                continue
            mutant = _mutant(root, folder, chance)
            if mutant and mutant.name not in drawn:
                drawn[mutant.name] = mutant
    return list(drawn.values())


def _chances(file: Path, salt: str) -> Iterator[_Chance]:
    """All of a file, each with a rank that depends on its line's text, not on its number."""
    source = file.read_text(encoding="utf-8")
    lines = source.splitlines()
    kept = _not_run(source)
    met: Counter[str] = Counter()
    for name, occurrence, (begin, end) in _places(source):
        if any(first <= begin and end <= last for first, last in kept):
            continue
        text = f"{salt} {name} {lines[begin[0] - 1].strip()}"
        met[text] += 1
        rank = hashlib.sha256(f"{text} {met[text]}".encode()).digest()
        yield _Chance(rank, file, name, occurrence, (begin, end))


def _places(source: str) -> Iterator[tuple[str, int, _Place]]:
    """Operator, occurrence and place of each change that could be made."""
    for number, edit in enumerate(edits(source)):
        yield edit.operator, number, edit.place
    nodes = list(ast_nodes(get_ast(source)))
    for name, operator in _OPERATORS.items():
        places = [place for node in nodes for place in operator.mutation_positions(node)]
        yield from ((name, occurrence, place) for occurrence, place in enumerate(places))


def _mutant(root: Path, folder: str, chance: _Chance) -> Mutant | None:
    """None where the change is no Python, or no other program."""
    source = chance.file.read_text(encoding="utf-8")
    operator = _OPERATORS.get(chance.operator)
    if operator is None:
        changed = list(edits(source))[chance.occurrence].applied(source)
    else:
        changed = cosmic_ray.mutating.mutate_code(source, operator, chance.occurrence)
    try:
        if ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source)):
            return None
    except SyntaxError:
        return None
    old, new = source.splitlines(), changed.splitlines()
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changes = [code for code in codes if code[0] != "equal"]
    before = " ".join(line.strip() for _, a, b, _, _ in changes for line in old[a:b])
    after = " ".join(line.strip() for _, _, _, a, b in changes for line in new[a:b])
    above = [each.strip() for each in old[: chance.place[0][0]]]
    path = str(chance.file.relative_to(root / MODULE))
    (line, _), (last_line, _) = chance.place
    nth = above.count(above[-1])
    return Mutant(folder, path, line, last_line, chance.operator, before, after, nth, changed)


def _not_run(source: str) -> Sequence[_Place]:
    """Where annotations are, and what the type checker holds."""
    found = []
    lines = [line.encode() for line in source.splitlines()]

    def add(node: ast.expr) -> None:
        last_line, last = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        # ast counts bytes, parso characters.
        first = len(lines[node.lineno - 1][: node.col_offset].decode())
        found.append(((node.lineno, first), (last_line, len(lines[last_line - 1][:last].decode()))))

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.AnnAssign, ast.arg)) and node.annotation:
            add(node.annotation)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns:
            add(node.returns)
        elif isinstance(node, ast.keyword) and node.arg == "frozen":
            add(node.value)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            add(node.test)
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
