"""The claims of a table: which axis holds the metrics, what the others say, what stands around."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from string import ascii_lowercase
from typing import TYPE_CHECKING

from crosscheck.meaning import confusion, context, notes
from crosscheck.meaning.blocks import Block, blocks, shown
from crosscheck.meaning.context import says_value
from crosscheck.meaning.settled import settled
from crosscheck.meaning.spot import Spot, claims_of, not_understood
from crosscheck.model.key import escape
from crosscheck.notation import labels
from crosscheck.notation import word_lists as lists
from crosscheck.notation.compose import takes
from crosscheck.notation.labels import Label
from crosscheck.notation.metric_names import folded, similar
from crosscheck.notation.number import parse
from crosscheck.notation.pieces import Passed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crosscheck.notation.claim import Claim
    from crosscheck.notation.number import Cell, Comma
    from crosscheck.notation.pieces import Table

UNNAMED = "no metric is named: not in a header, a row, the caption or the heading"
_COST = re.compile(
    r"[<>~≈]? ?\d[\d.,]* ?(?:[µm]?s|secs?|min|h|hrs?|hours|[KMGT]i?B|[KMB]|k?W|Wh|fps|qps)"
)
"""A number with a unit of time, size or power; `%` and points are none."""
SLICES = frozenset(("fold", "seed", "criterion", "class"))


@dataclass(frozen=True)
class Understood:
    """How a block was understood: for people, and for the claims of its cells."""

    block: Block
    upright: bool
    """Whether the metrics are in the rows."""
    rows: tuple[Label, ...]
    columns: dict[int, Label]
    around: Label
    """What caption, heading and corner say about every cell."""

    @cached_property
    def axis_named(self) -> bool:
        """Whether a row or a column names any metric: then what stands around names none."""
        return any(one.names_metric or one.grid for one in (*self.rows, *self.columns.values()))

    def label(self, row: int, column: int) -> Label:
        """Give what the labels of a cell say together."""
        inner, outer = self.rows[row], self.columns[column]
        if not self.upright:
            inner, outer = outer, inner
        around = self.around
        if self.axis_named:
            around = replace(around, metric=None, template=None, candidates=(), problem=None)
        label = _crossed(around, outer, inner)
        if not self.axis_named and not around.names_metric and not label.noted:
            return replace(label, other=outer.other + inner.other, problem=UNNAMED, suggestions=())
        return label


def understand(table: Table) -> list[Understood]:
    """Say how each block of a table is understood."""
    return [_understood(block) for block in blocks(table)]


def from_table(
    table: Table, file: str, comma: Comma = None, legends: notes.Legends | None = None
) -> tuple[list[Claim], list[Passed]]:
    """Read the claims of one table, and pass over what only names them."""
    claims: list[Claim] = []
    passed = list(_frame(table))
    if legends is not None:
        table, signs = notes.resolved(table, legends)
        passed += signs
    for one in understand(table):
        found = list(_cells(one, file, comma))
        claims += [claim for claim in found if not isinstance(claim, Passed)]
        passed += [each for each in found if isinstance(each, Passed)]
    return claims, passed


def _frame(table: Table) -> Iterator[Passed]:
    """Pass over what stands around the numbers and was read for what it says."""
    yield from (Passed.of(one, "around") for one in (table.caption, *table.notes, table.sentence))


def _understood(block: Block) -> Understood:
    around = _around(block)
    grid = confusion.labels_of(block)
    if grid is not None:
        return Understood(block, upright=False, rows=grid[0], columns=grid[1], around=around)
    upright, levels = _axis(block)
    rows = tuple(_row(block, at, upright=upright) for at in range(len(block.rows)))
    columns = {c: _column(block, c, () if upright else levels) for c in block.values}
    rows, columns = settled(rows, columns)
    return Understood(block, upright, rows, columns, around)


def _around(block: Block) -> Label:
    """Read what the corner, the caption and the heading say, the nearest first."""
    table = block.table
    corner = next((shown(table.cells[r][0]) for r in reversed(block.headers)), "")
    read = labels.read(corner) if corner and 0 in block.named else Label()
    near = Label()
    for text in (table.title, table.caption.text):
        said = context.read(text)
        near = near.plus(said) if said.names_metric else replace(said.plus(near), slice=said.slice)
    texts = (table.caption.text, table.title, *reversed(table.above))
    over = next(filter(None, (context.read(text).slice for text in texts)), None)
    near = context.placed(
        near, [*map(str, table.notes), *texts[:2], table.sentence.text, *texts[2:]]
    )
    near = replace(near, slice=over)
    return near.plus(replace(read, other=(), dataset=None)) if read.pure else near


def _metric_levels(block: Block, test: Callable[[Label], bool]) -> tuple[int, ...]:
    """Say which rows of the header name metrics."""
    return tuple(
        r
        for r in block.headers
        if any(test(labels.read(shown(block.table.cells[r][c]))) for c in block.values)
    )


def _axis(block: Block) -> tuple[bool, tuple[int, ...]]:
    """Say whether the metrics are in the rows, and which rows of the header name any.

    A heading tells, else where more are named and nothing else is said; else where any are.
    """
    if any(block.role(c) == "metric" for c in block.named):
        return True, ()
    free = [c for c in block.named if not block.role(c)]
    tests: tuple[Callable[[Label], bool], ...] = (_is_pure, _is_metric)
    for test in tests:
        levels = _metric_levels(block, test)
        cells = block.table.cells
        in_rows = sum(any(test(labels.read(shown(cells[r][c]))) for c in free) for r in block.rows)
        in_columns = sum(
            any(test(labels.read(shown(cells[r][c]))) for r in levels) for c in block.values
        )
        if in_rows or in_columns:
            return in_rows > in_columns, levels
    return False, ()


def _is_pure(label: Label) -> bool:
    return label.pure


def _is_metric(label: Label) -> bool:
    return label.names_metric


def _column(block: Block, c: int, levels: Sequence[int]) -> Label:
    """Read a column's header from top to bottom."""
    whole = Label()
    texts: list[str] = []
    for r in block.headers:
        text = shown(block.table.cells[r][c])
        if not text or text in texts:
            continue
        texts.append(text)
        part = labels.read(text) if r in levels or _noted(text) else labels.plain(text)
        whole = whole.plus(Label() if part.neutral else part)
    return whole.plus(notes.said_by(block.table.cells[r][c] for r in block.headers))


