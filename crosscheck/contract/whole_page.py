"""The whole contract as a page: in short for the terminal, in full for docs/contract.md."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from crosscheck.contract.metric_page import example_data, metric_entry
from crosscheck.contract.page import Block, Bullets, Heading, Page, PageTable, Paragraph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.contract.contract import Contract
    from crosscheck.contract.model import AmbiguousName, Metric

INTRODUCTION = (
    "Five documents define the study’s metrics, and contradict each other. This page settles one "
    "meaning for every metric, keeps every other meaning as a named variant, and lists the traps. "
    "A number’s name is its key: metric|population|slice|statistic."
)


def whole_page(contract: Contract, *, full: bool) -> Page:
    """Show the contract; `full` adds every metric's own page."""
    return [
        Heading(1, "The contract"),
        Paragraph(INTRODUCTION),
        *_documents(contract),
        *_metrics(contract, full=full),
        *_words(contract),
        *_keys(contract),
        *_checks(contract),
        *_data(contract),
        *_conflicts(contract),
        *_traps(contract),
        *_names(contract),
        *_decisions(contract),
        *(_examples(contract) if full else ()),
    ]


def _documents(contract: Contract) -> Iterator[Block]:
    yield Heading(2, "The documents")
    rows = tuple(
        (d.label, d.title, d.dated or "undated", d.calls_itself, d.file) for d in contract.documents
    )
    yield PageTable(("label", "title", "dated", "calls itself", "file"), rows)
    yield Paragraph(f"Precedence: {contract.precedence.text}")
    yield Bullets(contract.precedence.exceptions)


def _metrics(contract: Contract, *, full: bool) -> Iterator[Block]:
    yield Heading(2, "The metrics")
    for section, members in groupby(contract.metrics, key=lambda metric: metric.section):
        metrics = list(members)
        yield Heading(3, f"Section {section}: {contract.sections[section]}")
        yield PageTable(("metric", "definition", "sources"), tuple(_overview(metrics)))
        if full:
            for metric in metrics:
                yield from metric_entry(contract, metric, level=4)


def _overview(metrics: list[Metric]) -> Iterator[tuple[str, str, str]]:
    for metric in metrics:
        if metric.bare:
            yield metric.id, metric.definition, ", ".join(metric.sources())
        for variant in metric.variants:
            sources = ", ".join(metric.sources(variant.id))
            yield f"{metric.id}/{variant.id}", variant.definition, sources


def _words(contract: Contract) -> Iterator[Block]:
    yield Heading(2, "Parameters, populations, slices, statistics")
    parameters = tuple(
        (
            p.written,
            p.people,
            p.setting or "–",
            "; ".join([*p.default, *p.always]) or "–",
            p.meaning,
        )
        for p in contract.parameters
    )
    yield PageTable(("parameter", "called", "setting", "values", "meaning"), parameters)
    yield PageTable(("population", "meaning"), tuple((p.id, p.text) for p in contract.populations))
    yield PageTable(
        ("slice", "meaning"), tuple((part.id, part.meaning) for part in contract.slices)
    )
    statistics = tuple((s.id, s.meaning, s.source) for s in contract.statistics)
    yield PageTable(("statistic", "meaning", "source"), statistics)


def _keys(contract: Contract) -> Iterator[Block]:
    yield Heading(2, "The keys owed (section 13)")
    rows = tuple(
        (
            row.id,
            " ".join(row.needs) or "–",
            " ".join(row.populations),
            " ".join(row.slices),
            " ".join(row.statistics),
        )
        for row in contract.rows
    )
    yield PageTable(("row", "needs", "populations", "slices", "statistics"), rows)
    rules = contract.intervals
    yield Paragraph(
        f"Over folds, every mean or value that is neither an integer nor a threshold also has "
        f"{', '.join(rules.folds)} on slice folds. Intervals are owed for headline metrics on "
        f"{', '.join(rules.slices)}: {' and '.join(rules.statistics)} by "
        f"{' and '.join(rules.units)}, {' and '.join(rules.methods)}."
    )


