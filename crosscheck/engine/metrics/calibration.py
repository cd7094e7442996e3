"""Calibration (sections 5 and 16): sums of probabilities as whole numbers.

A probability of at most 12 places is a whole number of 10^-12, and its sums are exact. A finer one
is taken apart by its own bits, 30 before and 60 behind. Logarithms are made of sums, products and
quotients alone, which every engine computes to the same bit; an engine's own `ln` is not.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from crosscheck.contract import parameter_values
from crosscheck.engine.exact import DIGITS, Exact, first_at_least, fraction, logarithm, ratio
from crosscheck.engine.metrics.curves import Kind, kinds_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table
    from crosscheck.engine.words import Words

HIGH, LOW = 1 << 30, 1 << 60
PLACES = 10**12
EVERY = "all_queries"
LN2 = Fraction(DIGITS.ln(2))
KINDS = ("fold", "criterion", "declared", "view")
NEAR = 0.999
"""Above, a mistaken row's probability is taken by its decimal where it has more than 12 places."""
SMALL = 1e-300
"""Below, any is: so small a number has few bits."""
TERMS = 13
"""Of the series of the logarithm: beyond, they are smaller than a rounding."""


def whole_of(words: Words, value: str) -> str:
    """Write a probability as the nearest whole number of 10^-12."""
    return words.whole(f"({value}) * {words.double(float(PLACES))} + {words.double(0.5)}")


def is_whole(words: Words, value: str) -> str:
    """Write whether a probability is that number: whether its decimal has at most 12 places."""
    places = words.double(float(PLACES))
    return f"(CAST({whole_of(words, value)} AS DOUBLE) / {places} = {value})"


def bits(words: Words, value: str) -> tuple[str, str]:
    """Write the two parts of a number of at most 1, by its bits."""
    shifted = f"({value}) * {words.double(float(HIGH))}"
    high = words.whole(shifted)
    return high, words.whole(f"({shifted} - floor({shifted})) * {words.double(float(LOW))}")


def fixed(words: Words, value: str) -> tuple[str, str, str]:
    """Write a probability as whole numbers: of 10^-12, or by its bits."""
    clean = is_whole(words, value)
    high, low = bits(words, value)
    return (
        f"CASE WHEN {clean} THEN {whole_of(words, value)} ELSE 0 END",
        f"CASE WHEN {clean} THEN 0 ELSE {high} END",
        f"CASE WHEN {clean} THEN 0 ELSE {low} END",
    )


def read(decimals: Any, high: Any, low: Any) -> Fraction:  # noqa: ANN401 - whole numbers of any width, or none
    """Read the sums of the parts."""
    return Fraction(int(decimals or 0), PLACES) + read_bits(high, low)


def read_bits(high: Any, low: Any) -> Fraction:  # noqa: ANN401 - the same
    """Read the sums of both parts by bits."""
    return Fraction(int(high or 0) * LOW + int(low or 0), HIGH * LOW)


def bin_of(words: Words, bins: int) -> str:
    """Write the bin of a probability: edges are decimals, the last bin holds 1."""
    edges = [first_at_least(Fraction(at, bins)) for at in range(1, bins)]
    cases = "".join(
        f"WHEN score < {words.double(edge)} THEN {at} " for at, edge in enumerate(edges)
    )
    return f"CASE {cases}ELSE {bins - 1} END" if cases else "0"


def enter(table: Table, slices: Slices, book: Book) -> None:
    """Enter everything but the bins of equal mass."""
    for count in parameter_values(table.settings)["M"]:
        _bins(table, slices, book, int(count))
    _scores(table, slices, book)


def _bins(table: Table, slices: Slices, book: Book, bins: int) -> None:
    words = table.engine.words
    sums = ["count(*)", words.total("y"), *map(words.total, fixed(words, "score"))]
    ones = f"sum(CASE WHEN score = {words.double(1.0)} THEN 1 ELSE 0 END)"
    one_labels = f"sum(CASE WHEN score = {words.double(1.0)} THEN y ELSE 0 END)"
    for kind in kinds_of(table, slices, *KINDS).values():
        found: dict[str, dict[int, tuple[Any, ...]]] = defaultdict(dict)
        rows = table.engine.rows(
            f"SELECT part, bin, {', '.join([*sums, ones, one_labels])} FROM (SELECT {kind.shown} "
            f"AS part, {bin_of(words, bins)} AS bin, score, y "
            "FROM marks) m WHERE part IS NOT NULL GROUP BY part, bin"
        )
        for part, at, *values in rows:
            found[kind.labels[part]][at] = tuple(values)
        for label in kind.labels.values():
            _enter_bins(book, label, bins, found[label])


