"""What has been read: the queries of a study, and what they suffice for (sections 1 and 2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

    from reference.settings import Settings

STATES = ("NEG", "UNCERTAIN", "POS")
SPLITS = ("EVAL", "TUNE", "TRAIN")

# What each family needs (section 1); `a|b` is one or the other.
LABEL = "has_evidence|gold"
DECISION = "pred|prob"
STATE = "prob and tau|state"
TUNE = "tune"
NEEDS: dict[str, tuple[str, ...]] = {
    "ranking": ("candidates", "gold"),
    "ties": ("candidates", "gold", "scores"),
    "pairs": ("candidates", "gold", "scores"),
    "curves": ("prob", LABEL),
    "calibration": ("prob", LABEL),
    "confusion": (DECISION, LABEL),
    "tuned": ("prob", LABEL, "fold", TUNE),
    "grid": ("prob", LABEL, "fold", TUNE),
    "dynamic_k": ("selected", "gold", DECISION),
    "k_bounds": ("selected", "gold", DECISION, "candidates"),
    "gamma": ("selected", "gold", DECISION, "candidates", "node_probs"),
    "deployment": ("selected", "gold", DECISION),
    "states": (STATE,),
    "per_post": ("post_id", "criterion_id", DECISION, LABEL),
    "per_criterion": ("criterion_id", LABEL),
    "state_slices": (STATE,),
    "has_evidence_slices": (LABEL,),
    "posts": ("post_id",),
}
KEYS = ("post_id", "criterion_id", "query_id", "fold", "split")
# Read whatever is asked for: the numbers of queries, which are always owed, come from these.
ALWAYS = (*KEYS, "gold", "has_evidence", "pred", "prob")
# The columns that decide a need beside those: scores put the candidates into their order.
COLUMNS = {STATE: ("state",), "candidates": ("candidates", "scores")}


def columns_for(families: Iterable[str]) -> set[str]:
    """Return the columns that are read for these families.

    None of their values depends on which other families are asked for.
    """
    needs = {need for family in families for need in NEEDS[family]}
    return {*ALWAYS, *(column for need in needs for column in COLUMNS.get(need, (need,)))}


def met(columns: Iterable[str], settings: Settings, *, tune: bool = False) -> frozenset[str]:
    """Return every need that these columns meet: themselves, and what follows from them."""
    known = set(columns)
    if known & {"has_evidence", "gold"}:
        known.add(LABEL)
    if known & {"pred", "prob"}:
        known.add(DECISION)
    if "state" in known or ("prob" in known and settings.tau_neg is not None):
        known.add(STATE)
    if tune:
        known.add(TUNE)
    return frozenset(known)


@dataclass(frozen=True, slots=True)
class Query:
    """One row: what the contract reads of it, in ranked order, and what follows from it.

    Scores and node probabilities are float64 whose shortest form is the decimal that is meant:
    two of them compare exactly as those decimals do. `prob` is the decimal itself.
    """

    row: int
    post: str | None = None
    criterion: str | None = None
    name: str | None = None
    fold: int | None = None
    label: int | None = None
    prob: Decimal | None = None
    pred: int | None = None
    state: str | None = None
    gold: frozenset[str] | None = None
    ranking: tuple[str, ...] = ()
    scores: tuple[float, ...] | None = None
    node_probs: tuple[float, ...] | None = None
    selected: frozenset[str] | None = None
    hits: tuple[int, ...] = ()

    @property
    def positive(self) -> bool:
        """|G| > 0; without gold, has_evidence = 1 (sections 1 and 2)."""
        return self.label == 1 if self.gold is None else bool(self.gold)

    @property
    def place(self) -> tuple[int, str | None, str | None, str | None, int | None]:
        """The first fields: where the row stands and which query it is."""
        return self.row, self.post, self.criterion, self.name, self.fold

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


def no_contradictions() -> dict[str, int]:
    """Start counting the EVAL rows whose column contradicts what follows from the others."""
    return {"has_evidence": 0, "state": 0, "pred": 0}


@dataclass(frozen=True)
class Study:
    """All that a file holds. Every number is over `queries`, the EVAL rows in file order."""

    settings: Settings
    queries: tuple[Query, ...]
    tune: tuple[Query, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    rows: dict[str, int] = field(default_factory=dict)
    dropped: int = 0
    contradictions: dict[str, int] = field(default_factory=no_contradictions)

    def has(self, family: str) -> bool:
        """Whether this family was asked for and the data suffices for it."""
        return family in self.settings.families and self.known.issuperset(NEEDS[family])

    @property
    def folds(self) -> list[int]:
        """The folds of the EVAL rows."""
        return sorted({query.fold for query in self.queries if query.fold is not None})

    @property
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
        if "state" in kinds and self.has("state_slices"):
            yield from _split("state", STATES, rows, [query.state for query in rows])
        if "has_evidence" in kinds and self.has("has_evidence_slices"):
            yield from _split("has_evidence", (0, 1), rows, [query.label for query in rows])
        if "view" in kinds and "criterion_id" in self.known:
            for name, criteria in self.settings.views.items():
                chosen = frozenset(criteria)
                yield f"view={escaped(name)}", [q for q in rows if q.criterion in chosen]


def _split(
    kind: str, parts: Sequence[Any], rows: Sequence[Query], where: Sequence[Any]
) -> Iterator[tuple[str, list[Query]]]:
    members: dict[Any, list[Query]] = {part: [] for part in parts}
    for query, part in zip(rows, where, strict=True):
        if part in members:
            members[part].append(query)
    for part in parts:
        yield f"{kind}={escaped(str(part))}", members[part]


def escaped(text: str) -> str:
    """Escape what would break a key (section 13)."""
    return text.replace("%", "%25").replace("|", "%7C")


def facts(study: Study) -> dict[str, Any]:
    """Answer `describe` (docs/interface.md, Facts)."""
    queries, known = study.queries, study.known
    missing = {
        family: [need for need in needs if need not in known]
        if family in study.settings.families
        else ["not asked for"]
        for family, needs in NEEDS.items()
    }
    return {
        "rows": {split: study.rows.get(split, 0) for split in SPLITS},
        "columns": study.columns,
        "families": sorted(family for family, lacks in missing.items() if not lacks),
        "missing": {family: lacks for family, lacks in missing.items() if lacks},
        "folds": study.folds,
        "criteria": study.criteria,
        "posts": len({(q.fold, q.post) for q in queries}) if study.has("posts") else None,
        "queries": {
            "all_queries": len(queries),
            "positives_only": sum(query.positive for query in queries),
            "has_evidence": sum(q.label or 0 for q in queries) if LABEL in known else None,
            "predicted_positive": sum(q.pred or 0 for q in queries) if DECISION in known else None,
        },
        "max_k": max(len(q.selected or ()) for q in queries) if "selected" in known else None,
        "queries_with_ties": sum(q.tied for q in queries) if "scores" in known else None,
        "gold_not_in_candidates": sum(len(q.gold or ()) - len(q.hits) for q in queries)
        if known >= {"candidates", "gold"}
        else 0,
        "dropped_queries": study.dropped,
        "contradictions": study.contradictions,
    }
