"""The processes behind the page: bounds on time and memory, a queue of a stated length."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.serve import desks
from crosscheck.serve.bounds import Bounds
from crosscheck.serve.settings import TableSettings
from crosscheck.serve.work import QUICK
from crosscheck.serve.workers import BusyError, Pool, StoppedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

CUTS = range(1, 251)
LONG = "\n".join(
    (
        "| M | " + " | ".join(f"nDCG@{k} | Hit@{k} | P@{k}" for k in CUTS) + " |",
        "|---|" + "---|---|---|" * len(CUTS),
        "| A | " + " | ".join(f"0.{k * 7 % 97} | 0.{k * 5 % 89} | 0.{k % 83}" for k in CUTS) + " |",
    )
)  # fmt: skip


def working(
    home: Path, bounds: Bounds, work: Callable[[Pool, dict[str, Any]], Awaitable[None]]
) -> None:
    """Have something done with a pool and the task of auditing a table that takes long."""

    async def run() -> None:
        pool = Pool(QUICK, bounds, home)
        try:
            with desks.brief(home) as desk:
                desk.place("claims", "table.md").write_text(LONG, encoding="utf-8")
                await work(pool, desk.task("audit", TableSettings(), api=True))
        finally:
            await pool.close()

    asyncio.run(run())


def test_a_table_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    async def work(pool: Pool, task: dict[str, Any]) -> None:
        with pytest.raises(StoppedError, match="took longer than the 1 seconds"):
            await pool.run(task)
        assert not pool.busy

    working(tmp_path, Bounds(quick=1, jobs=1), work)
    assert list(tmp_path.iterdir()) == []


def test_a_job_that_needs_too_much_memory_is_ended(tmp_path: Path) -> None:
    async def work(pool: Pool, task: dict[str, Any]) -> None:
        with pytest.raises(StoppedError, match=r"more memory than the 0\.0 GB"):
            await pool.run(task)

    working(tmp_path, Bounds(memory=2**20, jobs=1), work)


def test_who_finds_the_queue_full_is_told_so(tmp_path: Path) -> None:
    async def work(pool: Pool, task: dict[str, Any]) -> None:
        waits: list[int] = []
        first, second = (asyncio.create_task(pool.run(task, turn=waits.append)) for _ in range(2))
        for _ in range(3):
            await asyncio.sleep(0)  # both have come by now, and one of them waits
        with pytest.raises(BusyError, match="1 jobs are at work and 1 wait"):
            await pool.run(task)
        assert waits == [0]
        for one in (second, first):
            one.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        assert not pool.waiting

    working(tmp_path, Bounds(jobs=1, queue=1), work)
