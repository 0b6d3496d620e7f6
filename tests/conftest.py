"""What all tests share: the repository's root, how hypothesis searches, and a bench on fakes."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from past import Past, api_of
from perf_bench.answers.api import Api
from perf_bench.bench import osd_benches, round  # noqa: A004
from some_cases import pytest_addoption, pytest_collection_modifyitems
from stage import Stage

__all__ = ["pytest_addoption", "pytest_collection_modifyitems"]

# No verdict by the wall clock of a busy machine, no files. "gate" and "brief" (Python 3.9) have the
# same examples in every run, "thorough" is that of `make test-all`, and "random" has other examples
# in every run: `make test-all` runs it with a seed that it prints.
_EXAMPLES = {"gate": 40, "thorough": 400, "brief": 5, "random": 200}
for _name, _examples in _EXAMPLES.items():
    settings.register_profile(
        _name,
        derandomize=_name != "random",
        deadline=None,
        database=None,
        max_examples=_examples,
        print_blob=True,
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


# Collecting makes hundreds of thousands of objects that stay until the end. To walk them again and
# again takes two fifths of the collection's CPU time, and a tenth of the tests'.
gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def quick() -> Iterator[None]:
    """Nobody waits for the next look at a clock that tests move themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(osd_benches, "_LOOK_SECONDS", 0.002)
        patch.setattr(osd_benches, "_OPTION_POLL", 0.002)
        patch.setattr(round, "_SAVE_AGAIN", 0.002)
        patch.setattr(round, "_RETRY_SECONDS", 0.002)
        yield


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory, quick: None) -> Iterator[Past]:
    """A cluster with a round of each verdict behind it, for all tests that only look."""
    made = Past(tmp_path_factory.mktemp("past") / "main.db")
    yield made
    made.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database is, for all mgrs of a test."""
    return tmp_path / "main.db"


@pytest.fixture
def stage(path: Path, quick: None) -> Iterator[Stage]:
    """A cluster without a past, whose bench is awake."""
    made = Stage(path)
    made.wake()
    yield made
    made.close()


@pytest.fixture
def api(stage: Stage) -> Api:
    """What can be asked of the stage."""
    return api_of(stage)
