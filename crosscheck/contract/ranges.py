"""The values that a number may take (contract, section 11.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Range:
    """The values that a number may take."""

    low: float
    high: float
    or_inf: bool = False

    def contains(self, value: float, slack: float = 0.0) -> bool:
        """Whether `value` lies in the range, give or take `slack`; NaN never does."""
        if self.or_inf and value == math.inf:
            return True
        return self.low - slack <= value <= self.high + slack and math.isfinite(value)

    def __str__(self) -> str:
        low = "(−∞" if self.low == -math.inf else f"[{_short(self.low)}"
        high = "∞)" if self.high == math.inf else f"{_short(self.high)}]"
        return f"{low}, {high}" + (" or inf" if self.or_inf else "")


def _short(number: float) -> str:
    return f"{number:.6g}".replace("-", "−")
