"""The orchestrator of a mgr: without one, with one, and one that does not know everything."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Optional

import pytest

from fakes.ceph import MgrWorld, installed
from fakes.cluster import FakeCluster
from nouns import an_osd
from perf_bench.hardware.orchestrator_facts import OrchestratorFacts
from perf_bench.model.finding import WatchTick
from perf_bench.model.hardware import STALE_SECONDS
from stage import Stage


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    with installed(MgrWorld.captured("reef")):
        yield


class Mgr:
    """``remote`` as a mgr has it: what goes wrong on the other side is a RuntimeError."""

    def __init__(self, backend: Optional[str], **answers: Any) -> None:
        self.backend = backend
        self.answers = answers
        self.asked: list[tuple[str, str]] = []

    def remote(self, module: str, method: str) -> Any:
        self.asked.append((module, method))
        if module == "orchestrator":
            return self.backend
        if method not in self.answers:
            raise RuntimeError("Remote method threw exception: Traceback\nAttributeError: no such")
        return self.answers[method]


def _result(result: Any, error: Optional[str] = None) -> SimpleNamespace:
    return SimpleNamespace(
        result=result,
        serialized_exception=None if error is None else b"pickled",
        exception_str=error or "",
    )


def _orchestrator(mgr: Any) -> Any:
    from perf_bench.ceph.notifier import MgrOrchestrator

    return MgrOrchestrator(mgr, logging.getLogger("test.orchestrator"))


def test_no_backend_is_silent(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    mgr = Mgr(None)
    found = _orchestrator(mgr)
    assert (found.facts(), found.hardware()) == ([], None)
    assert mgr.asked == [("orchestrator", "_select_orchestrator")] * 2
    assert caplog.records == []


def test_without_the_module_there_is_no_backend() -> None:
    def remote(*_words: str) -> None:
        raise ImportError("module not found")

    assert _orchestrator(SimpleNamespace(remote=remote)).backend() is None


def test_facts_and_hardware() -> None:
    mgr = Mgr(
        "cephadm",
        get_facts=_result([{"hostname": "a"}, None]),
        node_proxy_fullreport=_result({"a": {}}),
    )
    found = _orchestrator(mgr)
    assert found.facts() == [{"hostname": "a"}]
    assert found.hardware() == {"a": {}}


@pytest.mark.parametrize(
    "answers",
    [{}, {"get_facts": _result(None, "<class 'OrchestratorError'>: host is offline")}],
    ids=["unknown", "failed"],
)
def test_what_it_does_not_know_is_said_once(
    answers: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    found = _orchestrator(Mgr("rook", **answers))
    assert [found.facts(), found.facts()] == [[], []]
    assert len(caplog.records) == 1
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("answer", [None, "text", _result(None), _result({}), _result("x")])
def test_odd_answers(answer: Any) -> None:
    found = _orchestrator(Mgr("x", get_facts=answer, node_proxy_fullreport=answer))
    told: Optional[dict[str, Any]] = {} if getattr(answer, "result", None) == {} else None
    assert (list(found.facts()), found.hardware()) == ([], told)


POWER = {"PS1": {"status": {"health": "Critical"}}, "PS2": {"status": {"health": "OK"}}}


@pytest.mark.parametrize("failure", [None, _result(None, "<class 'RuntimeError'>: changed size")])
@pytest.mark.parametrize("takes_over", [False, True])
def test_a_report_that_fails_ends_no_fault_of_a_server(
    failure: Any, takes_over: bool, tmp_path: Path
) -> None:
    """Its facts without its parts would say that all are well; until they are stale they stay."""
    stage = Stage(tmp_path / "main.db", FakeCluster([an_osd(0, "a"), an_osd(1, "b")]))
    hosts = [{"hostname": "a"}, {"hostname": "b"}]
    mgr = Mgr(
        "cephadm",
        get_facts=_result(hosts),
        node_proxy_fullreport=_result({"a": {"sn": "X3", "status": {"power": POWER}}}),
    )

    def periodic() -> OrchestratorFacts:
        log = logging.getLogger("test.orchestrator")
        made = _orchestrator(mgr)
        return OrchestratorFacts(made, stage.hosts, stage.cluster, stage.clock, log)

    def faults(facts: OrchestratorFacts) -> list[str]:
        facts.tick()
        stage.inventory.tick(WatchTick(stage.clock.now()))
        return [claim.target.id for claim in stage.inventory.claims()]

    def kernel(host: str) -> Optional[str]:
        found = stage.hosts.known()[host].facts.kernel
        return None if found is None else found.release

    facts = periodic()
    stage.clock.advance(121)
    assert faults(facts) == ["server-x3"]
    told = mgr.answers.pop("node_proxy_fullreport")
    if failure is not None:
        mgr.answers["node_proxy_fullreport"] = failure
    facts = periodic() if takes_over else facts
    stage.clock.advance(3600)
    hosts[1]["kernel"] = "6.1"
    assert faults(facts) == ["server-x3"]
    assert kernel("b") == "6.1"  # it has told no parts
    mgr.answers["node_proxy_fullreport"] = _result({})  # there is no such server any more
    stage.clock.advance(3600)
    assert faults(facts) == []
    mgr.answers["node_proxy_fullreport"] = told
    stage.clock.advance(3600)
    assert faults(facts) == ["server-x3"]
    del mgr.answers["node_proxy_fullreport"]
    stage.clock.advance(STALE_SECONDS)
    hosts[0]["kernel"] = "6.1"
    assert faults(facts) == []
    assert kernel("a") == "6.1"
    stage.close()
