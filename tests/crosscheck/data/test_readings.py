"""What was read is kept for the next question, while the files are the same and there is room."""

from __future__ import annotations

from contextvars import Context, copy_context
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.data import readings
from crosscheck.data.case import Case
from crosscheck.data.readings import Ahead, described, keeping, read_ahead, reading
from crosscheck.witnesses.run import Task, hear

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROWS = 1_000


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    with keeping():
        yield


@pytest.fixture
def package() -> ModuleType:
    """Read whatever is there; each reading is an object of its own."""
    module = ModuleType("package")
    module.__dict__["read"] = lambda data, settings: [data, settings]
    return module


@pytest.fixture
def case(tmp_path: Path) -> Case:
    (tmp_path / "data.csv").write_text("a,b\n")
    return Case("s", str(tmp_path / "data.csv"), {"k": [1]}, {"rows": {"EVAL": ROWS}}, ())


def test_a_case_is_read_once(package: Any, case: Case) -> None:
    first = reading(package, case)
    assert first == [case.data, {"k": [1]}]
    assert reading(package, replace(case, system="the same by another name")) is first


def test_other_settings_are_another_reading(package: Any, case: Case) -> None:
    first = reading(package, case)
    assert reading(package, replace(case, settings={"k": [2]})) is not first
    assert reading(package, case, {"sample": 2}) == [case.data, {"k": [1], "sample": 2}]
    assert reading(package, case) is first


def test_another_implementation_reads_for_itself(package: Any, case: Case) -> None:
    other = ModuleType("other")
    other.__dict__["read"] = package.read
    assert reading(other, case) is not reading(package, case)


def test_a_file_that_has_changed_is_read_again(package: Any, case: Case, tmp_path: Path) -> None:
    first = reading(package, case)
    (tmp_path / "data.csv").write_text("a,b,c\n")
    assert reading(package, case) is not first


@pytest.mark.parametrize("place", [".", "*.csv"])
def test_a_folder_is_its_files(place: str, package: Any, case: Case, tmp_path: Path) -> None:
    several = replace(case, data=str(tmp_path / place))
    first = reading(package, several)
    assert reading(package, several) is first
    (tmp_path / "more.csv").write_text("a,b\n")
    assert reading(package, several) is not first


def test_qrels_and_a_run_are_two_files(package: Any, case: Case, tmp_path: Path) -> None:
    files = {role: str(tmp_path / role) for role in ("qrels", "run")}
    for path in files.values():
        (tmp_path / path).write_text("q 0 d 1\n")
    both = replace(case, data=files)
    first = reading(package, both)
    assert reading(package, both) is first
    (tmp_path / "run").write_text("q Q0 d 1 0.5 t\n")
    assert reading(package, both) is not first


def test_large_data_and_samples_of_them_are_not_kept(package: Any, case: Case) -> None:
    large = replace(case, facts={"rows": {"EVAL": readings.ROWS_KEPT}})
    sample = replace(case, scope="1 in 2 posts")
    for one in (large, sample):
        assert reading(package, one) is not reading(package, one)


def test_what_was_asked_for_last_is_kept_while_there_is_room(
    package: Any, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readings, "ROWS_KEPT", 2 * ROWS)
    one, two, three = (replace(case, settings={"k": [k]}) for k in (1, 2, 3))
    first, second = reading(package, one), reading(package, two)
    assert reading(package, one) is first
    reading(package, three)
    assert reading(package, one) is first
    assert reading(package, two) is not second


def test_outside_a_hearing_nothing_is_kept(package: Any, case: Case) -> None:
    inside = copy_context().run(reading, package, case)
    outside = [Context().run(reading, package, case) for _ in range(2)]
    assert reading(package, case) is inside
    assert outside[0] is not outside[1]


def test_a_hearing_in_this_process_leaves_nothing_behind(package: Any, case: Case) -> None:
    task: Task[Case, Any] = Task("read", lambda one: reading(package, one), (case, case))
    hear([task], processes=False)
    first, second = task.answers
    assert first is second
    assert reading(package, case) is not first


def counted(package: Any, rows: int = ROWS) -> list[object]:
    """Let a package describe what it reads, and give what it has read so far."""
    read: list[object] = []

    def reads(data: str, settings: dict[str, Any]) -> object:
        read.append([data, settings])
        return read[-1]

    package.__dict__["read"] = reads
    package.__dict__["describe"] = lambda _: {"rows": {"EVAL": rows}}
    return read


def test_what_was_read_to_be_described_is_kept(package: Any, case: Case) -> None:
    read = counted(package)
    assert described(package, case.data, case.settings) == case.facts
    assert reading(package, case) is read[0]
    assert len(read) == 1


@pytest.mark.parametrize(
    ("settings", "rows"), [({"sample": 2}, ROWS), ({}, readings.ROWS_KEPT)], ids=["sample", "large"]
)
def test_of_a_sample_or_large_data_nothing_described_is_kept(
    package: Any, case: Case, settings: dict[str, Any], rows: int
) -> None:
    read = counted(package, rows)
    described(package, case.data, settings)
    reading(package, replace(case, settings=settings))
    assert len(read) == 2


def test_a_file_that_is_not_there_is_the_implementations_to_refuse(package: Any) -> None:
    def refuses(*_: object) -> None:
        raise LookupError

    package.__dict__["read"] = refuses
    with pytest.raises(LookupError):
        described(package, "nowhere.csv", {})


def test_small_text_is_read_before_anything_is_asked(
    package: Any, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = counted(package)
    monkeypatch.setattr(readings.door, "reference", package, raising=False)
    read_ahead(Ahead("reference", case.data, case.settings))
    assert reading(package, case) is read[0]


def test_what_may_be_large_is_not_read_ahead(
    package: Any, case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read = counted(package)
    monkeypatch.setattr(readings.door, "reference", package, raising=False)
    packed = tmp_path / "data.csv.gz"
    packed.write_bytes(b"")
    read_ahead(Ahead("reference", str(packed), {}))
    monkeypatch.setattr(readings, "SMALL", 1)
    read_ahead(Ahead("reference", case.data, case.settings))
    assert read == []
