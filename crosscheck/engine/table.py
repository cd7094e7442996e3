"""The files as the contract sees them: one view of every row, one of the EVAL rows.

Every column is read by the rules of section 1, from its type in the files. A row's own numbers
(|G|, the decision, the state) are expressions of the view, so an engine computes those alone that a
text asks for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from crosscheck.contract import load
from crosscheck.engine import labels
from crosscheck.engine.base import EngineError
from crosscheck.engine.columns import Columns, resolve
from crosscheck.engine.exact import first_at_least, fraction
from crosscheck.engine.footers import look
from crosscheck.engine.numbered import row_number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from crosscheck.engine.base import Engine

LISTS_OF_TEXT = ("candidates", "gold", "selected", "judged")
LISTS_OF_NUMBERS = ("scores", "node_probs", "class_probs")
TEXTS = ("post_id", "criterion_id", "query_id", "seed", "label", "predicted", "state")
STATES = ("NEG", "UNCERTAIN", "POS")


@dataclass(frozen=True)
class Table:
    """The data behind an engine, and what is asked about them."""

    engine: Engine
    settings: Mapping[str, Any]
    columns: Columns
    types: Mapping[str, Any]
    dims: tuple[str, ...] = ()
    """Columns of the EVAL view that slices are made of."""
    names: dict[str, str] = field(default_factory=dict)
    """Declared slice → its column in the EVAL view."""
    numbered: str = ""
    """The row number, where it stands for the key."""

    def has(self, *names: str) -> bool:
        """Whether every one of these columns is there."""
        return all(name in self.columns for name in names)

    @property
    def labelled(self) -> bool:
        """Whether a row's label is known."""
        return self.has("has_evidence") or self.has("gold")

    @property
    def scored(self) -> bool:
        """Whether a row has a score for the curves."""
        return self.has("prob") or self.has("score")

    @property
    def decided(self) -> bool:
        """Whether a row's decision is known."""
        stated = self.settings.get("threshold") is not None
        return self.has("pred") or self.has("prob") or (self.has("score") and stated)

    @property
    def stateful(self) -> bool:
        """Whether a row's state is known."""
        return self.has("state") or (self.has("prob") and self.settings.get("tau_neg") is not None)

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that name a query."""
        if self.has("post_id"):
            return tuple(name for name in ("post_id", "criterion_id") if self.has(name))
        return ("query_id",)

    @property
    def unit(self) -> str:
        """The column that samples and groups go by: the post, else the query."""
        return "post_id" if self.has("post_id") else "query_id"


def open_table(engine: Engine, files: list[str], settings: Mapping[str, Any]) -> Table:
    """Read the files, name their columns, define the views."""
    if settings.get("dedupe"):
        raise EngineError("dedupe is not offered by an engine: write the rankings without doubles")
    look(files)
    engine.read(files)
    types = {one.name: one.type for one in engine.schema()}
    columns = resolve(types, settings, partial(labels.two_valued, engine, types))
    declared = dict(settings.get("slices") or {})
    for name, theirs in declared.items():
        if theirs not in types:
            raise EngineError(f"[slices] {name} = “{theirs}”: there is no such column")
    names = {name: f"slice_{number}" for number, name in enumerate(declared)}
    table = Table(engine, settings, columns, types, names=names)
    dims = [one for one in ("seed", "fold") if table.has(one)]
    dims += ["criterion_id"] if table.has("criterion_id") and not columns.multiclass else []
    dims += list(names.values())
    keyed = "query_id" in columns or "post_id" in columns
    number = "" if keyed else row_number(engine, files)
    table = Table(engine, settings, columns, types, tuple(dims), names, number)
    selected = [f"{number} AS query_id"] if number else []
    selected += [f"{_column(table, ours)} AS {ours}" for ours in columns.found]
    selected += [
        f"coalesce({_text(table, theirs, f'slice {name}')}, '') AS {names[name]}"
        for name, theirs in declared.items()
    ]
    selected += [f"{made} AS {name}" for name, made in _places(engine)]
    engine.define("every", f"SELECT {', '.join(selected)} FROM source{_sampled(table)}")
    engine.define("all_rows", f"SELECT *, {_split(table)} AS part FROM every")
    own = ", ".join(f"{made} AS {name}" for name, made in _own(table))
    engine.define(
        "eval_rows", f"SELECT *{', ' if own else ''}{own} FROM all_rows WHERE part = 'EVAL'"
    )
    return table


def _places(engine: Engine) -> list[tuple[str, str]]:
    places = (("of_file", engine.file), ("in_file", engine.place))
    return [(name, made) for name, made in places if made]


def _sampled(table: Table) -> str:
    """Keep the sample's rows alone (docs/interface.md, Settings, `sample`)."""
    modulus = int(table.settings.get("sample") or 1)
    if modulus == 1:
        return ""
    return f" WHERE {table.engine.words.residue(unit_text(table), modulus)} = 0"


