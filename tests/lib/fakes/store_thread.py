"""A StoreThread with short limits."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

from perf_bench.store.sqlite import Store, StoreThread

T = TypeVar("T")


class ImpatientStoreThread(StoreThread):
    """The real store thread with limits cut to ``patience`` seconds: tests need not wait."""

    def __init__(self, store: Store, patience: float = 10.0) -> None:
        super().__init__(store)
        self.patience = patience

    def call(
        self, question: Callable[[Store], T], limit: float = 5.0, *size: int, **named: Any
    ) -> T:
        return super().call(question, min(limit, self.patience), *size, **named)
