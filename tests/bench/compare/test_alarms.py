"""What the guard's alarms make of a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from perf_bench.bench.compare.summary import Summary, with_alarms
from perf_bench.model.round import Conclusion, Verdict

PEERING = Conclusion("guard-peering", "PGs were peering", {"pgs": 3})
CLIENTS = Conclusion("guard-clients", "clients were slower", {"ratio": 2.0})
OWN = Conclusion("own", "of the round itself", {})


def judged(verdict: Verdict, alarms: Sequence[Conclusion]) -> Summary:
    return with_alarms(Summary((), verdict, ("its reason",), (OWN,), {"median_iops": 1.0}), alarms)


def test_without_alarms_all_stays() -> None:
    found = judged(Verdict.VALID, [])
    assert (found.verdict, found.reasons, found.conclusions) == (
        Verdict.VALID,
        ("its reason",),
        (OWN,),
    )


def test_a_usable_verdict_becomes_contaminated() -> None:
    for verdict, spoilt in [
        (Verdict.VALID, True),
        (Verdict.NOISY, True),
        (Verdict.TOO_SHORT, True),
        (Verdict.FAILED, False),
        (Verdict.ABORTED, False),
    ]:
        found = judged(verdict, [PEERING, CLIENTS])
        assert found.verdict is (Verdict.CONTAMINATED if spoilt else verdict)
        first = ("PGs were peering", "clients were slower") if spoilt else ()
        assert found.reasons == (*first, "its reason")
        assert [(one.code, one.evidence) for one in found.conclusions] == [
            ("guard-peering", {"pgs": 3}),
            ("guard-clients", {"ratio": 2.0}),
            ("own", {}),
        ]
        assert found.figures == {"median_iops": 1.0}
