"""What is signed: an in-toto Statement v1 whose predicate follows from the report.

The predicate's `found` is taken from `report.json` and nothing else, so that whoever verifies can
derive it again: a FAIL cannot be certified as a PASS, nor findings be counted otherwise.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from importlib import metadata
from pathlib import PurePosixPath
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, ConfigDict, Field, ValidationError

from crosscheck.errors import UserError
from crosscheck.model.findings import rules, verdict
from crosscheck.model.frozen import Model
from crosscheck.policy import STANDARD, STRICT
from crosscheck.report import circumstances
from crosscheck.report.printing import tally
from crosscheck.report.view import File, PolicyView, Report

TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "urn:metric-crosscheck:certificate:1"
PAYLOAD: Final = "application/vnd.in-toto+json"
ENVELOPE: Final = "certificate.json"
PROGRAM: Final = "metric-crosscheck"
REPORT: Final = "report"
"""The folder of the certificate that holds the report."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\\:]")


def program() -> str:
    """Name this program and its version."""
    return f"{PROGRAM} {metadata.version(PROGRAM)}"


def safe_name(name: str) -> str:
    """Refuse what is no plain path inside a folder, on any system."""
    path = PurePosixPath(name)
    inside = name and not path.is_absolute() and str(path) == name
    if not inside or {".", ".."} & set(path.parts) or CONTROL.search(name):
        raise ValueError(f"“{name}” is no path inside a certificate")
    return name


