"""What a config says, settled: `read` reads it, `Config` holds it.

`Config.settings` builds the settings dictionary that both implementations take (docs/interface.md).
Everything wrong with a file is told in one message.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, Field, PrivateAttr, ValidationError, create_model

from crosscheck.config import values as value
from crosscheck.config.files import FILE, PROJECT, parse
from crosscheck.config.problems import problem, refusal
from crosscheck.contract import load
from crosscheck.errors import UserError
from crosscheck.model.frozen import Model
from crosscheck.processes import TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = TypeVar("Kind", bound=BaseModel)


class Tables(Model):
    """Which tables of a document are claims: by caption, label or number; `*` is anything."""

    include: list[value.Text] = Field(default=[])
    exclude: list[value.Text] = Field(default=[])


class Ignore(Model):
    """Numbers that are no claims, and why: a label with `*` for anything."""

    pattern: value.Text
    reason: value.Text


class Claims(Model):
    """Where the authors' claims are, and what helps to read them (docs/claims.md)."""

    files: list[str] = Field(default=[])
    names: dict[value.Text, value.Claimed] = Field(default={})
    systems: dict[value.Text, value.Text] = Field(default={})
    tables: Tables = Field(default_factory=Tables)
    quoted: list[value.Text] = Field(default=[])
    ignore: list[Ignore] = Field(default=[])


class Waiver(Model):
    """A finding that may pass, and why; `key` may hold `*`, and empty means every key."""

    rule: str
    key: str
    reason: str
    owner: str | None = None
    expires: date | None = None
    """The last day on which it holds."""

    @property
    def what(self) -> str:
        """What it waives, as a config writes it."""
        return f"{self.rule} {self.key}".strip()

    def covers(self, rule: str, key: str | None) -> bool:
        """Whether a finding of that rule about that key is waived."""
        return rule == self.rule and (not self.key or _fits(self.key.split("*"), key or ""))


def _fits(parts: list[str], key: str) -> bool:
    """Whether a key has these parts in this order, the first at its start, the last at its end.

    Not by a regular expression, which would try every way to place many parts.
    """
    first, *middle = parts
    if not middle:
        return key == first
    last = middle.pop()
    if not (key.startswith(first) and key.endswith(last) and len(key) >= len(first) + len(last)):
        return False
    place, end = len(first), len(key) - len(last)
    for part in middle:
        place = key.find(part, place, end)
        if place < 0:
            return False
        place += len(part)
    return True


class GridConfig(Model):
    """The points of the threshold grid; a side that is left out keeps the contract's points."""

    tau_neg: value.Shares | None = None
    tau_pos: value.Shares | None = None

    def points(self) -> dict[str, list[Any]]:
        """Give both sides."""
        standard = next(p.default for p in load().parameters if p.values == "grid")
        sides = {"tau_neg": self.tau_neg, "tau_pos": self.tau_pos}
        return {
            name: own or default.split(",")
            for (name, own), default in zip(sides.items(), standard, strict=True)
        }


class DeclaredProfile(Model):
    """What the study declares about its data: enforced when declared."""

    posts: value.Whole | None = None
    queries: value.Whole | None = None
    with_evidence: value.Whole | None = None
    without_evidence: value.Whole | None = None
    criteria: value.Texts | None = None
    posts_per_fold: value.Wholes | None = None
    queries_per_fold: value.Wholes | None = None
    mean_candidates: value.Span | None = None
    view_queries: dict[str, value.Whole] | None = None
    shared_candidates: value.Flag = False
    uid_pattern: value.Text | None = None


class SystemConfig(Model):
    """What can be said for one system alone, or for all."""

    data: value.Data | None = None
    columns: dict[value.ColumnName, value.Text] = Field(default={})
    claims: Annotated[Claims, value.Files] | None = None
    threshold: value.Threshold | None = None
    tau_neg: value.PerFold | None = None
    tau_pos: value.PerFold | None = None
    rule: value.Rule | None = None
    ties: value.Ties | None = None
    relevance_level: value.Whole | None = None
    dedupe: value.Dedupe | None = None
    run_path: value.Text | None = None


def _default(name: str) -> Any:  # noqa: ANN401 - a number of the contract, or its text
    return load().defaults[name]


_VALUES: dict[str, Any] = {
    "counting": value.Countings,
    "percent": value.Percents,
    "share": value.Shares,
    "inner share": value.InnerShares,
    "positive": value.Positives,
    "grid": GridConfig,
}
"""What each kind of parameter lists in a config."""


def _with_parameters(model: type[Kind]) -> type[Kind]:
    """Add a field for every parameter of the contract that a setting lists the values of."""
    fields: dict[str, Any] = {
        one.setting: (_VALUES[one.values] | None, None) for one in load().parameters if one.setting
    }
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, **fields)


