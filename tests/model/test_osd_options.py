"""Every option of an OSD that the module may set is in one list, from which its effect is read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from perf_bench.model.osd import MCLOCK_CAPACITY, TOUCHED
from perf_bench.model.plan import MIB, BenchLimits

KINDS = ("hdd", "ssd")


def literals(folder: Path) -> Iterator[tuple[str, str]]:
    """Each text in the code that is no docstring, with its file."""
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield file.relative_to(folder).as_posix(), node.value


@pytest.fixture(scope="module")
def texts(root: Path) -> list[tuple[str, str]]:
    return list(literals(root / "mgr_module" / "perf_bench"))


def test_what_a_round_raises_is_in_it() -> None:
    raised = {BenchLimits.option_for(size) for size in (4096, MIB - 512, MIB, 4 * MIB)}
    assert raised < set(TOUCHED)


def test_capacities_are_in_it() -> None:
    assert [MCLOCK_CAPACITY[kind] for kind in KINDS] == [
        f"osd_mclock_max_capacity_iops_{kind}" for kind in KINDS
    ]
    assert set(MCLOCK_CAPACITY.values()) < set(TOUCHED)


def test_each_is_named_in_one_place(texts: list[tuple[str, str]]) -> None:
    stems = {*TOUCHED, "osd_mclock_max_capacity_iops_"}
    places = {file for file, text in texts if text in stems}
    assert places == {"model/osd.py"}


def test_options_are_set_in_one_place(texts: list[tuple[str, str]]) -> None:
    # what is set elsewhere would be in no journal
    orders = {"config set", "config rm", "config assimilate-conf", "injectargs"}
    places = {file for file, text in texts if text in orders}
    # The module's own options are an operator's, who keeps what was before: no journal has them.
    assert places == {"bench/held_kinds.py", "ceph/options.py"}
