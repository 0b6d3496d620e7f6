"""Findings about what hosts tell, while their facts do not tell it."""

from __future__ import annotations

import pytest

from fakes.store_thread import ImpatientStoreThread
from lookout import Lookout
from perf_bench.model.finding import NO_SECTION, Claim, Gap, Look, Severity, Target
from perf_bench.model.finding_kinds import LINK_ERRORS, MULTIPATH_DEGRADED
from perf_bench.model.hardware import STALE_SECONDS
from perf_bench.watch.detectors import OtherPart

PATHS, LINKS = MULTIPATH_DEGRADED.code, LINK_ERRORS.code


class Hardware:
    """A part whose claims and gaps the test sets."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self.gaps: tuple[Gap, ...] = ()

    def looks(self) -> list[Look]:
        return [Look("facts", "facts of hosts", "host", 2, (PATHS, LINKS), self.gaps)]


@pytest.fixture
def hardware() -> Hardware:
    return Hardware()


@pytest.fixture
def lookout(store_thread: ImpatientStoreThread, hardware: Hardware) -> Lookout:
    part = OtherPart("hardware", lambda: hardware.claims, hardware.looks)
    return Lookout(store_thread, others=[part])


def _open(lookout: Lookout) -> set[str]:
    lookout.passes(10)
    return {finding.code for finding in lookout.watch.ledger.findings()}


def _claim(code: str, target: Target, now: float) -> Claim:
    evidence = {"host": "host-0", "osds": [1]}
    return Claim(code, Severity.WARNING, target, "it is bad", evidence, now)


@pytest.mark.parametrize(
    ("code", "target"), [(PATHS, Target("host", "host-0")), (LINKS, Target("osd", "1"))]
)
def test_a_finding_stays_while_the_facts_lack_its_section(
    lookout: Lookout, hardware: Hardware, code: str, target: Target
) -> None:
    hardware.claims = [_claim(code, target, lookout.clock.now())]
    assert _open(lookout) == {code}
    hardware.claims, hardware.gaps = [], (Gap(NO_SECTION, "not told").of(["host-0"]),)
    assert _open(lookout) == {code}
    lookout.clock.advance(STALE_SECONDS)
    assert _open(lookout) == set()


@pytest.mark.parametrize(
    "gaps",
    [
        (),
        (Gap(NO_SECTION, "not told").of(["host-1"]),),
        (Gap(NO_SECTION, "not told", partly=True).of(["host-0"]),),
        (Gap("no-facts", "not known").of(["host-0"]),),
    ],
    ids=["told", "another host", "in part", "no facts"],
)
def test_a_finding_closes_where_the_facts_tell_that_it_is_over(
    lookout: Lookout, hardware: Hardware, gaps: tuple[Gap, ...]
) -> None:
    hardware.claims = [_claim(PATHS, Target("host", "host-0"), lookout.clock.now())]
    assert _open(lookout) == {PATHS}
    hardware.claims, hardware.gaps = [], gaps
    assert _open(lookout) == set()
