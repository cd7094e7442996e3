"""Small files that unpack to large ones, in every way that a reader would unpack them."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from crosscheck import limits, system
from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, UserError
from crosscheck.limits.pages import page_sizes

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 20_000
LONG = "|".join(f"u{number}" for number in range(2_000))
"""12 kB: all rows together 240 MB, from a file of a few."""


def named(rows: int = ROWS, value: str = LONG) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), [value])


def table(column: Any) -> Any:
    return pa.table({"query_id": pa.array(range(len(column))), "candidates": column})


def skipped_frame(path: Path) -> Path:
    """Zstandard whose first frame is one that every reader passes over."""
    whole = path.with_suffix(".csv.zst")
    frame = struct.pack("<II", 0x184D2A50, 4) + b"abcd"
    whole.write_bytes(frame + pa.compress(b"a,b\n" * 20 * 2**20, codec="zstd", asbytes=True))
    return whole


def prefixed_document(path: Path) -> Path:
    """An office file with a byte before it, which programs pass over."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 80 * 2**20)
    whole = path.with_suffix(".docx")
    whole.write_bytes(b"x" + held.getvalue())
    return whole


def packed_buffers(path: Path) -> Path:
    whole = path.with_suffix(".arrow")
    column = pa.array([0] * 20_000_000, pa.int64())
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(str(whole), pa.schema([("a", column.type)]), options=options) as writer:
        writer.write_table(pa.table({"a": column}))
    return whole


def packed_stream(path: Path) -> Path:
    whole = path.with_suffix(".arrows.arrow")
    column = pa.array([0] * 20_000_000, pa.int64())
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(str(whole), pa.schema([("a", column.type)]), options=options) as writer:
        writer.write_table(pa.table({"a": column}))
    return whole


def named_in_arrow(path: Path) -> Path:
    whole = path.with_suffix(".feather")
    held = table(named())
    with pa.ipc.new_file(str(whole), held.schema) as writer:
        writer.write_table(held)
    return whole


def named_in_parquet(path: Path) -> Path:
    whole = path.with_suffix(".parquet")
    parquet.write_table(table(named()), whole, compression="zstd")
    return whole


def named_in_lists(path: Path) -> Path:
    whole = path.with_suffix(".parquet")
    lists = pa.ListArray.from_arrays(pa.array(range(0, ROWS + 1, 2), pa.int32()), named())
    parquet.write_table(table(lists), whole, compression="zstd")
    return whole


def as_the_one_before(path: Path) -> Path:
    whole = path.with_suffix(".parquet")
    held = table(pa.array([LONG * 10] * 2_000))
    plain = {"query_id": "PLAIN", "candidates": "DELTA_BYTE_ARRAY"}
    parquet.write_table(held, whole, use_dictionary=False, column_encoding=plain)
    return whole


def lying_page(path: Path) -> Path:
    """A page whose header states 2 GB, of which the footer does not know."""
    whole = path.with_suffix(".parquet")
    held = pa.table({"a": pa.array(range(5_000))})
    parquet.write_table(held, whole, use_dictionary=False, compression="zstd")
    content = bytearray(whole.read_bytes())
    size = parquet.read_metadata(whole).row_group(0).column(0).total_uncompressed_size
    at = 4  # type of the page, then its unpacked size: three bytes of a number, zigzag
    assert content[at] == 0x15
    assert content[at + 2] == 0x15
    length = next(n for n in range(5) if not content[at + 3 + n] & 0x80) + 1
    stated = 0
    for place in range(length):
        stated |= (content[at + 3 + place] & 0x7F) << (7 * place)
    assert 0 < stated // 2 <= size
    # As large as fits in so many bytes: the page is longer than the whole file says.
    largest = [0xFF] * (length - 1) + [0x7F]
    content[at + 3 : at + 3 + length] = bytes([largest[0] & 0xFE, *largest[1:]])
    whole.write_bytes(content)
    return whole


def viewed(path: Path) -> Path:
    """A text that every row shows, written once: a view is a place and a length."""
    whole = path.with_suffix(".arrow")
    column = pa.array([LONG], pa.string_view())
    views = column.buffers()[1].to_pybytes() * ROWS
    shown = pa.Array.from_buffers(
        pa.string_view(), ROWS, [None, pa.py_buffer(views), column.buffers()[2]]
    )
    held = pa.table({"a": shown})
    with pa.ipc.new_file(str(whole), held.schema) as writer:
        writer.write_table(held)
    return whole


