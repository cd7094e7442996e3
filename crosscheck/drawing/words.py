"""Numbers as titles, captions and alternative texts say them."""

from __future__ import annotations

from crosscheck.report.printing import count, number, percent

__all__ = ["count", "interval_text", "label_of", "number", "percent", "span"]


def interval_text(interval: tuple[float, float] | None, digits: int = 4) -> str:
    """` (95 % CI [low, high])`, or nothing."""
    if interval is None:
        return ""
    return f" (95 % CI [{number(interval[0], digits)}, {number(interval[1], digits)}])"


def span(values: list[float], digits: int = 3) -> str:
    """`from low to high`."""
    return f"from {number(min(values), digits)} to {number(max(values), digits)}"


def label_of(name: str, most: int = 18) -> str:
    """Write a name from the data on a label: printable and short enough for its place."""
    text = "".join(
        character if character.isprintable() else f"\\u{ord(character):04x}" for character in name
    )
    return text if len(text) <= most else f"{text[: most - 1]}…"
