"""Parts of pages that are made from the code, between two marks in the page."""

from __future__ import annotations

import re

_PART = re.compile(r"(<!-- (\w+): made from [^>]+ -->\n).*?(<!-- end -->\n)", re.DOTALL)


def rewritten(page: str, name: str, text: str) -> str:
    """The page with the part of that name made anew. Raises ValueError if it has none."""
    if name not in {found[2] for found in _PART.finditer(page)}:
        raise ValueError(f"no part '{name}' in the page")

    def anew(found: re.Match[str]) -> str:
        return f"{found[1]}\n{text}\n{found[3]}" if found[2] == name else found[0]

    return _PART.sub(anew, page)
