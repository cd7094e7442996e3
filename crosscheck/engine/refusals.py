"""What the contract refuses (section 1), found by the engine: file, query, column, remedy.

One pass looks at every row by itself; one groups the rows by their key; a few small ones look at
posts, folds and splits. All problems are told together, the first twenty, then a count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.engine import classes
from crosscheck.engine.base import EngineError
from crosscheck.engine.table import STATES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.engine.table import Table

SHOWN = 20
MANY = 10 * SHOWN
"""Hashes of keys that are looked at, should they stand twice: two keys may share one."""
SINGLE = 1e7
"""From here on Java, up to its version 18, writes 32-bit numbers with a digit too many."""
LISTS = ("candidates", "gold", "selected", "judged")
NO_NUMBER = "missing or not finite"
NO_PROBABILITY = "missing, or not from 0 to 1"
ALIGNED = {"scores": "candidates", "node_probs": "candidates", "grades": "gold"}


@dataclass(frozen=True, slots=True)
class Rule:
    """What is refused: a condition on a row that must not hold."""

    column: str
    what: str
    remedy: str
    where: str


def refuse(table: Table, *, posts: bool, tuned: bool) -> None:
    """Refuse what the contract refuses; `posts`, `tuned`: those families are asked for."""
    problems = [*_empty(table)]
    if not problems:
        problems = [*_splits(table), *_rows(table), *_twice(table), *_sums(table)]
    if not problems:
        problems = [*(_incomplete(table) if posts else ()), *(_untuned(table) if tuned else ())]
    if problems:
        told = "\n".join(f"  {one}" for one in problems[:SHOWN])
        more = len(problems) - SHOWN
        raise EngineError(told.lstrip() + (f"\n  … and {more} more" if more > 0 else ""))


def _empty(table: Table) -> Iterator[str]:
    [(rows,)] = table.engine.rows("SELECT count(*) FROM all_rows")
    if not rows:
        sampled = int(table.settings.get("sample") or 1) > 1
        yield "the sample is empty. Take a larger one." if sampled else "the files hold no rows."


def _splits(table: Table) -> Iterator[str]:
    rows = table.engine.rows("SELECT part, count(*) FROM all_rows GROUP BY part")
    known = {"EVAL", "TUNE", "TRAIN"}
    for part, count in rows:
        if part not in known:
            yield (
                f"column split: found '{part}' as a split, in {count:,} rows. A split is one of "
                "EVAL, TEST, TUNE, VAL, DEV, TRAIN."
            )
    if "EVAL" not in {part for part, _ in rows}:
        yield "no row is an EVAL row. Every number is over EVAL rows: give some."


def rules(table: Table) -> list[Rule]:
    """List what is asked of every row, as far as its columns are there."""
    words = table.engine.words
    found = [
        Rule(name, "the id is empty", "Every row needs its key.", f"{name} IS NULL OR {name} = ''")
        for name in (*table.key, *(["seed"] if table.has("seed") else []))
    ]
    if table.has("fold"):
        remedy = "A fold is a whole number; without folds leave the column out."
        found.append(Rule("fold", "the fold is no whole number", remedy, "fold IS NULL"))
    for name in ("has_evidence", "pred"):
        if table.has(name):
            read = "part <> 'TRAIN'" if name == "has_evidence" else "part = 'EVAL'"
            where = f"{name} IS NULL AND {read}"
            what = "found something else than a label"
            found.append(Rule(name, what, "A label is 0, 1, true or false.", where))
    if table.has("prob"):
        outside = f"prob IS NULL OR NOT {words.finite('prob')} OR prob < 0 OR prob > 1"
        remedy = "A probability is a number from 0 to 1."
        found.append(
            Rule("prob", f"it is {NO_PROBABILITY}", remedy, f"({outside}) AND part <> 'TRAIN'")
        )
    if table.has("score"):
        outside = f"(score IS NULL OR NOT {words.finite('score')}) AND part <> 'TRAIN'"
        found.append(Rule("score", f"it is {NO_NUMBER}", "Give every row its score.", outside))
        if str(table.types[table.columns.found["score"]]) == "float":
            what = "a 32-bit number so large has no shortest decimal that engines agree upon"
            large = f"abs(score) >= {words.double(SINGLE)} AND part <> 'TRAIN'"
            found.append(Rule("score", what, "Store 64-bit ones.", large))
    if table.has("state"):
        listed = ", ".join(map(repr, STATES))
        where = f"part = 'EVAL' AND (state IS NULL OR state NOT IN ({listed}))"
        found.append(Rule("state", "found no state", f"A state is one of {listed}.", where))
    if table.columns.multiclass:
        found += [Rule(*one) for one in classes.rules(table)]
    return [*found, *_of_lists(table)]


def _of_lists(table: Table) -> Iterator[Rule]:
    words = table.engine.words
    ours = "part = 'EVAL' AND "
    for name in LISTS:
        if not table.has(name):
            continue
        bad = words.size(words.keep(name, "u", "u IS NULL OR u = ''"))
        remedy = "Give every item its id, or leave it out."
        yield Rule(name, "an id of the list is empty or null", remedy, f"{ours}{bad} > 0")
        remedy = "Keep one of them."
        twice = f"{ours}{bad} = 0 AND {words.doubled(name)}"
        yield Rule(name, "an id stands twice in the list", remedy, twice)
    for name, beside in ALIGNED.items():
        if table.has(name, beside):
            sizes = f"coalesce({words.size(name)}, 0) <> {words.size(beside)}"
            what = f"the list is not as long as {beside}"
            yield Rule(name, what, f"Give one for every item of {beside}.", f"{ours}{sizes}")
    for name, least, most in (("scores", None, None), ("node_probs", 0, 1)):
        if table.has(name):
            wrong = f"v IS NULL OR NOT {words.finite('v')}"
            wrong += f" OR v < {least} OR v > {most}" if most is not None else ""
            bad = words.size(words.keep(name, "v", wrong))
            what = f"a value of the list is {NO_NUMBER if most is None else NO_PROBABILITY}"
            yield Rule(name, what, "Each item needs a value.", f"{ours}{bad} > 0")
    if table.has("selected", "candidates"):
        outside = words.keep("selected", "u", f"NOT {words.has('candidates', 'u')}")
        what = "an id is not among the candidates"
        yield Rule("selected", what, "Select from them.", f"{ours}{words.size(outside)} > 0")
    if table.has("grades"):
        low = words.size(words.keep("grades", "v", "v IS NULL OR v < 1"))
        yield Rule("grades", "a grade is below 1", "Leave it out of gold.", f"{ours}{low} > 0")
    if table.has("judged", "gold"):
        outside = words.keep("gold", "u", f"NOT {words.has('judged', 'u')}")
        what = "a gold id is not among them"
        yield Rule("judged", what, "Gold is judged.", f"{ours}{words.size(outside)} > 0")


def _place(file: object, key: tuple[object, ...]) -> str:
    where = f"{file}: " if file is not None else ""
    return f"{where}query {' '.join('' if one is None else str(one) for one in key)}"


def _file(table: Table) -> str:
    return "of_file" if table.engine.file else "NULL"


def _rows(table: Table) -> Iterator[str]:
    """Look at every row by itself, in one pass; only a bad one is told of."""
    asked = rules(table)
    flags = ", ".join(
        f"CASE WHEN {one.where} THEN 1 ELSE 0 END AS bad_{at}" for at, one in enumerate(asked)
    )
    worst = [f"max(bad_{at})" for at in range(len(asked))]
    key = ", ".join(table.key)
    looked = f"SELECT {_file(table)} AS file, {key}, {flags} FROM all_rows"
    [found] = table.engine.rows(f"SELECT {', '.join(worst)} FROM ({looked}) looked")
    if not any(found):
        return
    rows = table.engine.rows(
        f"SELECT file, {key}, {', '.join(worst)} FROM ({looked}) looked GROUP BY file, {key} "
        f"HAVING {' + '.join(worst)} > 0 LIMIT {SHOWN + 1}"
    )
    width = 1 + len(table.key)
    for row in sorted(rows, key=str):
        for one, bad in zip(asked, row[width:], strict=True):
            if bad:
                place = _place(row[0], row[1:width])
                yield f"{place}, column {one.column}: {one.what}. {one.remedy}"


def _sums(table: Table) -> Iterator[str]:
    """Tell of probabilities whose sum only their decimals show to be beyond the bound."""
    if table.columns.multiclass:
        for file, key in classes.close_sums(table):
            what = "the probabilities do not add up to 1. Let them add up to 1, within 0.000001."
            yield f"{_place(file, key)}, column class_probs: {what}"


def _twice(table: Table) -> Iterator[str]:
    """Find keys that stand twice within (seed, fold, split), across all files."""
    suspects = [] if table.numbered else _suspects(table)
    if not suspects:
        return
    listed = ", ".join([*_named(table), "part"])
    files = f"min({_file(table)}), max({_file(table)})" if table.engine.file else "NULL, NULL"
    rows = table.engine.rows(
        f"SELECT {', '.join(table.key)}, {files}, count(*) FROM all_rows WHERE "
        f"{_hashed(table)} IN ({', '.join(map(str, suspects))}) GROUP BY {listed} "
        f"HAVING count(*) > 1 LIMIT {SHOWN + 1}"
    )
    for *key, first, last, count in sorted(rows, key=str):
        also = f" (also in {last})" if last != first else ""
        place = _place(first, tuple(key))
        what = f"the key stands {count} times{also}. A key is unique"
        yield f"{place}, column {table.key[-1]}: {what}."


def _named(table: Table) -> list[str]:
    return [*table.key, *(one for one in ("seed", "fold") if table.has(one))]


def _hashed(table: Table) -> str:
    return table.engine.words.hashed([*_named(table), "part"])


def _suspects(table: Table) -> list[int]:
    """Find hashes of keys that stand twice: in rounds, so that memory does not grow with rows."""
    engine = table.engine
    [(count,)] = engine.rows("SELECT count(*) FROM all_rows")
    rounds = -(-int(count) // engine.ordering.key_rows)
    found: list[int] = []
    for at in range(rounds):
        own = f" WHERE h % {rounds} = {at}" if rounds > 1 else ""
        rows = engine.rows(
            f"SELECT h FROM (SELECT {_hashed(table)} AS h FROM all_rows) keys{own} "
            f"GROUP BY h HAVING count(*) > 1 LIMIT {MANY}"
        )
        found += [int(h) for (h,) in rows]
        if len(found) >= MANY:
            break
    return found[:MANY]


def _incomplete(table: Table) -> Iterator[str]:
    """Find EVAL posts that lack one of the criteria: numbers per post need all."""
    by = ", ".join([one for one in ("seed", "fold") if table.has(one)] + ["post_id"])
    rows = table.engine.rows(
        f"SELECT {by}, c FROM (SELECT {by}, count(*) AS c FROM eval_rows GROUP BY {by}) posts "
        "WHERE c < (SELECT count(*) FROM (SELECT DISTINCT criterion_id FROM eval_rows) criteria) "
        f"LIMIT {SHOWN + 1}"
    )
    for *unit, count in sorted(rows, key=str):
        yield (
            f"post {unit[-1]}, column criterion_id: has {count} of the criteria. Numbers per post "
            "need every criterion of every post."
        )


def _untuned(table: Table) -> Iterator[str]:
    """Find folds of EVAL rows without TUNE rows."""
    by = ", ".join(one for one in ("seed", "fold") if table.has(one))
    rows = table.engine.rows(
        f"SELECT DISTINCT {by} FROM eval_rows EXCEPT SELECT DISTINCT {by} FROM all_rows "
        "WHERE part = 'TUNE'"
    )
    for unit in sorted(rows, key=str):
        yield (
            f"fold {unit[-1]}, column split: has no TUNE rows, and others have. Give every fold "
            "its own."
        )