def unit_text(table: Table) -> str:
    """Write the id that samples go by, as the files have it."""
    return table.numbered or _text(table, table.columns.found[table.unit], table.unit)


def _split(table: Table) -> str:
    if not table.has("split"):
        return "'EVAL'"
    cases = [
        f"WHEN split IN ({', '.join(map(repr, (one.name, *filter(None, one.also))))}) "
        f"THEN '{one.name}'"
        for one in load().splits
    ]
    return f"CASE WHEN split IS NULL OR split = '' THEN 'EVAL' {' '.join(cases)} ELSE split END"


def _column(table: Table, ours: str) -> str:
    """Write how a column is read, by its type."""
    theirs = table.columns.found[ours]
    if ours in LISTS_OF_TEXT or ours in LISTS_OF_NUMBERS or ours == "grades":
        return _list(table, ours, theirs)
    if ours in TEXTS or ours == "split":
        return _text(table, theirs, ours)
    if ours in {"has_evidence", "pred"}:
        return _label(table, theirs, ours)
    if ours == "fold":
        return _whole(table, theirs, ours)
    return _number(table, theirs, ours)


def _refused(table: Table, theirs: str, ours: str, wanted: str) -> EngineError:
    return EngineError(
        f"column {theirs}, which is {ours}, is of the type {table.types[theirs]}; an engine reads "
        f"{wanted}. Store it so"
    )


def _text(table: Table, theirs: str, ours: str) -> str:
    from pyarrow import types  # noqa: PLC0415 - heavy

    kind, quoted = table.types[theirs], table.engine.words.name(theirs)
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_string(kind) or types.is_large_string(kind):
        return quoted
    named = ours in {"label", "predicted"} or ours.startswith("slice ")
    if types.is_integer(kind) or (named and types.is_boolean(kind)):
        return f"CAST({quoted} AS {table.engine.words.text})"
    wanted = "names as text, whole numbers or booleans" if named else "ids as text or whole numbers"
    raise _refused(table, theirs, ours, wanted)


def _label(table: Table, theirs: str, ours: str) -> str:
    from pyarrow import types  # noqa: PLC0415 - heavy

    kind, words = table.types[theirs], table.engine.words
    freely = ours in table.columns.freely
    positive = table.settings.get("positive")
    if freely and positive is not None:
        named = _text(table, theirs, "label" if ours == "has_evidence" else "predicted")
        if ours == "has_evidence":
            labels.check_positive(table.engine, named, positive)
        return labels.against_rest(words, named, positive)
    fraction = types.is_floating(kind) and not freely
    if fraction or types.is_decimal(kind) or types.is_list(kind):
        raise _refused(table, theirs, ours, "labels as 0, 1, true or false")
    return labels.read(words, kind, theirs, freely=freely)


def _whole(table: Table, theirs: str, ours: str) -> str:
    from pyarrow import types  # noqa: PLC0415 - heavy

    kind, quoted = table.types[theirs], table.engine.words.name(theirs)
    if types.is_integer(kind):
        return f"TRY_CAST({quoted} AS BIGINT)"
    if types.is_string(kind) or types.is_large_string(kind):
        # An engine takes spaces and fractions, which a fold has none of.
        whole = table.engine.words.matches(quoted, "^[+-]?[0-9]+$")
        return f"CASE WHEN {whole} THEN TRY_CAST({quoted} AS BIGINT) END"
    raise _refused(table, theirs, ours, "whole numbers")


def _number(table: Table, theirs: str, ours: str) -> str:
    from pyarrow import types  # noqa: PLC0415 - heavy

    kind, words = table.types[theirs], table.engine.words
    quoted = words.name(theirs)
    if types.is_float32(kind):
        return f"({words.shortest(quoted)} + {words.double(0.0)})"
    if types.is_decimal(kind):
        # By its text: engines divide by a power of ten, and round twice.
        quoted = f"CAST({quoted} AS {words.text})"
    if types.is_float64(kind) or types.is_integer(kind) or types.is_decimal(kind):
        # A zero has no sign here: 0 and -0 are one number.
        return f"(CAST({quoted} AS DOUBLE) + {words.double(0.0)})"
    raise _refused(table, theirs, ours, "numbers")


