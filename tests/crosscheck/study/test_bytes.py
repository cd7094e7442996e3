"""The same bytes on every machine: a change of bytes is a decision, made here."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from crosscheck import study
from crosscheck.errors import UserError
from crosscheck.study.files import decimal_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHA256 = {
    "retriever": "07fa8acafedcfe68a939b18273dd334d2588b8f66711ab4cb6a7f01935ec33dc",
    "reranker": "3aa7b8ea8427452d1acea4fbb7d7a8a00913e8897508b8691bfc9a76a33e5b02",
    "graph": "b45f821be1bc6067399fabc5ef6d8705adedd0cb5afaf4e03c82d697f1a04907",
    "dynamic_k": "ab09876b5384f816aec8051ddffe31a41eeaee7aab05cd5e44f885ab75dd28b0",
    "ne_gate": "dc358115e300d0dd895bae6ca5562fbf5036b9ebfe788278c2f30c6f85cad96b",
    "full": "6a5c76d88f56e33b357572b9db8e7d66c38f43055fe4f33d2e2b8f971fee3d4e",
}


@pytest.mark.parametrize("name", SHA256)
def test_the_bytes_are_those_committed(name: str, written: dict[str, Path]) -> None:
    assert hashlib.sha256(written[name].read_bytes()).hexdigest() == SHA256[name]


def test_the_bytes_are_those_committed_on_another_machine_too(
    tmp_path: Path, another_machine: dict[str, str], written: dict[str, Path]
) -> None:
    words = [sys.executable, "-m", "crosscheck", "demo", str(tmp_path / "there")]
    subprocess.run(words, check=True, capture_output=True, env=another_machine)
    for path in written.values():
        assert (tmp_path / "there" / path.name).read_bytes() == path.read_bytes()


def test_every_system_has_a_committed_hash() -> None:
    assert set(SHA256) == set(study.SYSTEM_NAMES)


def test_a_system_written_alone_has_the_same_bytes(
    tmp_path: Path, written: dict[str, Path]
) -> None:
    alone = study.write(tmp_path)
    assert alone["full"].read_bytes() == written["full"].read_bytes()


def test_nothing_is_left_beside_the_named_files(tmp_path: Path) -> None:
    paths = study.write(tmp_path, systems=["retriever"])
    assert set(paths) == {"retriever", "config"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crosscheck.toml", "retriever.csv"]


def test_csv_has_line_feeds_only(written: dict[str, Path]) -> None:
    content = written["full"].read_bytes()
    assert b"\r" not in content
    assert content.endswith(b"\n")


def test_parquet_holds_what_csv_holds(tmp_path: Path, read: Callable[[str], list[Any]]) -> None:
    path = study.write(tmp_path, format="parquet")["full"]
    table = pq.read_table(path).to_pydict()
    rows = read("full")
    assert table["post_id"] == [row.post for row in rows]
    assert table["criterion_id"] == [row.criterion for row in rows]
    assert table["fold"] == [row.fold for row in rows]
    assert table["split"] == [row.split for row in rows]
    assert table["has_evidence"] == [row.label for row in rows]
    for name in ("candidates", "scores", "gold", "prob", "pred", "state", "selected"):
        assert table[name] == [getattr(row, name) for row in rows], name
    assert table["node_probs"] == [row.node_probs for row in rows]


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [(0, 4, "0.0"), (10_000, 4, "1.0"), (3000, 4, "0.3"), (7, 3, "0.007"), (-8, 2, "-0.08")],
)
def test_decimals_are_short(value: int, places: int, text: str) -> None:
    assert decimal_text(value, places) == text
    assert json.loads(text) == value / 10**places


def test_an_unknown_system_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"“graf”.*retriever, reranker, graph"):
        study.write(tmp_path, systems=["full", "graf"])


def test_an_unknown_format_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"“xlsx”.*csv or parquet"):
        study.write(tmp_path, format="xlsx")
