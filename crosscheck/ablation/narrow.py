"""A system's file cut down to the columns that a comparison needs.

Two systems seldom have the same columns: one has a gate, the other none. A comparison is handed
only what its numbers need and both have, so that thousands of rows and lists are not read in vain.
Cells are copied as they are. What comes out is held against the ledgers of the uncut files: a
difference that is not that of their values is a finding.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from crosscheck.contract import load
from crosscheck.key import Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from crosscheck.witnesses import Case

ALWAYS = ("post_id", "criterion_id", "query_id", "fold", "split")
STATES = "prob and tau"
"""A need that a setting decides: both of its columns are kept."""


def narrowed(
    first: Case, second: Case, keys: Iterable[str], folder: Path
) -> tuple[tuple[Case, Case], str]:
    """Write both systems' files with the columns that the keys need; TREC files stay as they are.

    Gives the two cases, and the columns kept in words.
    """
    if not (isinstance(first.data, str) and isinstance(second.data, str)):
        return (first, second), "all columns"
    needs = [need for key in keys for need in _needs(key)]
    kept = [_kept(needs, first, second), _kept(needs, second, first)]
    cases = [
        _written(case, names, folder / f"{place}-{_stem(case.data)}")
        for place, (case, names) in enumerate(zip((first, second), kept, strict=True))
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


def _written(case: Case, names: Sequence[str], place: Path) -> Case:
    columns = {name: case.facts["columns"][name] for name in names}
    source = Path(case.data)
    kind = _kind(source)
    target = place.with_name(f"{place.name}.{kind}")
    WRITERS[kind](source, target, list(dict.fromkeys(columns.values())))
    facts = {**case.facts, "columns": columns}
    settings = {**case.settings, "columns": columns}
    return replace(case, data=str(target), settings=settings, facts=facts)


def _kind(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return suffixes[-1].removeprefix(".") if suffixes else ""


def _stem(data: str) -> str:
    return Path(data).name.partition(".")[0]


def _opened(source: Path) -> IO[str]:
    if source.suffix.lower() == ".gz":
        return cast("IO[str]", gzip.open(source, "rt", encoding="utf-8-sig", newline=""))
    return source.open(encoding="utf-8-sig", newline="")


def _csv(source: Path, target: Path, columns: Sequence[str]) -> None:
    csv.field_size_limit(sys.maxsize)
    with _opened(source) as file, target.open("w", encoding="utf-8", newline="") as out:
        rows = csv.reader(file)
        header = next(rows)
        places = [header.index(name) for name in columns]
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([row[place] for place in places] for row in rows if row)


def _jsonl(source: Path, target: Path, columns: Sequence[str]) -> None:
    with _opened(source) as file, target.open("w", encoding="utf-8", newline="") as out:
        for line in file:
            if line.strip():
                row: Mapping[str, object] = json.loads(line)
                chosen = {name: row[name] for name in columns if name in row}
                out.write(json.dumps(chosen, ensure_ascii=False) + "\n")


def _parquet(source: Path, target: Path, columns: Sequence[str]) -> None:
    from pyarrow import parquet  # noqa: PLC0415 - heavy, and for this format alone

    parquet.write_table(parquet.read_table(source, columns=list(columns)), target)


WRITERS = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}
"""The formats of docs/interface.md."""