def _list(table: Table, ours: str, theirs: str) -> str:
    from pyarrow import types  # noqa: PLC0415 - heavy

    kind, words = table.types[theirs], table.engine.words
    quoted = words.name(theirs)
    if types.is_null(kind) and ours in LISTS_OF_TEXT:
        return words.empty  # a column of nothing but nulls, each an empty list
    if not (types.is_list(kind) or types.is_large_list(kind)):
        raise _refused(table, theirs, ours, "lists")
    if ours in LISTS_OF_TEXT:
        return _texts(table, ours, theirs)
    inner = kind.value_type
    whole = types.is_integer(inner) or types.is_null(inner)  # nothing but empty lists
    if ours == "grades":
        if not whole:
            raise _refused(table, theirs, ours, "lists of whole numbers")
        return words.each(quoted, "BIGINT")
    if types.is_float64(inner):
        return quoted
    # Of scores the order is all that counts, and it is that of their shortest forms.
    if whole or (types.is_float32(inner) and ours == "scores"):
        return words.each(quoted, "DOUBLE")
    if types.is_float32(inner):
        return words.transform(quoted, "x", words.shortest("x"))
    if types.is_decimal(inner):
        return words.each(quoted, words.text, "DOUBLE")
    raise _refused(table, theirs, ours, "lists of numbers")


def _texts(table: Table, ours: str, theirs: str) -> str:
    from pyarrow import types  # noqa: PLC0415 - heavy

    inner, words = table.types[theirs].value_type, table.engine.words
    quoted = words.name(theirs)
    whole = types.is_integer(inner) or types.is_null(inner)  # nothing but empty lists
    if not (whole or types.is_string(inner) or types.is_large_string(inner)):
        raise _refused(table, theirs, ours, "lists of ids as text or whole numbers")
    read = words.each(quoted, words.text) if whole else quoted
    return f"coalesce({read}, {words.empty})"


def _own(table: Table) -> list[tuple[str, str]]:
    """List what an EVAL row has of its own: the label, |G|, the decision, the state."""
    words = table.engine.words
    made: list[tuple[str, str]] = []
    if table.labelled:
        size = words.size("gold")
        label = "has_evidence" if table.has("has_evidence") else _one_if(f"{size} > 0")
        made.append(("y", label))
        made.append(("relevant", size if table.has("gold") else "has_evidence"))
    if table.scored:
        made.append(("mark", "prob" if table.has("prob") else "score"))
    if table.decided:
        made.append(("passed", decision(table)))
    if table.stateful:
        made.append(("in_state", state(table)))
    return made


def _one_if(condition: str) -> str:
    return f"CASE WHEN {condition} THEN 1 ELSE 0 END"


def decision(table: Table) -> str:
    """Write a row's decision: as given, else by the operating threshold."""
    return "pred" if table.has("pred") else by_threshold(table)


def by_threshold(table: Table) -> str:
    """Write whether a row reaches the operating threshold."""
    mark = "prob" if table.has("prob") else "score"
    stated = table.settings.get("threshold")
    at = load().defaults["threshold"] if stated is None else stated
    return _one_if(f"{mark} >= {edge(table, at, 'threshold')}")


def state(table: Table) -> str:
    """Write a row's state: by τ, else as given."""
    low, high = (table.settings.get(name) for name in ("tau_neg", "tau_pos"))
    if low is None or high is None or not table.has("prob"):
        return "state"
    below = edge(table, low, "tau_neg"), edge(table, high, "tau_pos")
    return (
        f"CASE WHEN prob < {below[0]} THEN 'NEG' WHEN prob < {below[1]} THEN 'UNCERTAIN' "
        "ELSE 'POS' END"
    )


def edge(table: Table, stated: object, name: str) -> str:
    """Write a threshold, one number or one for each fold, as the least number that reaches it."""
    words = table.engine.words
    if not isinstance(stated, dict):
        return words.double(first_at_least(fraction(stated)))  # type: ignore[arg-type]
    if not table.has("fold"):
        raise EngineError(f"{name}: is stated by fold, and the data have no folds")
    cases = " ".join(
        f"WHEN {int(fold)} THEN {words.double(first_at_least(fraction(value)))}"
        for fold, value in stated.items()
    )
    return f"CASE fold {cases} END"


def ratio_of(settings: Mapping[str, Any], name: str) -> Fraction:
    """Give a setting that has a default as an exact number."""
    stated = settings.get(name)
    return fraction(load().defaults[name] if stated is None else stated)
