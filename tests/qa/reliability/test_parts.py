"""The parts of `make reliability`: how inputs change, and what is told of a run."""

from __future__ import annotations

import json
from typing import Any

from reliability.fuzz.mutate import mutated, smaller
from reliability.rest.part import MIME, _faults, _operations, _same, ours

SEED = json.dumps({"a": [1, {"b": "text"}], "c": None}).encode()


def test_a_seed_of_chance_makes_the_same_change_again() -> None:
    made = [mutated(SEED, 4096, seed, lambda data, _: data[::-1]) for seed in range(300)]
    assert made == [mutated(SEED, 4096, seed, lambda data, _: data[::-1]) for seed in range(300)]
    assert len(set(made)) > 150
    assert all(len(one) <= 4096 for one in made)


def test_an_input_is_made_small() -> None:
    found = smaller(SEED, lambda data: b"te" in data)
    assert found == b'{"a": [{"b": "te"}]}'
    assert b"te" in found
    assert smaller(b"no json", lambda _: True) == b"no json"


def test_a_path_is_found_in_the_schema() -> None:
    assert _same("POST schedule/NAME/pause", "POST schedule/{name}/pause")
    assert _same("POST round dry_run", "POST round")
    assert not _same("GET round", "GET round/{round_id}")
    assert not _same("GET round/compare", "GET round/{round_id}")


def test_the_description_gets_our_answers() -> None:
    told = {"responses": {"200": {"content": {MIME: {"type": "object"}}}}}
    paths = {"/api/perf_bench/osd": {"get": told}, "/api/pool": {"get": {}}}
    schema = {"$defs": {"Osd": {"type": "object"}}, "x-answers": {"GET osd": "[Osd]"}}
    made = ours({"paths": paths}, schema, {})
    assert list(made["paths"]) == ["/api/perf_bench/osd"]
    answer = made["paths"]["/api/perf_bench/osd"]["get"]["responses"]["200"]["content"][MIME]
    assert answer["schema"]["anyOf"][0]["items"] == {"$ref": "#/components/schemas/Osd"}


def test_a_path_gets_what_exists_as_examples() -> None:
    told = {"parameters": [{"name": "osd_id", "in": "path"}, {"name": "since", "in": "query"}]}
    path = "/api/perf_bench/osd/{osd_id}"
    paths = {path: {"get": {**told, "responses": {}}}}
    made = ours({"paths": paths}, {"$defs": {}, "x-answers": {}}, {"get": {"osd_id": 2}})
    assert made["paths"][path]["get"]["parameters"] == [
        {"name": "osd_id", "in": "path", "example": 2},
        {"name": "since", "in": "query"},
    ]


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


def test_a_run_tells_how_many_operations_it_tried() -> None:
    assert _operations("  Selected: 42/42\n  Tested: 41\n") == "41 of 42 operations"
    assert not _operations("")
