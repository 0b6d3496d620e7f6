"""The parts of `make reliability`: how inputs change, and what is told of a run."""

from __future__ import annotations

from typing import Any

from reliability.rest.part import MIME, _faults, ours


def test_the_description_gets_our_answers() -> None:
    told = {"responses": {"200": {"content": {MIME: {"type": "object"}}}}}
    paths = {"/api/perf_bench/osd": {"get": told}, "/api/pool": {"get": {}}}
    schema = {"$defs": {"Osd": {"type": "object"}}, "x-answers": {"GET osd": "[Osd]"}}
    made = ours({"paths": paths}, schema, {})
    assert list(made["paths"]) == ["/api/perf_bench/osd"]
    answer = made["paths"]["/api/perf_bench/osd"]["get"]["responses"]["200"]["content"][MIME]
    assert answer["schema"]["anyOf"][0]["items"] == {"$ref": "#/components/schemas/Osd"}


def test_a_change_is_described_by_its_real_status() -> None:
    paths: dict[str, Any] = {
        f"/api/perf_bench/{path}": {"post": {"responses": {"201": {}, "202": {}}}}
        for path in ("round", "baseline", "round/{round_id}/abort", "mclock/apply")
    }
    made = ours({"paths": paths}, {"$defs": {}, "x-answers": {}}, {})["paths"]
    good = {
        path.removeprefix("/api/perf_bench/"): {
            status for status in methods["post"]["responses"] if status[0] in "25"
        }
        for path, methods in made.items()
    }
    assert good == {
        "round": {"200", "201", "202"},
        "baseline": {"201", "202"},
        "round/{round_id}/abort": {"200", "202"},
        "mclock/apply": {"200", "202", "501"},
    }


def test_a_run_without_requests_has_not_passed() -> None:
    assert _faults("12,345 generated", 0) == []
    assert _faults("", 0)
    assert _faults("12,345 generated", 1)
