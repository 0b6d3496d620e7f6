"""Cases that are left out, and tests that passed only when run again."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder with our hooks."""
    pytester.makeconftest("from unit_session import *")
    return pytester


def test_of_each_test_so_many_cases_are_run(suite: pytest.Pytester) -> None:
    suite.makepyfile(
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
    suite.runpytest("--cases=2").assert_outcomes(passed=5, deselected=4)
    suite.runpytest().assert_outcomes(passed=9)


@pytest.mark.parametrize(("count", "code"), [(3, 0), (4, 1)])
def test_more_than_three_tests_that_fail_once_fail_the_run(
    suite: pytest.Pytester, count: int, code: int
) -> None:
    suite.makepyfile(
        f"""
        import pytest

        seen = set()

        @pytest.mark.parametrize("n", range({count}))
        def test_it(n):
            first = n not in seen
            seen.add(n)
            assert not first
        """
    )
    done = suite.runpytest("--reruns=1")
    assert done.ret == code
    done.stdout.fnmatch_lines([f"*{count} passed, {count} rerun*"])
    said = f"{count} tests failed once; more than 3 fail the run" in done.outlines
    assert said is (code == 1)
