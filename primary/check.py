"""What must hold between the cells of an input (contract, section 1, Refused)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from primary.lists import match, repeated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data import Data
    from primary.errors import Problems
    from primary.typed import Reporter


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
    for name in ("candidates", "gold", "selected"):
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


def check_posts(data: Data, reporter: Reporter) -> None:
    """Where per-post metrics are owed, every EVAL post has every criterion (section 8)."""
    judged = data.label is not None and (data.pred is not None or data.prob is not None)
    if data.post is None or data.criterion is None or not judged:
        return
    frame = pl.DataFrame({"post": data.post, "criterion": data.criterion})
    if data.fold is not None:
        frame = frame.with_columns(fold=pl.Series(data.fold))
    every = sorted(frame["criterion"].unique().to_list())
    by = [name for name in ("fold", "post") if name in frame.columns]
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
    """Refuse a fold without TUNE rows when another has them."""
    if data.tune is None or data.fold is None:
        return
    for fold in np.setdiff1d(data.fold, data.tune.fold).tolist():
        problems.add(
            f"fold {fold} has no TUNE rows, other folds have",
            "Give TUNE rows for every fold, or for none.",
            column=data.columns["fold"],
        )
