"""What `label` and `predicted` hold: two labels or classes, and which task the file is for.

They are the two labels of section 1 iff all their values are 0, 1, true or false and nothing in the
settings says otherwise; else they are classes (contract, sections 14 and 17). Empty cells say
nothing of either.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from primary.arithmetic.decimals import fraction
from primary.families import OF_CLASSES, columns_for
from primary.reading.columns import SLICE
from primary.reading.names import names
from primary.reading.typed import number_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.errors import Problems
    from primary.reading.files.raw import Raw
    from primary.reading.typed import Reporter
    from primary.settings import Settings

BINARY = {"label": "has_evidence", "predicted": "pred"}
LABELS = ("0", "1", "true", "false")
TOLERANCE = fraction("0.000001")
"""How far the probabilities of a row may add up from 1."""

FEWEST = 2
"""One class is no classification."""


def settled(raw: Raw, settings: Settings, evaluated: NDArray[np.bool_], reporter: Reporter) -> Raw:
    """Call `label` and `predicted` by what they are; with classes alone, drop what is not read.

    Of rows outside EVAL `predicted` is not looked at.
    """
    columns, problems = dict(raw.columns), reporter.problems
    held = [name for name in BINARY if name in columns]
    looked_at = {"label": np.ones_like(evaluated), "predicted": evaluated}
    before = problems.count
    called = {name: names(raw.frame[name], name, reporter, looked_at[name]) for name in held}
    if problems.count > before:
        problems.stop_if_any()
    if settings.positive is not None:
        _check_positive(settings.positive, called.get("label"), columns, problems)
    if held and settings.classes is None and settings.task != "multiclass":
        labels = {name: _labels(one, raw.frame[name].dtype) for name, one in called.items()}
        if settings.positive is not None:
            labels = {name: _against_rest(one, settings.positive) for name, one in called.items()}
        if settings.positive is not None or _two_valued(
            [one.filter(looked_at[name]) for name, one in labels.items()]
        ):
            for name in held:
                _as_label(name, columns, problems)
            problems.stop_if_any()
            known = [one.alias(BINARY[name]) for name, one in labels.items()]
            return replace(raw, frame=raw.frame.with_columns(known), columns=columns)
    raw = replace(raw, frame=raw.frame.with_columns(one.alias(n) for n, one in called.items()))
    if settings.task == "binary":
        for name in (*BINARY, "class_probs"):
            columns.pop(name, None)
        return replace(raw, columns=columns)
    _check_one_task(columns, settings, problems)
    if columns.keys() >= BINARY.keys():
        columns = _of_classes(columns, settings)
    return replace(raw, columns=columns)


def _two_valued(held: list[pl.Series]) -> bool:
    """Say whether all that the cells hold is labels; nothing at all is none."""
    values = {value for series in held for value in series.unique() if value}
    return bool(values) and all(value.lower() in LABELS for value in values)


def _labels(cells: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Give the labels of section 1 for those that are written as floats or with blanks."""
    bare = cells.str.strip_chars(" \t").replace({"0.0": "0", "1.0": "1"})
    if dtype.is_float():
        return bare.replace({"-0.0": "0"})
    # Blanks alone are text, and no label.
    return bare.set((bare == "") & (cells != ""), "blank")


def _check_positive(
    positive: str, label: pl.Series | None, columns: dict[str, str], problems: Problems
) -> None:
    """Refuse a positive class that no row has, which would make every row negative."""
    if label is None:
        problems.add(
            f"the setting positive is {positive!r}, but there is no label to hold it against",
            "Map label under columns in the config, or leave positive out.",
        )
    elif not (label == positive).any():
        some = ", ".join(repr(one) for one in sorted(label.drop_nulls().unique())[:20])
        problems.add(
            f"the setting positive is {positive!r}, which no row has; found {some}",
            "Name a class as the file writes it.",
            column=columns["label"],
        )
    problems.stop_if_any()


def _against_rest(cells: pl.Series, positive: str) -> pl.Series:
    """Give 1 for the positive class and 0 for any other; what is empty stays so."""
    found = (cells == positive).cast(pl.Int8).cast(pl.String)
    return found.set(cells == "", "")


def _of_classes(columns: dict[str, str], settings: Settings) -> dict[str, str]:
    """Leave the columns that are read of a file whose one task is several classes."""
    read = {*BINARY, *columns_for(settings.families & OF_CLASSES)}
    return {
        name: source for name, source in columns.items() if name in read or name.startswith(SLICE)
    }


def _as_label(name: str, columns: dict[str, str], problems: Problems) -> None:
    source, meant = columns.pop(name), BINARY[name]
    if meant in columns:
        problems.add(
            f"{columns[meant]} and {source} could each be {meant}",
            f'Say which one under columns in the config, as {meant} = "{columns[meant]}".',
            column=source,
        )
    columns[meant] = source


