"""JSON of files that somebody hands over."""

from __future__ import annotations

import pytest

from perf_bench.errors import InvalidValue
from perf_bench.model.json_fields import document_of


@pytest.mark.parametrize("figure", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 41])
def test_a_number_is_finite_and_of_few_digits(figure: str) -> None:
    with pytest.raises(InvalidValue, match="the facts are not JSON: "):
        document_of(f'{{"a": {figure}}}', "facts")
    assert document_of('{"a": 1e308}', "facts") == {"a": 1e308}
