"""Work on batches side by side: numpy leaves the interpreter free while it sorts and counts.

No result depends on how many cores there are: each batch is computed the same way wherever it runs,
and answers come in the order of the batches.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Batch = TypeVar("Batch")
Answer = TypeVar("Answer")

CORES = os.cpu_count() or 1


def side_by_side(work: Callable[[Batch], Answer], batches: Iterable[Batch]) -> Iterator[Answer]:
    """Give the answer of each batch, in order."""
    todo = list(batches)
    if len(todo) <= 1:
        yield from map(work, todo)
        return
    with ThreadPoolExecutor(CORES) as pool:
        yield from pool.map(work, todo)


def one_thread_each() -> AbstractContextManager[object]:
    """Keep matrix products to one thread, where batches of them already use all cores.

    Without threadpoolctl, which comes with scikit-learn, they share the cores less well.
    """
    pools = _pools()
    if pools is None:
        return nullcontext()
    limits: AbstractContextManager[object] = pools.limit(limits=1, user_api="blas")
    return limits


@lru_cache(maxsize=1)
def _pools() -> Any:  # noqa: ANN401 - threadpoolctl knows no types
    """Look for the libraries that multiply, which takes a while; None without threadpoolctl."""
    try:
        from threadpoolctl import (  # type: ignore[import-untyped]  # noqa: PLC0415 - for intervals
            ThreadpoolController,
        )
    except ImportError:
        return None
    return ThreadpoolController()