def elsewhere(path: Path) -> Path:
    """A file whose end lists a batch that does not follow where one would look for it."""
    whole = packed_buffers(path)
    content = bytearray(whole.read_bytes())
    content[8:16] = (
        b"\xff\xff\xff\xff\x00\x00\x00\x00"  # “no more messages”, in place of the schema
    )
    whole.write_bytes(content)
    return whole


BOMBS = (
    viewed,
    elsewhere,
    skipped_frame,
    prefixed_document,
    packed_buffers,
    packed_stream,
    named_in_arrow,
    named_in_parquet,
    named_in_lists,
    as_the_one_before,
)


@pytest.mark.parametrize("bomb", BOMBS)
def test_it_is_measured_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bomb: Callable[[Path], Path]
) -> None:
    monkeypatch.setattr(limits, "FREE", 2**24)
    with pytest.raises(UserError, match="that is no honest data"):
        limits.admit(bomb(tmp_path / "bomb"))


def test_what_a_page_says_of_itself_counts(tmp_path: Path) -> None:
    path = lying_page(tmp_path / "page")
    found = parquet.read_metadata(path)
    with path.open("rb") as file:
        stated = sum(page_sizes(file, found))
    assert stated > 4 * found.row_group(0).column(0).total_uncompressed_size


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("packing", ["none", "zstd", "snappy"])
def test_the_pages_of_an_honest_file_come_to_what_its_footer_says(
    tmp_path: Path, version: str, packing: str
) -> None:
    lists = pa.array([["a", "b", str(number)] for number in range(30_000)])
    held = pa.table({"a": pa.array(range(30_000)), "b": lists})
    path = tmp_path / "a.parquet"
    small = {"data_page_size": 4_096, "row_group_size": 7_000, "write_page_checksum": True}
    parquet.write_table(held, path, compression=packing, data_page_version=version, **small)
    found = parquet.read_metadata(path)
    footer = sum(found.row_group(n).total_byte_size for n in range(found.num_row_groups))
    with path.open("rb") as file:
        sizes = list(page_sizes(file, found))
    assert len(sizes) > 50
    # The footer counts the headers too.
    assert footer - 200 * len(sizes) < sum(sizes) < footer
    limits.admit(path)


def test_honest_tables_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FREE", 2**18)
    rows = [f"q{number}" for number in range(50_000)]
    some = pa.array([one[:3] for one in rows]).dictionary_encode()
    held = pa.table({"query_id": rows, "some": some, "list": [[one] for one in rows]})
    parquet.write_table(held, tmp_path / "a.parquet")
    with pa.ipc.new_file(str(tmp_path / "a.arrow"), held.schema) as writer:
        writer.write_table(held)
    with pa.ipc.new_stream(str(tmp_path / "b.arrow"), held.schema) as writer:
        writer.write_table(held, max_chunksize=9_000)
    # As polars writes text: as views.
    pl.DataFrame(held).write_ipc(tmp_path / "c.arrow", compression="zstd")
    pl.DataFrame(held).write_ipc_stream(tmp_path / "d.arrow")
    for name in ("a.parquet", "a.arrow", "b.arrow", "c.arrow", "d.arrow"):
        limits.admit(tmp_path / name)
    kinds = pa.ipc.open_stream((tmp_path / "d.arrow").read_bytes()).schema.types
    assert pa.string_view() in kinds


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1]], pa.list_view(pa.int64())),
        pa.ListArray.from_arrays([0, 1], pa.RunEndEncodedArray.from_arrays([1], ["a"])),
    ],
)
def test_rows_that_may_share_their_values_are_refused(tmp_path: Path, column: Any) -> None:
    held = pa.table({"a": column})
    with pa.ipc.new_file(str(tmp_path / "a.arrow"), held.schema) as writer:
        writer.write_table(held)
    with pytest.raises(UserError, match="may share their values without end"):
        limits.admit(tmp_path / "a.arrow")


