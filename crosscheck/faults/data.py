"""Wrong data: what happens to files between the model and the table in the paper.

Each function changes the rows or the config of the excerpt, and both implementations read the
result. `None` for the rows' text means that they are written as they are.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any

from crosscheck.faults.excerpt import thresholds

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.faults.grounds import Row


RANKED = ("candidates", "scores", "node_probs")
"""Lists with an entry for each candidate."""


@dataclass(frozen=True, slots=True)
class Study:
    """Rows and config, as a fault may leave them."""

    rows: list[Row]
    table: dict[str, Any] = field(default_factory=dict)
    text: str | None = None

    def first(self, **wanted: object) -> int:
        """Find the first row with these values; `has_evidence=1` finds a positive."""
        return next(
            place
            for place, row in enumerate(self.rows)
            if all(row.get(name) == value for name, value in wanted.items())
        )

    def changed(self, place: int, **values: object) -> Study:
        """Change one row."""
        rows = list(self.rows)
        rows[place] = rows[place] | values
        return replace(self, rows=rows)

    def mapped(self, change: Callable[[Row], Row], split: str = "EVAL") -> Study:
        """Change every row of a split."""
        rows = [change(row) if row["split"] == split else row for row in self.rows]
        return replace(self, rows=rows)

    def kept(self, wanted: Callable[[Row], bool]) -> Study:
        """Drop the other rows."""
        return replace(self, rows=[row for row in self.rows if wanted(row)])

    def configured(self, **values: object) -> Study:
        """Change the config."""
        return replace(self, table=self.table | values)


def file_truncated(study: Study) -> Study:
    """Stop writing in the middle of the last row."""
    text = "".join(f"{json.dumps(row)}\n" for row in study.rows)
    return replace(study, text=text[: text.rindex("{") + 40])


def file_cut_short(study: Study) -> Study:
    """Stop writing before the last post's rows."""
    last = [row["post_id"] for row in study.rows if row["split"] == "EVAL"][-1]
    return study.kept(lambda row: row["split"] != "EVAL" or row["post_id"] != last)


def post_in_two_folds(study: Study) -> Study:
    """Evaluate a post of fold 0 in fold 1 too."""
    post = study.rows[0]["post_id"]
    copies = [
        row | {"fold": 1} for row in study.rows if row["post_id"] == post and row["split"] == "EVAL"
    ]
    return replace(study, rows=[*study.rows, *copies])


def post_tuned_and_evaluated(study: Study) -> Study:
    """Tune on a post that is evaluated in the same fold."""
    post, fold = study.rows[0]["post_id"], study.rows[0]["fold"]
    names = ("post_id", "criterion_id", "fold", "has_evidence", "prob")
    copies = [
        {name: row[name] for name in names} | {"split": "TUNE"}
        for row in study.rows
        if (row["post_id"], row["fold"], row["split"]) == (post, fold, "EVAL")
    ]
    return replace(study, rows=[*study.rows, *copies])


def tune_rows_as_eval(study: Study) -> Study:
    """Mark the last TUNE post of each fold EVAL."""
    last = {row["fold"]: row["post_id"] for row in study.rows if row["split"] == "TUNE"}
    empty: Row = {"candidates": [], "scores": [], "gold": [], "selected": [], "node_probs": []}

    def change(row: Row) -> Row:
        if row["post_id"] != last[row["fold"]]:
            return row
        return row | empty | {"split": "EVAL", "pred": 0, "state": "NEG"}

    return study.mapped(change, "TUNE")


def gold_shifted(study: Study) -> Study:
    """Give each query the gold of the row before."""
    evaluated = [place for place, row in enumerate(study.rows) if row["split"] == "EVAL"]
    golds = [study.rows[place]["gold"] for place in evaluated]
    rows = list(study.rows)
    for place, gold in zip(evaluated, [golds[-1], *golds[:-1]], strict=True):
        rows[place] = rows[place] | {"gold": gold}
    return replace(study, rows=rows)


def gold_of_other_posts(study: Study) -> Study:
    """Exchange the gold lists of two queries with evidence."""
    first = study.first(split="EVAL", has_evidence=1)
    post = study.rows[first]["post_id"]
    second = next(
        place
        for place, row in enumerate(study.rows)
        if row["split"] == "EVAL" and row["has_evidence"] and row["post_id"] != post
    )
    golds = study.rows[first]["gold"], study.rows[second]["gold"]
    return study.changed(first, gold=golds[1]).changed(second, gold=golds[0])


def candidates_of_other_posts(study: Study) -> Study:
    """Let a query's last candidate come from another post."""
    row = study.rows[0]
    strange = [*row["candidates"][:-1], "elsewhere_1"]
    return study.changed(0, candidates=strange, selected=[])


def candidates_per_criterion(study: Study) -> Study:
    """Lose the last candidate of one criterion."""
    row = study.rows[0]
    lists = {name: row[name][:-1] for name in RANKED}
    return study.changed(0, **lists, selected=[])


def scores_shuffled(study: Study) -> Study:
    """Shuffle the scores within each query."""
    random = Random(1)
    return study.mapped(
        lambda row: row | {"scores": random.sample(row["scores"], len(row["scores"]))}
    )


def probabilities_shuffled(study: Study) -> Study:
    """Shuffle the probabilities between the queries."""
    probs = [row["prob"] for row in study.rows if row["split"] == "EVAL"]
    drawn = iter(Random(1).sample(probs, len(probs)))
    return study.mapped(lambda row: row | {"prob": next(drawn)})


