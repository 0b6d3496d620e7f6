"""The part `rest`: schemathesis against the dashboard of a cluster of its own."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from browser.rest import API
from browser.sites import QUICK, Site
from cluster.spec import Order as ClusterOrder
from scenarios.throwaway import throwaway

from ..trials import Order, Trial

# Where each release serves the description of its controllers.
_DESCRIPTIONS = ("/docs/api.json", "/docs/openapi.json")
ROOT = Path(__file__).resolve().parents[3]
SCHEMA = ROOT / "dashboard_plugin" / "frontend" / "src" / "generated" / "schema.json"
CHECKS = (
    "not_a_server_error", "content_type_conformance", "response_schema_conformance",
    "status_code_conformance", "ignored_auth",
)  # fmt: skip
MIME = "application/vnd.ceph.api.v1.0+json"
# What the REST API refuses with (dashboard_plugin/backend/_perf_bench_ask.py, CherryPy's own: 404
# for a method that a path has not, 411 without a length of the body, 415 for a body not JSON).
ERRORS = ("400", "403", "404", "405", "409", "411", "415")
# The dashboard describes every POST as one that creates (201), whatever its status really is:
# `_gen_responses` in Ceph's dashboard/controllers/docs.py. These change what is there.
_CHANGES = ("abort", "mute", "ack", "pause", "resume", "apply", "restore")
# Values of parameters by method and name, that exist on the cluster.
Examples = Mapping[str, Mapping[str, Any]]
CONFIG = Path(__file__).with_name("schemathesis.toml")
_ANY = re.compile(r"/\{\w+\}")
_UPPER = re.compile(r"/[A-Z]+\b")
# For the requests under way at the end, and the summary.
_MORE_SECONDS = 90
_CASES = re.compile(r"(\d[\d,]*) generated", re.ASCII)
_OPERATIONS = re.compile(r"Selected: (\d+)/\d+\s+Tested: (\d+)", re.ASCII)


def run(order: Order) -> Sequence[Trial]:
    """Boot a cluster, fetch its description, try our paths until the time is over."""
    with throwaway(ClusterOrder(release=order.release, osds=3, hosts=3)) as cluster:
        site = Site(cluster)
        examples = _recorded(site)
        description = _description(site)
        (order.folder / "described.json").write_text(json.dumps(description), encoding="utf-8")
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        file = order.folder / "openapi.json"
        file.write_text(json.dumps(ours(description, schema, examples)), encoding="utf-8")
        return [_tried(site, order, file)]


def _recorded(site: Site) -> Examples:
    """Rounds, a baseline and schedules, so that requests meet more than what does not exist.

    What may be deleted is nothing that other requests ask for.
    """
    numbers = []
    for _ in range(3):
        site.is_calm()
        numbers.append(site.start(QUICK))
        site.sees_the_end_of(numbers[-1])
    kept, other, removed = numbers
    profile = QUICK["profile"]
    replies = [
        site.admin.post("/schedule", {"name": name, "profile": profile, "every": "30d"})
        for name in ("kept", "removed")
    ]
    replies.append(site.admin.post("/baseline", {"id": kept}))
    if any(reply.status != 201 for reply in replies):
        raise AssertionError(replies)
    asked = {"round_id": kept, "a": kept, "b": other, "osd_id": 0, "name": "kept"}
    deleted = {"round_id": removed, "name": "removed"}
    return {"get": {**asked, "profile": profile}, "post": asked, "delete": deleted}


def _description(site: Site) -> dict[str, Any]:
    for path in _DESCRIPTIONS:
        reply = site.admin.call("GET", path, headers={"Accept": "application/json"})
        if reply.status == 200:
            return dict(reply.json)
    raise AssertionError("the dashboard serves no description of its REST API")


def ours(description: dict[str, Any], schema: dict[str, Any], examples: Examples) -> dict[str, Any]:
    """The description with our paths only, the answers of our own schema, and examples.

    The dashboard describes no answers, and no errors but its own.
    """
    nouns = json.loads(json.dumps(schema["$defs"]).replace("#/$defs/", "#/components/schemas/"))
    paths = {path: one for path, one in description["paths"].items() if path.startswith(API)}
    known = [(route, _schema_of(noun)) for route, noun in schema["x-answers"].items()]
    for path, methods in paths.items():
        for method, told in methods.items():
            where = f"{method.upper()} {path.removeprefix(API + '/')}"
            _give_examples(told, examples.get(method, {}))
            _set_statuses(told["responses"], where)
            _answers(told, [noun for route, noun in known if _same(route, where)])
    components = {**description.get("components", {}), "schemas": nouns}
    return {**description, "openapi": "3.1.0", "paths": paths, "components": components}


def _give_examples(told: dict[str, Any], values: Mapping[str, Any]) -> None:
    for one in told.get("parameters", []):
        if one["name"] in values:
            one["example"] = values[one["name"]]


def _set_statuses(responses: dict[str, Any], where: str) -> None:
    """Put the real status of a good answer where the dashboard describes another."""
    if where.startswith("POST ") and where.rpartition("/")[2] in _CHANGES:
        responses["200"] = responses.pop("201")
    if where == "POST round":
        responses["200"] = {"description": "the plan, with dry_run"}
    if where == "POST mclock/apply":
        responses["501"] = {"description": "no OSD uses mClock"}


def _same(route: str, where: str) -> bool:
    """Whether `POST schedule/NAME/pause` is `POST schedule/{name}/pause`; a word may follow it."""
    words = route.split()[:2]
    return _UPPER.sub("/*", " ".join(words)) == _ANY.sub("/*", where)


def _answers(told: dict[str, Any], nouns: list[Any]) -> None:
    """Put what a route answers with into its description."""
    responses = told["responses"]
    for status in responses:
        content = responses[status].pop("content", None) or {MIME: {}}
        if status in ("200", "201") and nouns:
            responses[status]["content"] = {MIME: {"schema": {"anyOf": nouns}}}
        elif status in ("200", "201", "202"):
            responses[status]["content"] = {kind: {} for kind in content}
    for status in ERRORS:
        responses.setdefault(status, {"description": "refused"})


def _tried(site: Site, order: Order, file: Path) -> Trial:
    command = [
        str(order.tools / "schemathesis"), "--config-file", str(CONFIG), "run", str(file),
        "--url", site.url,
        "--header", f"Authorization: Bearer {site.admin.token}",
        "--header", f"Accept: {MIME}",
        "--checks", ",".join(CHECKS), "--seed", str(order.seed), "--no-color",
        "--continue-on-failure", "--phases", "examples,coverage,fuzzing", "--max-examples", "50",
        "--request-timeout", "30", "--max-time", str(int(order.seconds)), "--no-shrink",
    ]  # fmt: skip
    began = time.monotonic()
    log = order.folder / "rest.log"
    with log.open("wb") as into:
        child = subprocess.Popen(command, stdout=into, stderr=subprocess.STDOUT, cwd=order.folder)
        try:
            # It stops by itself, and then tells what it found.
            child.wait(order.seconds + _MORE_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    text = log.read_text(encoding="utf-8", errors="replace")
    seconds = time.monotonic() - began
    faults = _faults(text, child.returncode)
    return Trial("requests", _cases(text), seconds, faults, _operations(text))


def _cases(text: str) -> int:
    """How many requests were made, as the summary says; 0 without one."""
    found = _CASES.search(text)
    return int(found[1].replace(",", "")) if found else 0


def _operations(text: str) -> str:
    """How many of the operations were tried, as the summary says; empty without one."""
    found = _OPERATIONS.search(text)
    return f"{found[2]} of {found[1]} operations" if found else ""


def _faults(text: str, status: int) -> list[str]:
    """What was found, from the headline of the failures on; a run without requests is a fault."""
    if status == 0 and _cases(text):
        return []
    begin = text.find("= FAILURES =")
    return [f"rest: exit code {status}\n{text[begin:] if begin >= 0 else text[-4000:]}"]


def _schema_of(noun: str) -> dict[str, Any]:
    """The schema of an answer, `Osd` or `[Osd]`."""
    found = {"$ref": f"#/components/schemas/{noun.strip('[]')}"}
    return {"type": "array", "items": found} if noun.startswith("[") else found
