"""The rows as Spark MLlib is given them: made once, kept in Spark, asked about slice by slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosscheck.engine.spark import Spark
    from crosscheck.engine.table import Table

RANKED, MARKED, PAIRED = "given_lists", "given_marks", "given_pairs"
CURVES = {"all_queries": MARKED, "pairs": PAIRED}
"""Population → the rows of its curve."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many rows a slice has, and how many of them have gold, or are positive."""

    rows: int
    positive: int


class Given:
    """Rankings, scores and labels of one table."""

    def __init__(self, spark: Spark, table: Table) -> None:
        self._spark = spark
        self._table = table
        self._kept: list[str] = []
        self._sizes: dict[tuple[str, int | None], Size] = {}
        self._longest: int | None = None

    def size(self, source: str, fold: int | None) -> Size:
        """Count the rows of a fold, or of all."""
        if (source, fold) not in self._sizes:
            [(rows, positive)] = self._spark.rows(
                "SELECT count(*), CAST(coalesce(sum(positive), 0) AS BIGINT) "
                f"FROM {self._keep(source)} WHERE {_within(fold)}"
            )
            self._sizes[source, fold] = Size(rows, positive)
        return self._sizes[source, fold]

    def longest(self) -> int:
        """Give a cut-off that cuts nothing."""
        if self._longest is None:
            [(found,)] = self._spark.rows(
                f"SELECT max(greatest(size(prediction), size(label))) FROM {self._keep(RANKED)}"
            )
            self._longest = max(1, found or 1)
        return self._longest

    def lists(self, fold: int | None) -> Any:  # noqa: ANN401 - a frame of pyspark
        """Give the rankings and the gold of the queries that have some."""
        return self._spark.frame(
            f"SELECT prediction, label FROM {self._keep(RANKED)} "
            f"WHERE positive = 1 AND {_within(fold)}"
        )

    def curve(self, source: str, fold: int | None) -> Any:  # noqa: ANN401 - the same
        """Give scores and labels."""
        return self._spark.frame(
            "SELECT rawPrediction, CAST(positive AS DOUBLE) AS label "
            f"FROM {self._keep(source)} WHERE {_within(fold)}"
        )

    def _keep(self, source: str) -> str:
        if source not in self._kept:
            self._spark.keep(source, TEXTS[source](self._table))
            self._kept.append(source)
        return source

    def drop(self) -> None:
        """Let go what Spark keeps."""
        for name in self._kept:
            self._spark.drop(name)


def tiny(spark: Spark) -> Any:  # noqa: ANN401 - a frame of pyspark
    """Give a ranking of one id, which is gold."""
    one = "array(CAST(1 AS DOUBLE))"
    return spark.frame(f"SELECT {one} AS prediction, {one} AS label")


def _within(fold: int | None) -> str:
    return "true" if fold is None else f"fold = {fold}"


def _dims(table: Table) -> str:
    return "fold, " if table.has("fold") else ""


def _lists(table: Table) -> str:
    """Write a query's ranking and gold as lists of numbers: the places of the ids in its list.

    Higher scores come first, equal ones as they stand; gold that was not retrieved has a number of
    its own.
    """
    by = "CAST(0 AS DOUBLE) - get(scores, i)" if table.has("scores") else "CAST(0 AS DOUBLE)"
    placed = f"transform(candidates, (u, i) -> named_struct('by', {by}, 'at', i))"
    ranked = f"transform(array_sort({placed}), x -> CAST(x.at AS DOUBLE))"
    found = "array_position(candidates, u)"
    gold = f"CASE WHEN {found} > 0 THEN {found} - 1 ELSE -1 - i END"
    # Queries without gold are counted, and not ranked: nobody is asked about their lists.
    ranked = f"CASE WHEN size(gold) > 0 THEN {ranked} END"
    return (
        f"SELECT {_dims(table)}CASE WHEN size(gold) > 0 THEN 1 ELSE 0 END AS positive, "
        f"{ranked} AS prediction, transform(gold, (u, i) -> CAST({gold} AS DOUBLE)) AS label "
        "FROM eval_rows"
    )


def _marks(table: Table) -> str:
    return f"SELECT {_dims(table)}mark AS rawPrediction, y AS positive FROM eval_rows"


def _pairs(table: Table) -> str:
    words = table.engine.words
    # A zero has no sign: 0 and -0 are one score, which MLlib would take for two.
    scores = words.transform("scores", "s", f"s + {words.double(0.0)}")
    flags = "transform(candidates, u -> CASE WHEN array_contains(gold, u) THEN 1 ELSE 0 END)"
    each = words.pairs(_dims(table), scores, flags, "eval_rows")
    return f"SELECT {_dims(table)}score AS rawPrediction, y AS positive FROM ({each}) pairs"


TEXTS = {RANKED: _lists, MARKED: _marks, PAIRED: _pairs}