def _noted(text: str) -> bool:
    return bool(labels.read(text).noted)


def _row(block: Block, at: int, *, upright: bool) -> Label:
    """Read what the columns of labels, and the rows above, say about a row."""
    table, r = block.table, block.rows[at]
    whole = Label()
    for above in block.sections[at]:
        text = next(shown(cell) for cell in table.cells[above] if shown(cell))
        said = labels.read(text)
        whole = whole.plus(Label() if said.neutral else said if said.pure else labels.plain(text))
    for c in block.named:
        text = shown(table.cells[r][c])
        if text and not parse(text).blank and not _counts(block, c):
            said = _named(block.role(c), block.column(c), text, upright=upright)
            whole = whole.plus(Label() if said.neutral else said)
    labelled = [cell for above in block.sections[at] for cell in table.cells[above]]
    return whole.plus(notes.said_by([*labelled, *(table.cells[r][c] for c in block.named)]))


def _counts(block: Block, c: int) -> bool:
    """Whether a column only counts the rows, a, b, c or 1, 2, 3, beside one that names them."""
    heading = folded("".join(block.column(c)[-1:]))
    if len(block.named) < 2 or heading not in lists.listed("counting"):  # noqa: PLR2004 - itself and a name
        return False
    texts = [shown(block.table.cells[r][c]) for r in block.rows]
    numbers = [str(one) for one in range(1, len(texts) + 1)]
    return texts in (numbers, list(ascii_lowercase[: len(texts)]))


