"""A ranking metric at a cut-off, as the table audit sees it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Kind = Literal["recall", "precision", "hit", "mrr", "map", "ndcg"]
KINDS: tuple[Kind, ...] = ("recall", "precision", "hit", "mrr", "map", "ndcg")
FINEST = 100
"""Largest cut-off at which every rank is followed; nDCG and MAP beyond it are not modelled."""


@dataclass(frozen=True, slots=True, order=True)
class Measure:
    """One of section 3's metrics; `k` is infinite for `all`, `variant` empty for the headline."""

    kind: Kind
    k: float
    variant: str = ""

    @classmethod
    def parse(cls, metric: str) -> Measure | None:
        """Read a metric id (`map@10/by_gold`); None for what is not a plain ranking metric."""
        name, _, variant = metric.partition("/")
        kind, at, cutoff = name.partition("@")
        if not at or kind not in KINDS or variant in {"tie_low", "tie_high"} or "/" in variant:
            return None
        if cutoff == "all":
            return cls(kind, math.inf, variant)
        return cls(kind, int(cutoff), variant) if cutoff.isdigit() and int(cutoff) else None

    @property
    def modelled(self) -> bool:
        """Whether the space of possible queries tells what values it can take."""
        if self.variant not in _VARIANTS.get(self.kind, {""}):
            return False
        if self.kind in {"map", "ndcg"} or self.variant == "k_eff":
            return self.k <= FINEST
        return not (self.kind == "precision" and math.isinf(self.k))

    def __str__(self) -> str:
        cutoff = "all" if math.isinf(self.k) else str(int(self.k))
        return f"{self.kind}@{cutoff}" + (f"/{self.variant}" if self.variant else "")


_VARIANTS = {
    "precision": {"", "k_eff"},
    "map": {"", "by_gold", "by_hits", "k_eff"},
    "ndcg": {"", "k_eff"},
}
