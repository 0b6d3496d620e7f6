"""What is typed, of the type that it must have; a refusal never asks for what was given."""

from __future__ import annotations

from typing import Any

import pytest

from perf_bench.errors import InvalidValue
from perf_bench.model.phrases import flag, whole


@pytest.mark.parametrize(
    ("given", "number"),
    [(7, 7), ("7", 7), ("007", 7), ("-5", -5), ("+5", 5), ("1234567890123456", 1234567890123456)],
)
def test_whole_numbers(given: Any, number: int) -> None:
    assert whole("limit", given) == number


@pytest.mark.parametrize("given", ["", "-", "1.5", "٣", "5\n", "0x1", True, 1.0, None])
def test_what_is_no_whole_number(given: Any) -> None:
    with pytest.raises(
        InvalidValue, match=r"^limit must be a whole number of at most 64 bits, not "
    ):
        whole("limit", given)


@pytest.mark.parametrize("given", [1 << 63, str(1 << 63), "9" * 5000, "-" + "9" * 30])
def test_a_whole_number_that_is_too_large(given: Any) -> None:
    with pytest.raises(
        InvalidValue, match=r"^limit must be a whole number of at most 64 bits, not "
    ):
        whole("limit", given)


@pytest.mark.parametrize(
    ("given", "value"), [(True, True), ("true", True), ("TRUE", True), ("False", False)]
)
def test_true_and_false(given: Any, value: bool) -> None:
    assert flag("force", given) is value


@pytest.mark.parametrize("given", ["yes", "", 1, None])
def test_what_is_neither_true_nor_false(given: Any) -> None:
    with pytest.raises(InvalidValue, match=r"^force must be true or false, not "):
        flag("force", given)
