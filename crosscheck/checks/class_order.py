"""Whether the classes stand in the order of their probabilities (contract, section 17, trap C6).

One row whose predicted class is not the likeliest proves nothing: a decision may be made otherwise.
But where exchanging the names of classes, the same way in every row, makes each prediction the
likeliest class, no rule of decision explains it better than a wrong order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.checks import Evidence
    from crosscheck.model.findings import Finding

FEWEST = 5
"""Rows that have to disagree before a pattern in them is more than chance."""


def found(evidence: Evidence) -> Iterator[Finding]:
    """Say so where another order of the classes explains every prediction."""
    if evidence.case.guessed:
        yield finding("XC124", evidence.case.guessed, system=evidence.system)
    if (evidence.facts.get("disagreeing_predictions") or 0) < FEWEST:
        return
    rows = evidence.rows
    classes = evidence.facts["classes"]
    likeliest = [_likeliest(one) for one in rows.frame["class_probs"].to_list()]
    order = explained_by(likeliest, rows.texts("predicted").tolist(), classes)
    if order is not None:
        yield finding(
            "XC121",
            f"in {evidence.facts['disagreeing_predictions']:,} rows the predicted class is not the "
            f"one with the largest probability, and in every row it is if the probabilities stand "
            f"in the order {', '.join(order)} instead of {', '.join(classes)}",
            system=evidence.system,
        )


def _likeliest(probabilities: Sequence[float]) -> int | None:
    """Give the place of the largest probability; None where two are as large."""
    largest = max(map(float, probabilities))
    places = [at for at, one in enumerate(probabilities) if float(one) == largest]
    return places[0] if len(places) == 1 else None


def explained_by(
    likeliest: Sequence[int | None], predicted: Sequence[str], classes: Sequence[str]
) -> list[str] | None:
    """Give the order of classes under which every prediction is the likeliest; None: there is none.

    A place that is never the largest keeps one of the names that are left.
    """
    named: dict[int, str] = {}
    for place, name in zip(likeliest, predicted, strict=True):
        if place is not None and named.setdefault(place, name) != name:
            return None
    if len(set(named.values())) != len(named):
        return None
    left = [name for name in classes if name not in named.values()]
    own = {name for at, name in enumerate(classes) if at not in named and name in left}
    others = iter([name for name in left if name not in own])
    order = [
        named.get(at) or (name if name in own else next(others)) for at, name in enumerate(classes)
    ]
    return order if order != list(classes) else None
