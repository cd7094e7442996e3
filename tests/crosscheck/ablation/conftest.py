"""Three systems over the same queries, each with a step more than the one before."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import ablation, gate
from crosscheck import config as configs
from crosscheck.config import systems
from crosscheck.data.case import make_case
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.config.systems import Source

Row = dict[str, Any]
Rows = dict[str, list[Row]]

CONFIG = """
seed = 3
resamples = 60
k = [1, 3, 5, 10]
[systems.base]
data = "base.csv"
[systems.better]
data = "better.csv"
[systems.gated]
data = "gated.csv"
threshold = 0.5
tau_neg = 0.2
tau_pos = 0.8
"""


def make_systems(posts: int = 12, folds: int = 2) -> Rows:
    """Rank the same sentences badly, better, and better with a gate and a selection."""
    random = Random(11)
    rows: Rows = {"base": [], "better": [], "gated": []}
    for number in range(posts):
        post = f"p{number}"
        uids = [f"{post}_{n}" for n in range(6)]
        for criterion in ("A.1", "A.2"):
            positive = random.random() < 0.6
            gold = sorted(random.sample(uids, 2)) if positive else []
            # Distinct scores: libraries break ties in other ways.
            noise = [(random.random() + n * 1e-6) for n in range(6)]
            row: Row = {
                "post_id": post,
                "criterion_id": criterion,
                "fold": number % folds,
                "split": "EVAL",
                "candidates": uids,
                "scores": noise,
                "gold": gold,
                "has_evidence": int(positive),
            }
            better = row | {
                "scores": [s + 0.4 * (u in gold) for s, u in zip(noise, uids, strict=True)]
            }
            prob = round(0.25 * positive + 0.75 * random.random(), 4)
            gated = better | {"prob": prob, "selected": uids[: 3 + 2 * positive]}
            for name, own in (("base", row), ("better", better), ("gated", gated)):
                rows[name].append(own)
    return rows


@pytest.fixture(scope="session")
def make() -> Callable[..., Rows]:
    return make_systems


@pytest.fixture
def contestants() -> Rows:
    return make_systems()


@pytest.fixture
def folder(tmp_path: Path, contestants: Rows, save: Callable[[list[Row], Path], Path]) -> Path:
    """Write the three systems and their config."""
    for name, rows in contestants.items():
        save(rows, tmp_path / f"{name}.csv")
    (tmp_path / "crosscheck.toml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def sources(folder: Path) -> tuple[Source, ...]:
    return systems.choose(configs.read(folder / "crosscheck.toml"))


@pytest.fixture
def cases(sources: tuple[Source, ...]) -> list[Any]:
    return [make_case(one, one.settings, wants_intervals=False) for one in sources]


@pytest.fixture
def settle(sources: tuple[Source, ...], cases: list[Any]) -> Callable[..., ablation.Contest]:
    """Settle a comparison of the three."""

    def make_contest(*metrics: str, resamples: int = 40, **left: Any) -> ablation.Contest:
        wanted = ablation.Wanted(sources, metrics, resamples=resamples, **left)
        return ablation.contest(wanted, cases, seed=3)

    return make_contest


@pytest.fixture
def run(folder: Path) -> Callable[..., gate.Outcome]:
    """Compare inside this process; some systems may be compared without being gated."""

    def compare(
        *metrics: str, gated: tuple[str, ...] | None = None, resamples: int = 40, **left: Any
    ) -> gate.Outcome:
        config = configs.read(folder / "crosscheck.toml")
        every = systems.choose(config)
        chosen = tuple(one for one in every if gated is None or one.name in gated)
        return gate.run(
            gate.Request(
                sources=chosen,
                config=config,
                witnesses=(PRIMARY, REFERENCE),
                seed=3,
                processes=False,
                ablation=ablation.Wanted(every, metrics, resamples=resamples, **left),
            )
        )

    return compare
