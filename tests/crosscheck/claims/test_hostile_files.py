"""Files made to break a reader: refused in one sentence, or read, and always in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck import readers
from crosscheck.claims.reading import examine, examine_text
from crosscheck.errors import UserError
from crosscheck.notation.pieces import Sentence
from crosscheck.readers import bounds, files
from crosscheck.readers.bounds import LONGEST_NAME

if TYPE_CHECKING:
    from pathlib import Path

LONG = 20_000
SLOW = {
    "blanks in a key": ("json", '{"' + " " * LONG + '": 1}'),
    "blanks in a cell": ("markdown", f"| M | MRR |\n|--|--|\n| A | 0.5{' ' * LONG}x |\n"),
    "stars": ("markdown", "| M | " + "*" * LONG + " |\n|--|--|\n| A | 0.5 |\n"),
    "brackets": ("markdown", "[" * LONG + "0.5" + "](" * LONG),
    "backticks": ("markdown", " ".join("`" * (i % 9 + 1) for i in range(LONG // 5))),
    "dollars": ("markdown", "$ " * LONG),
    "open tags": ("markdown", "<sub>" * (LONG // 5) + "1"),
    "quotes in a tag": ("html", '<a "' * LONG),
    "blanks in a tag": ("html", "<table" + " a" * LONG + "<p"),
    "comments that do not end": ("html", "<!--" * LONG),
    "tables that do not end": ("html", "<table><tr><td>1" * (LONG // 10)),
    "scripts that do not end": ("html", "<script>" * LONG),
    "html tables in markdown": ("markdown", "<table></table>\n" * (LONG // 10)),
    "braces": ("latex", "{" * LONG + r"\begin{tabular}{c} a & 1 \\"),
    "tabulars": ("latex", r"\begin{tabular}{c} a & 1 \\ " * 300),
    "verbatim that does not end": ("latex", r"\begin{verbatim} 1" * (LONG // 20)),
    "conditions": ("latex", r"\iffalse " * (LONG // 10)),
    "commands": ("latex", "".join(rf"\a{chr(97 + i % 26)}{{1}}" for i in range(LONG // 10))),
    "numbers in a sentence": ("markdown", "MRR " + "0.5 " * LONG),
    "digits": ("csv", "M,MRR\nA," + "1" * LONG + "\n"),
    "commas in a number": ("csv", "M;MRR\nA;" + "1,111" * (LONG // 5) + "\n"),
    "signs": ("csv", "M,MRR\nA,0.5" + "+-" * 140 + "\n"),
    "a quote that does not end": ("csv", 'M,MRR\nA,"' + "1\n" * LONG),
    "columns": ("csv", "M" + ",MRR" * 3000 + "\nA" + ",0.5" * 3000 + "\n"),
}  # fmt: skip


@pytest.mark.parametrize("what", SLOW)
def test_no_file_takes_long(what: str) -> None:
    """What takes quadratic time takes minutes here; `make mutate-claims` measures."""
    form, text = SLOW[what]
    try:
        found = examine_text(text, "f", form)
    except UserError as error:
        assert str(error).startswith("f: ")  # noqa: PT017 - the message is the promise
    else:
        assert "unread" not in {one.state for one in found.entries}


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("json", "[" * 100_000, "not valid JSON"),
        ("json", "[" * 70 + "1" + "]" * 70, "deeper than 60 levels"),
        ("yaml", "[" * 1_500, "YAML"),
        ("toml", "a = " + "[" * 5_000 + "]" * 5_000, "TOML"),
        ("json", '{"' + "k" * (LONGEST_NAME + 1) + '": 1}', "a name of 1,001 characters"),
        ("csv", 'a,b\n"x"y,1\n', "line 2: cannot be read as CSV"),
        ("yaml", "a: [1, 2\n", "not valid YAML"),
        ("toml", "a = = 1\n", "not valid TOML"),
    ],
)
def test_what_is_out_of_bounds_is_refused_with_the_reason(form: str, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        examine_text(text, "f", form)


def test_a_long_text_is_cut_at_the_end_of_a_sentence_and_nothing_is_lost() -> None:
    text = ("An MRR of 0.5 is claimed here. " * 200).strip()
    pieces = examine_text(text, "f", "markdown").pieces
    texts = [one.written.text for one in pieces if isinstance(one, Sentence)]
    assert "".join(texts) == text
    assert len(texts) == 2
    assert texts[0].endswith(".")


def test_data_are_no_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_CELLS", 5)
    with pytest.raises(UserError, match=r"6 cells and named values; .* not the data"):
        examine_text("[1, 2, 3, 4, 5, 6]", "f", "json")


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST", 10)
    path = tmp_path / "c.json"
    path.write_text('{"mrr": 0.5000}', encoding="utf-8")
    with pytest.raises(UserError, match=r"c\.json: 15 bytes; .* at most 10"):
        examine(path)


def test_a_reader_that_fails_is_the_files_fault_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_page: object, _name: str) -> list[object]:
        raise IndexError("list index out of range")

    reader = readers.Reader("Odd", (".odd",), broken)  # type: ignore[arg-type] # it never returns
    monkeypatch.setitem(readers.readers(), "odd", reader)
    with pytest.raises(UserError, match=r"f: cannot be read as Odd \(IndexError"):
        examine_text("x", "f", "odd")
