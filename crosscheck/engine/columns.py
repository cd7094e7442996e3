"""Which column of the files is which of the contract's (sections 1 and 14, docs/interface.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crosscheck.contract import load
from crosscheck.engine.base import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    TwoValued = Callable[[list[str], str | None], bool]
    """Takes columns, the label first, and that of the split."""

LABELS = ("label", "y_true", "target")
PREDICTED = ("predicted", "y_pred")
KEYS = ("query_id", "post_id")
CLASSES = {"classes", "class_probs", "confusion_matrix"}
ALWAYS = {"post_id", "criterion_id", "query_id", "fold", "split", "seed"}
DECIDING = {"gold", "has_evidence", "pred", "prob", "score", "label", "predicted"}
"""Read whatever families are wanted: they decide the populations, and the task."""
WANTED: dict[str, set[str]] = {
    "ranking": {"candidates", "scores"},
    "ties": {"candidates", "scores"},
    "pairs": {"candidates", "scores"},
    "states": {"state"},
    "state_slices": {"state"},
    "dynamic_k": {"selected"},
    "deployment": {"selected"},
    "k_bounds": {"selected", "candidates", "scores"},
    "gamma": {"selected", "candidates", "scores", "node_probs"},
    "graded": {"grades"},
    "exponential": {"grades"},
    "judged": {"judged", "candidates", "scores"},
    "class_probs": {"class_probs"},
}
"""Family → what is read for it besides."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Contract's name → column of the files, and what the task is."""

    found: dict[str, str]
    multiclass: bool
    freely: frozenset[str] = frozenset()
    """What is read from `label` and `predicted`: of two values, spelled more freely."""

    def __contains__(self, name: str) -> bool:
        return name in self.found


def resolve(present: Iterable[str], settings: Mapping[str, Any], two_valued: TwoValued) -> Columns:
    """Name the columns; `two_valued` looks whether some hold nothing but 0, 1, true and false."""
    names = list(present)
    mapped = {ours: theirs for ours, theirs in (settings.get("columns") or {}).items() if theirs}
    for ours, theirs in mapped.items():
        if theirs not in names:
            raise EngineError(f"column {theirs}, which is to be {ours}, is not in the files")
    free = [name for name in names if name not in mapped.values()]
    found = dict(mapped)
    for column in load().columns:
        if column.name not in found and column.name not in {"label", "predicted"}:
            known = [column.name, *_aliases(column.name, column.aliases, free, found)]
            _take(found, column.name, [name for name in known if name in free])
    named = {one for one in ("has_evidence", "pred") if one in found}
    multiclass = _task(found, free, settings, two_valued)
    freely = frozenset(one for one in ("has_evidence", "pred") if one in found and one not in named)
    if settings.get("families") is not None:
        read = _read(settings["families"])
        if multiclass and CLASSES.isdisjoint(settings["families"]):
            read -= {"label", "predicted"}
        found = {ours: found[ours] for ours in found if ours in read}
    if "prob" in found:
        found.pop("score", None)
    return Columns(found, multiclass, freely)


def _read(families: Iterable[str]) -> set[str]:
    return ALWAYS | DECIDING | {name for one in families for name in WANTED.get(one, ())}


def _aliases(
    name: str, aliases: Iterable[str], free: list[str], found: dict[str, str]
) -> list[str]:
    """Give the aliases that count for a column, by the conditions of the contract."""
    known = [alias for alias in aliases if alias not in {*LABELS, *PREDICTED}]
    if name == "query_id" and any(key in free or key in found for key in KEYS):
        return []
    others = [one for one in _of("candidates") if one in free and one != "retrieved_ids"]
    if name == "candidates" and others:
        known.remove("retrieved_ids")
    if name == "selected" and "candidates" in found and found["candidates"] == "retrieved_ids":
        known.remove("retrieved_ids")
    return known


def _of(name: str) -> list[str]:
    column = next(one for one in load().columns if one.name == name)
    return [name, *column.aliases]


def _take(found: dict[str, str], ours: str, known: list[str]) -> None:
    if len(known) > 1:
        raise EngineError(
            f"columns {' and '.join(known)} could both be {ours}; say which: [columns] "
            f'{ours} = "{known[0]}"'
        )
    if known:
        found[ours] = known[0]


def _of_two(
    found: dict[str, str],
    pair: Sequence[str],
    settings: Mapping[str, Any],
    two_valued: TwoValued,
    *,
    stated: bool,
) -> bool:
    """Tell whether they are labels of two values; `stated`: the settings say that they are not."""
    positive = settings.get("positive")
    if positive is None:
        columns = [found[name] for name in pair]
        return bool(pair) and not stated and two_valued(columns, found.get("split"))
    if stated or "label" not in pair:
        why = "the classes are what is asked about" if stated else "the files have no label"
        raise EngineError(f"positive = “{positive}”: {why}; leave it out")
    return True


def _task(
    found: dict[str, str],
    free: list[str],
    settings: Mapping[str, Any],
    two_valued: TwoValued,
) -> bool:
    """Tell labels from classes; answer whether the classes are what is asked about."""
    for ours, aliases in (("label", LABELS), ("predicted", PREDICTED)):
        if ours not in found:
            _take(found, ours, [name for name in aliases if name in free])
    task = settings.get("task")
    stated = bool(settings.get("classes")) or task == "multiclass"
    pair = [name for name in ("label", "predicted") if name in found]
    if _of_two(found, pair, settings, two_valued, stated=stated):
        for name, ours in (("label", "has_evidence"), ("predicted", "pred")):
            if name in found:
                theirs = found.pop(name)
                _take(found, ours, [one for one in (found.get(ours), theirs) if one])
        return False
    if task == "binary":
        for name in pair:
            del found[name]
        return False
    if len(pair) < 2:  # noqa: PLR2004 - both of them
        return False
    label = "has_evidence" in found or "gold" in found
    both = (label and any(one in found for one in ("pred", "prob", "score"))) or (
        "candidates" in found and "gold" in found
    )
    if both and task is None:
        raise EngineError(
            'the files hold both tasks: say task = "binary" or task = "multiclass" in the config'
        )
    return True