def test_a_batch_whose_views_lead_out_of_it_is_refused_and_kills_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ids = [f"a query with a long name, number {number}" for number in range(40)]
    frame = pl.DataFrame({"query_id": ids, "candidates": ["a|b"] * 40, "gold": ["a"] * 40})
    frame.write_ipc_stream("a.arrow")
    content = bytearray(Path("a.arrow").read_bytes())
    at = content.index(b"a qu")  # the beginning of a text, in its view; the buffer's number follows
    content[at + 4 : at + 12] = b"\x7f" * 8
    # As it is, and followed by nonsense on which a measure of it breaks off.
    for more in (b"", b"\xff\xff\xff\xff\xff\xff\xff\xff"):
        Path("a.arrow").write_bytes(content[:-8] + more + content[-8:])
        assert run(["gate", "a.arrow", "-q", "--no-figures", "--out", "r"]) == BAD_INPUT
        assert "it is truncated or damaged" in capfd.readouterr().err


def test_a_stream_that_was_cut_between_two_batches_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ids = [f"q{number}" for number in range(40)]
    held = pa.table({"query_id": ids, "candidates": ["a|b"] * 40, "gold": ["a"] * 40})
    content = pa.BufferOutputStream()
    ends = []
    with pa.ipc.new_stream(content, held.schema) as writer:
        for batch in held.to_batches(max_chunksize=10):
            writer.write_batch(batch)
            ends.append(content.tell())
    whole = content.getvalue().to_pybytes()
    Path("a.arrow").write_bytes(whole)
    limits.admit("a.arrow")
    for end in ends:
        Path("a.arrow").write_bytes(whole[:end])
        assert run(["gate", "a.arrow", "-q", "--no-figures", "--out", "r"]) == BAD_INPUT
        assert "cut off between two batches" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"bins": [10, 10**9]}, "bins: asks for 1,000,000,000 points"),
        ({"grid": {"tau_neg": [0.1] * 900, "tau_pos": [0.9] * 900}}, "grid: asks for 810,000"),
    ],
)
def test_points_without_end_are_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        limits.refuse_points(settings)
    limits.refuse_points({"bins": [10, 15], "grid": {"tau_neg": [0.1], "tau_pos": [0.9]}})


def test_a_column_of_ids_as_a_slice_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CROSSCHECK_LIMITS", "slices=30")
    rows = "".join(f"q{n},a|b,a,d{n}\n" for n in range(31))
    Path("a.csv").write_text(f"query_id,candidates,gold,doc\n{rows}")
    Path("crosscheck.toml").write_text('[slices]\ndoc = "doc"\n')
    assert run(["gate", "a.csv", "-q", "--no-figures", "--out", "r"]) == BAD_INPUT
    assert "slices: have 31 values (doc alone 31)" in capfd.readouterr().err


def test_so_are_more_replicates_than_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CROSSCHECK_LIMITS", "replicates=100KB")
    rows = "".join(f"q{n},a|b,a,d{n}\n" for n in range(31))
    Path("a.csv").write_text(f"query_id,candidates,gold,doc\n{rows}")
    Path("crosscheck.toml").write_text('[slices]\ndoc = "doc"\n')
    words = ["gate", "a.csv", "-q", "--no-figures", "--out", "r", "--resamples", "1000"]
    assert run(words) == BAD_INPUT
    shown = capfd.readouterr().err
    assert "ask for fewer resamples, or for fewer slices" in shown


def test_a_lack_of_memory_is_no_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    told = r"a.csv: needs more memory than the \d"
    with pytest.raises(UserError, match=told) as caught, system.no_panic("a.csv"):
        raise MemoryError("unable to allocate 8 GB")
    assert "unable to allocate 8 GB" in str(caught.value)
    assert "damaged" not in str(caught.value)
    with pytest.raises(UserError, match="needs more memory"), system.no_panic("a.csv"):
        raise pa.ArrowMemoryError("malloc failed")
    monkeypatch.setattr(system, "CONTAINER", ())
    monkeypatch.setattr(system, "_memory", lambda: 0)
    assert "needs more memory than " in system.short_of_memory("x", MemoryError())


def test_nor_is_it_an_error_of_ours(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def short(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("crosscheck.cli.group.main", short)
    assert run(["rules"]) == BAD_INPUT
    assert "the run: needs more memory than " in capfd.readouterr().err
