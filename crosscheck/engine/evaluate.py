"""The ledger of an engine: refuse, count, and make every owed value of exact numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from crosscheck.contract import keys_owed
from crosscheck.engine import classes, facts, refusals
from crosscheck.engine.base import EngineError
from crosscheck.engine.exact import Exact, deviation, mean, rounded
from crosscheck.engine.metrics import (
    calibration,
    class_probs,
    confusions,
    curves,
    decisions,
    equal_mass,
    gamma,
    judged,
    posts,
    ranked,
    tuned,
)
from crosscheck.engine.slices import Book, Slices, within
from crosscheck.engine.table import Table, open_table
from crosscheck.model.key import Key, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crosscheck.engine.base import Engine
    from crosscheck.model.ledgers import Ledger, Number

    Told = Callable[[str], None]
    """Takes the stage that begins."""

EVERY = "all_queries"
UNWRITTEN = "there is no SQL for it: it is left to the other witnesses"


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine says: the ledger, the facts, and why it lacks a key."""

    ledger: Ledger
    facts: dict[str, Any]
    declined: dict[str, str]


def evaluate(
    engine: Engine, files: list[str], settings: Mapping[str, Any], told: Told | None = None
) -> Answer:
    """Do the whole job on an open engine."""
    say = told or _quiet
    say("reading")
    table = open_table(engine, files, settings)
    if table.columns.multiclass:
        classes.checked(table)
    rows = dict.fromkeys(("EVAL", "TUNE", "TRAIN"), 0)
    found = engine.rows("SELECT part, count(*) FROM all_rows GROUP BY part")
    rows |= {part: int(count) for part, count in found if part in rows}
    families = facts.families(table, rows)
    say(f"checking {sum(rows.values()):,} rows")
    refusals.refuse(table, posts="per_post" in families, tuned="tuned" in families)
    table = classes.settled(table) if table.has("label", "predicted") else _with_grades(table)
    families = facts.families(table, rows)
    slices = facts.slices_of(table)
    book = Book()
    known = _enter(table, slices, book, families, say)
    told_facts = _facts(table, slices, book, rows, known)
    return _answer(table, slices, book, told_facts)


def _quiet(stage: str) -> None:
    del stage


def _with_grades(table: Table) -> Table:
    """Settle the largest grade, once (section 15)."""
    if not table.has("grades"):
        return table
    stated = table.settings.get("grade_max")
    words = table.engine.words
    [(largest,)] = table.engine.rows(f"SELECT max({words.largest('grades')}) FROM eval_rows")
    if stated is not None and (largest or 0) > int(stated):
        raise EngineError(f"column grades: a grade of {largest} is above grade_max = {stated}")
    return replace(table, settings={**table.settings, "grade_max": int(stated or largest or 1)})


def _enter(
    table: Table, slices: Slices, book: Book, families: list[str], say: Told
) -> dict[str, Any]:
    """Run every family that is there; give what the facts need of them."""
    known: dict[str, Any] = {}
    if table.columns.multiclass:
        return _of_classes(table, slices, book, families, say)
    say("decisions")
    counted = decisions.counts(table, slices)
    decisions.enter(table, book, counted)
    known["max_k"] = max((row.k for row in counted["all"]), default=0)
    if "ranking" in families:
        say("rankings")
        signatures = ranked.counts(table, slices)
        ranked.enter(table, book, signatures)
        known["gold_not_in_candidates"] = ranked.gold_not_found(signatures)
    if "judged" in families:
        say("judged ids")
        judged.enter(table, slices, book)
    known |= _of_marks(table, slices, book, families, say)
    if "gamma" in families:
        say("γ sweep")
        gamma.enter(table, slices, book)
    if "per_post" in families:
        say("posts")
        posts.enter(table, slices, book)
    if "pairs" in families:
        _pairs(table, slices, book, say)
    return known


