"""A data set small enough to be read: its rows, its settings, and the file it is written as."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]
Form = Literal["jsonl", "csv", "python", "pipe", "parquet", "trec"]
"""`csv`, `python` and `pipe` are CSV files whose lists are written in the three allowed ways."""

LISTS = ("candidates", "gold", "selected")
NUMBER_LISTS = ("scores", "node_probs")


@dataclass(frozen=True)
class DataSet:
    """One data set as a fuzzer draws it and a vector states it."""

    rows: tuple[Row, ...]
    settings: dict[str, Any]
    form: Form = "jsonl"

    @property
    def columns(self) -> list[str]:
        """Every column that some row has, in the order of first use."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def place(self, folder: Path) -> Path | dict[str, Path]:
        """Write the data into a folder, as a witness would find them."""
        if self.form == "parquet":
            return self._parquet(folder / "data.parquet")
        texts = self.texts()
        paths = {name: folder / name for name in texts}
        for name, text in texts.items():
            paths[name].write_bytes(text.encode())
        return paths if self.form == "trec" else next(iter(paths.values()))

    def texts(self) -> dict[str, str]:
        """Give the files' texts by name; Parquet has none."""
        if self.form == "trec":
            return {"qrels": _qrels(self.rows), "run": _run(self.rows)}
        if self.form == "jsonl":
            return {"data.jsonl": "".join(f"{json.dumps(row)}\n" for row in self.rows)}
        return {"data.csv": self._csv()}

    def _csv(self) -> str:
        out = io.StringIO()
        writer = csv.DictWriter(out, self.columns, lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            writer.writerow({name: self._cell(value) for name, value in row.items()})
        return out.getvalue()

    def _cell(self, value: object) -> object:
        if not isinstance(value, list):
            return value
        if self.form == "python":
            return repr(value)
        if self.form == "pipe":
            return "|".join(map(str, value))
        return json.dumps(value)

    def _parquet(self, path: Path) -> Path:
        import pyarrow as pa  # noqa: PLC0415 - heavy, and Parquet is one form of five
        from pyarrow import parquet  # noqa: PLC0415 - the same

        types = {name: pa.list_(pa.string()) for name in LISTS}
        types |= {name: pa.list_(pa.float64()) for name in (*NUMBER_LISTS, "class_probs")}
        types |= {"judged": pa.list_(pa.string()), "grades": pa.list_(pa.int64())}
        columns = {
            name: pa.array([row.get(name) for row in self.rows], types.get(name))
            for name in self.columns
        }
        parquet.write_table(pa.table(columns), path)
        return path


def _qrels(rows: tuple[Row, ...]) -> str:
    return "".join(
        f"{row['query_id']} 0 {uid} {grade}\n" for row in rows for uid, grade in row["judged"]
    )


def _run(rows: tuple[Row, ...]) -> str:
    return "".join(
        f"{row['query_id']} Q0 {uid} {rank} {score!r} run\n"
        for row in rows
        for rank, (uid, score) in enumerate(
            zip(row["candidates"], row["scores"], strict=True), start=1
        )
    )
