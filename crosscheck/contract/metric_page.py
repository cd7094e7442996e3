"""One metric's page: its meanings, who says what, what was decided, an example worked out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.contract.page import Block, Bullets, Heading, Page, PageTable, Paragraph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.contract.contract import Contract
    from crosscheck.contract.model import Example, ExampleData, Metric

BETTER = {"higher": "higher is better", "lower": "lower is better", "neither": "no better or worse"}


def metric_page(contract: Contract, metric: Metric) -> Page:
    """Say everything that the contract knows about a metric."""
    return [
        Heading(1, f"{metric.id}: {metric.name}"),
        Paragraph(metric.definition),
        Paragraph(f"What it means: {metric.meaning}"),
        PageTable(("", ""), tuple(_facts(contract, metric)), code=()),
        *_titled("Its other meanings", _meanings(metric)),
        *_titled("What the documents say", _said(metric)),
        *_titled("Where they disagree", _settled(contract, metric)),
        *_titled("Edge cases", Bullets(metric.edges) if metric.edges else None),
        *_titled("Traps", _traps(contract, metric)),
        *libraries_page(contract, metric),
        *_worked(contract, metric),
    ]


def metric_entry(contract: Contract, metric: Metric, level: int) -> Page:
    """Say the same inside a page that shows conflicts, traps and example data by themselves."""
    facts = list(_facts(contract, metric))
    if metric.edges:
        facts.append(("edge cases", " ".join(metric.edges)))
    if metric.traps:
        facts.append(("traps", ", ".join(metric.traps)))
    tables = [_meanings(metric), _said(metric), _libraries(contract, metric)]
    page: Page = [
        Heading(level, f"{metric.id}: {metric.name}"),
        Paragraph(f"{metric.definition} What it means: {metric.meaning}"),
        PageTable(("", ""), tuple(facts), code=()),
        *(table for table in tables if table),
    ]
    example = contract.example(metric.id)
    if example:
        page.append(Paragraph(f"Example on the data “{example.data}”: {example.working}"))
        page.append(_answers(example))
    return page


def example_data(data: ExampleData) -> Page:
    """Show the data of a worked example."""
    rows = tuple(tuple(_cell(value) for value in row) for row in data.rows)
    page: Page = [PageTable(data.columns, rows, code=())]
    if data.settings:
        page.append(Paragraph(f"Settings: {_settings(data.settings)}."))
    return page


def _titled(title: str, block: Block | None) -> Iterator[Block]:
    if block:
        yield Heading(2, title)
        yield block


def _facts(contract: Contract, metric: Metric) -> Iterator[tuple[str, str]]:
    yield "formula", metric.formula
    yield "values", f"{metric.kind}, {contract.ranges[metric.range]}{_unit(metric)}"
    yield "direction", BETTER[metric.direction]
    yield "section", f"{metric.section}, {contract.sections[metric.section]}"
    for parameter in contract.notation.of(metric.id):
        if parameter.setting:
            between = " × " if parameter.values == "grid" else ", "
            values = between.join([*parameter.default, *parameter.always])
            yield parameter.symbol, f"{values} ({parameter.meaning})"
    yield from _owed(contract, metric)
    if metric.headline:
        at = f", at {', '.join(metric.headline.at)}" if metric.headline.at else ""
        yield "headline", f"{metric.population}{at}: these have intervals"
    elif len({p for name in metric.keys for p in contract.row_by_id[name].populations}) > 1:
        yield "population", f"{metric.population}, where none is named"
    if metric.target:
        yield "target", f"{metric.target} ({metric.target.source}); advisory"
    if metric.reference:
        (low, high), (good, best) = metric.reference.baseline, metric.reference.good
        at = f" at {metric.reference.at}" if metric.reference.at else ""
        yield "S1 7", f"baseline {low}–{high}, good {good}–{best}{at}"


def _unit(metric: Metric) -> str:
    word = "" if metric.unit.startswith("per") else "in "
    return f", {word}{metric.unit}" if metric.unit else ""


def _owed(contract: Contract, metric: Metric) -> Iterator[tuple[str, str]]:
    for name in metric.keys:
        row = contract.row_by_id[name]
        of = f" of {' and '.join(row.bounds)}" if row.bounds else ""
        where = f"on {', '.join(row.populations)}; for {', '.join(row.slices)}"
        yield f"owed ({name})", f"{', '.join(row.statistics)}{of}; {where}"


def _meanings(metric: Metric) -> PageTable | None:
    rows = tuple((f"{metric.id}/{v.id}", v.definition, v.formula) for v in metric.variants)
    return PageTable(("variant", "definition", "formula"), rows, code=(0, 2)) if rows else None


def _said(metric: Metric) -> PageTable:
    rows = tuple(
        (s.source, s.text, f"{metric.id}/{s.variant}" if s.variant else metric.id)
        for s in metric.says
    )
    return PageTable(("source", "says", "here"), rows, code=(2,))


def _settled(contract: Contract, metric: Metric) -> PageTable | None:
    conflicts = contract.conflicts_about(metric.id)
    rows = tuple((c.question, c.decision, c.reason) for c in conflicts)
    return PageTable(("question", "decided", "because"), rows, code=()) if rows else None


def _traps(contract: Contract, metric: Metric) -> Bullets | None:
    traps = [contract.trap_by_id[trap] for trap in metric.traps]
    items = tuple(f"{trap.id}: {trap.text}: {trap.effect}" for trap in traps)
    return Bullets(items) if items else None


def libraries_page(contract: Contract, metric: Metric) -> Iterator[Block]:
    """Say who else defines a metric, and how."""
    yield from _titled("Who defines it how", _libraries(contract, metric))


def _libraries(contract: Contract, metric: Metric) -> PageTable | None:
    rows = tuple(
        (measure.library, measure.shown, written, measure.meaning)
        for measure in contract.measures
        for written in measure.metrics
        if _names(contract, written, metric)
    )
    titles = ("library", "call", "compared with", "meaning")
    return PageTable(titles, rows, code=(1, 2)) if rows else None


def _names(contract: Contract, written: str, metric: Metric) -> bool:
    """Whether a template, or an id at one value, is the metric's."""
    found = contract.find(written)
    return written in metric.templates or (found is not None and found.metric == metric)


def _worked(contract: Contract, metric: Metric) -> Iterator[Block]:
    example = contract.example(metric.id)
    if example:
        yield Heading(2, "Worked example")
        yield from example_data(contract.data_of(example))
        yield Paragraph(example.working)
        yield _answers(example)


def _answers(example: Example) -> PageTable:
    return PageTable(("key", "answer"), tuple(example.answers.items()))


def _cell(value: object) -> str:
    return " ".join(_cell(entry) for entry in value) if isinstance(value, tuple) else str(value)


def _settings(value: object) -> str:
    if hasattr(value, "items"):
        return ", ".join(f"{name} = {_settings(entry)}" for name, entry in value.items())
    return " ".join(map(_settings, value)) if isinstance(value, tuple) else str(value)
