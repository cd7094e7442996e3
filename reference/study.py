"""What has been read: the queries of a study, and what they suffice for (sections 1, 2, 14)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

    from reference.ranking import Shape
    from reference.settings import Settings

    Block = tuple[str | None, int | None]

STATES = ("NEG", "UNCERTAIN", "POS")
SPLITS = ("EVAL", "TUNE", "TRAIN")

# What each family needs (section 1); `a|b` is one or the other.
LABEL = "has_evidence|gold"
SCORE = "prob|score"
DECISION = "pred|prob|score and threshold"
STATE = "prob and tau|state"
TUNE = "tune"
PARTS = "criterion_id|slices"
SMALL_GRADES = "grade_max of at most 30"
TWO_CLASSES = "two classes or more"
FEW_CLASSES = "at most 100 classes"
MOST_CLASSES = 100
NEEDS: dict[str, tuple[str, ...]] = {
    "ranking": ("candidates", "gold"),
    "ties": ("candidates", "gold", "scores"),
    "pairs": ("candidates", "gold", "scores"),
    "curves": (SCORE, LABEL),
    "calibration": ("prob", LABEL),
    "confusion": (DECISION, LABEL),
    "tuned": (SCORE, LABEL, "fold", TUNE),
    "grid": ("prob", LABEL, "fold", TUNE),
    "dynamic_k": ("selected", "gold", DECISION),
    "k_bounds": ("selected", "gold", DECISION, "candidates"),
    "gamma": ("selected", "gold", DECISION, "candidates", "node_probs"),
    "deployment": ("selected", "gold", DECISION),
    "states": (STATE,),
    "graded": ("candidates", "gold", "grades"),
    "exponential": ("candidates", "gold", "grades", SMALL_GRADES),
    "judged": ("candidates", "gold", "judged"),
    "classes": ("label", "predicted", TWO_CLASSES),
    "class_probs": ("label", "predicted", TWO_CLASSES, "class_probs"),
    "confusion_matrix": ("label", "predicted", TWO_CLASSES, FEW_CLASSES),
    "per_post": ("post_id", "criterion_id", DECISION, LABEL),
    "per_criterion": (PARTS, LABEL),
    "state_slices": (STATE,),
    "has_evidence_slices": (LABEL,),
    "posts": ("post_id",),
}
KEYS = ("post_id", "criterion_id", "query_id", "seed", "fold", "split")
# Read whatever is asked for: the numbers of queries, which are always owed, come from these.
ALWAYS = (*KEYS, "gold", "has_evidence", "pred", "prob")
# The columns that decide a need beside those: scores put the candidates into their order.
COLUMNS = {
    STATE: ("state",),
    SCORE: ("score",),
    DECISION: ("score",),
    "candidates": ("candidates", "scores"),
}


def columns_for(families: Iterable[str]) -> set[str]:
    """Return the columns that are read for these families.

    None of their values depends on which other families are asked for.
    """
    needs = {need for family in families for need in NEEDS[family]}
    return {*ALWAYS, *(column for need in needs for column in COLUMNS.get(need, (need,)))}


def met(columns: Iterable[str], settings: Settings, **further: bool) -> frozenset[str]:
    """Return every need that these columns meet: themselves, and what follows from them.

    `further` are needs that the rows meet, or do not.
    """
    known = {*columns, *(need for need, holds in further.items() if holds)}
    if known & {"has_evidence", "gold"}:
        known.add(LABEL)
    if known & {"prob", "score"}:
        known.add(SCORE)
    if known & {"pred", "prob"} or ("score" in known and settings.threshold is not None):
        known.add(DECISION)
    if "state" in known or ("prob" in known and settings.tau_neg is not None):
        known.add(STATE)
    if "criterion_id" in known or settings.slices:
        known.add(PARTS)
    return frozenset(known)


class Place(NamedTuple):
    """Where a row stands, and the ids, fold and seed that tell it from the others."""

    row: int
    post: str | None = None
    criterion: str | None = None
    name: str | None = None
    fold: int | None = None
    seed: str | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The ids that name this query."""
        if self.post is not None and self.criterion is not None:
            return (self.post, self.criterion)
        return (self.name or "",)