def _checks(contract: Contract) -> Iterator[Block]:
    yield Heading(2, "What must hold (sections 11.2 and 11.4)")
    rows = tuple(
        (i.id, i.kind, i.text, i.condition.replace("_", " ") or "always", i.section)
        for i in contract.identities
    )
    yield PageTable(("identity", "kind", "says", "holds", "section"), rows)
    yield Heading(2, "Targets (advisory) and S1’s ranges")
    targets = tuple((name, str(t), t.source) for name, t in contract.targets.items())
    yield PageTable(("metric", "target", "source"), targets)
    ranges = tuple(
        (name, f"{r.baseline[0]}–{r.baseline[1]}", f"{r.good[0]}–{r.good[1]}")
        for name, r in contract.reference_ranges.items()
    )
    yield PageTable(("metric", "baseline", "good"), ranges)
    yield Heading(2, "S3’s checklist")
    items = tuple((c.text, c.seen or "cannot be seen from data") for c in contract.checklist)
    yield PageTable(("item", "answered by"), items, code=())


def _data(contract: Contract) -> Iterator[Block]:
    yield Heading(2, "Columns, splits, families")
    columns = tuple(
        (c.name, c.type, c.meaning, ", ".join(c.aliases) or "–") for c in contract.columns
    )
    yield PageTable(("column", "type", "meaning", "also called"), columns, code=(0, 3))
    splits = tuple(
        (s.name, ", ".join(name or "(empty)" for name in s.also) or "–", s.meaning)
        for s in contract.splits
    )
    yield PageTable(("split", "also called", "meaning"), splits)
    families = tuple(
        (f.id, f.name, "; ".join(need.replace("|", " or ") for need in f.needs))
        for f in contract.families
    )
    yield PageTable(("family", "numbers", "needs"), families)
    profile = contract.profile
    yield Paragraph(
        f"The study’s profile: {profile.posts:,} posts × {len(profile.criteria)} criteria = "
        f"{profile.queries:,} queries, {profile.with_evidence:,} with evidence, "
        f"{profile.without_evidence:,} without; folds of "
        f"{', '.join(map(str, profile.posts_per_fold))} posts; mean candidates a query within "
        f"{profile.mean_candidates[0]}–{profile.mean_candidates[1]}; view dsm5 has "
        f"{profile.view_queries['dsm5']:,} queries."
    )


def _conflicts(contract: Contract) -> Iterator[Block]:
    yield Heading(2, "Where the documents disagree")
    for conflict in contract.conflicts:
        yield Heading(3, conflict.question)
        yield PageTable(("source", "says"), contract.positions(conflict), code=())
        yield Paragraph(f"Decided: {conflict.decision} {conflict.reason}")


def _traps(contract: Contract) -> Iterator[Block]:
    yield Heading(2, "Traps")
    yield PageTable(
        ("id", "trap", "what it does"), tuple((t.id, t.text, t.effect) for t in contract.traps)
    )


def _names(contract: Contract) -> Iterator[Block]:
    yield Heading(2, "Names as people write them")
    names = tuple((n.metric, ", ".join(n.written)) for n in contract.names)
    yield PageTable(("metric", "also written"), names)
    ambiguous = tuple(
        (
            ", ".join(f"{w}{_taken(contract, a)}" for w in a.written),
            ", ".join(a.metrics),
            a.why,
        )
        for a in contract.ambiguous_names
    )
    yield PageTable(("ambiguous", "could mean", "because"), ambiguous, code=(1,))


def _taken(contract: Contract, name: AmbiguousName) -> str:
    return "".join(one.written for one in contract.notation.of(name.metrics[0]))


def _decisions(contract: Contract) -> Iterator[Block]:
    yield Heading(2, "Decisions where the contract was silent")
    rows = tuple((d.section, d.question, d.decision, d.reason) for d in contract.decisions)
    yield PageTable(("section", "question", "decided", "because"), rows, code=())


def _examples(contract: Contract) -> Iterator[Block]:
    yield Heading(2, "The data of the worked examples")
    for data in contract.example_data:
        yield Heading(3, data.id)
        yield from example_data(data)
