"""What the audit lets pass; "nobody could be asked" is not "nothing found"."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from toolchain import audit, sbom
from toolchain.audit import Asked, Ignore, Known, of_npm, read_ignores, verdict

TODAY = dt.date(2026, 11, 22)
HOLE = Known("six", "1.16.0", frozenset(["PYSEC-1", "CVE-2026-1"]))
SOUND = Asked("a.lock", 7, ())
BAD = Asked("b.lock", 3, (HOLE,))
SILENT = Asked("c.lock", 1, (), ("x", "y"), "no answer")


def ignore(id_: str = "CVE-2026-1", package: str = "six", days: int = 1) -> Ignore:
    return Ignore(id_, package, "it is not reached", TODAY + dt.timedelta(days))


@pytest.mark.parametrize(
    ("asked", "ignores", "offline", "fault"),
    [
        ([SOUND], [], False, ""),
        ([SOUND, BAD], [], False, "b.lock: six 1.16.0 has CVE-2026-1, PYSEC-1"),
        ([BAD], [ignore()], False, ""),
        ([BAD], [ignore("PYSEC-1")], False, ""),
        ([BAD], [ignore(package="other")], False, "six 1.16.0 has"),
        ([BAD], [ignore(days=0)], False, "the entry for CVE-2026-1 is over since 2026-11-22"),
        ([SOUND], [ignore()], False, "nothing needs the entry for CVE-2026-1 any more"),
        ([SOUND, SILENT], [], False, "not all could be asked"),
        ([SOUND, SILENT], [ignore()], True, ""),
        ([BAD, SILENT], [], True, "six 1.16.0 has"),
        ([SILENT], [ignore(days=-1)], True, "is over"),
    ],
)
def test_what_passes(asked: list[Asked], ignores: list[Ignore], offline: bool, fault: str) -> None:
    lines, good = verdict(asked, ignores, TODAY, offline)
    assert good is not bool(fault)
    assert fault in "\n".join(lines)


def test_the_file_of_ignores_can_be_read() -> None:
    read_ignores(audit.IGNORED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("missing", ["id", "package", "reason", "expires", None])
def test_an_entry_has_a_reason_and_a_date(missing: str | None) -> None:
    lines = {"id": '"A"', "package": '"p"', "reason": '"r"', "expires": "2027-01-31"}
    text = "\n".join(["[[ignore]]", *(f"{k} = {v}" for k, v in lines.items() if k != missing)])
    if missing is None:
        assert read_ignores(text) == [Ignore("A", "p", "r", dt.date(2027, 1, 31))]
    else:
        with pytest.raises(ValueError, match="an entry has"):
            read_ignores(text)


def test_the_answer_of_npm_audit() -> None:
    via = {"source": 7, "name": "a", "url": "https://advisories.example/advisories/GHSA-1"}
    list_ = {"a": {"via": [via], "range": "<2"}, "b": {"via": ["a"], "range": "*"}}
    found = of_npm(json.dumps({"vulnerabilities": list_}), 9)
    assert (found.answered, found.known) == (9, [Known("a", "<2", frozenset(["GHSA-1"]))])
    refused = of_npm(json.dumps({"statusCode": 405}), 9)
    assert (refused.answered, refused.unanswered) == (0, ("all 9 packages",))
    assert of_npm("", 9).unanswered


def test_a_bill_has_what_is_in_the_bundle() -> None:
    parts = [
        {"bom-ref": "a@1", "name": "a", "group": "@x"},
        {"bom-ref": "b@1", "name": "b"},
    ]
    edges = [{"ref": "root", "dependsOn": ["a@1", "b@1"]}, {"ref": "b@1", "dependsOn": ["a@1"]}]
    document = {
        "metadata": {"component": {"bom-ref": "root"}},
        "components": parts,
        "dependencies": edges,
    }
    found = sbom.bundled(document, ["b"])
    assert found["components"] == [parts[1]]
    assert found["dependencies"] == [
        {"ref": "root", "dependsOn": ["b@1"]},
        {"ref": "b@1", "dependsOn": []},
    ]
    with pytest.raises(ValueError, match="not in npm's bill of materials: zzz"):
        sbom.bundled(document, ["b", "zzz"])
