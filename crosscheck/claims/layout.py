"""From grids and nested values to claims: which axis holds the metrics, which the systems."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from crosscheck.claims import labels
from crosscheck.claims.claim import Claim
from crosscheck.claims.compose import compose
from crosscheck.claims.metric_names import folded
from crosscheck.claims.number import parse
from crosscheck.claims.pieces import Leaf, Passed, Sentence, Table
from crosscheck.claims.source import is_digit
from crosscheck.claims.written import BOLD, NOTHING, UNDERLINE, Written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.claims.claim import Role
    from crosscheck.claims.labels import Label
    from crosscheck.claims.number import Cell, Quantity
    from crosscheck.claims.pieces import Piece


_SHOWN = 80
"""Characters of a cell that a message repeats."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a cell stands and what its labels say."""

    file: str
    place: str
    text: str
    label: Label
    folds: bool
    table: str = ""
    title: str = ""
    at: tuple[int, int] = (0, 0)
    written: Written = NOTHING


@dataclass(frozen=True, slots=True)
class Found:
    """What pieces say: claims, and text that is no claim by a rule."""

    claims: tuple[Claim, ...] = ()
    passed: tuple[Passed, ...] = ()


def from_pieces(pieces: Sequence[Piece], file: str) -> Found:
    """Read the claims of everything that a reader found."""
    leaves = [one for one in pieces if isinstance(one, Leaf)]
    claims = from_leaves(leaves, file)
    passed: list[Passed] = [_named(one) for one in leaves]
    passed += [Passed.of(one.value, "text") for one in leaves if not _says_number(one)]
    for one in pieces:
        if isinstance(one, Table):
            claims += from_grid(one, file)
            passed += _labels(one)
        elif isinstance(one, Sentence):
            passed.append(Passed.of(one.written, "prose"))
    return Found(tuple(claims), tuple(passed))


def _named(leaf: Leaf) -> Passed:
    """Pass over the digits of names: they say which number it is."""
    return Passed(tuple(one for name in leaf.names for one in name.ranges()), "name")


def _says_number(leaf: Leaf) -> bool:
    return leaf.numeric or parse(leaf.text).number is not None


def _labels(table: Table) -> Iterator[Passed]:
    """Pass over the cells that say what the others are; a bare number is nobody's name."""
    lead = 0 if _tidy_columns(table) else _lead(table)
    for row in table.cells[: table.header]:
        yield from (Passed.of(cell, "name") for cell in row)
    for row in table.inside:
        for c, cell in enumerate(row[:lead]):
            head = folded(" ".join(table.column_label(c)))
            said = parse(cell.text)
            if said.number is None and not said.several:
                yield Passed.of(cell, "name")
            elif labels.headed(head) or head in labels.listed("heading", "fold"):
                yield Passed.of(cell, "parameter")
    for row in table.inside:
        for cell in row[lead:]:
            yield from (Passed(cell.ranges(*one), "mark") for one in parse(cell.text).marks)
    yield from (Passed.of(one, "around") for one in (table.caption, *table.notes))


def from_grid(grid: Table, file: str) -> list[Claim]:
    """Read the claims of one table."""
    lead = _lead(grid)
    columns = [labels.path(grid.column_label(c)) for c in range(grid.width)]
    rows = [_row_label(grid, row, lead) for row in grid.body]
    tidy = _tidy_columns(grid)
    if tidy:
        return list(_from_tidy(grid, file, tidy))
    by_row = sum(label.names_metric for label in rows)
    by_column = sum(label.names_metric for label in columns[lead:])
    upright = by_row > by_column
    folds = labels.says_folds(f"{grid.title} {grid.caption}")
    claims: list[Claim] = []
    for r, row in enumerate(grid.body):
        for c in range(lead, grid.width):
            outer, inner = (columns[c], rows[r]) if upright else (rows[r], columns[c])
            label = _crossed(outer, inner)
            named = [grid.column_label(c), tuple(x for x in row[:lead] if x.strip())]
            spot = _Spot(
                file=file,
                place=f"{grid.name}, row “{' / '.join(named[1])}”, column “{' / '.join(named[0])}”",
                text=" / ".join(named[1] + named[0] if upright else named[0] + named[1]),
                label=label,
                folds=folds,
                table=grid.name,
                title=" ".join(one for one in (grid.title, grid.caption.text) if one),
                at=(r, c),
                written=grid.inside[r][c],
            )
            claims += _from_cell(parse(row[c]), spot)
    return claims


def _crossed(outer: Label, inner: Label) -> Label:
    """Combine the system's label with the metric's; an unknown metric keeps its problem."""
    label = outer.plus(inner)
    if not label.names_metric and inner.other:
        unknown = " / ".join(inner.other)
        label = replace(
            label,
            other=outer.other,
            problem=f"“{unknown}” is not a metric name that the contract knows",
            suggestions=inner.suggestions,
        )
    return label


