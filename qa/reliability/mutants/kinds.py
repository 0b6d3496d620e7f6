"""What a mutant is, and how many of which folder are tried."""

from __future__ import annotations

from typing import NamedTuple

MODULE = "mgr_module/perf_bench"
# Folders of the module that decide, each with the size of its sample, those with the quickest tests
# first. A folder's mutants meet the tests of the folder of that name.
SAMPLES = (
    ("bench/admission", 160),
    ("doctor/checks", 120),
    ("hardware/rules", 120),
    ("bench/plan", 200),
    ("bench/compare", 250),
    ("watch/detect", 400),
    ("store", 250),
)


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