def _enter_bins(book: Book, part: str, bins: int, found: dict[int, tuple[Any, ...]]) -> None:
    rows = sum(int(values[0]) for values in found.values())
    gaps, open_gaps, largest = Fraction(0), Fraction(0), Fraction(0)
    for at in range(bins):
        count, labels, *parts, ones, one_labels = map(int, found.get(at, (0,) * 7))
        probs = read(*parts)
        gap = abs(labels - probs)
        gaps += gap
        open_gaps += abs(labels - one_labels - (probs - ones)) if at == bins - 1 else gap
        largest = max(largest, Fraction(ratio(gap, count)))
        book.put(f"reliability@{bins}/bin={at}", EVERY, part, count, "n")
        book.put(f"reliability@{bins}/bin={at}", EVERY, part, ratio(probs, count), "mean_prob")
        book.put(f"reliability@{bins}/bin={at}", EVERY, part, ratio(labels, count), "mean_label")
    book.put(f"ece@{bins}", EVERY, part, ratio(gaps, rows))
    book.put(f"ece@{bins}/half_open", EVERY, part, ratio(open_gaps, rows))
    book.put(f"mce@{bins}", EVERY, part, largest)


def squares(words: Words) -> list[str]:
    """Write the sums of the squared gaps, whole ones and those by bits."""
    wide = "CAST(gap_whole AS DECIMAL(19,0))"
    square = f"CASE WHEN clean = 1 THEN {wide} * {wide} ELSE CAST(0 AS DECIMAL(38,0)) END"
    parts = (f"CASE WHEN clean = 1 THEN 0 ELSE {one} END" for one in bits(words, "gap * gap"))
    return [f"sum({square})", *map(words.total, parts)]


def read_squares(square: int, high: int, low: int) -> Fraction:
    """Read the sums of the squared gaps."""
    return Fraction(square, PLACES**2) + read_bits(high, low)


def _scores(table: Table, slices: Slices, book: Book) -> None:
    """Enter the mean squared error, its skill, and the logarithmic loss."""
    for label, found, close in sums_of_losses(table, kinds_of(table, slices, *KINDS)):
        _enter_scores(book, label, found, close)


def loss_sums(words: Words) -> list[str]:
    """Write what is added up of the losses: rows, labels, squares, logarithms in parts."""
    signs = [f"CASE WHEN {sign}t > 0 THEN {sign}t ELSE zero END" for sign in ("", "-")]
    halves = [half for one in signs for half in bits(words, one)]
    sums = ["count(*)", "sum(y)", *squares(words), "sum(none)"]
    return [*sums, words.total("e"), *map(words.total, halves)]


def sums_of_losses(
    table: Table, kinds: Mapping[str, Kind]
) -> Iterator[tuple[str, list[int], Fraction]]:
    """Add up over the table `marks`; give of every slice the sums, and the driver's own part."""
    words = table.engine.words
    sums = loss_sums(words)
    table.engine.keep("losses", losses(words, "".join(f", {one}" for one in table.dims)))
    for kind in kinds.values():
        found = {}
        for part, *values in table.engine.rows(
            f"SELECT part, {', '.join(sums)} FROM (SELECT *, {kind.shown} AS part FROM losses) l "
            "WHERE part IS NOT NULL GROUP BY part"
        ):
            found[kind.labels[part]] = values
        close = _close(table, kind)
        for label in kind.labels.values():
            own = [int(one) for one in found.get(label, [0] * 11)]
            yield label, own, close.get(label, Fraction(0))
    table.engine.drop("losses")


def _enter_scores(book: Book, part: str, found: list[int], close: Fraction) -> None:
    rows, labels = found[:2]
    brier = Fraction(ratio(read_squares(*found[2:5]), rows))
    rate = Fraction(ratio(labels, rows))
    spread = rate * (1 - rate)
    book.put("brier", EVERY, part, brier)
    book.put("brier/skill", EVERY, part, 1 - brier / spread if spread else Fraction(0))
    book.put("log_loss", EVERY, part, log_loss(found, close))


def log_loss(found: list[int], close: Fraction) -> Exact:
    """Give the mean of −ln q; infinite where a q is 0."""
    rows = found[0]
    none, twos, *halves = found[5:]
    if none:
        return math.inf
    own = twos * LN2 + read_bits(*halves[:2]) - read_bits(*halves[2:])
    return ratio(own + close, rows)