def _lead(grid: Table) -> int:
    """Count the leading columns that hold labels rather than numbers."""
    lead = 0
    for c in range(grid.width - 1):
        head = folded(" ".join(grid.column_label(c)))
        kinds = labels.words()["heading"]
        named = labels.headed(head) or any(head in labels.listed("heading", one) for one in kinds)
        cells = [row[c] for row in grid.body if row[c].strip()]
        texts = sum(parse(cell).number is None for cell in cells)
        if c and not named and (not cells or texts * 2 <= len(cells) or _is_prose(grid, c)):
            break
        if not named and c == 0 and cells and texts == 0 and labels.read(head).names_metric:
            break
        lead = c + 1
    return lead


def _is_prose(grid: Table, column: int) -> bool:
    """Say whether a text column is a remark, not a label: after numbers, or with none after it."""
    return any(
        parse(row[c]).number is not None for row in grid.body for c in range(1, column)
    ) or all(parse(cell).number is None for row in grid.body for cell in row[column:])


def _row_label(grid: Table, row: tuple[str, ...], lead: int) -> Label:
    whole = labels.Label()
    for c in range(lead):
        text, head = row[c], folded(" ".join(grid.column_label(c)))
        if not text.strip():
            continue
        parameter = labels.headed(head)
        if parameter and re.fullmatch(parameter.pattern, text.strip()):
            part = labels.Label(parameter=(parameter.symbol, text.strip()))
        elif head in labels.listed("heading", "fold") and re.fullmatch(r"\d{1,4}", text.strip()):
            part = labels.Label(slice=f"fold={int(text)}")
        elif head in labels.listed("heading", "criterion"):
            part = labels.path((f"criterion={text}",))
        else:
            part = labels.read(text)
        whole = whole.plus(part)
    return whole


def _tidy_columns(grid: Table) -> dict[str, int]:
    """Find the columns of a long table: one row per number, the metric's name in a column."""
    heads = [folded(" ".join(grid.column_label(c))) for c in range(grid.width)]
    metric = [i for i, head in enumerate(heads) if head in {"metric", "key", "measure"}]
    value = [i for i, head in enumerate(heads) if head in {"value", "claimed", "score", "result"}]
    return {"metric": metric[0], "value": value[0]} if metric and value else {}


def _from_tidy(grid: Table, file: str, tidy: dict[str, int]) -> Iterator[Claim]:
    values = {tidy["value"]: labels.Label()}
    for c in range(grid.width):
        said = labels.read(" ".join(grid.column_label(c)))
        if c not in tidy.values() and (said.statistic or said.change):
            values[c] = replace(said, other=())
    for r, row in enumerate(grid.body):
        label = labels.Label()
        for c, text in enumerate(row):
            if c not in values and text.strip():
                head = folded(" ".join(grid.column_label(c)))
                listed = head in {"fold", "criterion", "view", "state"}
                label = label.plus(labels.read(f"{head}={text}" if listed else text))
        for c, said in values.items():
            spot = _Spot(
                file=file,
                place=f"row {r + 1}, column “{' '.join(grid.column_label(c))}”",
                text=row[tidy["metric"]],
                label=_crossed(label, said) if said.statistic else label,
                folds=False,
                table=grid.name,
                at=(r, c),
                written=grid.inside[r][c],
            )
            yield from _from_cell(parse(row[c]), spot)


def _from_cell(cell: Cell, spot: _Spot) -> Iterator[Claim]:
    """Turn each number of a cell into a claim."""
    if cell.blank:
        return
    if not cell.quantities or not cell.understood:
        if any(map(is_digit, cell.text)):
            yield _not_understood(spot, cell)
        return
    if cell.doubt:
        yield replace(_not_understood(spot, cell), problem=cell.doubt)
        return
    folds = spot.folds or cell.spread is not None
    spot = replace(spot, folds=folds)
    statistic = spot.label.statistic
    if cell.number is not None:
        yield _claim(spot, cell.number, *_role(statistic, change=spot.label.change))
    yield from _spread_claims(cell, spot)
    if cell.low is not None and cell.high is not None:
        yield _claim(spot, cell.low, "ci_low", "ci_low")
        yield _claim(spot, cell.high, "ci_high", "ci_high")
    if cell.change is not None:
        yield _claim(spot, cell.change, "improvement", "improvement")


def _not_understood(spot: _Spot, cell: Cell) -> Claim:
    """Keep a cell that has a digit and is no number that we read."""
    shown = cell.text if len(cell.text) <= _SHOWN else cell.text[:_SHOWN] + "…"
    return Claim(
        file=spot.file,
        place=spot.place,
        label=spot.text,
        printed=shown,
        role="unknown",
        table=spot.table,
        title=spot.title,
        at=spot.at,
        problem=f"“{shown}” is not read as a number; write the number alone, or as 0.82 ± 0.03",
        covers=spot.written.ranges(),
    )


