"""The door of docs/interface.md: read, describe, evaluate, per_query, table, intervals, compare."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from primary import ledger as ledgers
from primary import tables
from primary.data.study import Study
from primary.errors import refuse
from primary.facts import facts
from primary.families import SLICES_AND_UNITS
from primary.reading.load import load
from primary.settings import Settings, settings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray

    from primary.arithmetic.aggregate import Ledger
    from primary.resampling import bootstrap, comparison

    Given = Mapping[str, Any] | Settings | None


def study(data: Any, given: Given = None, families: Collection[str] | None = None) -> Study:  # noqa: ANN401 - every kind of table
    """Load an input under its settings, or take one that was; `families` narrows the setting."""
    if isinstance(data, Study):
        if given is not None:
            raise refuse(
                "the data were read under settings of their own",
                "Give no settings with them, or read the data again under these.",
            )
        return data if families is None else Study(data.data, _narrowed(data.settings, families))
    chosen = settings(given) if families is None else _narrowed(settings(given), families)
    return Study(load(data, chosen), chosen)


def _narrowed(given: Settings, families: Collection[str]) -> Settings:
    """Keep some metric families; slices and units stay."""
    asked = settings({"families": [*families, *SLICES_AND_UNITS]}).families
    return replace(given, families=given.families & asked)


def _source(data: Any, qrels: Any, run: Any) -> Any:  # noqa: ANN401 - every kind of table
    if data is None and qrels is not None and run is not None:
        return {"qrels": Path(qrels), "run": Path(run)}
    if data is None or qrels is not None or run is not None:
        raise refuse("the data is not given once", "Give data, or both qrels and run.")
    return data


def read(
    data: Any = None,  # noqa: ANN401 - every kind of table
    settings: Given = None,
    *,
    qrels: str | Path | None = None,
    run: str | Path | None = None,
) -> Study:
    """Read the data once; every other function takes it in place of data and settings.

    >>> import polars as pl
    >>> once = read(pl.DataFrame({"query_id": ["a"], "prob": [0.5], "has_evidence": [1]}))
    >>> describe(once)["rows"]["EVAL"], evaluate(once)["brier|all_queries|all|value"]
    (1, 0.25)
    """
    return study(_source(data, qrels, run), settings)


def evaluate(
    data: Any = None,  # noqa: ANN401 - every kind of table
    settings: Given = None,
    *,
    qrels: str | Path | None = None,
    run: str | Path | None = None,
    families: Collection[str] | None = None,
) -> Ledger:
    """Give the ledger: every key that the contract owes, without intervals.

    `data` is a path (CSV, JSON Lines, Parquet), a pandas or polars DataFrame or a pyarrow table;
    for TREC files give `qrels` and `run`. `families` narrows the work to some metric families, with
    all their slices; the setting of that name leaves out slices and units as well.

    >>> import polars as pl
    >>> rows = pl.DataFrame({
    ...     "query_id": ["007", "NA"],
    ...     "candidates": [["a", "b", "c"], ["d", "e"]],
    ...     "gold": [["b"], []],
    ... })
    >>> ledger = evaluate(rows)
    >>> ledger["mrr@all|positives_only|all|mean"]
    0.5
    >>> ledger["recall@1|all_queries|all|mean"], ledger["recall@3|all_queries|all|mean"]
    (0.0, 0.5)
    """
    return ledgers.ledger(study(_source(data, qrels, run), settings, families))


def describe(
    data: Any = None,  # noqa: ANN401 - every kind of table
    settings: Given = None,
    *,
    qrels: str | Path | None = None,
    run: str | Path | None = None,
) -> dict[str, Any]:
    """Give the facts of the data set.

    >>> import polars as pl
    >>> rows = pl.DataFrame({"query_id": ["a", "b"], "prob": [0.2, 0.9], "has_evidence": [0, 1]})
    >>> describe(rows)["families"]
    ['calibration', 'confusion', 'curves', 'has_evidence_slices']
    """
    return facts(study(_source(data, qrels, run), settings))


def per_query(
    data: Any = None,  # noqa: ANN401 - every kind of table
    settings: Given = None,
    *,
    qrels: str | Path | None = None,
    run: str | Path | None = None,
) -> pd.DataFrame:
    """Give the per-query values behind the ledger, one row per EVAL query in file order.

    >>> import polars as pl
    >>> rows = pl.DataFrame({
    ...     "query_id": ["q1", "q2"], "candidates": [["a", "b"], ["c"]], "gold": [["b"], ["c"]],
    ... })
    >>> per_query(rows)[["query_id", "mrr@all", "hit@1"]].values.tolist()
    [['q1', 0.5, 0.0], ['q2', 1.0, 1.0]]
    """
    return tables.per_query(study(_source(data, qrels, run), settings))


def per_query_columns(
    data: Any = None,  # noqa: ANN401 - every kind of table
    settings: Given = None,
    *,
    qrels: str | Path | None = None,
    run: str | Path | None = None,
) -> dict[str, list[str] | NDArray[Any]]:
    """Give the same by column, without pandas: texts in lists, numbers in arrays.

    >>> import polars as pl
    >>> rows = pl.DataFrame({"query_id": ["q"], "candidates": [["a", "b"]], "gold": [["b"]]})
    >>> found = per_query_columns(rows)
    >>> found["query_id"], found["mrr@all"].tolist()
    (['q'], [0.5])
    """
    return tables.per_query_columns(study(_source(data, qrels, run), settings))


def table(
    data: Any = None,  # noqa: ANN401 - every kind of table
    settings: Given = None,
    *,
    qrels: str | Path | None = None,
    run: str | Path | None = None,
) -> pl.DataFrame:
    """Give the rows as the contract sees them, candidates in ranked order.

    >>> import polars as pl
    >>> rows = pl.DataFrame({
    ...     "query_id": ["q"], "candidates": [["a", "b", "c"]], "scores": [[0.1, 0.9, 0.9]],
    ... })
    >>> table(rows)["candidates"].to_list()
    [['b', 'c', 'a']]
    """
    return tables.table(study(_source(data, qrels, run), settings))


def intervals(
    data: Any,  # noqa: ANN401 - every kind of table
    settings: Given,
    plan: Mapping[str, Any],
    *,
    metrics: Collection[str] | None = None,
    progress: bootstrap.Progress | None = None,
) -> bootstrap.Intervals:
    """Give the intervals of every headline metric, by post and by query.

    `plan` holds for each unit how often it is drawn in each resample; `draw` makes one.
    `metrics` narrows the work to some base keys (and what is computed along with them).
    `progress` is called with the resamples done and their total.

    >>> import polars as pl
    >>> rows = pl.DataFrame({"query_id": ["a", "b"], "prob": [0.25, 0.5], "has_evidence": [0, 1]})
    >>> found = intervals(rows, None, {"query": [[1, 1], [2, 0], [0, 2]]})
    >>> found.replicates["query"]["brier|all_queries|all|value"].tolist()
    [0.15625, 0.0625, 0.25]
    """
    from primary.resampling import bootstrap  # noqa: PLC0415 - most questions are others

    return bootstrap.intervals(study(data, settings), plan, metrics, progress)


def draw(units: int, *, resamples: int = 10_000, seed: int = 0) -> Any:  # noqa: ANN401 - a numpy array
    """Draw a plan for one unit: how often each is drawn, with replacement, in each resample.

    >>> draw(4, resamples=2, seed=7).sum(axis=1).tolist()
    [4, 4]
    """
    from primary.resampling import bootstrap  # noqa: PLC0415 - most questions are others

    return bootstrap.draw(units, resamples, seed)


def compare(
    a: tuple[Any, Given],
    b: tuple[Any, Given],
    plan: Mapping[str, Any] | None = None,
    metrics: Sequence[str] | None = None,
    swaps: Any = None,  # noqa: ANN401 - array or lists
    *,
    progress: bootstrap.Progress | None = None,
) -> comparison.Comparison:
    """Compare run b with the baseline a, two `(data, settings)` pairs over the same EVAL queries.

    >>> import polars as pl
    >>> rows = pl.DataFrame({"query_id": ["q"], "candidates": [["a", "b"]], "gold": [["b"]]})
    >>> better = rows.with_columns(candidates=pl.Series([["b", "a"]]))
    >>> found = compare((rows, None), (better, None), metrics=["mrr@all|positives_only|all|mean"])
    >>> found.ledger
    {'mrr@all|positives_only|all|difference': 0.5, 'mrr@all|positives_only|all|improvement': 100.0}
    """
    from primary.resampling import comparison  # noqa: PLC0415 - most questions are others

    return comparison.compare(study(*a), study(*b), plan, metrics, swaps=swaps, progress=progress)