@dataclass(slots=True)  # never changed; frozen, it would take five times as long to make
class Query:
    """One row: what the contract reads of it, in ranked order, and what follows from it.

    Scores and node probabilities are float64 whose shortest form is the decimal that is meant:
    two of them compare exactly as those decimals do. `prob` is the decimal itself, and so is
    `score`, which the curves use: prob or, where there is none, the column of that name.
    """

    row: int
    post: str | None = None
    criterion: str | None = None
    name: str | None = None
    fold: int | None = None
    seed: str | None = None
    # Its values of the declared slices, in their order.
    parts: tuple[str, ...] = ()
    label: int | None = None
    prob: Decimal | None = None
    score: Decimal | None = None
    pred: int | None = None
    state: str | None = None
    gold: frozenset[str] | None = None
    ranking: tuple[str, ...] = ()
    scores: tuple[float, ...] | None = None
    node_probs: tuple[float, ...] | None = None
    selected: frozenset[str] | None = None
    hits: tuple[int, ...] = ()
    # Section 14: (rank, grade) of R ∩ G*; every grade of G*, descending; the ranks of what was
    # judged; how much of the query was judged and is no gold, None where judgements are unknown.
    grades: tuple[tuple[int, int], ...] = ()
    ideal: tuple[int, ...] = ()
    judged: tuple[int, ...] = ()
    nonrelevant: int | None = None
    # Section 17: two classes, and a probability for each class.
    truth: str | None = None
    predicted: str | None = None
    class_probs: tuple[Decimal, ...] = ()

    # |G| > 0; without gold, has_evidence = 1 (sections 1 and 2).
    positive: bool = field(init=False)
    # |selected ∩ G|.
    found: int = field(init=False)
    # What the metrics of rankings look at, once it was asked for (`ranking.shape`).
    shape: Shape | None = field(default=None, init=False)
    # Nothing is gold, graded or judged: every metric of the ranking is 0.
    blank: bool = field(init=False)

    def __post_init__(self) -> None:
        """Say once what many measures ask."""
        self.blank = not (self.gold or self.ideal or self.judged)
        self.positive = self.label == 1 if self.gold is None else bool(self.gold)
        self.found = len(self.selected & self.gold) if self.selected and self.gold else 0

    @property
    def key(self) -> tuple[str, ...]:
        """The ids that name this query."""
        if self.post is not None and self.criterion is not None:
            return (self.post, self.criterion)
        return (self.name or "",)

    @property
    def tied(self) -> bool:
        """Whether two candidates have the same score."""
        return self.scores is not None and len(set(self.scores)) < len(self.scores)


