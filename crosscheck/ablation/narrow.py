"""A system's file cut down to what the numbers of a table need: columns, rows and settings.

Two systems seldom have the same columns: one has a gate, the other none. A comparison is handed
only what its numbers need and both have, so that thousands of rows and lists are not read in vain.
Cells are copied as they are. What comes out is held against the ledgers of the uncut files of the
systems that are gated: a difference that is not that of their values is a finding.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from crosscheck.contract import load
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from crosscheck.data.case import Case

ALWAYS = ("post_id", "criterion_id", "query_id", "fold", "split")
NOT_EVALUATED = {
    name for split in load().splits if split.name != "EVAL" for name in (split.name, *split.also)
}
LEAST = ("1",)
"""A cut-off, budget or number of bins where none was asked for."""
STATES = "prob and tau"
"""A need that a setting decides: both of its columns are kept."""


def cut(case: Case, keys: Sequence[str], folder: Path) -> Case:
    """Write a system's file with the columns that the keys need, and settle for their settings."""
    needs = [need for key in keys for need in _needs(key)]
    modest = replace(case, settings=_modest(case.settings, keys))
    if not isinstance(case.data, str):
        return modest
    return _written(modest, _kept(needs, case, case), folder / _stem(case.data), keys)


def narrowed(
    first: Case, second: Case, keys: Sequence[str], folder: Path
) -> tuple[tuple[Case, Case], str]:
    """Write both systems' files with the columns that the keys need; TREC files stay as they are.

    Gives the two cases, and the columns kept in words.
    """
    if not (isinstance(first.data, str) and isinstance(second.data, str)):
        return (first, second), "all columns"
    needs = [need for key in keys for need in _needs(key)]
    kept = [_kept(needs, first, second), _kept(needs, second, first)]
    modest = [replace(case, settings=_modest(case.settings, keys)) for case in (first, second)]
    cases = [
        _written(case, names, folder / f"{place}-{_stem(case.data)}", keys)
        for place, (case, names) in enumerate(zip(modest, kept, strict=True))
    ]
    return (cases[0], cases[1]), ", ".join(dict.fromkeys(kept[0] + kept[1]))


def _needs(text: str) -> Iterator[tuple[str, ...]]:
    """Give the needs of a key, each as the columns of which one will do."""
    contract = load()
    key = Key.parse(text)
    metric = contract.metric(key.metric)
    names = (metric.variant.keys if metric.variant else ()) or metric.metric.keys
    families = {family.id: family.needs for family in contract.families}
    for name in names:
        row = contract.row_by_id[name]
        if key.population in row.populations and not row.bounds:
            for need in (need for family in row.needs for need in families[family]):
                yield tuple(need.split("|"))


def _kept(needs: Iterable[tuple[str, ...]], own: Case, other: Case) -> list[str]:
    """Choose the columns of one system: of each need, what both systems have."""
    have, share = own.facts["columns"], other.facts["columns"]
    kept = dict.fromkeys(name for name in ALWAYS if name in have)
    for need in needs:
        if STATES in need:
            kept |= dict.fromkeys(name for name in ("prob", "state") if name in have)
            continue
        present = [name for name in need if name in have]
        common = [name for name in present if name in share]
        kept |= dict.fromkeys((common or present)[:1])
    if "candidates" in kept and "scores" in have:
        kept["scores"] = None
    return list(kept)


def _modest(settings: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Ask for the cut-offs, budgets and views of these keys, not for all of the config's."""
    contract = load()
    asked: dict[str, list[str]] = {}
    for key in keys:
        for symbol, value in contract.metric(Key.parse(key).metric).parameters.items():
            asked.setdefault(symbol, []).append(value)
    found = dict(settings)
    for symbol, name in (("K", "k"), ("α", "fpr"), ("M", "bins")):
        wanted = [value for value in asked.get(symbol, ()) if value != "all"] or LEAST
        found[name] = [float(value) if "." in value else int(value) for value in wanted]
    if not any("|view=" in key for key in keys):
        found.pop("views", None)
    return found


def _written(case: Case, names: Sequence[str], place: Path, keys: Sequence[str]) -> Case:
    columns = {name: case.facts["columns"][name] for name in names}
    source = Path(case.data)
    kind = _kind(source)
    target = place.with_name(f"{place.name}.{kind}")
    chosen = Choice(
        columns=tuple(dict.fromkeys(columns.values())),
        split=None if any(map(_of_tune, keys)) else columns.get("split"),
    )
    WRITERS[kind](source, target, chosen)
    facts = {**case.facts, "columns": columns}
    settings = {**case.settings, "columns": columns}
    return replace(case, data=str(target), settings=settings, facts=facts)


def _of_tune(key: str) -> bool:
    return "|tune_queries|" in key or "/tuned|" in key


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a file is kept."""

    columns: tuple[str, ...]
    split: str | None
    """The column by which rows of TUNE and TRAIN are left out; None: all rows stay."""

    def keeps(self, split: object) -> bool:
        """Whether a row of that split stays; an unknown word is left for the loaders to judge."""
        return split not in NOT_EVALUATED


def _kind(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return suffixes[-1].removeprefix(".") if suffixes else ""


def _stem(data: str) -> str:
    return Path(data).name.partition(".")[0]


def _opened(source: Path) -> IO[str]:
    if source.suffix.lower() == ".gz":
        return cast("IO[str]", gzip.open(source, "rt", encoding="utf-8-sig", newline=""))
    return source.open(encoding="utf-8-sig", newline="")


def _csv(source: Path, target: Path, chosen: Choice) -> None:
    csv.field_size_limit(sys.maxsize)
    with _opened(source) as file, target.open("x", encoding="utf-8", newline="") as out:
        rows = csv.reader(file)
        header = next(rows)
        places = [header.index(name) for name in chosen.columns]
        split = None if chosen.split is None else header.index(chosen.split)
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(chosen.columns)
        writer.writerows(
            [row[place] for place in places]
            for row in rows
            if row and (split is None or chosen.keeps(row[split]))
        )


def _jsonl(source: Path, target: Path, chosen: Choice) -> None:
    with _opened(source) as file, target.open("x", encoding="utf-8", newline="") as out:
        for line in file:
            row: Mapping[str, object] = json.loads(line) if line.strip() else {}
            if row and (chosen.split is None or chosen.keeps(row.get(chosen.split))):
                kept = {name: row[name] for name in chosen.columns if name in row}
                out.write(json.dumps(kept, ensure_ascii=False) + "\n")


def _parquet(source: Path, target: Path, chosen: Choice) -> None:
    from pyarrow import parquet  # noqa: PLC0415 - heavy, and for this format alone

    rows = parquet.read_table(source, columns=list(chosen.columns))
    if chosen.split is not None:
        splits = rows.column(chosen.split).to_pylist()
        rows = rows.filter([chosen.keeps(split) for split in splits])
    with target.open("xb") as out:
        parquet.write_table(rows, out)


WRITERS = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}
"""The formats of docs/interface.md."""
