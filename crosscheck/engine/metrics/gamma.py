"""The γ sweep (section 6): how many candidates carry a share of the mass, decided on decimals.

Probabilities of at most 12 places are whole numbers of 10^-12, and their sums are exact. A query
with finer ones is decided the same way wherever the margin is larger than what was rounded off; the
few others come to the driver, which decides them on the decimals.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from crosscheck.contract import parameter_values
from crosscheck.engine.exact import BITS, fraction, ratio
from crosscheck.engine.table import ratio_of
from crosscheck.engine.tally import Statistics, tally

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table

PLACES = 1e12


def define(table: Table) -> None:
    """Make the view of EVAL queries whose candidates stand by probability, then as ranked."""
    words = table.engine.words
    zero, places = words.double(0.0), words.double(PLACES)
    score = words.entry("scores", "i") if table.has("scores") else zero
    prob = words.entry("node_probs", "i")
    mass = words.whole(f"{prob} * {places} + {words.double(0.5)}")
    entry = words.record(
        a=f"{zero} - {prob}",
        b=f"{zero} - {score}",
        i="CAST(i AS BIGINT)",
        m=mass,
        fine=f"CASE WHEN CAST({mass} AS DOUBLE) / {places} = {prob} THEN 0 ELSE 1 END",
        gold=f"CASE WHEN {words.has('gold', words.entry('candidates', 'i'))} THEN 1 ELSE 0 END",
    )
    size = words.size("candidates")
    ordered = words.ordered(words.transform(words.numbers("1", size), "i", entry))
    dims = "".join(f"{one}, " for one in _dims(table))
    listed = (
        f"SELECT {dims}{words.size('gold')} AS g, {_k_max(table, size)} AS k_max, "
        f"{ordered} AS listed FROM eval_rows"
    )
    total = words.summed(words.transform("listed", "x", "x.m"))
    fine = words.size(words.keep("listed", "x", "x.fine = 1"))
    table.engine.define(
        "by_mass",
        words.settled(f"SELECT *, {total} AS total, {fine} AS fine FROM ({listed}) listed"),
    )


def _dims(table: Table) -> list[str]:
    return [one for one in ("seed", "fold") if table.has(one)]


def _k_max(table: Table, size: str) -> str:
    share = ratio_of(table.settings, "k_max_ratio")
    floor = table.engine.words.quotient(f"{size} * {share.numerator}", str(share.denominator))
    return f"least({int(ratio_of(table.settings, 'hard_cap'))}, {floor})"


def _decided(table: Table, shares: Sequence[Fraction]) -> str:
    """Write K at every γ, and the number of close calls, of every query."""
    words = table.engine.words
    zero = "CAST(0 AS BIGINT)"
    names = [f"k{at}" for at in range(len(shares))]
    blank = dict.fromkeys([*names, "close"], zero)
    plain = words.transform("listed", "x", words.record(m="x.m", **blank))
    counts: dict[str, str] = {}
    close: list[str] = []
    for name, share in zip(names, shares, strict=True):
        missing = f"(total * {share.numerator} - a.m * {share.denominator})"
        counts[name] = f"a.{name} + CASE WHEN {missing} > 0 THEN 1 ELSE 0 END"
        margin = f"{2 * share.denominator} * {words.size('listed')}"
        close.append(f"CASE WHEN abs({missing}) <= {margin} THEN 1 ELSE 0 END")
    step = words.record(m="a.m + x.m", **counts, close=f"a.close + {' + '.join(close)}")
    nothing = words.record(m=zero, **blank)
    found = words.folded(plain, nothing, "a", "x", step)
    return words.settled(f"SELECT *, {found} AS found FROM by_mass")


def _clamped(table: Table, k: str) -> str:
    least = f"least({int(ratio_of(table.settings, 'k_min'))}, k_max)"
    return f"greatest(least({k}, k_max), {least})"


def enter(table: Table, slices: Slices, book: Book) -> None:
    """Enter K, the recall and the sentences at every γ."""
    define(table)
    written = parameter_values(table.settings)["γ"]
    shares = [fraction(one) for one in written]
    rows = _counted(table, shares)
    close = any(row[-2] for row in rows)
    rows = [(*row[:-2], row[-1]) for row in rows if not row[-2]]
    found = tally(slices, _dims(table), [*rows, *(_close(table, shares) if close else ())])
    for part, counter in found.items():
        for at, one in enumerate(written):
            own: Counter[tuple[int, int, int]] = Counter()
            for (gold, *chosen), count in counter.items():
                own[gold, chosen[2 * at], chosen[2 * at + 1]] += count
            _enter(book, f"@gamma={one}", part, own)


def _counted(table: Table, shares: Sequence[Fraction]) -> list[tuple[Any, ...]]:
    """Count the queries by |G|, by K and the gold among the chosen at every γ, and by closeness."""
    words = table.engine.words
    dims = "".join(f"{one}, " for one in _dims(table))
    ks = [f"{_clamped(table, f'found.k{at}')} AS k{at}" for at in range(len(shares))]
    chosen = (
        f"SELECT {dims}g, listed, CASE WHEN fine > 0 AND found.close > 0 THEN 1 ELSE 0 END "
        f"AS close, {', '.join(ks)} FROM ({_decided(table, shares)}) decided"
    )
    hits = [
        words.size(words.keep(words.first("listed", f"k{at}"), "x", "x.gold = 1"))
        for at in range(len(shares))
    ]
    pairs = ", ".join(f"k{at}, {one} AS h{at}" for at, one in enumerate(hits))
    names = ", ".join(f"k{at}, h{at}" for at in range(len(shares)))
    return table.engine.rows(
        f"SELECT {dims}g, {names}, close, count(*) FROM (SELECT {dims}g, {pairs}, close FROM "
        f"({chosen}) chosen) counted GROUP BY {dims}g, {names}, close"
    )


def _close(table: Table, shares: Sequence[Fraction]) -> list[tuple[Any, ...]]:
    """Decide the close calls on the decimals of the probabilities."""
    words = table.engine.words
    dims = "".join(f"{one}, " for one in _dims(table))
    probs = words.transform("listed", "x", f"{words.double(0.0)} - x.a")
    gold = words.transform("listed", "x", "x.gold")
    least = f"least({int(ratio_of(table.settings, 'k_min'))}, k_max)"
    rows = table.engine.rows(
        f"SELECT {dims}g, k_max, {least} AS k_least, {probs} AS probs, {gold} AS flags FROM "
        f"({_decided(table, shares)}) decided WHERE fine > 0 AND found.close > 0"
    )
    width = len(_dims(table))
    found: list[tuple[Any, ...]] = []
    for row in rows:
        gold_count, *rest = row[width:]
        chosen = [one for share in shares for one in _exact(share, *rest)]
        found.append((*row[:width], int(gold_count), *chosen, 1))
    return found


def _exact(
    share: Fraction, k_max: int, least: int, probs: Sequence[float], hits: Sequence[int]
) -> tuple[int, int]:
    exact = [fraction(repr(one)) for one in probs]
    wanted, so_far, k = share * sum(exact), fraction(0), 0
    while so_far < wanted:
        so_far += exact[k]
        k += 1
    k = max(min(k, int(k_max)), int(least))
    return k, sum(hits[:k])


def _enter(book: Book, at: str, part: str, counter: Counter[Any]) -> None:
    rows = sum(counter.values())
    sentences = sum(k * count for (_, k, _), count in counter.items())
    recall: Counter[int] = Counter()
    for (gold, _, hits), count in counter.items():
        if gold:
            recall[(hits << BITS) // gold] += count
    book.put(f"k{at}", "all_queries", part, ratio(sentences, rows), "mean")
    book.put(f"sentences{at}", "all_queries", part, sentences)
    mean = Statistics(recall, 1 << BITS).mean()
    book.put(f"evidence_recall{at}", "positives_only", part, mean, "mean")