def _of_classes(
    table: Table, slices: Slices, book: Book, families: list[str], say: Told
) -> dict[str, Any]:
    """Run the families of several classes."""
    known: dict[str, Any] = {}
    say("classes")
    confusions.enter(table, slices, book, families)
    if "classes" in families:
        known["classes"] = list(table.settings["classes"])
    if "class_probs" in families:
        say("probabilities of classes")
        known["disagreeing_predictions"] = class_probs.enter(table, slices, book)
    return known


def _of_marks(
    table: Table, slices: Slices, book: Book, families: list[str], say: Told
) -> dict[str, Any]:
    """Run the families of a row's own score."""
    known: dict[str, Any] = {}
    if not {"curves", "calibration"}.isdisjoint(families):
        say("curves")
        collected = equal_mass.EqualMass(table) if "calibration" in families else None
        rows = _curves(table, slices, book, collected)
        if collected is not None:
            say("calibration")
            calibration.enter(table, slices, book)
            known["straddling"] = collected.enter(book, rows)
        table.engine.drop("marks")
    if not {"tuned", "grid"}.isdisjoint(families):
        say("thresholds on TUNE rows")
        tuned.define(table)
        if "tuned" in families:
            tuned.enter(table, slices, book)
        if "grid" in families:
            tuned.grid(table, slices, book)
    return known


def _curves(
    table: Table, slices: Slices, book: Book, collected: equal_mass.EqualMass | None
) -> dict[str, int]:
    """Enter the curves; give the number of rows of every slice that has one."""
    engine = table.engine
    dims = "".join(f", {one}" for one in table.dims)
    engine.keep("marks", f"SELECT mark AS score, y{dims} FROM eval_rows")
    kinds = list(curves.kinds_of(table, slices, "fold", "criterion", "declared", "view").values())
    labels = [label for kind in kinds for label in kind.labels.values()]
    counts = {
        name: {label: int(book.values[name, EVERY, label, "value"]) for label in labels}
        for name in ("n_queries", "n_positive")
    }
    rows, positives = counts.values()
    totals = {label: (positives[label], rows[label] - positives[label]) for label in labels}
    asked = curves.budgets(table)
    also = collected.add if collected else None
    for label, curve in curves.add_up(engine, "marks", kinds, totals, asked, also=also).items():
        curves.enter(book, curve, label, asked, EVERY)
    return rows


def _pairs(table: Table, slices: Slices, book: Book, say: Told) -> None:
    say("pairs")
    engine, words = table.engine, table.engine.words
    dims = [one for one in table.dims if one in {"seed", "fold"}]
    dims += ["criterion_id"] if slices.views and slices.criteria else []
    listed = "".join(f"{one}, " for one in dims)
    plain = words.transform("scores", "s", f"s + {words.double(0.0)}")
    flags = words.transform(
        "candidates", "u", f"CASE WHEN {words.has('gold', 'u')} THEN 1 ELSE 0 END"
    )
    engine.keep("pairs", words.pairs(listed, plain, flags, "eval_rows"))
    kinds = list(curves.kinds_of(table, slices, "fold", "view").values())
    totals: dict[str, tuple[int, int]] = {}
    for kind in kinds:
        totals |= dict.fromkeys(kind.labels.values(), (0, 0))
        for part, positives, count in engine.rows(
            f"SELECT part, sum(y), count(*) FROM (SELECT {kind.shown} AS part, y FROM pairs) p "
            "WHERE part IS NOT NULL GROUP BY part"
        ):
            totals[kind.labels[part]] = int(positives), int(count) - int(positives)

    def told(done: int, rows: int) -> None:
        say(f"pairs, {done:,} of {rows:,} rows")

    found = curves.add_up(engine, "pairs", kinds, totals, None, told=told)
    for label, curve in found.items():
        curves.enter(book, curve, label, (), "pairs")
    engine.drop("pairs")