@_with_parameters
class Config(SystemConfig):
    """Everything that a config file can say; the contract's parameters are fields too."""

    tolerance: value.NotNegative = Field(default_factory=lambda: float(_default("tolerance")))
    seed: value.Whole = Field(default_factory=lambda: int(_default("seed")))
    resamples: value.Counting = Field(default_factory=lambda: int(_default("resamples")))
    timeout: value.Counting = int(TIMEOUT)
    k_min: value.Whole | None = None
    hard_cap: value.Whole | None = None
    k_max_ratio: value.Share | None = None
    views: dict[value.Text, value.Texts] = Field(default={})
    definitions: value.Definitions = Field(default={})
    slices: dict[value.SliceName, value.Text] = Field(default={})
    task: value.Task | None = None
    positive: value.Text | None = None
    classes: value.Texts | None = None
    grade_max: value.Counting | None = None
    profile: DeclaredProfile | None = None
    waivers: Annotated[tuple[Waiver, ...], value.Waivers] = ()
    witnesses: list[value.WitnessName] = Field(default=[])
    metrics: list[value.Metric] = Field(default=[])
    systems: dict[value.Text, SystemConfig] = Field(default={})
    _file: Path | None = PrivateAttr(default=None)

    @property
    def file(self) -> Path | None:
        """The file that the config was read from, if any."""
        return self._file

    def locate(self, path: str) -> Path:
        """Say where a file named in the config lies: relative to the config itself."""
        return (self._file.parent if self._file else Path()) / path

    def of(self, system: str | None = None) -> SystemConfig:
        """Give what holds for a system: its own values over those for all."""
        if system is None:
            return self
        if system not in self.systems:
            where = self._file or FILE
            raise UserError(f"{where} has no system “{system}”{value.guess(system, self.systems)}")
        own = self.systems[system]
        merged = {name: getattr(self, name) for name in SystemConfig.model_fields}
        merged |= {name: getattr(own, name) for name in own.model_fields_set}
        merged["columns"] = self.columns | own.columns
        return SystemConfig.model_construct(**merged)

    def settings(self, system: str | None = None) -> dict[str, Any]:
        """Build the settings of docs/interface.md; what the config leaves open stays open."""
        one = self.of(system)
        found = {name: getattr(one, name) for name in _SYSTEM_SETTINGS}
        found |= {name: getattr(self, name) for name in (*_STUDY, *_parameters(), *_BOUNDS)}
        return {
            name: held.points() if isinstance(held, GridConfig) else held
            for name, held in found.items()
            if held not in (None, {}, [])
        }


_SYSTEM_SETTINGS = (
    "columns", "threshold", "tau_neg", "tau_pos", "ties", "relevance_level", "dedupe", "run_path",
)  # fmt: skip
_STUDY = ("views", "slices", "task", "positive", "classes", "grade_max")
_BOUNDS = ("k_min", "hard_cap", "k_max_ratio")


def _parameters() -> list[str]:
    return [one.setting for one in load().parameters if one.setting]


def read(path: Path | None, over: Mapping[str, Any] | None = None) -> Config:
    """Read a config file; without one, the defaults. What stands in `over` counts instead."""
    table = parse(path) if path else {}
    if path and path.name == PROJECT:
        table = table.get("tool", {}).get("crosscheck", {})
    return from_table({**table, **(over or {})}, path)


def from_table(table: dict[str, Any], file: Path | None = None) -> Config:
    """Make the config of a table, or say everything that is wrong with it."""
    problems = _taus(table)
    config = None
    try:
        config = Config.model_validate(table)
    except ValidationError as error:
        problems = [problem(each, _known_keys) for each in error.errors()] + problems
    if problems or config is None:
        raise UserError(refusal(file or FILE, problems))
    config._file = file  # noqa: SLF001 - set once, here, where the config is made
    return config


def _known_keys(path: list[str]) -> list[str]:
    models: dict[str, type[BaseModel]] = {
        "grid": GridConfig,
        "profile": DeclaredProfile,
        "systems": SystemConfig,
        "claims": Claims,
    }
    if path[:2] == ["claims", "tables"]:
        return sorted(Tables.model_fields)
    if path[:2] == ["claims", "ignore"]:
        return sorted(Ignore.model_fields)
    return sorted((models[path[0]] if path else Config).model_fields)


def _taus(table: dict[str, Any]) -> list[str]:
    """Check τ_neg ≤ τ_pos, both or neither, for all and for each system."""
    problems = _tau_pair("", table)
    systems = table.get("systems")
    for name, own in systems.items() if isinstance(systems, dict) else ():
        if isinstance(own, dict) and {"tau_neg", "tau_pos"} & own.keys():
            problems += _tau_pair(f"systems.{name}.", table | own)
    return problems


def _tau_pair(where: str, table: dict[str, Any]) -> list[str]:
    low, high = table.get("tau_neg"), table.get("tau_pos")
    if low is None and high is None:
        return []
    if low is None or high is None:
        given, lacking = ("tau_pos", "tau_neg") if low is None else ("tau_neg", "tau_pos")
        return [f"{where}{given}: stands alone; give {lacking} too, or neither"]
    if isinstance(low, dict) and isinstance(high, dict) and low.keys() != high.keys():
        return [f"{where}tau_neg: names other folds than tau_pos; give both the same folds"]
    folds = low if isinstance(low, dict) else high if isinstance(high, dict) else {None: None}
    return [
        f"{where}tau_neg: {first}{'' if fold is None else f' of fold {fold}'} is above tau_pos, "
        f"{second}; NEG must end where UNCERTAIN begins, or before"
        for fold in folds
        for first, second in [(_at(low, fold), _at(high, fold))]
        if _is_number(first) and _is_number(second) and Decimal(str(first)) > Decimal(str(second))
    ]


def _at(tau: Any, fold: Any) -> object:  # noqa: ANN401 - whatever the file holds
    return tau[fold] if isinstance(tau, dict) else tau


def _is_number(given: object) -> bool:
    return isinstance(given, (int, float)) and not isinstance(given, bool)
