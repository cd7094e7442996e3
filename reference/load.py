"""From a file to a `Study`: columns, rows, and every refusal of section 1.

Exactness: a number is kept as the decimal that its shortest form shows (`values`). All problems of
a file are collected and reported together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference import cells, trec
from reference.errors import DataError, Problem, SettingsError
from reference.files import source, unreadable
from reference.settings import Settings, at_fold, fold_problems, in_sample, read
from reference.states import gate
from reference.study import KEYS, SPLITS, Query, Study, columns_for, met, no_contradictions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from decimal import Decimal

ALIASES: dict[str, tuple[str, ...]] = {
    "gold": ("gold_ids", "gold_evidence_ids", "gold_sent_uids"),
    "candidates": ("candidate_ids", "ranked_ids", "reranked_topk"),
    "scores": ("reranker_scores", "refined_scores"),
    "has_evidence": ("gt_has_evidence", "has_evidence_gold"),
    "prob": ("ne_prob",),
    "pred": ("ne_pred",),
    "selected": ("retrieved_ids",),
    "fold": ("fold_id",),
}
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
}
VALUES = tuple(name for name in READERS if name not in KEYS)
IDS = ("post_id", "criterion_id", "query_id", "candidates", "gold", "selected")


def load(data: object, settings: Mapping[str, Any] | None) -> Study:
    """Read a file, or TREC's two, into a study; raise `InputError` with every problem.

    What was read before is given back as it is: one reading serves several questions.
    """
    if isinstance(data, Study):
        if settings is not None:
            what = "settings are given for data that were read under settings of their own"
            raise SettingsError([Problem(what, "Read the data again, or leave the settings out")])
        return data
    chosen = read(settings)
    if isinstance(data, Mapping):
        return trec.read(data, chosen)
    if isinstance(data, str | Path):
        return _read_table(Path(data), chosen)
    what = f"data is {type(data).__name__}"
    raise SettingsError([Problem(what, "Give a path, or a mapping with qrels and run")])


def _read_table(path: Path, settings: Settings) -> Study:
    table = source(path)
    columns = _columns(table.header, settings, str(path))
    reader = _Reader(str(path), settings, columns)
    ids = [columns[name] for name in IDS if name in columns]
    names, places = list(columns), list(columns.values())
    row = 0
    for row, values in enumerate(table.rows(places, ids), 1):
        reader.add(row, dict(zip(names, values, strict=True)))
    if not row:
        raise unreadable(path, "has no data rows")
    reader.check_whole()
    if reader.problems:
        raise DataError(reader.problems)
    return reader.study()


def _columns(header: Sequence[str], settings: Settings, file: str) -> dict[str, str]:
    """Decide which column is read as what: the mapping, else the name itself or an alias."""
    mapped = settings.columns
    problems = [
        Problem(f"two columns are called {name!r}", "Rename one of them", file, column=name)
        for name, count in Counter(header).items()
        if count > 1
    ]
    columns: dict[str, str] = {}
    for name in sorted(mapped.keys() - READERS.keys()):
        known = ", ".join(READERS)
        problems.append(Problem(f"{name!r} cannot be mapped", f"Known names are {known}", file))
    wanted = columns_for(settings.families)
    for name in (name for name in READERS if name in wanted):
        if name in mapped:
            found = [mapped[name]] if mapped[name] in header else []
            if not found:
                what = f"there is no column {mapped[name]!r} to read {name} from"
                remedy = f"The columns are {', '.join(header)}"
                problems.append(Problem(what, remedy, file, column=mapped[name]))
        else:
            names = (name, *ALIASES.get(name, ()))
            found = [n for n in names if n in header and n not in mapped.values()]
        if len(found) > 1:
            what = f"columns {' and '.join(found)} could both be {name}"
            remedy = f"Say which one in the config: [columns] {name} = …"
            problems.append(Problem(what, remedy, file, column=name))
        if found:
            columns[name] = found[0]
    if not problems and not (
        columns.keys() >= {"post_id", "criterion_id"} or "query_id" in columns
    ):
        missing = [name for name in ("post_id", "criterion_id") if name not in columns]
        what = f"the key column {' and '.join(missing)} is missing"
        remedy = f"Give post_id and criterion_id, or query_id; the columns are {', '.join(header)}"
        problems.append(Problem(what, remedy, file, column=missing[0]))
    if problems:
        raise DataError(problems)
    return columns


@dataclass
class _Reader:
    """Collects the rows of one file and what is wrong with them."""

    file: str
    settings: Settings
    columns: dict[str, str]
    problems: list[Problem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    queries: list[Query] = field(default_factory=list)
    tune: list[Query] = field(default_factory=list)
    seen: set[tuple[object, ...]] = field(default_factory=set)
    folds: dict[str, set[int]] = field(default_factory=lambda: {split: set() for split in SPLITS})
    contradictions: dict[str, int] = field(default_factory=no_contradictions)

    def add(self, row: int, given: dict[str, object]) -> None:
        """Read one row, of its split only what the contract looks at."""
        found = self._cells(row, None, given, KEYS)
        split = found.get("split", "EVAL")
        query = Query(
            row,
            found.get("post_id"),
            found.get("criterion_id"),
            found.get("query_id"),
            found.get("fold"),
        )
        if query.fold is not None:
            self.folds[split].add(query.fold)
        if not self._kept(query):
            return
        self.counts[split] += 1
        identity = (split, query.fold, *query.key)
        if identity in self.seen and any(query.key):
            remedy = f"Keep one row per query and fold in split {split}"
            column = self.columns.get("query_id", self.columns.get("post_id"))
            self._problem(query, column, "the key is there twice", remedy)
        self.seen.add(identity)
        if split == "EVAL":
            self.queries.append(self._eval(query, given))
        else:
            self._other(split, query, given)

    def _eval(self, query: Query, given: dict[str, object]) -> Query:
        found = self._cells(query.row, query, given, VALUES)
        gold, label = found.get("gold"), found.get("has_evidence")
        if label is None and gold is not None:
            label = int(bool(gold))
        candidates = found.get("candidates", ())
        self._check_lists(query, found)
        order = list(range(len(candidates)))
        scores, node_probs = found.get("scores"), found.get("node_probs")
        if scores is not None and len(scores) == len(candidates):
            order.sort(key=scores.__getitem__, reverse=True)  # stable: S3 H.3
            scores = tuple([scores[i] for i in order])
        ranking = tuple([candidates[i] for i in order])
        if node_probs is not None and len(node_probs) == len(candidates):
            node_probs = tuple([node_probs[i] for i in order])
        if gold is not None and label is not None:
            self.contradictions["has_evidence"] += label != bool(gold)
        prob = found.get("prob")
        return Query(
            *query.place,
            label=label,
            prob=prob,
            pred=self._decision(prob, query.fold, found.get("pred")),
            state=self._gate(prob, query.fold, found.get("state")),
            gold=None if gold is None else frozenset(gold),
            ranking=ranking,
            scores=scores,
            node_probs=node_probs,
            selected=frozenset(found["selected"]) if "selected" in found else None,
            hits=tuple([i for i, uid in enumerate(ranking, 1) if uid in gold]) if gold else (),
        )

    def _decision(self, prob: Decimal | None, fold: int | None, given: int | None) -> int | None:
        """Use `pred` where present, else prob ≥ operating threshold (section 1)."""
        threshold = at_fold(self.settings.threshold, fold)
        if prob is None or threshold is None:
            return given
        decision = int(prob >= threshold)
        self.contradictions["pred"] += given is not None and given != decision
        return decision if given is None else given

    def _gate(self, prob: Decimal | None, fold: int | None, given: str | None) -> str | None:
        """Derive the state from the two τ where they are set, else use it as given (section 7)."""
        low, high = (
            None if tau is None else at_fold(tau, fold)
            for tau in (self.settings.tau_neg, self.settings.tau_pos)
        )
        if prob is None or low is None or high is None:
            return given
        state = gate(prob, low, high)
        self.contradictions["state"] += given is not None and given != state
        return state

    def _other(self, split: str, query: Query, given: dict[str, object]) -> None:
        """Of TUNE and TRAIN rows only key, fold, label and prob are read; TRAIN may lack them."""
        if {"tuned", "grid"}.isdisjoint(self.settings.families):
            return
        wanted: list[str] = [name for name in ("has_evidence", "prob") if name in given]
        if split == "TRAIN":
            wanted = [name for name in wanted if given[name] not in (None, "")]
        elif "has_evidence" not in given and "gold" in given:
            wanted.append("gold")
        found = self._cells(query.row, query, given, wanted)
        if split == "TUNE":
            label = found.get("has_evidence", int(bool(found.get("gold"))))
            self.tune.append(Query(*query.place, label=label, prob=found.get("prob")))

    def _cells(
        self, row: int, query: Query | None, given: dict[str, object], names: Iterable[str]
    ) -> dict[str, Any]:
        found = {}
        for name in names:
            if name not in given:
                continue
            try:
                found[name] = READERS[name](given[name])
            except cells.BadCell as bad:
                place = _label(query) if query else None
                column = self.columns[name]
                self.problems.append(Problem(bad.what, bad.remedy, self.file, row, place, column))
        return found

    def _check_lists(self, query: Query, found: dict[str, Any]) -> None:
        """Check that the lists of one row belong together."""
        if "candidates" not in found:
            return
        count = len(found["candidates"])
        for name in ("scores", "node_probs"):
            if name in found and len(found[name]) != count:
                what = f"{len(found[name])} {name} for {count} candidates"
                self._problem(query, self.columns[name], what, "Give one for each candidate")
        stray = set(found.get("selected", ())) - set(found["candidates"])
        if stray:
            what = f"selected uid {cells.shown(min(stray))} is not among the candidates"
            self._problem(query, self.columns["selected"], what, "Select from the candidates")

    def _problem(self, query: Query, column: str | None, what: str, remedy: str) -> None:
        self.problems.append(Problem(what, remedy, self.file, query.row, _label(query), column))

    def _kept(self, query: Query) -> bool:
        return in_sample(query.key[0] if query.post is None else query.post, self.settings.sample)

    def check_whole(self) -> None:
        """Check what only shows when every row has been read."""
        if self.problems:
            return
        if not self.queries:
            what = "there is no EVAL row" + (" in the sample" if self.settings.sample > 1 else "")
            self.problems.append(Problem(what, "Every number is over EVAL rows", self.file))
        self._check_criteria()
        if self.folds["TUNE"]:
            for fold in sorted(self.folds["EVAL"] - self.folds["TUNE"]):
                what = f"fold {fold} has no TUNE rows, while another fold has"
                remedy = "Give every fold its TUNE rows, or none"
                self.problems.append(Problem(what, remedy, self.file, column=self.columns["fold"]))
        folds = sorted({query.fold for query in self.queries if query.fold is not None})
        self.problems.extend(fold_problems(self.settings, folds, self.file))

    def _check_criteria(self) -> None:
        """Per post needs all criteria (section 8), and only per post does."""
        if not self.study().has("per_post"):
            return
        criteria = {query.criterion for query in self.queries}
        posts: dict[tuple[int | None, str | None], set[str | None]] = {}
        first: dict[tuple[int | None, str | None], Query] = {}
        for query in self.queries:
            posts.setdefault((query.fold, query.post), set()).add(query.criterion)
            first.setdefault((query.fold, query.post), query)
        for post, present in posts.items():
            lacking = ", ".join(sorted(str(c) for c in criteria - present))
            if lacking:
                what = f"post {post[1]} has no row for criterion {lacking}"
                remedy = "Give every EVAL post a row for every criterion"
                self._problem(first[post], self.columns["criterion_id"], what, remedy)

    def study(self) -> Study:
        """Put together what was read."""
        return Study(
            self.settings,
            tuple(self.queries),
            tuple(self.tune),
            self.columns,
            met(self.columns, self.settings, tune=bool(self.tune)),
            dict(self.counts),
            contradictions=self.contradictions,
        )


def _label(query: Query) -> str:
    return "/".join(query.key)
