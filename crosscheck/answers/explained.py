"""What a metric means, what each witness says of it, and which mistake gives a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from crosscheck.answers.changed import P, changed
from crosscheck.answers.question import Question
from crosscheck.data import door
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from crosscheck.contract.page import Page
    from crosscheck.diagnose.forensics import Diagnosis
    from crosscheck.diagnose.scene import Scene
    from crosscheck.gate import Request

    Answer = tuple[Question, Scene, Diagnosis | None, dict[str, str], dict[str, Any]]
    """What is asked, about which data, what gives the number, what each witness says, the facts."""


_P = re.compile(
    r"(?P<metric>\S.*?) p(?:[- ]?value)?(?: (?:over|vs\.?|against) (?P<name>.+))?", re.IGNORECASE
)
"""`MRR p-value over BM25`."""


def answer(wanted: Question, request: Request, *, named: bool) -> Answer:
    """Find out everything there is to say; `named`: every witness of the request is asked."""
    case = _case(request)
    if wanted.key not in case.ledger:
        raise UserError(_absent(wanted.key, case))
    if wanted.change:
        wanted, diagnosis = changed(wanted, case, request)
    else:
        diagnosis = _diagnosis(wanted, case)
    said, facts = _testimonies(request, wanted.key, named=named)
    return wanted, case, diagnosis, said, facts


def read_question(text: str) -> Question:
    """Split KEY from VALUE; a key may hold `=` itself (`tpr@fpr=5%`, `fold=0`)."""
    from crosscheck.claims.scale import LARGE  # noqa: PLC0415 - the same
    from crosscheck.notation import labels  # noqa: PLC0415 - loads the contract
    from crosscheck.notation.compose import compose  # noqa: PLC0415 - the same
    from crosscheck.notation.number import parse  # noqa: PLC0415 - the same

    label = labels.read(text)
    composed = compose(label)
    if composed.key and not label.condition and not label.change:
        return Question(composed.key)
    head, mark, tail = text.rpartition("=")
    cell = parse(tail)
    if mark:
        test = _P.fullmatch(head.strip())
        said = labels.read(test["metric"] if test else head.strip())
        named = compose(said)
        if test and named.key and cell.number is not None:
            return Question(named.key, cell.number, change=P, against=test["name"])
        if named.key and cell.number is None:
            raise UserError(f"“{text}”: {tail.strip() or 'nothing'} is no number; write {head}=0.5")
        if named.key and said.change and cell.number is not None:
            return Question(named.key, cell.number, change=said.change, against=said.against)
        if named.key and cell.number is not None:
            large = _is_share(named.key) and abs(cell.number.value) > LARGE
            return Question(named.key, cell.number, cell.number.percent or large)
        composed = named
    hint = f"; perhaps {' or '.join(composed.suggestions)}" if composed.suggestions else ""
    raise UserError(
        f"“{text}”: {composed.problem or 'no metric of that name'}{hint}. Write a metric "
        "(nDCG@10), a key (ndcg@10|positives_only|all|mean), or either with =VALUE; a change as "
        "“MRR improvement over BM25 = +12.0%”, a p-value as “MRR p over BM25 = 0.03”"
    )


def _is_share(key: str) -> bool:
    from crosscheck.contract import load  # noqa: PLC0415 - loaded on use

    span = load().range_of(key)
    return (span.low, span.high) == (0.0, 1.0)


def _case(request: Request) -> Scene:
    """Take the first system as the one asked about, the others as what it can be confused with."""
    from crosscheck.diagnose.scene import Scene  # noqa: PLC0415 - polars is heavy

    first, *rest = request.sources
    others = {one.name: Scene(one.data, one.settings) for one in rest}
    case = Scene(first.data, first.settings, others=others)
    try:
        _ = case.ledger
        for other in others.values():
            _ = other.ledger
    except door.primary.InputError as error:
        raise UserError(str(error)) from None
    return case


def _absent(key: str, case: Scene) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only for an error

    from crosscheck.claims.verify import why_absent  # noqa: PLC0415 - the same

    family = key.partition("|")[0].partition("@")[0]
    alike = [known for known in case.ledger if known.startswith((f"{family}@", f"{family}|"))]
    near = get_close_matches(key, alike, n=3, cutoff=0.5)
    hint = f". The data have {', '.join(near)}" if near else ""
    return f"the data give no {key}: {why_absent(key, case.ledger)}{hint}"


def _diagnosis(wanted: Question, case: Scene) -> Diagnosis | None:
    from crosscheck.diagnose.forensics import explain  # noqa: PLC0415 - loads the data

    if wanted.number is None:
        return None
    return explain(wanted.key, wanted.number, case, percent=wanted.percent)


def _testimonies(
    request: Request, key: str, *, named: bool
) -> tuple[dict[str, str], dict[str, Any]]:
    """Ask the two implementations, and who is named, about the key; give the facts too."""
    from crosscheck.data.case import make_case  # noqa: PLC0415 - loads every witness
    from crosscheck.witnesses import Testimony  # noqa: PLC0415 - the same
    from crosscheck.witnesses.implementations import PRIMARY, REFERENCE  # noqa: PLC0415 - the same
    from crosscheck.witnesses.run import hear, task_of  # noqa: PLC0415 - the same

    first = request.sources[0]
    case = make_case(first, first.settings, wants_intervals=False)
    asked = request.witnesses if named else (PRIMARY, REFERENCE)
    tasks = [task_of(witness, [case]) for witness in asked]
    hear(tasks, processes=len(asked) > 2)  # noqa: PLR2004 - few are faster here
    said = {}
    for witness, task in zip(asked, tasks, strict=True):
        [answer] = task.answers
        if not isinstance(answer, Testimony):
            said[witness.name] = f"silent: {answer.reason}"
        elif key in answer.ledger:
            said[witness.name] = repr(answer.ledger[key])
        else:
            said[witness.name] = f"declines: {answer.declined.get(key, 'not asked')}"
    return said, case.facts


def page_of(
    wanted: Question,
    case: Scene,
    diagnosis: Diagnosis | None,
    said: dict[str, str],
    facts: dict[str, Any],
) -> Page:
    """Write what was found out as a page, in the words of the data."""
    from crosscheck.contract import load  # noqa: PLC0415 - loaded on use
    from crosscheck.contract.page import worded  # noqa: PLC0415 - the same

    return worded(_page(wanted, case, diagnosis, said), load().words(facts))


def _page(wanted: Question, case: Scene, diagnosis: Diagnosis | None, said: dict[str, str]) -> Page:
    from crosscheck.contract import load  # noqa: PLC0415 - loaded on use
    from crosscheck.contract.metric_page import libraries_page, metric_page  # noqa: PLC0415 - the same
    from crosscheck.contract.page import Heading, PageTable, Paragraph  # noqa: PLC0415 - the same
    from crosscheck.diagnose import lesson  # noqa: PLC0415 - loads numpy

    contract = load()
    witnesses = PageTable(("witness", "value"), tuple(said.items()), code=())
    page: Page = [Heading(1, wanted.key), Paragraph(contract.describe(wanted.key))]
    if wanted.verdict:
        page.append(Paragraph(f"{_capital(wanted.verdict)}."))
    if diagnosis is not None:
        page += _verdict(wanted, diagnosis)
    page += [Heading(2, "What each witness says"), witnesses]
    page += lesson.on_this_data(wanted.key, case)
    page += lesson.worked(wanted.key, case)
    metric = contract.metric(wanted.key.partition("|")[0]).metric
    if diagnosis is None:
        return [*page, Heading(2, "What the contract says"), *metric_page(contract, metric)[1:]]
    return [*page, *libraries_page(contract, metric)]


def _verdict(wanted: Question, diagnosis: Diagnosis) -> Page:
    from crosscheck.claims.verify import fits  # noqa: PLC0415 - loaded on use
    from crosscheck.contract.page import Heading, PageTable, Paragraph  # noqa: PLC0415 - the same

    if wanted.number is None:
        return []
    if wanted.holds:
        return []
    if fits(wanted.number, diagnosis.right, percent=wanted.percent) and not wanted.change:
        return [Paragraph(f"{diagnosis.printed} is right: the data give {diagnosis.right:.6f}.")]
    rows = tuple((one.title, one.sentence, f"{one.surprise:.2g}") for one in diagnosis.explanations)
    page: Page = [
        Heading(2, f"Where {diagnosis.printed} can come from"),
        Paragraph(f"The data give {diagnosis.right:.6f}. {_capital(diagnosis.sentence)}."),
    ]
    if rows:
        page.append(PageTable(("mistake", "what it gives", "expected by chance"), rows, code=()))
        page.append(
            Paragraph(
                "Expected by chance: how many hypotheses at least as plausible would have given "
                "these digits by accident. The smaller, the stronger."
            )
        )
    return page


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def as_data(
    wanted: Question,
    case: Scene,
    diagnosis: Diagnosis | None,
    said: dict[str, str],
    _facts: dict[str, Any],
) -> dict[str, Any]:
    """Give what was found out as plain data."""
    data: dict[str, Any] = {"key": wanted.key, "value": case.ledger[wanted.key], "witnesses": said}
    if diagnosis is not None:
        if wanted.change:
            data |= {"against": wanted.against, "change": diagnosis.right, "holds": wanted.holds}
        data["claimed"] = diagnosis.printed
        data["tried"] = diagnosis.tried
        data["sentence"] = diagnosis.sentence
        data["explanations"] = [one.model_dump() for one in diagnosis.explanations]
    return data
