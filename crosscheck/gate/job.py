"""The whole job: by an engine where one is asked for (`scale`), else by the witnesses alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck import gate
from crosscheck.engine.base import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.gate import Onlooker, Outcome, Request
    from crosscheck.witnesses.tasks import Progress


def run(
    request: Request,
    *,
    progress: Progress | None = None,
    onlooker: Onlooker | None = None,
    told: Callable[[str], None] | None = None,
) -> Outcome:
    """Do it; `told` hears what an engine begins with."""
    address = request.options.engine if request.options else None
    if address is not None:
        from crosscheck.gate import scale  # noqa: PLC0415 - the texts in SQL, for who needs them

        return scale.run(request, address, progress=progress, onlooker=onlooker, told=told)
    if request.options and request.options.residues:
        raise EngineError("--residues needs --engine: without one, the primary sees all rows")
    return gate.run(request, progress=progress, onlooker=onlooker)
