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
        parts = text.split("|")
        if len(parts) != 4 or not all(parts):  # noqa: PLR2004 - a key has four parts
            raise UserError(
                f"“{text}” is not a key: expected metric|population|slice|statistic, "
                "such as ndcg@10|positives_only|all|mean"
            )
        return cls(*parts)

    def __str__(self) -> str:
        return f"{self.metric}|{self.population}|{self.slice}|{self.statistic}"
