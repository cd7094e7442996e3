"""A printed change between two systems, or its p: what the data give, and what gives the number.

Verified and searched by what the gate uses, so that both give one answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from crosscheck.answers.question import Question
    from crosscheck.claims.judging.outcome import ClaimOutcome
    from crosscheck.diagnose.forensics import Diagnosis
    from crosscheck.diagnose.scene import Scene
    from crosscheck.gate import Request
    from crosscheck.model.comparison import Comparison
    from crosscheck.notation.claim import Claim, Role

P = "p"
"""What a question about a p-value has for its change."""
PERMUTATIONS = 2_000


def changed(wanted: Question, case: Scene, request: Request) -> tuple[Question, Diagnosis | None]:
    """Explain a change of the first system; the question comes back with the other one's name."""
    from crosscheck.claims.judging import comparing  # noqa: PLC0415 - only changes need it
    from crosscheck.diagnose import changes  # noqa: PLC0415 - the same

    if wanted.number is None:
        return wanted, None
    system, other = request.sources[0].name, _other(wanted, case)
    named = replace(wanted, against=other)
    if wanted.change == P:
        claim = _claim(named, system, "p_value", "p/permutation")
        comparison = _comparison(named, request)
        outcome = comparing.p_value(claim, comparison)
        if outcome.computed is None:
            raise UserError(outcome.sentence)
        found = changes.explain_p(claim, outcome.computed, case, system, comparison)
        return _judged(named, outcome), found
    claim = _claim(named, system, "improvement", "improvement")
    ledgers = {system: case.ledger, other: case.others[other].ledger}
    outcome = comparing.improvement(claim, [claim], ledgers)
    if outcome.computed is None:
        raise UserError(f"{outcome.sentence}; “{other}” gives no {wanted.key}, or it is 0 there")
    found = changes.explain_change(claim, outcome.computed, case, system)
    return _judged(named, outcome), found


def _judged(wanted: Question, outcome: ClaimOutcome) -> Question:
    return replace(wanted, verdict=outcome.sentence, holds=outcome.status == "holds")


def _claim(wanted: Question, system: str, role: Role, statistic: str) -> Claim:
    """Give the question as the claim that a document would make."""
    from crosscheck.notation.claim import Claim  # noqa: PLC0415 - only changes need it

    number = wanted.number
    return Claim(
        file="", place="", label=f"the change of {wanted.key}", role=role, number=number,
        printed=number.text if number else "", system=system,
        key=f"{wanted.key.rpartition('|')[0]}|{statistic}",
        percent=bool(number and number.percent), change=wanted.change, against=wanted.against,
        prose=True,
    )  # fmt: skip


def _comparison(wanted: Question, request: Request) -> Comparison:
    """Test the difference by permutations, as a gate of both systems does."""
    from crosscheck import ablation  # noqa: PLC0415 - only p-values need it
    from crosscheck.data.case import make_case  # noqa: PLC0415 - the same
    from crosscheck.witnesses.run import hear  # noqa: PLC0415 - the same

    chosen = [one for one in request.sources[1:] if one.name == wanted.against]
    sources = (*chosen, request.sources[0])
    cases = [make_case(one, one.settings, wants_intervals=False) for one in sources]
    metrics = request.ablation.metrics if request.ablation else ()
    asked = ablation.Wanted(sources, metrics or (wanted.key,), resamples=PERMUTATIONS)
    questions = ablation.questions(ablation.contest(asked, cases, seed=request.seed), ())
    hear(questions.tasks, processes=False)
    return ablation.conclude(questions, {}).comparison


def _other(wanted: Question, case: Scene) -> str:
    """Give the system that the change is from: the named one, or the only other."""
    from crosscheck.notation.abbreviation import meant  # noqa: PLC0415 - only changes need it

    names = list(case.others)
    if not names:
        raise UserError(
            f"a change of {wanted.key} is between two systems: name both, the new one first, as "
            "--ranking ours=COLUMN --ranking baseline=COLUMN, or in a config"
        )
    if wanted.against is None and len(names) == 1:
        return names[0]
    found = meant(wanted.against or "", names)
    if found is None:
        said = f"“{wanted.against}” is none of them" if wanted.against else "which one is not said"
        raise UserError(
            f"the change is from one of {', '.join(names)}: {said}; write “… over {names[0]} = …”"
        )
    return found
