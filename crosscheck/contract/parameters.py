"""Parameters of metric ids: the K of `ndcg@10`, the α of `tpr@fpr=5%`, the bin of a diagram.

Everything about a parameter stands in its `[[parameter]]` entry (keys.toml says what each field
means); keys, claims, config and report enumerate the entries, so that a new one is one entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Parameter:
    """A symbol inside a metric id, the values it takes, and how people write them."""

    symbol: str
    written: str
    pattern: str
    shown: str
    people: str
    named: str
    meaning: str
    source: str
    unit: str = ""
    setting: str = ""
    values: str = ""
    default: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    below: str = ""
    up_to: str = ""
    listed: str = ""
    fewer_than: str = ""
    claimed: str = ""
    alone: str = ""
    headings: tuple[str, ...] = ()
    said: str = ""
    drops: str = ""

    @property
    def numbered(self) -> bool:
        """Whether its values are counted from 0, and not set."""
        return bool(self.below or self.up_to)

    @property
    def of_the_data(self) -> bool:
        """Whether its values are in the data, and not set."""
        return self.numbered or bool(self.listed)

    @property
    def before(self) -> str:
        """What an id has before the symbol, such as `@fpr=`."""
        return self.written.removesuffix(self.symbol)

    def into(self, text: str, value: str) -> str:
        """Write a value for the symbol into a sentence, where that makes sense."""
        if not self.said or value in self.always:
            return text
        return re.sub(rf"\b{self.symbol}\b", self.said.format(value), text)


class Notation:
    """How parameters are written in ids: templates such as `tpr@fpr=α`, read and filled."""

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        self.parameters = tuple(parameters)
        self._of: dict[str, tuple[Parameter, ...]] = {}
        self._symbols = re.compile(
            "|".join(
                f"(?P<p{place}>(?<={re.escape(one.before)}){one.symbol})"
                for place, one in enumerate(self.parameters)
            )
        )

    def of(self, template: str) -> tuple[Parameter, ...]:
        """Name the parameters of a template, in order."""
        if template not in self._of:
            self._of[template] = tuple(map(self._meant, self._symbols.finditer(template)))
        return self._of[template]

    def symbols(self, template: str) -> tuple[str, ...]:
        """Name the symbols of a template, in order."""
        return tuple(one.symbol for one in self.of(template))

    def fill(self, template: str, values: Mapping[str, str]) -> str:
        """Write a template's symbols as values: `ece@M` with M = 10 is `ece@10`."""

        def value(match: re.Match[str]) -> str:
            one = self._meant(match)
            return values[one.symbol] + one.unit

        return self._symbols.sub(value, template)

    def shown(self, template: str, number: str = "") -> str:
        """Write a template with values for examples, or with a number wherever it fits."""
        needed = self.of(template)
        fits = {one.symbol: bool(re.fullmatch(one.pattern, number)) for one in needed}
        return self.fill(
            template, {one.symbol: number if fits[one.symbol] else one.shown for one in needed}
        )

    def pattern(self, template: str) -> str:
        """Give the pattern of a template's ids, with the groups p0, p1 … for the values."""
        places = iter(range(len(self.parameters)))

        def group(match: re.Match[str]) -> str:
            one = self._meant(match)
            return f"(?P<p{next(places)}>{one.pattern}){one.unit}"

        return self._symbols.sub(group, re.escape(template))

    def undeclared(self, template: str) -> list[str]:
        """List the signs of a template that are neither letters of a name nor a parameter."""
        return re.findall(r"[^a-z0-9_@=/,]", self._symbols.sub("", template))

    def _meant(self, match: re.Match[str]) -> Parameter:
        return self.parameters[int((match.lastgroup or "")[1:])]