def _check_one_task(columns: dict[str, str], settings: Settings, problems: Problems) -> None:
    """Refuse a file that holds classes and another task and does not say which is meant."""
    labelled = columns.keys() & {"has_evidence", "gold"}
    decided = columns.keys() & {"pred", "prob", "score"}
    other = ""
    if labelled and decided:
        other = f"two labels ({', '.join(sorted(labelled | decided))})"
    elif columns.keys() >= {"candidates", "gold"}:
        other = f"a ranking ({columns['candidates']}, {columns['gold']})"
    if columns.keys() >= BINARY.keys() and other and settings.task is None:
        problems.add(
            f"the file holds {other} and classes ({columns['label']}, {columns['predicted']})",
            'Say which is meant with the setting task, "binary" or "multiclass".',
            column=columns["label"],
        )
        problems.stop_if_any()
    if "class_probs" in columns and settings.classes is None:
        problems.add(
            "there are class_probs, but nothing says which class each of them belongs to",
            "Give the setting `classes`: the classes in the order of the probabilities.",
            column=columns["class_probs"],
        )
        problems.stop_if_any()


def classes(rows: pl.DataFrame, raw: Raw, settings: Settings, reporter: Reporter) -> dict[str, Any]:
    """Read the classes of the EVAL rows, and their probabilities."""
    held = [name for name in BINARY if name in raw.columns]
    both = len(held) == len(BINARY)
    if not both and settings.task != "multiclass":
        return {}
    given = {name: rows[name].fill_null("") for name in held}
    union = sorted({cell for cells in given.values() for cell in cells.unique()} - {""})
    known = union if settings.classes is None else list(settings.classes)
    if not columns_for(settings.families) >= BINARY.keys():
        # They only tell the task: what no family reads counts as absent, mistakes in it included.
        return {"unread_classes": both and len(known) >= FEWEST}
    codes = {name: _codes(cells, name, known, reporter) for name, cells in given.items()}
    found: dict[str, Any] = {}
    if "class_probs" in raw.columns:
        found["class_probs"] = _probabilities(rows["class_probs"], len(known), reporter)
    if not both or len(known) < FEWEST:
        return {}
    return found | {
        "classes": tuple(known),
        "label_class": codes["label"],
        "predicted_class": codes["predicted"],
    }


def _codes(cells: pl.Series, name: str, known: list[str], reporter: Reporter) -> NDArray[np.int64]:
    """Give each cell's place among the classes; refuse what is none of them."""
    empty = (cells == "").arg_true().to_numpy()
    reporter.report(empty, name, lambda _: "the class is empty", "Every EVAL row needs its class.")
    code = cells.replace_strict(known, list(range(len(known))), default=-1).cast(pl.Int64)
    strange = ((code < 0) & (cells != "")).arg_true().to_numpy()
    reporter.report(
        strange,
        name,
        lambda row: f"found {cells[row]!r}, which is none of the classes",
        f"The setting `classes` names {', '.join(known[:20])}.",
    )
    places: NDArray[np.int64] = np.maximum(code.to_numpy(), 0)
    return places


def _probabilities(
    series: pl.Series, classes: int, reporter: Reporter
) -> NDArray[np.float64] | None:
    """Read rows × classes: numbers from 0 to 1 that add up to 1."""
    lists = number_cells(series, "class_probs", reporter)
    if lists is None or reporter.problems.found:
        return None
    unequal = np.flatnonzero(lists.lengths != classes)
    reporter.report(
        unequal,
        "class_probs",
        lambda row: f"found {lists.lengths[row]} numbers for {classes} classes",
        "Give one for each class, in the order of the setting `classes`.",
    )
    numbers = lists.values.to_numpy()
    wrong = ~((numbers >= 0) & (numbers <= 1))
    rows, first = np.unique(lists.owner_of(np.flatnonzero(wrong)), return_index=True)
    seen = dict(zip(rows.tolist(), numbers[wrong][first].tolist(), strict=True))
    reporter.report(
        rows,
        "class_probs",
        lambda row: f"found {seen[row]!r} in the list",
        "Each item is a probability from 0 to 1.",
    )
    if len(unequal) or len(rows):
        return None
    matrix = numbers.reshape(-1, classes) + 0.0
    _check_sums(matrix, reporter)
    return matrix


def _check_sums(matrix: NDArray[np.float64], reporter: Reporter) -> None:
    """Refuse rows that do not add up to 1 within 1e-6; on the edge decimals decide."""
    summed = np.zeros(len(matrix))
    for column in matrix.T:
        summed += column
    far = np.abs(summed - 1)
    limit = float(TOLERANCE)
    off = far > limit
    slack = 1e-12
    for row in np.flatnonzero(np.abs(far - limit) <= slack).tolist():
        exact = [fraction(one) for one in matrix[row].tolist()]
        whole = exact[0]
        for one in exact[1:]:
            whole += one
        off[row] = abs(whole - 1) > TOLERANCE
    reporter.report(
        np.flatnonzero(off),
        "class_probs",
        lambda row: f"the probabilities add up to {float(summed[row])!r}",
        "They have to add up to 1, within 0.000001.",
    )
