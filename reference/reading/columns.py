"""Which column of a table is read as what, and which task it is (sections 1 and 14)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reference.errors import DataError, Problem
from reference.reading import cells
from reference.study import ALWAYS, KEYS, columns_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from reference.files import Source
    from reference.settings import Settings

READERS: dict[str, Callable[[object], Any]] = {
    "post_id": cells.identifier,
    "criterion_id": cells.identifier,
    "query_id": cells.identifier,
    "fold": cells.fold,
    "split": cells.split,
    "candidates": cells.texts,
    "scores": cells.numbers,
    "gold": cells.texts,
    "has_evidence": cells.label,
    "prob": cells.probability,
    "pred": cells.label,
    "state": cells.state,
    "selected": cells.texts,
    "node_probs": cells.probabilities,
    "grades": cells.grades,
    "judged": cells.texts,
    "label": cells.name,
    "predicted": cells.name,
    "class_probs": cells.class_probs,
    "seed": cells.seed,
    "score": cells.decimal,
}
VALUES = tuple(name for name in READERS if name not in KEYS)
# Whole numbers in these become their decimal text where the file has typed columns.
IDS = (
    "post_id", "criterion_id", "query_id", "seed", "candidates", "gold", "judged", "selected",
    "label", "predicted",
)  # fmt: skip
ALIASES: dict[str, tuple[str, ...]] = {
    "gold": (
        "gold_ids", "gold_evidence_ids", "gold_sent_uids", "relevant", "relevant_ids",
        "ground_truth_ids", "reference_contexts",
    ),
    "candidates": (
        "candidate_ids", "ranked_ids", "reranked_topk", "retrieved", "contexts",
        "retrieved_contexts", "ranking",
    ),
    "scores": ("reranker_scores", "refined_scores"),
    "has_evidence": ("gt_has_evidence", "has_evidence_gold"),
    "prob": ("ne_prob", "y_prob", "probability"),
    "pred": ("ne_pred",),
    "score": ("y_score", "decision_function", "logit"),
    "grades": ("relevance_grades",),
    "label": ("y_true", "target"),
    "predicted": ("y_pred",),
    "fold": ("fold_id",),
}  # fmt: skip
# These names mean a key where neither query_id nor post_id is there.
QUERY = ("qid", "question_id", "id")
# This one means candidates where nothing else does, else what was selected.
EITHER = "retrieved_ids"
# With two classes these are the columns of the gate; with several they are classes.
BINARY = {"label": "has_evidence", "predicted": "pred"}
CLASSES = ("label", "predicted", "class_probs")
# With these a file holds another task than classes.
GATE = ("has_evidence", "gold", "prob", "pred", "score", "candidates")


@dataclass
class Columns:
    """What was decided: contract name → column, and what is wrong with it.

    `from_classes` are the contract names that are read from two-valued columns of classes;
    `one_class` says that the EVAL rows name one class alone; `labels` are those of every row.
    """

    header: Sequence[str]
    settings: Settings
    file: str
    found: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    of_classes: bool = False
    left: set[str] = field(default_factory=set)
    from_classes: set[str] = field(default_factory=set)
    one_class: bool = False
    labels: set[str] = field(default_factory=set)

    @cached_property
    def wanted(self) -> set[str]:
        """The contract names that are read, where the file has them."""
        return columns_for(self.settings.families)

    def names(self, name: str) -> list[str]:
        """Return the columns that could be meant by a contract name: mapped, or by an alias."""
        mapped = self.settings.columns
        if name in mapped:
            return [mapped[name]] if mapped[name] in self.header else []
        known = [name, *ALIASES.get(name, ())]
        if name == "query_id" and not {"query_id", "post_id"} & {*self.header, *mapped}:
            known += QUERY
        free = [n for n in known if n in self.header and n not in mapped.values()]
        either = EITHER in self.header and EITHER not in mapped.values()
        if name == "candidates":
            return free or [EITHER] * either
        if name == "selected" and either and EITHER not in self.names("candidates"):
            free.append(EITHER)
        return free

    def take(self, name: str, *others: str) -> None:
        """Read a contract name from the one column that is meant, by it or by other names."""
        names = [column for each in (name, *others) for column in self.names(each)]
        if name in self.settings.columns and not names:
            column = self.settings.columns[name]
            what = f"there is no column {column!r} to read {name} from"
            self.say(what, f"The columns are {', '.join(self.header)}", column)
        if len(names) > 1:
            what = f"columns {' and '.join(names)} could both be {name}"
            self.say(what, f"Say which one in the config: [columns] {name} = …", name)
        if names:
            self.found[name] = names[0]
            if names[0] in (column for each in others for column in self.names(each)):
                self.from_classes.add(name)

    def say(self, what: str, remedy: str, column: str | None = None) -> None:
        """Note a problem."""
        self.problems.append(Problem(what, remedy, self.file, column=column))


def decide(table: Source, settings: Settings, file: str) -> Columns:
    """Decide which column is read as what; raise `DataError` where that cannot be told."""
    columns = Columns(table.header, settings, file)
    _check_names(columns)
    binary = _task(columns, table)
    wanted = columns.wanted - columns.left
    if columns.of_classes:
        wanted &= {*ALWAYS, *CLASSES}
    for name in (name for name in READERS if name in wanted):
        columns.take(name, *(other for other in binary if BINARY[other] == name))
    if "prob" in columns.found:
        columns.found.pop("score", None)
    for name, column in settings.slices.items():
        if column not in table.header:
            what = f"there is no column {column!r} for the slices {name}"
            columns.say(what, f"The columns are {', '.join(table.header)}", column)
    _check_key(columns)
    if not any(columns.names(name) for name in READERS) and not settings.slices:
        names = ", ".join(table.header)
        columns.say(
            "no column is known", f"Name the columns, or map them; there is {names or 'none'}"
        )
    if columns.problems:
        raise DataError(columns.problems)
    return columns


def _check_names(columns: Columns) -> None:
    """Refuse names that are there twice, and mappings of names that the contract does not know."""
    for name, count in Counter(columns.header).items():
        if count > 1:
            columns.say(f"two columns are called {name!r}", "Rename one of them", name)
    for name in sorted(columns.settings.columns.keys() - READERS.keys()):
        columns.say(f"{name!r} cannot be mapped", f"Known names are {', '.join(READERS)}")
    if columns.problems:
        raise DataError(columns.problems)


def _task(columns: Columns, table: Source) -> list[str]:
    """Find out whether labels are classes (section 14); return which are columns of the gate.

    Classes of a file whose task is another are left.
    """
    settings = columns.settings
    there = {name: columns.names(name) for name in BINARY}
    present = [name for name, names in there.items() if names]
    columns.of_classes = settings.task == "multiclass"
    if columns.of_classes:
        return []
    two, strange = _values(columns, table, there) if present else (False, [])
    if settings.positive is not None:
        if settings.positive not in columns.labels:
            named = f"no row has the class {settings.positive!r}, which is set as positive"
            what = named if there["label"] else "positive is set, but there is no label"
            columns.say(what, "Name a class of the column label", next(iter(there["label"]), None))
        columns.problems.extend(strange)
        columns.left = set(present)
        return present
    if settings.classes is None and not strange and two:
        columns.left = set(present)
        return present
    if settings.task == "binary":
        columns.left = set(CLASSES)
    elif len(present) == len(BINARY):
        columns.of_classes = True
        gate = _gate(columns)
        if gate:
            every = " and ".join(name for names in there.values() for name in names)
            what = f"the file holds two tasks: classes in {every}, and {gate}"
            remedy = 'Say which one: task = "binary" or task = "multiclass"'
            columns.say(what, remedy, there["label"][0])
    if not (columns.of_classes and "label" in columns.wanted):  # else it shows as the rows are read
        columns.problems.extend(strange)
    return []


def _gate(columns: Columns) -> str:
    """Name the columns of another task, if the file holds one: a decision, or a ranking.

    What is not read counts as absent.
    """
    there = {name: columns.names(name) if name in columns.wanted else [] for name in GATE}
    label = [*there["has_evidence"], *there["gold"]]
    decision = [*there["prob"], *there["pred"], *there["score"]]
    ranking = [there["gold"], there["candidates"]]
    if label and decision:
        return f"{label[0]} with {decision[0]}"
    return " with ".join(names[0] for names in ranking) if all(ranking) else ""


def _values(
    columns: Columns, table: Source, there: Mapping[str, Sequence[str]]
) -> tuple[bool, list[Problem]]:
    """Tell whether labels are two-valued, and what is no label; an empty cell is neither.

    Of rows that are not EVAL the label is read, but nothing that was predicted.
    """
    names = [name for each in there.values() for name in each]
    split = columns.names("split")[:1]
    of_eval = len(names) - len(there["predicted"])
    every, of_classes, strange = set(), set(), []
    for row, given in enumerate(table.rows([*names, *split], names), 1):
        is_eval = _is_eval(given[len(names) :])
        read = len(names) if is_eval else of_eval
        for place, (column, cell) in enumerate(zip(names[:read], given, strict=False)):
            if cell in (None, ""):
                continue
            try:
                every.add(cells.two_valued(cell))
                named = cells.name(cell)
            except cells.BadCell as bad:
                file, own = table.where(row)
                strange.append(Problem(bad.what, bad.remedy, file, own, column=column))
                continue
            if is_eval:
                of_classes.add(named)
            if place < len(there["label"]):
                columns.labels.add(named)
    columns.one_class = len(of_classes) == 1
    return bool(every) and None not in every, strange


def _is_eval(given: Sequence[object]) -> bool:
    """Whether a row is EVAL; that a split is unknown is said where rows are read."""
    return not given or cells.SPLITS.get("" if given[0] is None else str(given[0])) == "EVAL"


def _check_key(columns: Columns) -> None:
    """Ask for a whole key, or none: then the row's number stands for it."""
    found = columns.found
    if columns.problems or found.keys() >= {"post_id", "criterion_id"} or "query_id" in found:
        return
    missing = [name for name in ("post_id", "criterion_id") if name not in found]
    if len(missing) == 1:
        what = f"the key column {missing[0]} is missing"
        names = ", ".join(columns.header)
        remedy = f"Give post_id and criterion_id, or query_id; the columns are {names}"
        columns.say(what, remedy, missing[0])
