"""What classes, seeds and slices are called (docs/interface.md, Cells): text, and numbers as text.

Whole numbers of any size are their digits, floats what Python writes, by their own type's shortest
form; NaN and infinity name nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.reading.typed import Reporter

SLICES = 10_000
"""Values that a declared slice may have."""

ODD = "A name is text, a number, true or false."


def names(
    series: pl.Series,
    name: str,
    reporter: Reporter,
    looked_at: NDArray[np.bool_] | None = None,
) -> pl.Series:
    """Give each cell as a name, null where it is empty; refuse what is none in rows looked at."""
    dtype = series.dtype
    if dtype.is_float():
        return _floats(series, name, reporter, looked_at)
    if dtype.is_integer() or dtype in (pl.String, pl.Boolean, pl.Null):
        return series.cast(pl.String)
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return series.cast(pl.String)
    reporter.problems.add(f"the values are of type {dtype}", ODD, column=reporter.columns[name])
    return pl.Series([""]).new_from_index(0, len(series))


def _floats(
    series: pl.Series, name: str, reporter: Reporter, looked_at: NDArray[np.bool_] | None
) -> pl.Series:
    odd = ~series.is_finite().fill_null(value=True)
    if looked_at is not None:
        odd &= pl.Series(looked_at)
    rows = odd.arg_true().to_numpy().astype(np.int64)
    reporter.report(rows, name, lambda row: f"found {series[row]} as a name", ODD)
    distinct = series.unique().drop_nulls()
    # The shortest form of a smaller float is text: read as one of 64 bits it is written the same.
    written = [repr(float(str(one))) for one in distinct.to_numpy()]
    found = series.replace_strict(distinct, pl.Series(written, dtype=pl.String), default=None)
    # Looked up as equals, −0 and 0 have two names all the same.
    zeros = (series == 0).fill_null(value=False)
    return found.scatter(zeros.arg_true(), [repr(one) for one in series.filter(zeros)])


def seeds(series: pl.Series, reporter: Reporter) -> pl.Series:
    """Give the seeds: text or whole numbers, and no empty cell."""
    if series.dtype.is_float() or series.dtype == pl.Boolean:
        reporter.problems.add(
            f"the seeds are of type {series.dtype}",
            "Store seeds as text or whole numbers.",
            column=reporter.columns["seed"],
        )
        return pl.Series([""]).new_from_index(0, len(series))
    found = names(series, "seed", reporter).fill_null("")
    rows = (found == "").arg_true().to_numpy().astype(np.int64)
    reporter.report(rows, "seed", lambda _: "the id is empty", "Every row needs its key.")
    return found


def slice_values(series: pl.Series, name: str, reporter: Reporter) -> pl.Series:
    """Give the values of a declared slice; an empty cell is the empty value."""
    found = names(series, name, reporter).fill_null("")
    if (count := found.n_unique()) > SLICES:
        reporter.problems.add(
            f"the slice has {count:,} values",
            f"At most {SLICES:,} can be told apart; declare a coarser column.",
            column=reporter.columns[name],
        )
    return found