@dataclass(frozen=True)
class Study:
    """All that a file holds. Every number is over `queries`, the EVAL rows in file order."""

    settings: Settings
    queries: tuple[Query, ...]
    tune: tuple[Query, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    rows: dict[str, int] = field(default_factory=dict)
    grade_max: int | None = None
    classes: tuple[str, ...] = ()
    of_classes: bool = False
    largest_k: int = 0
    # What only the facts tell: `dropped_queries`, `contradictions` and the like.
    counted: dict[str, Any] = field(default_factory=dict)
    # What was worked out last, by what was asked: one reading serves several questions.
    kept: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def has(self, family: str) -> bool:
        """Whether this family was asked for and the data suffices for it."""
        return family in self.settings.families and self.known.issuperset(NEEDS[family])

    @cached_property
    def folds(self) -> list[int]:
        """The folds of the EVAL rows."""
        return sorted({query.fold for query in self.queries if query.fold is not None})

    @cached_property
    def seeds(self) -> list[str]:
        """The seeds of the EVAL rows."""
        return sorted({query.seed for query in self.queries if query.seed is not None})

    def of_seed(self, seed: str) -> Study:
        """Return one repetition: what is one for all seeds, such as the classes, stays."""
        own, tune = ([q for q in rows if q.seed == seed] for rows in (self.queries, self.tune))
        return replace(self, queries=tuple(own), tune=tuple(tune))

    @cached_property
    def by_identity(self) -> dict[tuple[Any, ...], Query]:
        """The EVAL rows by what tells them apart: seed, fold and ids."""
        return {(query.seed, query.fold, *query.key): query for query in self.queries}

    @cached_property
    def units(self) -> dict[str, list[int]]:
        """The unit of each query, numbered in the order of first rows: by post, by query.

        With seeds, a unit is the same post, or the same query, in every seed and fold.
        """
        seeded = bool(self.seeds)
        queries = [q.key if seeded else place for place, q in enumerate(self.queries)]
        found = {"query": _numbered(queries)}
        if self.has("posts"):
            posts = [q.post if seeded else (q.fold, q.post) for q in self.queries]
            found = {"post": _numbered(posts), **found}
        if len(self.seeds) > 1:
            found["seed"] = found.get("post", found["query"])
        return found

    @cached_property
    def tune_blocks(self) -> dict[Block, list[Query]]:
        """The TUNE rows of every fold, within a seed."""
        return in_blocks(self.tune)

    @cached_property
    def parts(self) -> dict[str, list[str]]:
        """The values of every declared slice among the EVAL rows (section 18)."""
        return {
            name: sorted({query.parts[place] for query in self.queries})
            for place, name in enumerate(self.settings.slices)
        }

    @cached_property
    def criteria(self) -> list[str]:
        """The criteria of the EVAL rows."""
        return sorted({q.criterion for q in self.queries if q.criterion is not None})

    def slices(
        self, kinds: Sequence[str], rows: Sequence[Query]
    ) -> Iterator[tuple[str, list[Query]]]:
        """Yield `all`, then every slice of the kinds asked for, with its rows (section 2)."""
        yield "all", list(rows)
        if "fold" in kinds:
            yield from _split("fold", self.folds, rows, [query.fold for query in rows])
        if "criterion" in kinds:
            ids = [query.criterion for query in rows]
            yield from _split("criterion", self.criteria, rows, ids)
        if "criterion" in kinds or "declared" in kinds:
            for place, (name, members) in enumerate(self.parts.items()):
                yield from _split(name, members, rows, [query.parts[place] for query in rows])
        if "state" in kinds and self.has("state_slices"):
            yield from _split("state", STATES, rows, [query.state for query in rows])
        if "has_evidence" in kinds and self.has("has_evidence_slices"):
            yield from _split("has_evidence", (0, 1), rows, [query.label for query in rows])
        if "view" in kinds and "criterion_id" in self.known:
            for name, criteria in self.settings.views.items():
                chosen = frozenset(criteria)
                yield f"view={escaped(name)}", [q for q in rows if q.criterion in chosen]


def _numbered(names: Sequence[object]) -> list[int]:
    numbers: dict[object, int] = {}
    return [numbers.setdefault(name, len(numbers)) for name in names]


def in_blocks(rows: Iterable[Query]) -> dict[Block, list[Query]]:
    """Part rows by seed and fold."""
    blocks: dict[Block, list[Query]] = {}
    for query in rows:
        blocks.setdefault((query.seed, query.fold), []).append(query)
    return blocks


def _split(
    kind: str, parts: Sequence[Any], rows: Sequence[Query], where: Sequence[Any]
) -> Iterator[tuple[str, list[Query]]]:
    members: dict[Any, list[Query]] = defaultdict(list)
    for query, part in zip(rows, where, strict=True):
        members[part].append(query)
    for part in parts:
        yield f"{kind}={escaped(str(part))}", members[part]


def escaped(text: str) -> str:
    """Escape what would break a key (section 13)."""
    return text.replace("%", "%25").replace("|", "%7C")