def _close(table: Table, kind: Kind) -> dict[str, Fraction]:
    """Add up the losses of rows so near to 1 or to 0 that their decimals matter."""
    found: dict[str, Fraction] = defaultdict(Fraction)
    for part, y, score, count in table.engine.rows(
        f"SELECT part, y, score, count(*) FROM (SELECT {kind.shown} AS part, y, score FROM marks "
        f"WHERE {near(table.engine.words)}) near WHERE part IS NOT NULL GROUP BY part, y, score"
    ):
        prob = fraction(repr(score))
        found[kind.labels[part]] -= logarithm(prob if y else 1 - prob) * int(count)
    return found


def near(words: Words) -> str:
    """Write the condition: what the bits lose shows in the logarithm."""
    near, one, zero = words.double(NEAR), words.double(1.0), words.double(0.0)
    wrong = f"y = 0 AND score > {near} AND score < {one} AND NOT {is_whole(words, 'score')}"
    return f"(({wrong}) OR (y = 1 AND score > {zero} AND score < {words.double(SMALL)}))"


def gaps(words: Words, dims: str, source: str = "marks") -> str:
    """Write how far every row's score is from its label, and its label's probability q."""
    one, zero = words.double(1.0), words.double(0.0)
    query = words.settled(
        f"SELECT y{dims}, score, {whole_of(words, 'score')} AS whole_score, CASE WHEN "
        f"{is_whole(words, 'score')} THEN 1 ELSE 0 END AS clean, "
        f"CASE WHEN {near(words)} THEN 1 ELSE 0 END AS near FROM {source}"
    )
    places = words.double(float(PLACES))
    rest = (
        f"CASE WHEN clean = 1 THEN CAST({PLACES} - whole_score AS DOUBLE) / {places} "
        f"ELSE {one} - score END"
    )
    return words.settled(
        f"SELECT y{dims}, clean, {zero} AS zero, "
        f"CASE WHEN y = 1 THEN {PLACES} - whole_score ELSE whole_score END AS gap_whole, "
        f"CASE WHEN y = 1 THEN {rest} ELSE score END AS gap, "
        f"CASE WHEN near = 1 THEN {one} WHEN y = 1 THEN score ELSE {rest} END AS q "
        f"FROM ({query}) x"
    )


def losses(words: Words, dims: str) -> str:
    """Write −ln q = e·ln 2 + t of every row, q being the probability of its label."""
    one, two = words.double(1.0), words.double(2.0)
    query = gaps(words, dims)
    kept = f"y{dims}, clean, zero, gap_whole, gap"
    small = f"q < {words.double(2.0**-500)}"
    query = (
        f"SELECT {kept}, CASE WHEN q = zero THEN 1 ELSE 0 END AS none, "
        f"CASE WHEN {small} THEN 512 ELSE 0 END AS e, CASE WHEN q = zero THEN {one} "
        f"WHEN {small} THEN q * {words.double(2.0**512)} ELSE q END AS q FROM ({query}) x"
    )
    # An engine's own logarithm only guesses the exponent; the next level makes it the right one.
    guess = words.whole(f"ln(q) * {words.double(-1 / math.log(2))}")
    query = words.settled(f"SELECT *, {guess} AS step FROM ({query}) x")
    query = words.settled(
        f"SELECT {kept}, none, e + step AS e, q * power({two}, CAST(step AS DOUBLE)) AS q "
        f"FROM ({query}) x"
    )
    low, high = words.double(math.sqrt(0.5)), words.double(2 * math.sqrt(0.5))
    query = words.settled(
        f"SELECT {kept}, none, "
        f"CASE WHEN q < {low} THEN e + 1 WHEN q >= {high} THEN e - 1 ELSE e END AS e, "
        f"CASE WHEN q < {low} THEN q * {two} WHEN q >= {high} THEN q * {words.double(0.5)} "
        f"ELSE q END AS q FROM ({query}) x"
    )
    query = words.settled(
        f"SELECT {kept}, none, e, (q - {one}) / (q + {one}) AS s FROM ({query}) x"
    )
    query = f"SELECT *, s * s AS z FROM ({query}) x"
    series = words.double(1.0 / (2 * TERMS - 1))
    for term in range(TERMS - 1, 0, -1):
        series = f"({words.double(1.0 / (2 * term - 1))} + z * {series})"
    return f"SELECT {kept}, none, e, {words.double(-2.0)} * s * {series} AS t FROM ({query}) x"
