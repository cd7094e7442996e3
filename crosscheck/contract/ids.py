"""Concrete metric ids: from `tpr@fpr=5%/tuned` to its metric, variant and parameters, and back."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crosscheck.contract.model import Library, Metric, Variant

TIE_BOUNDS = ("tie_low", "tie_high")

# How each symbol is written inside an id.
PATTERNS = {
    "K": r"(?:[1-9]\d*|all)",
    "α": r"(?:0|[1-9]\d*)(?:\.\d+)?",
    "M": r"[1-9]\d*",
    "γ": r"(?:0|[1-9]\d*)(?:\.\d+)?",
    "τ": r"(?:0|[1-9]\d*)(?:\.\d+)?,(?:0|[1-9]\d*)(?:\.\d+)?",
    "j": r"\d+",
}
SYMBOL = re.compile(r"(?<==)[αγτj]|(?<=@)[KM]")
SHOWN = {"K": "10", "α": "5", "M": "10", "γ": "0.9", "τ": "0.1,0.8", "j": "3"}


@dataclass(frozen=True, slots=True)
class MetricId:
    """A concrete metric id, resolved."""

    text: str
    metric: Metric
    variant: Variant | None
    bound: str
    parameters: Mapping[str, str]

    @property
    def template(self) -> str:
        """The id with symbols in place of values, such as `map@K/by_gold`."""
        return f"{self.metric.id}/{self.variant.id}" if self.variant else self.metric.id

    @property
    def definition(self) -> str:
        """What it means, in one sentence."""
        return self.variant.definition if self.variant else self.metric.definition

    @property
    def formula(self) -> str:
        """How it is computed."""
        return self.variant.formula if self.variant else self.metric.formula

    @property
    def sources(self) -> tuple[str, ...]:
        """Where that meaning comes from."""
        return self.metric.sources(self.variant.id if self.variant else "")

    @property
    def libraries(self) -> tuple[Library, ...]:
        """What outside libraries make of it."""
        return self.variant.libraries if self.variant else self.metric.libraries

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows of the key table in which it is owed."""
        own = self.variant.keys if self.variant else ()
        return own or self.metric.keys


@dataclass(frozen=True, slots=True)
class _Shape:
    pattern: re.Pattern[str]
    symbols: tuple[str, ...]
    metric: Metric
    variant: Variant | None


def fill(template: str, values: Mapping[str, str]) -> str:
    """Write a template's symbols as values: `ece@M` with M = 10 is `ece@10`."""
    return SYMBOL.sub(lambda match: _written(match[0], values[match[0]]), template)


def symbols(template: str) -> tuple[str, ...]:
    """Name the symbols of a template, in order."""
    return tuple(SYMBOL.findall(template))


def _written(symbol: str, value: str) -> str:
    return f"{value}%" if symbol == "α" else value


class Ids:
    """Every id that the contract knows, ready to be looked up."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._shapes: dict[str, list[_Shape]] = {}
        self._known: dict[str, MetricId] = {}
        self.metrics = {metric.id: metric for metric in metrics}
        for metric in self.metrics.values():
            for template in metric.templates:
                self._add(metric, template)

    def _add(self, metric: Metric, template: str) -> None:
        name = template.removeprefix(metric.id).lstrip("/")
        variant = next((v for v in metric.variants if v.id == name), None)
        pattern = SYMBOL.sub(
            lambda match: f"(?P<{_group(match[0])}>{_pattern(match[0])})", re.escape(template)
        )
        if "ties" in metric.keys:
            pattern += f"(?:/(?P<bound>{'|'.join(TIE_BOUNDS)}))?"
        shape = _Shape(re.compile(pattern), symbols(template), metric, variant)
        self._shapes.setdefault(_base(template), []).append(shape)

    def find(self, text: str) -> MetricId | None:
        """Resolve a concrete id, or answer None."""
        if text not in self._known:
            for shape in self._shapes.get(_base(text), ()):
                if match := shape.pattern.fullmatch(text):
                    groups = match.groupdict()
                    values = {s: groups[_group(s)].removesuffix("%") for s in shape.symbols}
                    self._known[text] = MetricId(
                        text, shape.metric, shape.variant, groups.get("bound") or "", values
                    )
                    break
        return self._known.get(text)

    def resolve(self, text: str) -> MetricId:
        """Resolve a concrete id; an unknown one is the user's error, with the closest names."""
        found = self.find(text)
        if found is None:
            close = self.close_to(text)
            advice = f"did you mean {' or '.join(close)}?" if close else "none is similar."
            raise UserError(
                f"“{text}” is not a metric of the contract; {advice} "
                "`crosscheck contract` lists them all."
            )
        return found

    def close_to(self, text: str) -> list[str]:
        """Name the known ids that look most like `text`, with its own numbers where they fit."""
        numbers = re.findall(r"\d+(?:\.\d+)?", text)
        shown = []
        for metric in self.metrics.values():
            for template in metric.templates:
                values = dict(SHOWN)
                for symbol in symbols(template):
                    if numbers and re.fullmatch(PATTERNS[symbol], numbers[0]):
                        values[symbol] = numbers[0]
                shown.append(fill(template, values))
        return difflib.get_close_matches(text.lower(), shown, n=3, cutoff=0.6)


def _base(text: str) -> str:
    return re.split(r"[@/]", text, maxsplit=1)[0]


def _pattern(symbol: str) -> str:
    return PATTERNS[symbol] + "%" if symbol == "α" else PATTERNS[symbol]


def _group(symbol: str) -> str:
    return {"α": "alpha", "γ": "gamma", "τ": "tau"}.get(symbol, symbol)
