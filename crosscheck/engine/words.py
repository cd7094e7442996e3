"""The vocabulary: what each engine calls the dozen functions that the texts use.

The texts are written in Spark's words, which Sail reads unchanged; DuckDB has its own. Positions
in a list count from 1 everywhere here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDE = "DECIMAL(38,0)"
HALF = 4_294_967_296
SMALL = 2.0**-126
"""The least 32-bit number of full precision."""
SHORT = 64
"""Entries of a list that is looked through for doubles, one by one."""


class Words:
    """Spark's words."""

    text = "STRING"
    empty = "CAST(array() AS ARRAY<STRING>)"

    def name(self, column: str) -> str:
        """Quote a name of a column."""
        return "`" + column.replace("`", "``") + "`"

    def quote(self, value: str) -> str:
        """Write text as a literal."""
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def double(self, value: float) -> str:
        """Write a number as itself: a bare 0.3 would be a decimal."""
        return f"CAST('{value!r}' AS DOUBLE)"

    def transform(self, values: str, one: str, to: str) -> str:
        """Apply an expression to every entry of a list."""
        return f"transform({values}, {one} -> {to})"

    def placed(self, values: str, one: str, at: str, to: str) -> str:
        """Apply an expression to every entry of a list and its position."""
        return f"transform({values}, ({one}, {at}_0) -> {to.replace(at, f'({at}_0 + 1)')})"

    def keep(self, values: str, one: str, where: str) -> str:
        """Keep the entries of a list for which a condition holds."""
        return f"filter({values}, {one} -> {where})"

    def count_where(self, values: str, one: str, at: str, where: str) -> str:
        """Count the entries of a list for which a condition on entry and position holds."""
        return f"size(filter({values}, ({one}, {at}_0) -> {where.replace(at, f'({at}_0 + 1)')}))"

    def lists_of(self, kind: str) -> str:
        """Name the type of lists whose entries are of a type."""
        return f"ARRAY<{kind}>"

    def each(self, values: str, *kinds: str) -> str:
        """Turn every entry of a list into a type, or into one after the other."""
        for kind in kinds:
            values = f"CAST({values} AS {self.lists_of(kind)})"
        return values

    def size(self, values: str) -> str:
        """Count the entries of a list."""
        return f"size({values})"

    def entry(self, values: str, at: str) -> str:
        """Take the entry at a position."""
        return f"get({values}, CAST(({at}) - 1 AS INT))"

    def position(self, values: str, value: str) -> str:
        """Find an entry; 0: it is not there."""
        return f"CAST(array_position({values}, {value}) AS BIGINT)"

    def has(self, values: str, value: str) -> str:
        """Whether a list holds an entry."""
        return f"array_contains({values}, {value})"

    def doubled(self, values: str) -> str:
        """Whether an entry stands in a list twice."""
        return f"(size(array_distinct({values})) < size({values}))"

    def trimmed(self, value: str) -> str:
        """Take blanks and tabs from the ends of a text."""
        return f"trim(BOTH ' \t' FROM {value})"

    def listed(self, values: Sequence[str]) -> str:
        """Write a list of texts."""
        return f"array({', '.join(map(self.quote, values))})"

    def largest(self, values: str) -> str:
        """Take the largest entry of a list."""
        return f"array_max({values})"

    def hashed(self, columns: Sequence[str]) -> str:
        """Hash columns to 64 bits, in any way: equal ones have equal hashes."""
        return f"xxhash64({', '.join(columns)})"

    def joined(self, values: str, separator: str) -> str:
        """Join texts."""
        return f"array_join({values}, {self.quote(separator)})"

    def ordered(self, values: str) -> str:
        """Sort a list upwards."""
        return f"array_sort({values})"

    def numbers(self, least: str, most: str) -> str:
        """List the whole numbers from one to another; none where the second is smaller."""
        return (
            f"CASE WHEN {most} >= {least} THEN sequence({least}, {most}) "
            "ELSE CAST(array() AS ARRAY<INT>) END"
        )

    def record(self, **fields: str) -> str:
        """Put values together under names."""
        listed = ", ".join(f"'{name}', {value}" for name, value in fields.items())
        return f"named_struct({listed})"

    def first(self, values: str, count: str) -> str:
        """Take the first entries of a list."""
        return f"slice({values}, 1, {count})"

    def folded(self, values: str, start: str, so_far: str, one: str, to: str) -> str:
        """Fold a list of records from its first entry to its last, into a record of that kind."""
        return f"aggregate({values}, {start}, ({so_far}, {one}) -> {to})"

    def pairs(self, columns: str, scores: str, flags: str, source: str) -> str:
        """Give a row for every entry of two lists of one length: `score` and `y`."""
        listed = f"SELECT {columns}{scores} AS own_scores, {flags} AS own_flags FROM {source}"
        zipped = "inline(arrays_zip(own_scores, own_flags))"
        return f"SELECT {columns}score, y FROM ({listed}) l LATERAL VIEW {zipped} x AS score, y"

    def summed(self, values: str) -> str:
        """Add up a list of whole numbers; of none 0."""
        return f"aggregate({values}, CAST(0 AS BIGINT), (a, x) -> a + x)"

    def settled(self, query: str) -> str:
        """Have a query's columns computed once, however often the next one names them.

        Spark and Sail see to that by themselves.
        """
        return query

    def total(self, value: str) -> str:
        """Add up whole numbers, however large the sum."""
        return f"sum(CAST({value} AS {WIDE}))"

    def quotient(self, value: str, by: str) -> str:
        """Divide whole numbers, rounding down; neither is below 0."""
        return f"(({value}) div ({by}))"

    def finite(self, value: str) -> str:
        """Whether a number is neither NaN nor infinite."""
        return f"(NOT isnan({value}) AND abs({value}) <= {self.double(1.7976931348623157e308)})"

    def shortest(self, value: str) -> str:
        """Read a 32-bit number as the decimal that its shortest form shows."""
        return f"CAST(CAST({value} AS {self.text}) AS DOUBLE)"

    def digest(self, value: str) -> str:
        """Hash text by SHA-256, in hexadecimal digits."""
        return f"sha2({value}, 256)"

    def hexadecimal(self, digits: str) -> str:
        """Read eight hexadecimal digits."""
        return f"CAST(conv({digits}, 16, 10) AS BIGINT)"

    def residue(self, value: str, modulus: int) -> str:
        """Take the first 8 bytes of a text's SHA-256, a big-endian number, by a modulus.

        Two halves, since their product is still a number of 64 bits.
        """
        digest = self.digest(value)
        high = self.hexadecimal(f"substr({digest}, 1, 8)")
        low = self.hexadecimal(f"substr({digest}, 9, 8)")
        return f"((({high} % {modulus}) * {HALF % modulus} + {low}) % {modulus})"

    def whole(self, value: str) -> str:
        """Round a number down to a whole one: a cast alone rounds here up and there down."""
        return f"CAST(floor({value}) AS BIGINT)"

    def matches(self, value: str, pattern: str) -> str:
        """Whether a text is of a form."""
        return f"({value} RLIKE {self.quote(pattern)})"

    def replaced(self, value: str, pattern: str, by: str) -> str:
        """Put another text wherever one is of a form."""
        return f"regexp_replace({value}, {self.quote(pattern)}, {self.quote(by)})"

    def values(self, name: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
        """Write a small table."""
        listed = ", ".join(f"({', '.join(row)})" for row in rows)
        return f"(SELECT * FROM VALUES {listed} AS {name}({', '.join(columns)}))"


class DuckDBWords(Words):
    """DuckDB's words."""

    text = "VARCHAR"
    empty = "CAST([] AS VARCHAR[])"

    def name(self, column: str) -> str:
        """Quote a name of a column."""
        return '"' + column.replace('"', '""') + '"'

    def quote(self, value: str) -> str:
        """Write text as a literal."""
        return "'" + value.replace("'", "''") + "'"

    def transform(self, values: str, one: str, to: str) -> str:
        """Apply an expression to every entry of a list."""
        return f"list_transform({values}, lambda {one}: {to})"

    def placed(self, values: str, one: str, at: str, to: str) -> str:
        """Apply an expression to every entry of a list and its position."""
        return f"list_transform({values}, lambda {one}, {at}: {to})"

    def keep(self, values: str, one: str, where: str) -> str:
        """Keep the entries of a list for which a condition holds."""
        return f"list_filter({values}, lambda {one}: {where})"

    def count_where(self, values: str, one: str, at: str, where: str) -> str:
        """Count the entries of a list for which a condition on entry and position holds."""
        return f"len(list_filter({values}, lambda {one}, {at}: {where}))"

    def lists_of(self, kind: str) -> str:
        """Name the type of lists whose entries are of a type."""
        return f"{kind}[]"

    def size(self, values: str) -> str:
        """Count the entries of a list."""
        return f"len({values})"

    def entry(self, values: str, at: str) -> str:
        """Take the entry at a position."""
        return f"({values})[{at}]"

    def position(self, values: str, value: str) -> str:
        """Find an entry; 0: it is not there."""
        return f"coalesce(list_position({values}, {value}), 0)"

    def has(self, values: str, value: str) -> str:
        """Whether a list holds an entry."""
        return f"list_contains({values}, {value})"

    def doubled(self, values: str) -> str:
        """Whether an entry stands in a list twice; looking short lists through is the fastest."""
        twice = f"len(list_filter({values}, lambda e, i: list_position({values}, e) < i)) > 0"
        long = f"list_unique({values}) < len({values})"
        return f"(CASE WHEN len({values}) <= {SHORT} THEN {twice} ELSE {long} END)"

    def trimmed(self, value: str) -> str:
        """Take blanks and tabs from the ends of a text."""
        return f"trim({value}, ' \t')"

    def listed(self, values: Sequence[str]) -> str:
        """Write a list of texts."""
        return f"[{', '.join(map(self.quote, values))}]"

    def largest(self, values: str) -> str:
        """Take the largest entry of a list."""
        return f"list_max({values})"

    def hashed(self, columns: Sequence[str]) -> str:
        """Hash columns to 64 bits, in any way: equal ones have equal hashes."""
        return f"CAST(hash({', '.join(columns)}) >> 1 AS BIGINT)"

    def joined(self, values: str, separator: str) -> str:
        """Join texts."""
        return f"array_to_string({values}, {self.quote(separator)})"

    def ordered(self, values: str) -> str:
        """Sort a list upwards."""
        return f"list_sort({values})"

    def numbers(self, least: str, most: str) -> str:
        """List the whole numbers from one to another; none where the second is smaller."""
        return f"range({least}, {most} + 1)"

    def record(self, **fields: str) -> str:
        """Put values together under names."""
        listed = ", ".join(f"{name} := {value}" for name, value in fields.items())
        return f"struct_pack({listed})"

    def first(self, values: str, count: str) -> str:
        """Take the first entries of a list."""
        return f"list_slice({values}, 1, {count})"

    def folded(self, values: str, start: str, so_far: str, one: str, to: str) -> str:
        """Fold a list of records from its first entry to its last, into a record of that kind."""
        return f"list_reduce({values}, lambda {so_far}, {one}: {to}, {start})"

    def pairs(self, columns: str, scores: str, flags: str, source: str) -> str:
        """Give a row for every entry of two lists of one length: `score` and `y`."""
        return f"SELECT {columns}unnest({scores}) AS score, unnest({flags}) AS y FROM {source}"

    def summed(self, values: str) -> str:
        """Add up a list of whole numbers; of none 0."""
        return f"CAST(coalesce(list_sum({values}), 0) AS BIGINT)"

    def settled(self, query: str) -> str:
        """Have a query's columns computed once, however often the next one names them."""
        return f"WITH settled AS MATERIALIZED ({query}) SELECT * FROM settled"

    def total(self, value: str) -> str:
        """Add up whole numbers, however large the sum."""
        return f"sum({value})"

    def quotient(self, value: str, by: str) -> str:
        """Divide whole numbers, rounding down; neither is below 0."""
        return f"(({value}) // ({by}))"

    def finite(self, value: str) -> str:
        """Whether a number is neither NaN nor infinite."""
        return f"isfinite({value})"

    def matches(self, value: str, pattern: str) -> str:
        """Whether a text is of a form."""
        return f"regexp_matches({value}, {self.quote(pattern)})"

    def replaced(self, value: str, pattern: str, by: str) -> str:
        """Put another text wherever one is of a form."""
        return f"regexp_replace({value}, {self.quote(pattern)}, {self.quote(by)}, 'g')"

    def shortest(self, value: str) -> str:
        """Read a 32-bit number as the decimal that its shortest form shows.

        Where two decimals are equally near, DuckDB's text has one digit more than it needs. Six
        digits are never too many, but for the smallest numbers, which are never halfway.
        """
        tried = [f"format('{{:.{digits}g}}', {value})" for digits in (6, 7, 8)]
        cases = " ".join(f"WHEN CAST({one} AS FLOAT) = {value} THEN {one}" for one in tried)
        small = f"WHEN abs({value}) < {self.double(SMALL)} THEN CAST({value} AS VARCHAR)"
        return f"CAST(CASE {small} {cases} ELSE CAST({value} AS VARCHAR) END AS DOUBLE)"

    def digest(self, value: str) -> str:
        """Hash text by SHA-256, in hexadecimal digits."""
        return f"sha256({value})"

    def hexadecimal(self, digits: str) -> str:
        """Read eight hexadecimal digits."""
        return f"CAST(concat('0x', {digits}) AS BIGINT)"

    def values(self, name: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
        """Write a small table."""
        listed = ", ".join(f"({', '.join(row)})" for row in rows)
        return f"(SELECT * FROM (VALUES {listed}) AS {name}({', '.join(columns)}))"
