"""Texts that are compared exactly with files of the repository.

To write them anew: set WRITE_GOLDEN in the environment, run the test, which fails, and read the
difference before it is committed.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "golden"


def compare(name: str, text: str) -> None:
    """Fail unless ``text`` is what the file of that name holds."""
    file = FOLDER / name
    if os.environ.get("WRITE_GOLDEN"):
        file.parent.mkdir(parents=True, exist_ok=True)
        changed = not file.exists() or file.read_text(encoding="utf-8") != text
        file.write_text(text, encoding="utf-8")
        assert not changed, f"{name} was written: read it, then run without WRITE_GOLDEN"
    assert file.exists(), f"there is no golden file {name}"
    assert text == file.read_text(encoding="utf-8")