def _facts(
    table: Table,
    slices: Slices,
    book: Book,
    rows: dict[str, int],
    known: dict[str, Any],
) -> dict[str, Any]:
    families = facts.families(table, rows)

    def queries(population: str) -> int | None:
        found = book.values.get(("queries", population, "all", "n"))
        return None if found is None else int(found)

    labels = book.values.get(("n_positive", EVERY, "all", "value"))
    grades = table.settings.get("grade_max") if "graded" in families else None
    return {
        "rows": rows,
        "columns": dict(table.columns.found),
        "families": families,
        "missing": {},
        "folds": list(slices.folds),
        "criteria": facts.criteria_of(table, slices),
        "posts": facts.posts_of(table) if "posts" in families else None,
        "queries": {
            "all_queries": rows["EVAL"],
            "positives_only": queries("positives_only"),
            "has_evidence": None if labels is None else int(labels),
            "predicted_positive": queries("predicted_positive"),
        },
        "max_k": known["max_k"] if "dynamic_k" in families else None,
        "queries_with_ties": facts.ties_of(table) if "ties" in families else None,
        "gold_not_in_candidates": known.get("gold_not_in_candidates", 0),
        "dropped_queries": 0,
        "missing_topics": 0,
        "duplicates_removed": 0,
        "contradictions": facts.contradictions(table),
        "grade_max": grades,
        "classes": known.get("classes", []),
        "disagreeing_predictions": known.get("disagreeing_predictions"),
        "straddling": known.get("straddling"),
        "seeds": list(slices.seeds),
        "slices": {name: list(some) for name, (_, some) in slices.declared.items()},
        "key": "rows" if table.numbered else "columns",
    }


def _answer(table: Table, slices: Slices, book: Book, told: dict[str, Any]) -> Answer:
    """Answer every owed key, or say why not."""
    ledger: dict[str, Number] = {}
    declined: dict[str, str] = {}
    for written in keys_owed(told, table.settings):
        key = Key.parse(written)
        value = _value(book, slices, key)
        if value is None:
            declined[written] = book.declined.get(key.metric, UNWRITTEN)
        else:
            ledger[written] = rounded(value)
    return Answer(ledger, told, declined)


def _value(book: Book, slices: Slices, key: Key) -> Exact | None:
    """Look a key up, or make it of the values of folds, seeds, criteria or a declared slice."""
    own = book.values.get((key.metric, key.population, key.slice, key.statistic))
    if own is not None:
        return own
    if key.slice in {"folds", "seeds"}:
        return _over(book, slices, key)
    if key.statistic in {"macro", "micro"}:
        return _of_parts(book, slices, key)
    return None


def _base(book: Book, key: Key, part: str) -> Exact | None:
    for statistic in ("mean", "value"):
        found = book.values.get((key.metric, key.population, part, statistic))
        if found is not None:
            return found
    return None


def _over(book: Book, slices: Slices, key: Key) -> Exact | None:
    """Aggregate over folds, or over seeds of the mean over folds (sections 2 and 18)."""
    values: list[Exact | None]
    if key.slice == "folds":
        values = [_base(book, key, f"fold={fold}") for fold in slices.folds]
    elif slices.folds:
        values = []
        for seed in slices.seeds:
            # A seed may lack a fold.
            parts = [within(seed, fold) for fold in slices.folds]
            there = [part for part in parts if book.values["queries", EVERY, part, "n"]]
            some = [_base(book, key, part) for part in there]
            values.append(None if None in some else mean(one for one in some if one is not None))
    else:
        values = [_base(book, key, f"seed={escape(seed)}") for seed in slices.seeds]
    known = [one for one in values if one is not None]
    if len(known) < len(values):
        return None
    if key.statistic == "mean":
        return mean(known)
    return deviation(known, 0 if key.statistic == "std/population" else 1)


def _of_parts(book: Book, slices: Slices, key: Key) -> Exact | None:
    """Give the plain mean of the parts' values, or the value of all rows pooled."""
    if key.statistic == "micro":
        return _base(book, key, "all")
    if key.slice == "criteria":
        labels = [f"criterion={escape(one)}" for one in slices.criteria]
    else:
        labels = [f"{key.slice}={escape(one)}" for one in slices.declared[key.slice][1]]
    values = [_base(book, key, label) for label in labels]
    there = [one for one in values if one is not None]
    return mean(there) if len(there) == len(values) else None
