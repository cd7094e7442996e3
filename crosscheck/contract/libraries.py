"""Outside libraries beside our metrics: libraries.toml, which the witnesses and the pages read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.contract.ids import MetricId


@dataclass(frozen=True, slots=True)
class LibraryMeasure:
    """How a library computes some of our metrics, and whether it means the same by them."""

    library: str
    metrics: tuple[str, ...]
    call: str
    of: str = ""
    note: str = ""
    unless: str = ""
    differs: str = ""

    @property
    def shown(self) -> str:
        """The call for the reader: `recall@K`."""
        return self.call.replace("{", "").replace("}", "")

    def asked(self, metric: MetricId) -> str:
        """Write the call at the metric's values: `recall@{K}` is `recall@10`."""
        return self.call.format_map(metric.parameters)

    @property
    def meaning(self) -> str:
        """Whether it means the same, in words."""
        unless = f", unless {self.unless}" if self.unless else ""
        said = f"differs: {self.differs}" if self.differs else f"the same{unless}"
        return f"{said}; {self.note}" if self.note else said


class Libraries:
    """Every measure, ready to be looked up."""

    def __init__(self, measures: Iterable[LibraryMeasure]) -> None:
        self._known: dict[str, dict[str, LibraryMeasure]] = {}
        for measure in measures:
            for metric in measure.metrics:
                self._known.setdefault(metric, {})[measure.library] = measure

    def about(self, metric: str) -> dict[str, LibraryMeasure]:
        """Give the measures of a template, or of a metric at one value, by library."""
        return self._known.get(metric, {})

    def measure(self, library: str, metric: MetricId) -> LibraryMeasure | None:
        """Give what a library has beside a metric: at this very value, or in general."""
        return self.about(metric.text).get(library) or self.about(metric.template).get(library)

    def sharing(self, metric: MetricId) -> dict[str, LibraryMeasure]:
        """Give the measures by library that mean the same; none has our bounds over ties."""
        found = {**self.about(metric.template), **self.about(metric.text)}
        return {
            library: measure
            for library, measure in found.items()
            if not (measure.differs or metric.bound)
        }