def ids_coerced(study: Study) -> Study:
    """Let a post be called 007, and lose the zeros in its candidates."""
    post = study.rows[0]["post_id"]

    def named(uid: str, name: str) -> str:
        return name + uid.removeprefix(post) if uid.startswith(f"{post}_") else uid

    def change(row: Row) -> Row:
        if row["post_id"] != post:
            return row
        return row | {
            "post_id": "007",
            "candidates": [named(uid, "7") for uid in row["candidates"]],
            "selected": [named(uid, "7") for uid in row["selected"]],
            "gold": [named(uid, "007") for uid in row["gold"]],
        }

    return study.mapped(change)


def annotation_lost(study: Study) -> Study:
    """Lose the gold and the label of two queries."""
    lost = study
    for _ in range(2):
        lost = lost.changed(lost.first(split="EVAL", has_evidence=1), has_evidence=0, gold=[])
    return lost


def threshold_chosen_on_eval(study: Study) -> Study:
    """Choose each fold's threshold on its EVAL rows, and decide by it."""
    chosen = thresholds(study.rows, "EVAL")
    decided = study.mapped(lambda row: row | {"pred": int(row["prob"] >= chosen[str(row["fold"])])})
    return decided.configured(threshold=chosen)


def candidates_cut_at_ten(study: Study) -> Study:
    """Write the first ten candidates only."""

    def change(row: Row) -> Row:
        lists = {name: row[name][:10] for name in RANKED}
        left = [uid for uid in row["selected"] if uid in lists["candidates"]]
        return row | lists | {"selected": left}

    return study.mapped(change)


def uid_twice(study: Study) -> Study:
    """Double the first candidate."""
    row = study.rows[0]
    lists = {name: [row[name][0], *row[name]] for name in RANKED}
    return study.changed(0, **lists)


def decided_otherwise(study: Study) -> Study:
    """Pass what has a probability of 0.9 or more."""
    return study.mapped(lambda row: row | {"pred": int(row["prob"] >= 0.9)})  # noqa: PLR2004 - the fault


def states_otherwise(study: Study) -> Study:
    """Call everything that is not POS NEG."""
    return study.mapped(lambda row: row | {"state": "POS" if row["state"] == "POS" else "NEG"})


def columns_renamed(study: Study) -> Study:
    """Keep the keys, and give everything else a name that the contract does not know."""
    keys = ("post_id", "criterion_id", "fold", "split")
    rows = [{n if n in keys else f"our_{n}": v for n, v in row.items()} for row in study.rows]
    return replace(study, rows=rows, table={})


INJECT: dict[str, Callable[[Study], Study]] = {
    "rows-doubled": lambda s: replace(s, rows=[s.rows[0], *s.rows]),
    "file-truncated": file_truncated,
    "file-cut-short": file_cut_short,
    "post-in-two-folds": post_in_two_folds,
    "post-tuned-and-evaluated": post_tuned_and_evaluated,
    "tune-rows-as-eval": tune_rows_as_eval,
    "gold-shifted": gold_shifted,
    "gold-of-other-posts": gold_of_other_posts,
    "candidates-of-other-posts": candidates_of_other_posts,
    "candidates-per-criterion": candidates_per_criterion,
    "scores-shuffled": scores_shuffled,
    "probabilities-shuffled": probabilities_shuffled,
    "ids-coerced": ids_coerced,
    "fold-missing": lambda s: s.kept(lambda row: bool(row["fold"] != 1)),
    "label-out-of-step": lambda s: s.changed(s.first(split="EVAL", has_evidence=1), has_evidence=0),
    "labels-inverted": lambda s: s.mapped(lambda r: r | {"has_evidence": 1 - r["has_evidence"]}),
    "annotation-lost": annotation_lost,
    "decision-out-of-step": decided_otherwise,
    "state-out-of-step": states_otherwise,
    "threshold-chosen-on-eval": threshold_chosen_on_eval,
    "threshold-unverifiable": lambda s: s.kept(lambda row: bool(row["split"] == "EVAL")),
    "probability-is-the-label": lambda s: s.mapped(
        lambda r: r | {"prob": float(r["has_evidence"])}
    ),
    "criterion-misspelt": lambda s: s.mapped(
        lambda r: r | {"criterion_id": r["criterion_id"].replace("A.10", "A.10 ")}
    ),
    "candidates-cut-at-ten": candidates_cut_at_ten,
    "view-of-wrong-criteria": lambda s: s.configured(
        views={"dsm5": s.table["profile"]["criteria"]}
    ),
    "columns-renamed": columns_renamed,
    "uid-twice": uid_twice,
    "probability-in-percent": lambda s: s.mapped(lambda r: r | {"prob": 100 * r["prob"]}),
    "probability-missing": lambda s: s.changed(0, prob=float("nan")),
    "selection-outside-candidates": lambda s: s.changed(0, selected=["elsewhere_1"]),
    "scores-too-short": lambda s: s.changed(0, scores=s.rows[0]["scores"][:-1]),
}


def injected(fault: str, rows: tuple[Row, ...], table: dict[str, Any]) -> Study:
    """Give the study as the fault leaves it; the one it is made from stays as it is."""
    return INJECT[fault](Study(deepcopy(list(rows)), deepcopy(table)))
