"""From the rows of a table to a `Study`, with every refusal of sections 1 and 14.

Exactness: a number is kept as the decimal that its shortest form shows (`values`). All problems of
a file are collected and reported together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from reference.errors import Problem
from reference.graded import EXPONENTIAL_MAX
from reference.reading import cells, ranked
from reference.reading.columns import CLASSES, READERS, VALUES
from reference.settings import HALF, Settings, at_fold, fold_problems, in_sample
from reference.states import gate
from reference.study import (
    FEW_CLASSES,
    KEYS,
    MOST_CLASSES,
    SMALL_GRADES,
    SPLITS,
    TUNE,
    TWO_CLASSES,
    Place,
    Query,
    Study,
    met,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from decimal import Decimal

    from reference.reading.columns import Columns

    Where = Callable[[int], tuple[str, int]]
    # A column that is read: its name, its place in a row, and what reads it.
    Wanted = tuple[str, int, Callable[[object], Any]]

MOST_PARTS = 10_000
# The families of the TUNE rows.
TUNED = {"tuned", "grid"}
# Columns of which many cells are alike; the queries of a post have the same candidates.
OFTEN = (*KEYS, "candidates", "gold", "selected", "has_evidence", "prob", "pred", "state")
# Lists that have a cell for each cell of another, and what to do where they have not.
ALIGNED = (
    ("scores", "candidates", "Give one for each candidate"),
    ("node_probs", "candidates", "Give one for each candidate"),
    ("grades", "gold", "Give one for each gold"),
)
# Lists that are part of another, which of the two is wrong where they are not, and what to do.
INSIDE = (
    ("selected", "candidates", "selected", "Select from the candidates"),
    ("gold", "judged", "judged", "List among judged whatever is gold"),
)


@dataclass
class Reader:
    """Collects the rows of a table and what is wrong with them.

    `where` tells in which file, and there in which row, a row of the table stands; `typed` files
    tell numbers from text.
    """

    file: str
    where: Where
    settings: Settings
    decided: Columns
    typed: bool = False
    problems: list[Problem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    queries: list[Query] = field(default_factory=list)
    tune: list[Query] = field(default_factory=list)
    seen: set[tuple[object, ...]] = field(default_factory=set)
    blocks: dict[str, set[tuple[str | None, int | None]]] = field(
        default_factory=lambda: {split: set() for split in SPLITS}
    )
    removed: int = 0
    tied32: int = 0
    contradictions: dict[str, int] = field(
        default_factory=lambda: {"has_evidence": 0, "state": 0, "pred": 0}
    )

    def __post_init__(self) -> None:
        """Say what each column is read by."""
        self.columns = self.decided.found
        self.readers = dict(READERS)
        positive = self.settings.positive
        of_two = cells.one_of_two if positive is None else cells.against_the_rest(positive)
        self.readers |= dict.fromkeys(self.decided.from_classes, of_two)
        if self.settings.dedupe:
            self.readers["candidates"] = cells.uids
        if self.typed:
            self.readers |= {n: cells.unquoted(READERS[n]) for n in ("prob", "score")}
        else:
            # Text says the same wherever it stands: what is there often is read once.
            self.readers |= {n: lru_cache(4096)(self.readers[n]) for n in OFTEN}
        self.by_row = not self.columns.keys() & {"post_id", "criterion_id", "query_id"}
        self.threshold = self.settings.threshold
        if self.threshold is None and "prob" in self.columns:
            self.threshold = HALF
        of_classes = self.decided.of_classes
        self.keys = self._wanted(KEYS)
        self.values = self._wanted(n for n in VALUES if n not in CLASSES or of_classes)
        self.classes = self._wanted(["label"] if of_classes else [])
        self.aligned = [pair for pair in ALIGNED if self.columns.keys() >= {*pair[:2]}]
        self.inside = [pair for pair in INSIDE if self.columns.keys() >= {*pair[:2]}]
        self.gate = self._wanted(("has_evidence", "prob", "score"))
        gold = [] if "has_evidence" in self.columns else self._wanted(["gold"])
        self.gate_or_gold = [*self.gate, *gold]
        # With two-valued labels `class_probs` are no matter of classes.
        lists = "class_probs" in self.columns and not self.decided.left
        if lists and self.settings.classes is None:
            what, column = "class_probs need the setting classes", self.columns["class_probs"]
            remedy = "Name the classes in the order of the probabilities: classes = […]"
            self.problems.append(Problem(what, remedy, self.file, column=column))

    def _wanted(self, names: Iterable[str]) -> list[Wanted]:
        """Return those of these columns that are there: where in a row, and what reads them."""
        at = {name: place for place, name in enumerate(self.columns)}
        return [(name, at[name], self.readers[name]) for name in names if name in at]

    def add(self, row: int, given: Sequence[object], parts: Sequence[object]) -> None:
        """Read one row, of its split only what the contract looks at."""
        found = self._cells(row, None, given, self.keys)
        split = found.get("split", "EVAL")
        place = Place(
            row,
            found.get("post_id"),
            found.get("criterion_id"),
            str(row) if self.by_row else found.get("query_id"),
            found.get("fold"),
            found.get("seed"),
        )
        self.blocks[split].add((place.seed, place.fold))
        key = place.key
        if not in_sample(key[0] if place.post is None else place.post, self.settings.sample):
            return
        self.counts[split] += 1
        identity = (split, place.seed, place.fold, *key)
        if identity in self.seen and any(key):
            seed = " and seed" if "seed" in self.columns else ""
            remedy = f"Keep one row per query and fold{seed} in split {split}"
            column = self.columns.get("query_id", self.columns.get("post_id"))
            self._problem(place, column, "the key is there twice", remedy)
        self.seen.add(identity)
        if split == "EVAL":
            self.queries.append(self._eval(place, given, parts))
        else:
            self._other(split, place, given)

    def _eval(self, place: Place, given: Sequence[object], parts: Sequence[object]) -> Query:
        found = self._cells(place.row, place, given, self.values)
        gold, label = found.get("gold"), found.get("has_evidence")
        if label is None and gold is not None:
            label = int(bool(gold))
        self._check_lists(place, found)
        if self.settings.classes is not None:
            self._check_classes(place, found, self.settings.classes)
        order = ranked.in_order(
            found.get("candidates", ()), found.get("scores"), found.get("node_probs")
        )
        if self.settings.dedupe:
            self.tied32 += ranked.float32_tied(order["scores"] or ())
            self.removed += ranked.once(order)
        judged = found.get("judged")
        golden = None if gold is None else frozenset(gold)
        graded = found.get("grades")
        grades = dict(zip(gold or (), graded, strict=False)) if graded else None
        if gold is not None and label is not None:
            self.contradictions["has_evidence"] += label != bool(gold)
        prob = found.get("prob")
        score = found.get("score", prob)
        return Query(
            place.row,
            place.post,
            place.criterion,
            place.name,
            place.fold,
            place.seed,
            self._parts(place, parts) if parts else (),
            label=label,
            prob=prob,
            score=score,
            pred=self._decision(score, place.fold, found.get("pred")),
            state=self._gate(prob, place.fold, found.get("state")),
            gold=golden,
            selected=frozenset(found["selected"]) if "selected" in found else None,
            truth=found.get("label"),
            predicted=found.get("predicted"),
            class_probs=found.get("class_probs", ()),
            **order,
            **ranked.marks(
                order["ranking"],
                golden or (),
                grades,
                None if judged is None else frozenset(judged),
            ),
        )

    def _parts(self, place: Place, given: Sequence[object]) -> tuple[str, ...]:
        found = []
        for column, cell in zip(self.settings.slices.values(), given, strict=True):
            try:
                found.append(cells.part(cell))
            except cells.BadCell as bad:
                self._problem(place, column, bad.what, bad.remedy)
                found.append("")
        return tuple(found)

    def _decision(self, score: Decimal | None, fold: int | None, given: int | None) -> int | None:
        """Use `pred` where present, else score ≥ operating threshold (section 1)."""
        threshold = None if self.threshold is None else at_fold(self.threshold, fold)
        if score is None or threshold is None:
            return given
        decision = int(score >= threshold)
        self.contradictions["pred"] += given is not None and given != decision
        return decision if given is None else given

    def _gate(self, prob: Decimal | None, fold: int | None, given: str | None) -> str | None:
        """Derive the state from the two τ where they are set, else use it as given (section 7)."""
        below, above = self.settings.tau_neg, self.settings.tau_pos
        if prob is None or below is None or above is None:
            return given
        low, high = at_fold(below, fold), at_fold(above, fold)
        if low is None or high is None:
            return given
        state = gate(prob, low, high)
        self.contradictions["state"] += given is not None and given != state
        return state

    def _other(self, split: str, place: Place, given: Sequence[object]) -> None:
        """Of TUNE and TRAIN rows only key, fold, label and score are read; TRAIN may lack them.

        Whether or not a family that is wanted makes use of them: prob and label are always read.
        """
        if self.classes:
            # Nothing follows from such a label, but what is no class is refused.
            self._cells(place.row, place, given, _filled(self.classes, given))
        if split == "TRAIN":
            self._cells(place.row, place, given, _filled(self.gate, given))
            return
        found = self._cells(place.row, place, given, self.gate_or_gold)
        label = found.get("has_evidence", int(bool(found.get("gold"))))
        prob = found.get("prob")
        score = found.get("score", prob)
        self.tune.append(Query(*place, label=label, prob=prob, score=score))

    def _cells(
        self, row: int, place: Place | None, given: Sequence[object], wanted: Iterable[Wanted]
    ) -> dict[str, Any]:
        found = {}
        for name, at, read in wanted:
            try:
                found[name] = read(given[at])
            except cells.BadCell as bad:
                query = _label(place) if place else None
                file, own = self.where(row)
                column = self.columns[name]
                self.problems.append(Problem(bad.what, bad.remedy, file, own, query, column))
        return found

    def _check_lists(self, place: Place, found: dict[str, Any]) -> None:
        """Check that the lists of one row belong together."""
        for name, whole, remedy in self.aligned:
            if name in found and whole in found and len(found[name]) != len(found[whole]):
                what = f"{len(found[name])} {name} for {len(found[whole])} {whole}"
                self._problem(place, self.columns[name], what, remedy)
        for name, inside, blamed, remedy in self.inside:
            stray = set(found.get(name, ()))
            if stray and inside in found and not stray.issubset(found[inside]):
                stray.difference_update(found[inside])
                what = f"{name} uid {cells.shown(min(stray))} is not among the {inside}"
                self._problem(place, self.columns[blamed], what, remedy)
        largest = self.settings.grade_max
        if largest is not None and max(found.get("grades", ()), default=0) > largest:
            what = f"found the grade {max(found['grades'])}, above grade_max {largest}"
            self._problem(place, self.columns["grades"], what, "Correct it, or raise grade_max")

    def _check_classes(self, place: Place, found: dict[str, Any], classes: Sequence[str]) -> None:
        """Check that a row holds to the classes that are set."""
        for name in ("label", "predicted"):
            if name in found and found[name] not in classes:
                what = f"found the class {cells.shown(found[name])}, which classes does not name"
                self._problem(place, self.columns[name], what, "Add it to classes, or correct it")
        if "class_probs" in found and len(found["class_probs"]) != len(classes):
            what = f"{len(found['class_probs'])} class_probs for {len(classes)} classes"
            self._problem(place, self.columns["class_probs"], what, "Give one for each class")

    def _problem(self, place: Place | Query, column: str | None, what: str, remedy: str) -> None:
        file, row = self.where(place.row)
        self.problems.append(Problem(what, remedy, file, row, _label(place), column))

    def check_whole(self) -> None:
        """Check what only shows when every row has been read."""
        if self.problems:
            return
        if not self.queries:
            what = "there is no EVAL row" + (" in the sample" if self.settings.sample > 1 else "")
            self.problems.append(Problem(what, "Every number is over EVAL rows", self.file))
        if self.study.has("per_post"):
            self._check_criteria()
        self._check_tune()
        for name, members in self.study.parts.items():
            if len(members) > MOST_PARTS:
                what = f"the slices {name} are {len(members)}, more than {MOST_PARTS}"
                remedy, column = "Declare a column with fewer values", self.settings.slices[name]
                self.problems.append(Problem(what, remedy, self.file, column=column))
        folds = sorted({query.fold for query in self.queries if query.fold is not None})
        if not self.decided.of_classes:
            self.problems.extend(fold_problems(self.settings, folds, self.file))

    def _check_tune(self) -> None:
        """Every fold of every seed has TUNE rows, or none has: for `tuned` and `grid` alone."""
        tuned = self.blocks["TUNE"]
        if not tuned or "fold" not in self.columns or TUNED.isdisjoint(self.settings.families):
            return
        for seed, fold in sorted(self.blocks["EVAL"] - tuned, key=str):
            where = f"fold {fold}" if seed is None else f"fold {fold} of seed {seed}"
            what = f"{where} has no TUNE rows, while another fold has"
            remedy = "Give every fold its TUNE rows, or none"
            self.problems.append(Problem(what, remedy, self.file, column=self.columns["fold"]))

    def _check_criteria(self) -> None:
        """Per post needs all criteria (section 8), and only per post does."""
        criteria = {query.criterion for query in self.queries}
        posts: dict[tuple[str | None, int | None, str | None], list[Query]] = defaultdict(list)
        for query in self.queries:
            posts[query.seed, query.fold, query.post].append(query)
        for (_, _, post), own in posts.items():
            # No key is there twice: a post with as many rows as there are criteria has them all.
            if len(own) == len(criteria):
                continue
            present = {query.criterion for query in own}
            lacking = ", ".join(sorted(str(c) for c in criteria - present))
            what = f"post {post} has no row for criterion {lacking}"
            remedy = "Give every EVAL post a row for every criterion"
            self._problem(own[0], self.columns["criterion_id"], what, remedy)

    @cached_property
    def study(self) -> Study:
        """What was read, put together once every row has been."""
        named = {name for query in self.queries for name in (query.truth, query.predicted) if name}
        classes = self.settings.classes or tuple(sorted(named))
        largest = max((query.ideal[0] for query in self.queries if query.ideal), default=1)
        grade_max = self.settings.grade_max or largest
        further = {
            TUNE: bool(self.tune),
            SMALL_GRADES: grade_max <= EXPONENTIAL_MAX,
            TWO_CLASSES: len(classes) > 1,
            FEW_CLASSES: len(classes) <= MOST_CLASSES,
        }
        # One class alone is no study of classes, whether or not the families wanted read it.
        read = "label" in self.columns
        alone = len(classes) == 1 if read else self.decided.one_class
        of_classes = self.decided.of_classes and (self.settings.task == "multiclass" or not alone)
        columns = self.columns.keys() | ({"query_id"} if self.by_row else set())
        if of_classes:
            columns -= {"gold", "has_evidence", "prob", "pred"}
        scored = bool(self.settings.dedupe) and columns >= {"candidates", "scores"}
        tied32 = {"float32_ties": self.tied32} if scored else {}
        return Study(
            self.settings,
            tuple(self.queries),
            tuple(self.tune),
            self.columns,
            met(columns, self.settings, **further),
            dict(self.counts),
            grade_max=grade_max,
            classes=classes if of_classes else (),
            of_classes=of_classes,
            largest_k=max((len(query.selected or ()) for query in self.queries), default=0),
            counted={
                "dropped_queries": 0,
                "missing_topics": 0,
                "duplicates_removed": self.removed,
                "key": "rows" if self.by_row else "columns",
                "contradictions": self.contradictions,
                **tied32,
            },
        )


def _filled(wanted: Iterable[Wanted], given: Sequence[object]) -> list[Wanted]:
    """Keep the columns of which a row has the cell."""
    return [column for column in wanted if given[column[1]] not in (None, "")]


def _label(place: Place | Query) -> str:
    return "/".join(place.key)
