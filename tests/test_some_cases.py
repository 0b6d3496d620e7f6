"""Cases that are left out."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]


def test_of_each_test_so_many_cases_are_run(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from some_cases import *")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("n", range(5))
        def test_many(n): pass

        def test_one(): pass

        class TestOther:
            @pytest.mark.parametrize("n", range(3))
            def test_many(self, n): pass
        """
    )
    pytester.runpytest("--cases=2").assert_outcomes(passed=5, deselected=4)
    pytester.runpytest().assert_outcomes(passed=9)
