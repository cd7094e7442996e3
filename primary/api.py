"""The door of docs/interface.md: describe, evaluate, per_query, table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from primary import ledger as ledgers
from primary import tables
from primary.errors import refuse
from primary.facts import facts
from primary.families import NEEDS
from primary.load import load
from primary.settings import COLUMNS, Settings, settings
from primary.study import Study

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd
    import polars as pl

    from primary.aggregate import Ledger

    Given = Mapping[str, Any] | Settings | None


def study(data: Any, given: Given = None, families: Collection[str] | None = None) -> Study:  # noqa: ANN401 - every kind of table
    """Load an input under its settings; with `families`, only the columns that those need."""
    chosen = settings(given)
    return Study(load(data, chosen, COLUMNS if families is None else _columns(families)), chosen)


def _columns(families: Collection[str]) -> set[str]:
    unknown = sorted(set(families) - NEEDS.keys())
    if unknown:
        raise refuse(
            f"there is no metric family {', '.join(unknown)}", f"Known are {', '.join(NEEDS)}."
        )
    needed = {name for family in families for choices in NEEDS[family] for name in choices}
    return needed & set(COLUMNS) | {"post_id", "criterion_id", "query_id", "fold", "split"}


def _source(data: Any, qrels: Any, run: Any) -> Any:  # noqa: ANN401 - every kind of table
    if data is None and qrels is not None and run is not None:
        return {"qrels": Path(qrels), "run": Path(run)}
    if data is None or qrels is not None or run is not None:
        raise refuse("the data is not given once", "Give data, or both qrels and run.")
    return data


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
    for TREC files give `qrels` and `run`. `families` narrows the work to some metric families.

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
    return ledgers.ledger(study(_source(data, qrels, run), settings, families), families)


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
