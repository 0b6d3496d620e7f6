"""Questions about the database, and what is done to it."""

from __future__ import annotations

from typing import Optional

from ..errors import InvalidValue, PerfBenchError, StoreUnavailable
from ..model.json_fields import Json
from ..model.store import StoreJob
from ..report import store as shapes
from ..store.care import Care
from ..store.sqlite import Store, StoreThread

_ASK_SECONDS = 2.0
# Removed rounds that are shown.
_REMOVED = 20


class StoreApi:
    """``ceph perf-bench store …``."""

    def __init__(self, care: Care, store_thread: StoreThread) -> None:
        self._care = care
        self._store_thread = store_thread

    def status(self) -> Json:
        """How the database is; answers also while it does not (``error``)."""

        def read(store: Store) -> shapes.Found:
            return shapes.Found(
                store.backend,
                store.files.usage(),
                store.rounds(limit=0)[1],
                store.schema_version(),
                store.retention.removed(_REMOVED),
            )

        care = self._care
        try:
            found, error = self._store_thread.call(care.looking(read), _ASK_SECONDS), None
        except PerfBenchError as failed:
            found, error = None, str(failed)
        file = shapes.File(
            found,
            error,
            care.integrity,
            care.checked,
            care.state,
            care.rules,
            care.sizes,
        )
        return shapes.status(file, care.unreadable, care.job)

    def removed_note(self) -> str:
        """What retention has removed, for below the list of rounds; empty for nothing."""
        return shapes.removed_note(self._care.history)

    def check(self) -> Json:
        """Check all of it, as far as that goes in 2 s."""
        self._care.check()
        return self.status()

    def backup(self) -> Json:
        return self._done(self._care.backup())

    def restore(self, file: Optional[str], sure: bool) -> Json:
        if not file:
            raise InvalidValue("the name of a backup is needed", field="backup")
        _sure(
            sure,
            f"restoring {file} puts its contents in the place of all that is stored: "
            "add --yes-i-really-mean-it",
        )
        return self._done(self._care.restore(file))

    def reset(self, sure: bool) -> Json:
        _sure(
            sure,
            "a reset begins with an empty history; the file in use stays in the pool: add "
            "--yes-i-really-mean-it",
        )
        self._care.reset()
        return self.status()

    def _done(self, job: StoreJob) -> Json:
        """The database and, before its own keys, those of the job: ``file`` is the job's."""
        _ended_well(job)
        return {**self.status(), **shapes.job_shape(job)}


def _ended_well(job: StoreJob) -> None:
    """Raise StoreUnavailable if the job has failed: scripts go by the code of a command.

    One that still runs is told in the answer.
    """
    if job.problem:
        raise StoreUnavailable(f"the {job.what} of the database failed: {job.problem}")


def _sure(sure: bool, what: str) -> None:
    if not sure:
        raise InvalidValue(what, field="yes_i_really_mean_it")
