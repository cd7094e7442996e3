"""Frozen pydantic models, and ledger values as JSON writes them."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, PlainSerializer


def _from_json(value: Any) -> Any:  # noqa: ANN401 - whatever a JSON file holds
    return math.inf if value == "inf" else value


def _to_json(value: int | float) -> int | float | str:  # noqa: PYI041 - pydantic reads it
    return "inf" if value == math.inf else value


Value = Annotated[int | float, BeforeValidator(_from_json), PlainSerializer(_to_json)]
"""A ledger value; JSON has no infinity, so a threshold that never fires is written `"inf"`."""

DIGITS = 10
"""Significant digits of a value that is shown because it differs: enough to see any drift by."""


def shown(value: int | float) -> int | float:  # noqa: PYI041 - a count stays one
    """Round a witness's number to the digits that are the same on every machine; counts stay."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


Shown = Annotated[Value, AfterValidator(shown)]
"""A value that any witness may have given."""


class Model(BaseModel):
    """Frozen, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