def moment(text: str) -> str:
    """Refuse what is no moment in time with its zone (RFC 3339)."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError("names no time zone; write 2027-01-31T12:00:00+00:00")
    return text


class Strict(Model):
    """Strict about types too: what is signed is read as it was written."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Digest(Strict):
    """SHA-256, as in-toto writes it."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Subject(Strict):
    """One file of the certificate."""

    name: Annotated[str, AfterValidator(safe_name)]
    digest: Digest


class Counts(Strict):
    """How much was looked at, and what was found."""

    systems: int
    compared: int = Field(description="Numbers on which two witnesses were compared")
    witnesses: list[str]
    claims: int
    claims_holding: int
    errors: int
    drift: int
    advice: int
    waived: int


class Found(Strict):
    """What the report says, derived from its findings."""

    verdict: Literal["pass", "fail"]
    summary: str
    counts: Counts
    weakened_by: list[str]
    otherwise: str
    not_checked: list[str]
    policy: PolicyView
    judged_as_of: str | None = Field(description="The day by which waivers expired, if any does")
    contract_sha256: str
    schema_version: str
    versions: dict[str, str]
    inputs: list[File]


class Repository(Strict):
    """Where the data are kept under version control."""

    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
    committed: bool = Field(description="Whether every input is there as it was gated")


class Predicate(Strict):
    """Who vouches for what."""

    found: Found
    repository: Repository | None
    rerun: Literal["same", "not done"] = Field(description="Before it was signed, by the signer")
    who: Annotated[str, Field(min_length=1)]
    when: Annotated[str, AfterValidator(moment)]
    program: str


class Statement(Strict):
    """An in-toto Statement v1."""

    type: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: Annotated[list[Subject], Field(min_length=1)]
    predicate_type: Literal["urn:metric-crosscheck:certificate:1"] = Field(alias="predicateType")
    predicate: Predicate

    def payload(self) -> bytes:
        """Write the bytes that are signed."""
        return json.dumps(self.model_dump(by_alias=True), ensure_ascii=False).encode()


def statement(predicate: Predicate, digests: dict[str, str]) -> Statement:
    """Make the statement about these files: name → SHA-256."""
    subjects = [{"name": name, "digest": {"sha256": digests[name]}} for name in sorted(digests)]
    stated = {"_type": TYPE, "subject": subjects, "predicateType": PREDICATE}
    return Statement.model_validate(stated | {"predicate": predicate.model_dump()})


def read(payload: bytes) -> Statement:
    """Read a statement whose signature was verified; says what is wrong with any other."""
    try:
        found = Statement.model_validate(parse(payload))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the payload"
        raise UserError(f"what is signed is no certificate of ours: {where}: {first['msg']}") from (
            None
        )
    names = [one.name for one in found.subject]
    folded = [name.casefold() for name in names]
    twice = sorted({name for name in names if folded.count(name.casefold()) > 1})
    if twice:
        raise UserError(f"the certificate names {', '.join(twice)} twice, so it says nothing clear")
    return found


def parse(content: bytes) -> Any:  # noqa: ANN401 - whatever the file holds
    """Read JSON in which no name stands twice: two readers must not read two things."""
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_once, parse_constant=_number)
    except (ValueError, RecursionError) as error:
        raise UserError(f"is not valid JSON for a certificate: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def found_in(report: Report) -> Found:
    """Derive from a report what a certificate says of it; a report that contradicts itself is none.

    The verdict comes from the findings, and a finding's weight from its rule.
    """
    known = rules()
    for one in report.findings:
        rule = known.get(one.rule)
        if rule is None or (rule.severity, rule.group) != (one.severity, one.group):
            raise UserError(
                f"report.json: a finding of {one.rule} is not of that rule's weight; it was altered"
            )
    derived = verdict(report.findings)
    if derived != report.verdict or not report.summary.startswith(f"{derived.upper()}: "):
        raise UserError(
            f"report.json: says {report.verdict}, and its findings say {derived}; it was altered"
        )
    request = report.provenance.request
    _refuse_other_policy(report)
    return Found(
        verdict=derived,
        summary=report.summary,
        counts=_counts(report),
        weakened_by=circumstances.lines(report),
        otherwise=circumstances.otherwise(report),
        not_checked=_not_checked(report),
        policy=report.provenance.policy,
        judged_as_of=request.today if request else None,
        contract_sha256=report.provenance.contract_sha256,
        schema_version=report.schema_version,
        versions=report.provenance.versions,
        inputs=report.provenance.inputs,
    )


def _refuse_other_policy(report: Report) -> None:
    """Hold the policy that a report names against what was asked for, and against its inputs."""
    policy, request = report.provenance.policy, report.provenance.request
    if request is None:
        return
    listed = {(one.path, one.sha256) for one in report.provenance.inputs if one.role == "policy"}
    known = policy.path is None or (policy.path, policy.sha256) in listed
    if policy.path != request.policy or not known:
        raise UserError(
            f"report.json: names the policy “{policy.name}”, and was not held to it; it was altered"
        )
    if policy.path is None and policy.name != (STRICT if request.strict else STANDARD):
        raise UserError(
            f"report.json: names the policy “{policy.name}”, which is not built in; it was altered"
        )


def _counts(report: Report) -> Counts:
    claims = [claim for system in report.systems for claim in system.claims]
    heard = (
        witness.name.removesuffix("/sample")
        for system in report.systems
        for witness in system.witnesses
        if witness.status == "answered" and witness.kind != "claims"
    )
    found = tally(report.findings)
    return Counts(
        systems=len(report.systems),
        compared=sum(system.compared for system in report.systems),
        witnesses=list(dict.fromkeys(heard)),
        claims=len(claims),
        claims_holding=sum(claim.status == "holds" for claim in claims),
        errors=found["error"],
        drift=found["drift"],
        advice=found["advice"],
        waived=found["waived"],
    )


def _not_checked(report: Report) -> list[str]:
    """List what was skipped or could not be seen, once each."""
    told = [
        f"{check.title}: {check.reason or 'nothing to look at'}"
        for system in report.systems
        for check in system.checks
        if check.status == "skipped"
    ]
    absent = dict.fromkeys(family for system in report.systems for family in system.not_owed)
    told += [f"Numbers that the data do not suffice for: {', '.join(absent)}"] if absent else []
    told += [
        f"{item.item}: {item.status}"
        for system in report.systems
        for item in system.checklist
        if item.status == "cannot be seen from data"
    ]
    return list(dict.fromkeys(told))
