"""From files to a `Study`: one module for each step of reading."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference.errors import DataError, Problem, SettingsError
from reference.files import unreadable
from reference.reading import judgements
from reference.reading.columns import IDS, decide
from reference.reading.rows import Reader
from reference.reading.several import source
from reference.settings import Settings, outside_unit, read
from reference.study import Study

if TYPE_CHECKING:
    from reference.reading.columns import Columns


def load(data: object, settings: Mapping[str, Any] | None) -> Study:
    """Read tables, or qrels and a run, into a study; raise `InputError` with every problem.

    What was read before is given back as it is: one reading serves several questions.
    """
    if isinstance(data, Study):
        if settings is not None:
            what = "settings are given for data that were read under settings of their own"
            raise SettingsError([Problem(what, "Read the data again, or leave the settings out")])
        return data
    chosen = read(settings)
    if isinstance(data, Mapping):
        _check_threshold(chosen, None)
        return judgements.read(data, chosen)
    if isinstance(data, str | Path):
        return _read_table(Path(data), chosen)
    what = f"data is {type(data).__name__}"
    raise SettingsError([Problem(what, "Give a path, or a mapping with qrels and run")])


def _read_table(path: Path, settings: Settings) -> Study:
    table = source(path)
    columns = decide(table, settings, str(path))
    _check_threshold(settings, columns)
    reader = Reader(str(path), table.where, settings, columns, table.typed)
    ids = [columns.found[name] for name in IDS if name in columns.found]
    read, declared = list(columns.found.values()), list(settings.slices.values())
    row = 0
    for row, values in enumerate(table.rows([*read, *declared], [*ids, *declared]), 1):
        reader.add(row, values, values[len(read) :])
    if not row:
        raise unreadable(path, "has no data rows")
    reader.check_whole()
    if reader.problems:
        raise DataError(reader.problems)
    return reader.study


def _check_threshold(settings: Settings, columns: Columns | None) -> None:
    """Any number may be a threshold of the column `score`, and of nothing else."""
    if columns is None or "score" not in columns.found:
        problems = outside_unit(settings.threshold)
        if problems:
            raise SettingsError(problems)
