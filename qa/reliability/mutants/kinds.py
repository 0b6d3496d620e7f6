"""What a mutant is, and how many of which folder are tried."""

from __future__ import annotations

from typing import NamedTuple

MODULE = "mgr_module/perf_bench"
# All folders of the module, each with the size of its sample, 600 in all by their code, those with
# the quickest tests first.
SAMPLES = (
    ("core", 20),
    ("clients", 20),
    ("doctor", 30),
    ("hardware", 45),
    ("model", 60),
    ("ceph", 50),
    ("tool", 45),
    ("store", 55),
    ("answers", 100),
    ("bench", 95),
    ("watch", 80),
)
# Whose tests a folder's mutants meet, where it is not the folder of that name alone.
TESTS = {"answers": ("answers", "api", "cli", "dashboard")}


def tests_of(folder: str) -> tuple[str, ...]:
    """The folders of tests that a folder's mutants meet, from the root."""
    return tuple(f"tests/{name}" for name in TESTS.get(folder, (folder,)))


class Mutant(NamedTuple):
    """A change of a file: the lines ``before`` become ``after``, at ``line``.

    It is the ``nth`` such line of the file. ``changed`` is the whole file as it is then.
    """

    folder: str
    file: str
    line: int
    last_line: int
    operator: str
    before: str
    after: str
    nth: int
    changed: str

    @property
    def name(self) -> str:
        """The same as long as the changed lines are."""
        again = f" ({self.nth})" if self.nth > 1 else ""
        return f"{self.file}: {self.before} → {self.after}{again}"