def _spread_claims(cell: Cell, spot: _Spot) -> Iterator[Claim]:
    if cell.spread is not None:
        yield _claim(spot, cell.spread, "std", "std")
    if cell.bracket is not None:
        claim = _claim(spot, cell.bracket, "unknown", "std")
        yield replace(
            claim,
            key=None,
            problem="a number in brackets may be a standard deviation, an error or a rank",
            suggestions=(f"{cell.number.text if cell.number else ''} ± {cell.bracket.text}",),
        )


def _role(statistic: str | None, *, change: bool) -> tuple[Role, str | None]:
    if change:
        return "improvement", "improvement"
    kind = (statistic or "").removesuffix("/population")
    known: tuple[Role, ...] = ("std", "ci_low", "ci_high")
    return next((role for role in known if role == kind), "value"), statistic


def _claim(spot: _Spot, number: Quantity, role: Role, statistic: str | None) -> Claim:
    label = replace(spot.label, statistic=None if role == "improvement" else statistic)
    composed = compose(label, folds=spot.folds)
    key = composed.key
    if role == "improvement" and key:
        key = key.rpartition("|")[0] + "|improvement"
    return Claim(
        file=spot.file,
        place=spot.place,
        label=spot.text,
        printed=number.text,
        role=role if key else "unknown",
        number=number,
        system=_system(label),
        key=key,
        percent=number.percent or spot.label.percent,
        table=spot.table,
        title=spot.title,
        at=spot.at,
        problem=composed.problem,
        suggestions=composed.suggestions,
        covers=spot.written.ranges(*number.span),
        marks=_marks(spot.written, number),
    )


def _marks(written: Written, number: Quantity) -> frozenset[str]:
    names = {"bold": BOLD, "underline": UNDERLINE}
    return frozenset(name for name, flag in names.items() if written.is_marked(flag, *number.span))


def from_leaves(leaves: list[Leaf], file: str) -> list[Claim]:
    """Read the claims of a nested file."""
    populations = dict(filter(None, map(_stated_population, leaves)))
    claims: list[Claim] = []
    for i, leaf in enumerate(leaves):
        claims += _from_leaf(leaf, file, i, populations.get(leaf.path[:-1]))
    return claims


def _takes(label: Label, population: str) -> bool:
    """Whether the labelled metric is a number over that population at all."""
    return compose(replace(label, population=population)).key is not None


def _stated_population(leaf: Leaf) -> tuple[tuple[str, ...], str] | None:
    """Read a flag that says over which queries the numbers beside it are."""
    name, value = (leaf.path[-1].lower() if leaf.path else ""), leaf.text.strip().lower()
    flags = {"skip_no_positives": {"true": "positives_only", "false": "all_queries"}}
    flags["eval_mode"] = {name: name for name in ("positives_only", "all_queries")}
    said = flags.get(name, {}).get(value)
    return (leaf.path[:-1], said) if said else None


def _from_leaf(leaf: Leaf, file: str, order: int, population: str | None) -> list[Claim]:
    name = leaf.path[-1] if leaf.path else ""
    place = "/".join(leaf.path)
    label = labels.path(leaf.path)
    if label.population is None and population and _takes(label, population):
        label = replace(label, population=population)
    outer = labels.path(leaf.path[:-1])
    spot = _Spot(file, place, name, label, folds=False, at=(order, 0), written=leaf.value)
    covers = leaf.value.ranges()
    stated = partial(Claim, file=file, place=place, label=name, printed=leaf.text, covers=covers)
    if name.lower() in labels.words()["settings"]:
        return [stated(role="setting", system=_system(outer), key=outer.population)]
    cell = parse(leaf.text)
    counted = labels.words()["counts"].get(name.lower())
    if counted is not None and cell.number is not None:
        population = counted or outer.population or population
        key = f"queries|{population}|{outer.slice or 'all'}|n" if population else None
        problem = None if key else "which queries were evaluated is not said"
        count = stated(role="count", number=cell.number, system=_system(outer), key=key)
        return [replace(count, problem=problem, at=spot.at)]
    ends = {"[0]": "ci_low", "[1]": "ci_high"}
    if label.statistic == "ci" and name in ends:
        other = tuple(part for part in label.other if part != name)
        spot = replace(spot, label=replace(label, statistic=ends[name], other=other))
    elif label.statistic == "std" and label.slice is None:
        spot = replace(spot, folds=True)
    if cell.number is not None or cell.low is not None:
        return list(_from_cell(cell, spot))
    if not leaf.numeric:
        return []
    # What a program wrote as a number and is none, NaN above all, cannot be verified.
    problem = f"{leaf.text} is not a number to check"
    return [stated(role="unknown", system=_system(spot.label), at=spot.at, problem=problem)]


def _system(label: Label) -> str | None:
    return " / ".join(label.other) or None
