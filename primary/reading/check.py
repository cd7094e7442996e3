"""What must hold between the cells of an input (contract, section 1, Refused)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from primary.arithmetic.decimals import shortest
from primary.data.lists import match, repeated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data.rows import Data
    from primary.errors import Problems
    from primary.reading.typed import Reporter
    from primary.settings import Settings


def check_keys(
    key: list[pl.Series], fold: NDArray[np.int64] | None, split: pl.Series, reporter: Reporter
) -> None:
    """Refuse a key that is not unique within (fold, split)."""
    columns = {f"key{number}": series for number, series in enumerate(key)}
    frame = pl.DataFrame({**columns, "split": split})
    if fold is not None:
        frame = frame.with_columns(fold=pl.Series(fold))
    if frame.hash_rows().n_unique() == frame.height:
        return
    twice = frame.is_duplicated()
    first: dict[tuple[object, ...], int] = {}
    later: dict[int, int] = {}
    for row in twice.arg_true().to_list():
        values = frame.row(row)
        if values in first:
            later[row] = first[values]
        else:
            first[values] = row
    reporter.report(
        np.array(list(later)),
        None,
        lambda row: f"the key is already in row {later[row] + 1}",
        "A query stands once in each fold and split.",
    )


def check_lists(data: Data, reporter: Reporter) -> None:
    """No uid twice in a list, and nothing selected that is no candidate."""
    for name in ("candidates", "gold", "selected", "judged"):
        lists = getattr(data, name)
        if lists is None:
            continue
        twice = dict(repeated(lists))
        reporter.report(
            np.array(sorted(twice)),
            name,
            lambda row, twice=twice: f"the uid {twice[row]!r} is in the list twice",  # type: ignore[misc]
            "Each uid may stand in a list once.",
        )
    if data.selected is None or data.candidates is None:
        return
    known, _ = match(data.selected, data.candidates)
    strangers = np.delete(np.arange(len(data.selected.values)), known)
    rows, first = np.unique(data.selected.owner[strangers], return_index=True)
    uid = dict(zip(rows.tolist(), data.selected.values.gather(strangers[first]), strict=True))
    reporter.report(
        rows,
        "selected",
        lambda row: f"the uid {uid[row]!r} is no candidate of its query",
        "What is selected must be among the candidates.",
    )


def check_judged(data: Data, reporter: Reporter) -> None:
    """Refuse gold that nobody judged."""
    if data.judged is None or data.gold is None:
        return
    known, _ = match(data.gold, data.judged)
    strangers = np.delete(np.arange(len(data.gold.values)), known)
    rows, first = np.unique(data.gold.owner[strangers], return_index=True)
    uid = dict(zip(rows.tolist(), data.gold.values.gather(strangers[first]), strict=True))
    reporter.report(
        rows,
        "judged",
        lambda row: f"the gold uid {uid[row]!r} is not among the judged",
        "Everything that is gold was judged: add it.",
    )


def check_grades(data: Data, settings: Settings, reporter: Reporter) -> None:
    """Refuse a grade above the largest that the settings allow."""
    most = settings.grade_max
    if most is None or data.grades is None or data.graded is None:
        return
    above = np.flatnonzero(data.grades > most)
    rows, first = np.unique(data.graded.owner_of(above), return_index=True)
    found = dict(zip(rows.tolist(), data.grades[above[first]].tolist(), strict=True))
    reporter.report(
        rows,
        "grades",
        lambda row: f"the grade {found[row]} is above grade_max {most}",
        "Correct the grade, or the setting.",
    )


def check_threshold(data: Data, settings: Settings, problems: Problems) -> None:
    """Refuse an operating threshold outside 0 to 1, unless it is one of scores."""
    threshold = settings.threshold
    if threshold is None or (data.prob is None and data.score is not None):
        return
    values = threshold.values() if isinstance(threshold, Mapping) else [threshold]
    for value in values:
        if not 0 <= value <= 1:
            problems.add(
                f"setting 'threshold': expected a number from 0 to 1, found {shortest(value)}",
                "Only a `score` has thresholds outside them.",
            )


def check_posts(data: Data, reporter: Reporter, *, stated: bool = False) -> None:
    """Where per-post metrics are owed, every EVAL post has every criterion (section 8).

    A score decides where a threshold is stated.
    """
    decided = data.pred is not None or data.prob is not None
    decided |= data.score is not None and stated
    if data.post is None or data.criterion is None or data.label is None or not decided:
        return
    frame = pl.DataFrame({"post": data.post, "criterion": data.criterion})
    if data.fold is not None:
        frame = frame.with_columns(fold=pl.Series(data.fold))
    if data.seed is not None:
        frame = frame.with_columns(seed=data.seed)
    every = sorted(frame["criterion"].unique().to_list())
    by = [name for name in ("seed", "fold", "post") if name in frame.columns]
    posts = frame.with_row_index("row").group_by(by)
    short = posts.agg(pl.col("row").first(), pl.col("criterion").unique()).filter(
        pl.col("criterion").list.len() < len(every)
    )
    lacking = {
        row: [one for one in every if one not in set(found)]
        for row, found in short.select("row", "criterion").iter_rows()
    }
    reporter.report(
        np.array(sorted(lacking)),
        "criterion_id",
        lambda row: f"the post lacks the criterion {', '.join(lacking[row])}",
        "Per-post metrics need every criterion of every post; add the rows.",
    )


def check_tune(data: Data, problems: Problems) -> None:
    """Refuse a fold, with seeds a seed's fold, without TUNE rows when another has them."""
    if data.tune is None or data.fold is None:
        return
    column = data.columns["fold"]
    remedy = "Give TUNE rows for every fold, or for none."
    for fold in np.setdiff1d(data.fold, data.tune.fold).tolist():
        problems.add(f"fold {fold} has no TUNE rows, other folds have", remedy, column=column)
    if data.seed is None or data.tune.seed is None or problems.found:
        return
    held = set(zip(data.tune.seed, data.tune.fold.tolist(), strict=True))
    for seed, fold in sorted(set(zip(data.seed, data.fold.tolist(), strict=True)) - held):
        problems.add(
            f"fold {fold} of seed {seed} has no TUNE rows, others have", remedy, column=column
        )
