"""Ledger keys: `metric|population|slice|statistic` (contract, section 13)."""

from __future__ import annotations

from dataclasses import dataclass

from crosscheck.errors import UserError


def escape(name: str) -> str:
    """Percent-escape `%` and `|` in a criterion id or view name, and nothing else."""
    return name.replace("%", "%25").replace("|", "%7C")


def escape_class(name: str) -> str:
    """Escape a class, which may stand before a comma inside a metric id."""
    return escape(name).replace(",", "%2C")


def unescape(name: str) -> str:
    """Undo `escape` and `escape_class`."""
    return name.replace("%2C", ",").replace("%7C", "|").replace("%25", "%")


def parts(text: str) -> tuple[str, str, str, str]:
    """Read a key from its written form: metric, population, slice and statistic, as they stand."""
    found = text.split("|")
    if len(found) != 4 or not all(found):  # noqa: PLR2004 - a key has four parts
        raise UserError(
            f"“{text}” is not a key: expected metric|population|slice|statistic, "
            "such as ndcg@10|positives_only|all|mean"
        )
    return found[0], found[1], found[2], found[3]


@dataclass(frozen=True, order=True, slots=True)
class Key:
    """The identity of one number: in code, report, claims and on the command line."""

    metric: str
    population: str
    slice: str
    statistic: str

    @classmethod
    def parse(cls, text: str) -> Key:
        """Read a key from its written form."""
        return cls(*parts(text))

    def __str__(self) -> str:
        return f"{self.metric}|{self.population}|{self.slice}|{self.statistic}"
