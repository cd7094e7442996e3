"""The headings that a text stands under, from the outside in."""

from __future__ import annotations


class Headings:
    """What stands above the place that a reader has come to."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def put(self, level: int, text: str) -> None:
        """Begin a part; the parts of its level and below end."""
        self._open = [one for one in self._open if one[0] < level]
        self._open.append((level, text))

    @property
    def title(self) -> str:
        """The nearest heading."""
        return self._open[-1][1] if self._open else ""

    @property
    def above(self) -> tuple[str, ...]:
        """The headings above the nearest."""
        return tuple(text for _, text in self._open[:-1])
