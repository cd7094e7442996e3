"""Several classes (section 17): which they are, and what is refused of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.engine.base import EngineError
from crosscheck.engine.exact import fraction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.engine.table import Table

COLUMNS = ("label", "predicted")
FAMILIES = ("classes", "class_probs", "confusion_matrix")
MOST = 100
"""Classes beyond which the confusion matrix is not owed."""
NEAR_ONE = Fraction(1, 10**6)
"""How far the probabilities of a row may be from 1 in all."""
FINE = 10**15
"""Probabilities are added up as whole numbers of 10^-15; those of at most 12 places exactly."""


def checked(table: Table) -> None:
    """Refuse settings that no row can be held against."""
    stated = table.settings.get("classes")
    if stated is None:
        if table.has("class_probs"):
            raise EngineError(
                f"column {table.columns.found['class_probs']}: nothing says which class each of "
                "the probabilities belongs to; name the classes in their order: classes = […]"
            )
        return
    if len(stated) < 2 or len({*stated}) < len(stated) or not all(stated):  # noqa: PLR2004 - two
        raise EngineError(f"classes = {stated!r}: give two or more, each once, none of them empty")


def settled(table: Table) -> Table:
    """Settle the classes, once: as stated, else all that EVAL rows name, by code points."""
    if table.settings.get("classes") is not None:
        return table
    rows = table.engine.rows(
        "SELECT label FROM eval_rows GROUP BY label UNION SELECT predicted FROM eval_rows "
        "GROUP BY predicted"
    )
    found = sorted(name for (name,) in rows)
    return replace(table, settings={**table.settings, "classes": found})


def families(table: Table) -> dict[str, bool]:
    """Say which families the data suffice for where classes are what is asked about."""
    count = len(table.settings.get("classes") or ())
    several = table.has(*COLUMNS) and count > 1
    return {
        "classes": several,
        "class_probs": several and table.has("class_probs"),
        "confusion_matrix": several and count <= MOST,
        "posts": table.has("post_id"),
    }


def rules(table: Table) -> Iterator[tuple[str, str, str, str]]:
    """List what is asked of every EVAL row: column, what is wrong, remedy, the condition."""
    words = table.engine.words
    stated = table.settings.get("classes")
    for name in COLUMNS if table.has(*COLUMNS) else ():
        empty = f"{name} IS NULL OR {name} = ''"
        remedy = "Every EVAL row needs its class."
        yield name, "the class is empty", remedy, f"part = 'EVAL' AND ({empty})"
        if stated:
            other = f"NOT ({empty}) AND NOT {words.has(words.listed(stated), name)}"
            remedy = "Add it to `classes`, or correct it."
            yield name, "found none of the classes", remedy, f"part = 'EVAL' AND {other}"
    if not (stated and table.has("class_probs")):
        return
    uneven = f"coalesce({words.size('class_probs')}, 0) <> {len(stated)}"
    remedy = f"Give one for each of the {len(stated)} classes, in their order."
    yield (
        "class_probs",
        "the list is not as long as `classes`",
        remedy,
        f"part = 'EVAL' AND {uneven}",
    )
    none = f"{words.size(words.keep('class_probs', 'v', _outside(table)))} > 0"
    remedy = "Each is a number from 0 to 1."
    yield "class_probs", "found no probability", remedy, f"part = 'EVAL' AND {none}"
    remedy = "Let them add up to 1, within 0.000001."
    yield "class_probs", "the probabilities do not add up to 1", remedy, _beyond(table, stated)


def _outside(table: Table) -> str:
    return f"v IS NULL OR NOT {table.engine.words.finite('v')} OR v < 0 OR v > 1"


def _readable(table: Table, stated: list[str]) -> str:
    """Write whether a row's list can be added up."""
    words = table.engine.words
    none = words.size(words.keep("class_probs", "v", _outside(table)))
    return f"part = 'EVAL' AND {words.size('class_probs')} = {len(stated)} AND {none} = 0"


def _off(table: Table) -> str:
    """Write how far a row's probabilities are from 1, in whole numbers of 10^-15."""
    words = table.engine.words
    # Of a list that is refused for another reason, nothing is added up.
    clipped = f"CASE WHEN {_outside(table)} THEN {words.double(0.0)} ELSE v END"
    fine = words.whole(f"({clipped}) * {words.double(float(FINE))} + {words.double(0.5)}")
    return f"abs({words.summed(words.transform('class_probs', 'v', fine))} - {FINE})"


def _bounds(stated: list[str]) -> tuple[int, int]:
    """Give the sums that are within for certain, and beyond for certain."""
    bound = int(NEAR_ONE * FINE)
    return bound - len(stated), bound + len(stated)


def _beyond(table: Table, stated: list[str]) -> str:
    _, beyond = _bounds(stated)
    return f"{_readable(table, stated)} AND {_off(table)} > {beyond}"


def close_sums(table: Table) -> Iterator[tuple[object, tuple[object, ...]]]:
    """Give file and key of rows whose sum is too close to the bound for bits, and beyond it."""
    stated = table.settings.get("classes")
    if not (stated and table.has("class_probs")):
        return
    within, beyond = _bounds(stated)
    file = "of_file" if table.engine.file else "NULL"
    near = f"{_readable(table, stated)} AND {_off(table)} BETWEEN {within} AND {beyond}"
    key = ", ".join(table.key)
    looked = (
        f"SELECT {file} AS file, {key}, class_probs, CASE WHEN {near} THEN 1 ELSE 0 END AS near "
        "FROM all_rows"
    )
    [(some,)] = table.engine.rows(f"SELECT max(near) FROM ({looked}) looked")
    if not some:
        return
    # Grouped, since Sail adds up no list where it chooses rows.
    for of_file, *own, probs in table.engine.rows(
        f"SELECT file, {key}, class_probs FROM ({looked}) looked GROUP BY file, {key}, class_probs "
        "HAVING max(near) > 0"
    ):
        total = sum((fraction(repr(float(one))) for one in probs), Fraction(0))
        if abs(total - 1) > NEAR_ONE:
            yield of_file, tuple(own)