def _named(role: str, heading: tuple[str, ...], text: str, *, upright: bool) -> Label:
    """Read one cell of a column of labels, by what its heading says that it names."""
    if role == "metric" or (not role and upright):
        return labels.read(text)
    said = labels.plain(text)
    if role == "parameter":
        return _parameter(heading, text)
    if role in SLICES:
        # A row “Average” among folds is over them.
        return said if said.statistic or said.change else _slice(role, text)
    if role in {"split", "population", "statistic", "slice"}:
        return said if not said.other else Label(condition=(text,))
    if said.change or said.statistic or said.slice or said.split or said.population:
        return said
    if role == "dataset":
        return labels.dataset(text)
    if role == "condition":
        named = text if any(char.isalpha() for char in text) else f"{heading[-1]} {text}"
        return Label(other=(named,))
    return Label(other=(text,)) if role == "system" else said


def _slice(kind: str, text: str) -> Label:
    value = re.sub(rf"^{kind}[ _=#-]*", "", text, flags=re.IGNORECASE) or text
    number = str(int(value)) if kind in {"fold", "seed"} and value.isdigit() else value
    return Label(slice=f"{kind}={escape(number)}")


def _parameter(heading: tuple[str, ...], text: str) -> Label:
    parameter = next(filter(None, (labels.headed(folded(one)) for one in heading)), None)
    if parameter and re.fullmatch(parameter.pattern, text):
        return Label(parameter=(parameter.symbol, text))
    return Label(condition=(text,))


def _crossed(around: Label, outer: Label, inner: Label) -> Label:
    """Combine what stands around, the system's label and the metric's."""
    if inner.parameter and inner.metric and not inner.template:
        said = f"{inner.metric} stands beside a {inner.parameter[0]}, and takes none of its own"
        inner = replace(inner, metric=None, problem=said, suggestions=())
    label = outer.plus(inner)
    if outer.grid and inner.grid:
        metric = confusion.metric_of(outer.grid, inner.grid)
        unknown = "which of the two classes is the positive one is not said"
        return replace(label, metric=metric, problem=None if metric else unknown)
    if not label.names_metric and not label.problem:
        unknown = " / ".join(inner.other)
        if around.names_metric and not inner.noted and not outer.noted:
            label = around.plus(label)
        elif unknown:
            problem = f"“{unknown}” is not a metric name that the contract knows"
            close = similar(inner.other[-1])
            label = replace(label, other=outer.other, problem=problem, suggestions=close)
    if label.metric is None and label.template and label.parameter is None:
        label = replace(label, parameter=around.parameter)
    return replace(
        label,
        population=label.population
        or (around.population if takes(label, around.population) else None),
        split=label.split or around.split,
        percent=label.percent or (around.percent and not label.change),
    )


def _cells(one: Understood, file: str, comma: Comma) -> Iterator[Claim | Passed]:
    block = one.block
    table = block.table
    yield from _headers(one, file)
    sizes = _sizes(one, comma)
    for at, r in enumerate(block.rows):
        for c in block.named:
            yield from _label_cell(one, at, c, file)
        for c in block.values:
            spot = replace(_spot(one, at, c, file), sizes=sizes.get(c if one.upright else at, ()))
            cell = parse(table.cells[r][c].text, comma)
            yield from (Passed(spot.written.ranges(*part), "mark") for part in cell.marks)
            rule = _rule(spot.label, cell)
            if rule:
                yield Passed.of(spot.written, rule)
            else:
                yield from claims_of(cell, spot)


