"""The orchestrator of a mgr: without one, with one, and one that does not know everything."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Optional

import pytest

from fakes.ceph import MgrWorld, installed


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
    assert found.facts() == []
    assert mgr.asked == [("orchestrator", "_select_orchestrator")]
    assert caplog.records == []


def test_without_the_module_there_is_no_backend() -> None:
    def remote(*_words: str) -> None:
        raise ImportError("module not found")

    assert _orchestrator(SimpleNamespace(remote=remote)).backend() is None


def test_facts() -> None:
    mgr = Mgr("cephadm", get_facts=_result([{"hostname": "a"}, None]))
    assert _orchestrator(mgr).facts() == [{"hostname": "a"}]


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
    assert list(_orchestrator(Mgr("x", get_facts=answer)).facts()) == []
