"""The EVAL and TUNE rows as outside witnesses are fed with them, and slices as masks over them.

Rankings arrive with their ties already broken (`primary.table`), so that no library's own tie rule
can show (contract, T18 and T19).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.data import door
from crosscheck.data.readings import once
from crosscheck.data.topics import ID, PER_QUERY
from crosscheck.model.key import unescape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import polars as pl

    from crosscheck.data.case import Case

    Mask = np.ndarray[Any, np.dtype[np.bool_]]
    Ints = np.ndarray[Any, np.dtype[np.int_]]
    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Texts = np.ndarray[Any, np.dtype[np.object_]]


BLOCK = 10_000
"""Rows that are made lists of at once, where one may not look at all of them."""


@dataclass(frozen=True)
class Rows:
    """The rows of one split."""

    frame: pl.DataFrame
    settings: dict[str, Any]

    def __len__(self) -> int:
        return self.frame.height

    def has(self, column: str) -> bool:
        """Say whether the data have the column."""
        return column in self.frame.columns

    @cached_property
    def queries(self) -> list[str]:
        """One name per row: the names need only differ, so the row's number will do."""
        return [str(row) for row in range(len(self))]

    @cached_property
    def gold(self) -> list[list[str]]:
        """Gold uids."""
        return self.lists("gold")

    def lists(self, column: str) -> list[list[str]]:
        """Give lists of uids; an absent cell is the empty list."""
        return [cell or [] for cell in self.frame[column].to_list()]

    def cells(self, *columns: str) -> Iterator[tuple[list[str], ...]]:
        """Give the lists of several columns row by row, read no further than one looks."""
        for block in self.frame.select(columns).iter_slices(BLOCK):
            of_block = Rows(block, self.settings)
            yield from zip(*map(of_block.lists, columns), strict=True)

    def relevance(self) -> tuple[Mask, Ints]:
        """Tell of every candidate, query by query, whether it is gold, and which row it is of."""
        import polars as pl  # noqa: PLC0415 - heavy

        def listed(column: str) -> pl.DataFrame:
            return (
                self.frame.select(pl.int_range(pl.len()).alias("row"), uid=column)
                .explode("uid")
                .drop_nulls("uid")
            )

        gold = listed("gold").unique().with_columns(relevant=True)
        pairs = listed("candidates").join(
            gold, on=["row", "uid"], how="left", maintain_order="left"
        )
        relevant = pairs["relevant"].fill_null(value=False)
        return relevant.to_numpy().astype(bool), pairs["row"].to_numpy().astype(np.int_)

    def texts(self, column: str) -> Texts:
        """Give a column of text; an absent cell is the empty text."""
        return self.frame[column].fill_null("").to_numpy().astype(object)

    @cached_property
    def with_gold(self) -> Mask:
        """Tell which rows have gold; without a gold column, those with has_evidence = 1."""
        if self.has("gold"):
            return (self.frame["gold"].list.len().fill_null(0) > 0).to_numpy().astype(bool)
        # Several classes have neither: nobody is positive.
        return self.label if self.has("has_evidence") else np.zeros(len(self), dtype=bool)

    @cached_property
    def label(self) -> Mask:
        """Tell which rows have evidence."""
        if self.has("has_evidence"):
            return self.frame["has_evidence"].cast(int).to_numpy().astype(bool)
        return self.with_gold

    @cached_property
    def prob(self) -> Floats:
        """Calibrated probabilities."""
        return self.frame["prob"].to_numpy().astype(np.float64)

    @cached_property
    def score(self) -> Floats:
        """What the curves are of: the probability, or the score where there is none."""
        return self.prob if self.has("prob") else self.frame["score"].to_numpy().astype(np.float64)

    @cached_property
    def threshold(self) -> Floats:
        """The operating threshold of each row."""
        return self.by_fold(self.settings.get("threshold", 0.5))

    @cached_property
    def pred(self) -> Mask:
        """Give the gate's decision, or prob ≥ the operating threshold where there is none."""
        if self.has("pred"):
            return self.frame["pred"].cast(int).to_numpy().astype(bool)
        decided: Mask = self.score >= self.threshold
        return decided

    @cached_property
    def state(self) -> Texts:
        """NEG, UNCERTAIN or POS, by the τ where they are set and probabilities exist."""
        if self.settings.get("tau_neg") is None or not self.has("prob"):
            return self.frame["state"].to_numpy().astype(object)
        below = self.prob < self.by_fold(self.settings["tau_neg"])
        above = self.prob >= self.by_fold(self.settings["tau_pos"])
        return np.where(below, "NEG", np.where(above, "POS", "UNCERTAIN")).astype(object)

    @cached_property
    def returned(self) -> Mask:
        """Tell which queries were passed by the gate with a selection that is not empty."""
        returns = np.array([len(uids) > 0 for uids in self.lists("selected")], dtype=bool)
        returned: Mask = self.pred & returns
        return returned

    def by_fold(self, setting: Any) -> Floats:  # noqa: ANN401 - a number, or a table by fold
        """One number per row, from one number or from a table by fold."""
        if not isinstance(setting, dict):
            return np.full(len(self), float(setting))
        table = {str(fold): float(value) for fold, value in setting.items()}
        return np.array([table[fold] for fold in self._folds], dtype=np.float64)

    def mask(self, population: str, part: str) -> Mask:
        """Rows of a population within a slice."""
        mask: Mask = self._population(population) & self.within(part)
        return mask

    def matrices(self, mask: Mask, *, by_fold: bool = True) -> tuple[Ints, Ints]:
        """Lay the queries of a mask out as posts × criteria, of labels and of decisions."""
        frame = self.frame
        criteria = {name: place for place, name in enumerate(frame["criterion_id"].unique().sort())}
        folds = frame["fold"].to_list() if by_fold and self.has("fold") else [0] * len(self)
        seeds = frame["seed"].to_list() if by_fold and self.has("seed") else [""] * len(self)
        posts: dict[tuple[object, object, str], int] = {}
        places = [
            (
                posts.setdefault((seeds[row], folds[row], post), len(posts)),
                criteria[criterion],
                row,
            )
            for row, (post, criterion) in enumerate(
                zip(frame["post_id"], frame["criterion_id"], strict=True)
            )
            if mask[row]
        ]
        truth = np.zeros((len(posts), len(criteria)), dtype=int)
        decision = np.zeros_like(truth)
        for post, criterion, row in places:
            truth[post, criterion] = self.label[row]
            decision[post, criterion] = self.pred[row]
        return truth, decision

    def within(self, part: str) -> Mask:
        """Tell which rows a slice holds."""
        if part not in self._slices:
            self._slices[part] = self._slice(part)
        return self._slices[part]

    @cached_property
    def _folds(self) -> Texts:
        return np.array([str(fold) for fold in self.frame["fold"].to_list()], dtype=object)

    @cached_property
    def _slices(self) -> dict[str, Mask]:
        return {}

    def _population(self, population: str) -> Mask:
        if population == "positives_only":
            return self.with_gold
        if population == "predicted_positive":
            return self.pred
        return np.ones(len(self), dtype=bool)

    def _slice(self, part: str) -> Mask:
        kind, _, name = part.partition("=")
        if kind == "fold":
            return np.asarray(self._folds == name, dtype=bool)
        if kind == "criterion":
            return self._criterion_in([unescape(name)])
        if kind == "view":
            return self._criterion_in(self.settings["views"][unescape(name)])
        if kind == "state":
            return np.asarray(self.state == name, dtype=bool)
        if kind == "has_evidence":
            return self.label if name == "1" else ~self.label
        if kind == PER_QUERY:
            return np.asarray(self.texts(ID) == unescape(name), dtype=bool)
        column = "seed" if kind == "seed" else f"slices.{kind}"
        if self.has(column):
            return np.asarray(self.texts(column) == unescape(name), dtype=bool)
        return np.ones(len(self), dtype=bool)

    def _criterion_in(self, criteria: Iterable[str]) -> Mask:
        return self.frame["criterion_id"].is_in(list(criteria)).to_numpy().astype(bool)


def of_split(table: pl.DataFrame, settings: dict[str, Any], split: str) -> Rows:
    """Give the rows of one split; without a split column every row is EVAL."""
    if "split" in table.columns:
        return Rows(table.filter(table["split"] == split), settings)
    return Rows(table if split == "EVAL" else table.clear(), settings)


def load(case: Case) -> tuple[Rows, Rows]:
    """EVAL rows and TUNE rows of a case: once for all witnesses that a process hears."""

    def made() -> tuple[Rows, Rows]:
        table = door.primary.table(case.data, case.settings)
        return of_split(table, case.settings, "EVAL"), of_split(table, case.settings, "TUNE")

    return once("rows", case, case.settings, made)