def _sizes(one: Understood, comma: Comma) -> dict[int, tuple[tuple[str, int], ...]]:
    """Read how many there are behind each row, or behind each column where metrics are rows."""
    block = one.block
    found: dict[int, tuple[tuple[str, int], ...]] = {}
    for at, r in enumerate(block.rows):
        for c in block.values:
            inner = one.rows[at] if one.upright else one.columns[c]
            if inner.noted != "size" and inner.statistic != "n":
                continue
            cell = parse(block.table.cells[r][c].text, comma)
            if cell.number is not None and _rule(one.label(at, c), cell) == "size":
                line = c if one.upright else at
                heads = [shown(block.table.cells[r][n]) for n in block.named]
                names = heads if one.upright else list(block.column(c))
                name = folded(names[-1]) if names else ""
                found[line] = (*found.get(line, ()), (name, int(cell.number.value)))
    return found


def _rule(label: Label, cell: Cell) -> str:
    """Name the rule by which a cell is no claim: only where no metric is named."""
    if label.names_metric:
        return ""
    if label.noted or _COST.fullmatch(cell.text.strip()):
        return label.noted or "cost"
    whole = cell.number is not None and cell.number.step >= 1
    return "size" if label.statistic == "n" and whole else ""


def _spot(one: Understood, at: int, c: int, file: str) -> Spot:
    block = one.block
    table, r = block.table, block.rows[at]
    row = tuple(text for n in block.named if (text := shown(table.cells[r][n])))
    column = block.column(c)
    written = row[:1] if one.upright else column[-1:]
    return Spot(
        file=file,
        place=f"{table.name}, row “{' / '.join(row)}”, column “{' / '.join(column)}”",
        text=" / ".join((*row, *column) if one.upright else (*column, *row)),
        label=one.label(at, c).plus(notes.said_by((table.cells[r][c], table.caption))),
        folds=one.around.slice is not None,
        over=one.around.slice or "",
        table=table.name,
        title=" ".join(text for text in (table.title, table.caption.text) if text),
        at=(r - table.header, c),
        written=table.cells[r][c],
        written_label=" ".join(written),
        reference=table.label,
    )


def _headers(one: Understood, file: str) -> Iterator[Claim | Passed]:
    """Pass over the header's cells; one that holds a value is told, for nobody read it."""
    block = one.block
    for r in (*block.headers, *{above for some in block.sections for above in some}):
        row = block.table.cells[r]
        values = [parse(cell.text) for cell in row]
        decimal = [cell.number is not None and cell.number.step < 1 for cell in values]
        several = sum(decimal) > 1 and not block.rows
        for c, cell in enumerate(row):
            if says_value(cell.text) or (decimal[c] and (several or c in block.named)):
                spot = Spot(file, block.table.name, cell.text, Label(), written=cell)
                problem = "it stands in the header, where names are expected"
                yield replace(not_understood(spot, cell.text), problem=problem)
            else:
                yield Passed.of(cell, "name")


def _label_cell(one: Understood, at: int, c: int, file: str) -> Iterator[Claim | Passed]:
    """Pass over a name; a number where a name or a K is expected is nobody's name."""
    block = one.block
    cell = block.table.cells[block.rows[at]][c]
    role, said = block.role(c), parse(cell.text)
    value = bool(said.several) or (said.number is not None and said.number.step < 1)
    value = value or says_value(cell.text)
    if role == "parameter":
        fits = not value and not _parameter(block.column(c), shown(cell)).condition
        if fits or not cell.text.strip():
            yield Passed.of(cell, "parameter")
            return
        value = True
    if value and role != "condition":
        row, head = shown(block.table.cells[block.rows[at]][0]), " / ".join(block.column(c))
        place = f"{block.table.name}, row “{row}”, column “{head}”"
        spot = Spot(file, place, head or cell.text, Label(), table=block.table.name, written=cell)
        problem = f"a number in a column of names (“{head}”): it is read as no claim"
        yield replace(not_understood(spot, cell.text), problem=problem)
    else:
        yield Passed.of(cell, "parameter" if role in {"condition", *SLICES} else "name")
