"""The policy: what a lab or a journal holds every run to, whatever a config says (docs/policy.md).

A config belongs to the authors, a policy to whoever judges them. A config may ask for less than the
policy grants, never for more: what it may not do is a finding of the group “policy”, which nothing
waives. One policy is always in force: the standard one, `--strict`, or a file.
"""

from __future__ import annotations

import hashlib
import tomllib
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, PrivateAttr, ValidationError

from crosscheck.config import Config, DeclaredProfile
from crosscheck.config import values as value
from crosscheck.config.problems import problem, refusal
from crosscheck.errors import UserError
from crosscheck.limits import admit
from crosscheck.model.frozen import Model

BUILT_IN = Path(__file__).parent
STANDARD: Final = "standard"
STRICT: Final = "strict"


def _sha256(given: object) -> str:
    text = str(given).lower()
    if len(text) != hashlib.sha256().digest_size * 2 or set(text) - set("0123456789abcdef"):
        raise ValueError(f"is {value.shown(given)}; expected 64 hexadecimal digits")
    return text


def _setting(given: object) -> str:
    known = sorted(Config.model_fields)
    if given not in known:
        raise ValueError(f"is no setting of a config{value.guess(str(given), known)}")
    return str(given)


def _day(given: object) -> date:
    if type(given) is not date:
        raise ValueError(f"is {value.shown(given)}; expected a date such as 2027-01-31")
    return given


Sha256 = Annotated[str, BeforeValidator(_sha256)]
Setting = Annotated[str, BeforeValidator(_setting)]
Day = Annotated[date, BeforeValidator(_day)]


class WitnessTerms(Model):
    """Who may be asked besides the two implementations, and who must be."""

    allowed: list[value.Text] | None = None
    required: list[value.Text] = Field(default=[])


class Grant(Model):
    """A rule that may be waived: in whose name, and until when."""

    owner: value.Text | None = None
    expires: Day | None = None


class WaiverTerms(Model):
    """What a waiver must say, and of which rules; `rules` left out: of any."""

    reason: value.Counting
    owner: value.Flag
    expiry: value.Flag
    rules: dict[value.RuleId, Grant] | None = None


class ClaimTerms(Model):
    """What must be claimed."""

    files: list[value.Text]
    least: value.Whole
    passed: value.Whole | None = None
    """How many claims a config may let pass as quoted or ignored; None: any number."""


class Held(Model):
    """What the lab holds itself, by SHA-256: the gold of a table, or a file of judgements."""

    gold: list[Sha256] = Field(default=[])
    qrels: list[Sha256] = Field(default=[])


class Policy(Model):
    """Everything that a policy can say; what it leaves out is as in the standard one."""

    name: value.Text
    discovery: value.Flag
    tolerance: value.NotNegative
    resamples: value.Whole
    intervals: value.Flag
    figures: value.Flag = False
    """Whether they must be drawn."""
    seed: value.Whole | None = None
    unevaluated: value.Share
    truth: list[value.Text]
    witnesses: WitnessTerms
    waivers: WaiverTerms
    claims: ClaimTerms
    allowed: dict[Setting, list[Any] | dict[str, list[Any]]] = Field(default={})
    profile: DeclaredProfile | None = None
    held: Held = Held()
    _sha256: str = PrivateAttr(default="")
    _file: Path | None = PrivateAttr(default=None)

    @property
    def sha256(self) -> str:
        """The hash of the file that says it, built in or not."""
        return self._sha256

    @property
    def file(self) -> Path | None:
        """The file, unless it is built in."""
        return self._file

    @property
    def expires(self) -> bool:
        """Whether what it grants depends on the day."""
        return any(one.expires for one in (self.waivers.rules or {}).values())


def choose(file: str | None, *, strict: bool = False) -> Policy:
    """Give the policy in force: a file's, the strict one, or the standard one."""
    if file and strict:
        raise UserError(
            "--strict and --policy exclude each other: each is a whole policy; name one "
            "(CROSSCHECK_POLICY counts as --policy)"
        )
    return read(Path(file)) if file else built_in(STRICT if strict else STANDARD)


def built_in(name: Literal["standard", "strict"]) -> Policy:
    """Read a policy that comes with the program."""
    return _read(BUILT_IN / f"{name}.toml", None)


def read(path: Path) -> Policy:
    """Read a policy file, or say everything that is wrong with it."""
    return _read(path, path)


def _read(path: Path, file: Path | None) -> Policy:
    content = _bytes(path)
    try:
        table = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path} is not valid TOML: {error}. Mend the line named.") from None
    policy = from_table(table, path)
    policy._sha256 = hashlib.sha256(content).hexdigest()  # noqa: SLF001 - set once, where it is made
    policy._file = file  # noqa: SLF001 - the same
    return policy


def from_table(table: dict[str, Any], path: Path | None = None) -> Policy:
    """Make the policy of a table, or say everything that is wrong with it."""
    try:
        return Policy.model_validate(_over_standard(table))
    except ValidationError as error:
        problems = [problem(each, _known_keys) for each in error.errors()]
        raise UserError(refusal(path or "the policy", problems)) from None


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise UserError(f"{path}: no such policy; check --policy and CROSSCHECK_POLICY")
        if path.parent != BUILT_IN:
            admit(path, "config")
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}. Check --policy.") from None


def _over_standard(table: dict[str, Any]) -> dict[str, Any]:
    """Fill in what a policy leaves out; a name is its own."""
    standard = tomllib.loads((BUILT_IN / f"{STANDARD}.toml").read_text(encoding="utf-8"))
    del standard["name"]
    filled = standard | table
    for name, own in table.items():
        if isinstance(own, dict) and isinstance(standard.get(name), dict):
            filled[name] = standard[name] | own
    return filled


def _known_keys(path: list[str]) -> list[str]:
    models: dict[str, type[Model]] = {
        "witnesses": WitnessTerms,
        "waivers": WaiverTerms,
        "claims": ClaimTerms,
        "profile": DeclaredProfile,
        "held": Held,
    }
    if path[:2] == ["waivers", "rules"]:
        return sorted(Grant.model_fields)
    return sorted((models.get(path[0], Policy) if path else Policy).model_fields)
