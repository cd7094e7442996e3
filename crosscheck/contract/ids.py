"""Concrete metric ids: from `tpr@fpr=5%/tuned` to its metric, variant and parameters, and back."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from crosscheck.contract.model import Metric, Variant
    from crosscheck.contract.parameters import Notation, Parameter

TIE_BOUNDS = ("tie_low", "tie_high")


@dataclass(frozen=True, slots=True)
class MetricId:
    """A concrete metric id, resolved."""

    text: str
    metric: Metric
    variant: Variant | None
    bound: str
    written: tuple[tuple[Parameter, str], ...]
    """Its parameters with their values."""

    @property
    def parameters(self) -> Mapping[str, str]:
        """The values of its parameters by symbol."""
        return {parameter.symbol: value for parameter, value in self.written}

    @property
    def at(self) -> str:
        """The value of the parameter that is set, such as its K; empty without one."""
        return next((value for parameter, value in self.written if parameter.setting), "")

    def in_words(self, text: str) -> str:
        """Write the values of its parameters into a sentence that has their symbols."""
        for parameter, value in self.written:
            text = parameter.into(text, value)
        return text

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
    def rows(self) -> tuple[str, ...]:
        """The rows of the key table in which it is owed."""
        own = self.variant.keys if self.variant else ()
        return own or self.metric.keys


@dataclass(frozen=True, slots=True)
class _Shape:
    pattern: re.Pattern[str]
    parameters: tuple[Parameter, ...]
    metric: Metric
    variant: Variant | None


class Ids:
    """Every id that the contract knows, ready to be looked up."""

    def __init__(
        self, metrics: Iterable[Metric], notation: Notation, bounded: Container[str]
    ) -> None:
        self.notation = notation
        self._bounded = bounded
        self._shapes: dict[str, list[_Shape]] = {}
        self._known: dict[str, MetricId] = {}
        self.metrics = {metric.id: metric for metric in metrics}
        for metric in self.metrics.values():
            for template in metric.templates:
                self._add(metric, template)

    def _add(self, metric: Metric, template: str) -> None:
        name = template.removeprefix(metric.id).lstrip("/")
        variant = next((v for v in metric.variants if v.id == name), None)
        pattern = self.notation.pattern(template)
        if any(row in self._bounded for row in (variant.keys if variant else ()) or metric.keys):
            pattern += f"(?:/(?P<bound>{'|'.join(TIE_BOUNDS)}))?"
        shape = _Shape(re.compile(pattern), self.notation.of(template), metric, variant)
        self._shapes.setdefault(_base(template), []).append(shape)

    def find(self, text: str) -> MetricId | None:
        """Resolve a concrete id, or answer None."""
        if text not in self._known:
            for shape in self._shapes.get(_base(text), ()):
                if match := shape.pattern.fullmatch(text):
                    written = tuple(
                        (parameter, match[f"p{place}"])
                        for place, parameter in enumerate(shape.parameters)
                    )
                    bound = match.groupdict().get("bound") or ""
                    self._known[text] = MetricId(text, shape.metric, shape.variant, bound, written)
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
        shown = [
            self.notation.shown(template, *numbers[:1])
            for metric in self.metrics.values()
            for template in metric.templates
        ]
        return difflib.get_close_matches(text.lower(), shown, n=3, cutoff=0.6)


def _base(text: str) -> str:
    return re.split(r"[@/]", text, maxsplit=1)[0]
