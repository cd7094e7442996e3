"""A new file format takes one source file on each side and one in the harness.

The addition is really made, on a copy of the packages: files ending in .psv, whose columns are
parted by pipes. Then the same data are gated and compared as .csv and as .psv, in a process that
sees the copy alone: what is said about them is the same.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

# File → text that stands in it once → what is put before and after that text.
ADDED = {
    "primary/reading/formats.py": {
        "from pathlib import Path\n": ("import csv\nimport io\n", ""),
        'TEXT = {"csv": read_csv, ': (
            '''\
def read_psv(
    content: bytes,
    path: Path,
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> Raw:
    """Read the wanted columns as text."""
    with_commas = io.StringIO()
    records = csv.reader(io.StringIO(content.decode(), newline=""), delimiter="|")
    csv.writer(with_commas, lineterminator="\\n").writerows(records)
    return read_csv(with_commas.getvalue().encode(), path, mapped, wanted, problems)


''',
            '"psv": read_psv, ',
        ),
    },
    "reference/files.py": {
        "# By the ending of the name; .gz behind it apart.\n": (
            """\
def _psv(path: Path) -> Source:
    with opened(path) as stream:
        header, *rows = csv.reader(stream, delimiter="|")

    def cells(columns: Sequence[str], _ids: Collection[str]) -> Cells:
        places = [header.index(column) for column in columns]
        return ([row[place] for place in places] for row in rows)

    return Source(header, cells)


""",
            "",
        ),
        '    ".csv": Format(_csv),\n': ("", '    ".psv": Format(_psv),\n'),
    },
    "crosscheck/data/raw.py": {
        "FORMATS: dict[": (
            """\
def _psv(path: Path, wanted: Wanted) -> pl.DataFrame:
    file = pl.scan_csv(path, infer_schema=False, separator="|")
    return file.select(name for name in file.collect_schema() if wanted(name)).collect()


""",
            "",
        ),
        '    "csv": _csv,\n': ("", '    "psv": _psv,\n'),
    },
}


def rows(shift: int) -> list[dict[str, Any]]:
    """Thirty posts and their TUNE rows; a stated state against the τ, and a column that leaks."""
    found = []
    for number in range(60):
        post = number // 2
        uids = [f"s{number}_{place}" for place in range(4)]
        gold = [uids[(post + shift) % 3]] if number % 2 else []
        found.append(
            {
                "post_id": f"p{post}",
                "criterion_id": "AB"[number % 2],
                "fold": post % 2,
                "split": "TUNE" if post < 6 else "EVAL",
                "candidates": json.dumps(uids),
                "gold": json.dumps(gold),
                "prob": (number * 37 % 100) / 100,
                "state": "NEG",
                "leak": 2 * len(gold) + number / 100,
            }
        )
    return found


def written(folder: Path, kind: str) -> None:
    (folder / "crosscheck.toml").write_text("tau_neg = 0.2\ntau_pos = 0.8\nresamples = 50\n")
    for shift, name in enumerate(("first", "second")):
        with (folder / f"{name}.{kind}").open("w", encoding="utf-8", newline="") as file:
            table = rows(shift)
            writer = csv.DictWriter(file, list(table[0]), delimiter="|" if kind == "psv" else ",")
            writer.writeheader()
            writer.writerows(table)


@pytest.fixture(scope="module")
def told(
    copied: Callable[[], Any], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[Path, str]]:
    """Format → the gate's report, and what `compare` prints."""
    copy = copied()
    for file, edits in ADDED.items():
        for place, (before, after) in edits.items():
            copy.put(file, place, before, after)
    found = {}
    for kind in ("csv", "psv"):
        folder = tmp_path_factory.mktemp(kind)
        written(folder, kind)
        few = ("--no-intervals", "--witness", "trec_eval", "--out", "out")
        pair = (f"first.{kind}", f"second.{kind}")
        gate = copy.run("gate", pair[0], *few, folder=folder)
        both = copy.run("compare", *pair, "--format", "json", folder=folder)
        # What is wrong with the data is found in both formats; both are read.
        assert [gate.returncode, both.returncode] == [1, 1], gate.stderr + both.stderr
        found[kind] = folder / "out", both.stdout
    return found


def test_it_is_one_file_on_each_side_and_one_in_the_harness() -> None:
    assert [Path(file).parts[0] for file in ADDED] == ["primary", "reference", "crosscheck"]


def test_both_sides_state_every_number_of_it(told: dict[str, tuple[Path, str]]) -> None:
    ledgers = [(told[kind][0] / "ledger.csv").read_bytes() for kind in ("csv", "psv")]
    assert ledgers[0] == ledgers[1]
    with (told["psv"][0] / "ledger.csv").open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file))
    assert first["primary"]
    assert first["reference"]


def test_its_own_columns_are_looked_at(told: dict[str, tuple[Path, str]]) -> None:
    """The state that contradicts the τ has a query's name, and the column that leaks is found."""
    reports = [json.loads((told[kind][0] / "report.json").read_text()) for kind in told]
    seen = [
        {(one["rule"], one["message"], one["place"]) for one in report["findings"]}
        for report in reports
    ]
    assert seen[0] == seen[1]
    assert {rule for rule, *_ in seen[1]} >= {"XC102", "XC822"}
    first, second = ([one["checks"] for one in report["systems"]] for report in reports)
    assert first == second


def test_two_systems_of_it_are_compared(told: dict[str, tuple[Path, str]]) -> None:
    first, second = (json.loads(told[kind][1]) for kind in ("csv", "psv"))
    assert first["comparison"] == second["comparison"]
    assert first["findings"] == second["findings"]
    assert any(row["p"] is not None for row in second["comparison"]["rows"])
