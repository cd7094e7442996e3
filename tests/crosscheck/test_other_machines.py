"""What others compute is theirs: their last digits change `ledger.csv`, and nothing beside it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.errors import UserError
from crosscheck.figures import draw_all
from crosscheck.figures.studio import figure_data
from crosscheck.model.frozen import shown
from crosscheck.report import provenance, publish
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE
from crosscheck.witnesses.registry import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.data.case import Case
    from crosscheck.gate import Outcome
    from crosscheck.witnesses import Testimony, Witness

    Run = Callable[..., Outcome]

LIES = {"hit@1": 1.02, "hit@3": 1 + 3e-9, "hit@10": 1 - 1e-5}
"""What the outside library has wrong, besides its last digits: by how much."""


def library(steps: tuple[int, ...]) -> Witness:
    """Give trec_eval with lies, as it would run on a machine that adds up in another order."""
    honest = BY_NAME["trec_eval"]
    away = cycle(steps)

    def moved(key: str, value: float) -> float:
        if isinstance(value, int):
            return value
        told = value * LIES.get(key.split("|", maxsplit=1)[0], 1)
        elsewhere = told + next(away) * math.ulp(told)
        # One value in a hundred thousand lies where rounding turns: it would differ, as it may.
        return elsewhere if shown(elsewhere) == shown(told) else told

    def testify(case: Case) -> Testimony:
        told = honest.testify(case)
        return replace(told, ledger={key: moved(key, one) for key, one in told.ledger.items()})

    return replace(honest, testify=testify, per_query=None)


def written(outcome: Outcome, folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    figures = draw_all(figure_data(outcome.evidence[0]), ["agreement"])
    publish.write(outcome, folder, {outcome.evidence[0].system: figures})
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_run_elsewhere_writes_the_same_bytes_but_for_the_ledger(
    run_gate: Run, tmp_path: Path
) -> None:
    runs = [
        run_gate(witnesses=(PRIMARY, REFERENCE, library(steps)))
        for steps in ((0,), (3, -2, 0, 1, -4))
    ]
    here, there = (written(run, tmp_path / str(n)) for n, run in enumerate(runs))
    assert {found.rule for found in runs[0].findings} >= {"XC501", "XC502"}
    assert [name for name in here if here[name] != there[name]] == ["ledger.csv"]
    assert list(here) == list(there)


def test_the_kind_of_machine_is_written_beside_the_report_and_not_into_it(
    run_gate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = run_gate()
    here = written(outcome, tmp_path / "here")
    monkeypatch.setattr(provenance, "machine", lambda: {"kernel": "Abacus"})
    there = written(outcome, tmp_path / "there")
    assert [name for name in here if here[name] != there[name]] == ["machine.json"]
    assert provenance.read_machine(tmp_path / "there") == {"kernel": "Abacus"}


def test_the_machine_is_told_by_processor_simd_level_blas_kernel_and_threads() -> None:
    told = provenance.machine()
    assert set(told) == {
        "system",
        "architecture",
        "byteorder",
        "processor",
        "simd",
        "blas",
        "kernel",
        "threads",
        "implementation",
    }
    assert all(told.values())


@pytest.mark.parametrize(
    ("stated", "processor"),
    [
        (
            (
                "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
                "model name\t: Fast(TM)\n\nprocessor\t: 1\nmodel\t\t: 86\n"
            ),
            "GenuineIntel, cpu family 6, model 85",
        ),
        (
            (
                "processor\t: 0\nBogoMIPS\t: 50\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
                "CPU part\t: 0xd0c\n"
            ),
            "CPU implementer 0x41, CPU architecture 8, CPU part 0xd0c",
        ),
    ],
)
def test_a_processor_is_told_by_its_family_not_by_what_it_is_sold_as(
    stated: str, processor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpuinfo").write_text(stated)
    monkeypatch.setattr(provenance, "CPU_FILE", tmp_path / "cpuinfo")
    assert provenance.machine()["processor"] == processor


def test_without_a_list_of_processors_python_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provenance, "CPU_FILE", tmp_path / "none")
    monkeypatch.setattr("platform.processor", lambda: "arm")
    assert provenance.machine()["processor"] == "arm"


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"{"])
def test_a_machine_file_that_is_none_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "machine.json").write_bytes(content)
    with pytest.raises(UserError, match=r"machine\.json: is not what .* remove it"):
        provenance.read_machine(tmp_path)


def test_a_report_need_not_name_its_machine(tmp_path: Path) -> None:
    assert provenance.read_machine(tmp_path) == {}


def test_the_machine_file_is_plain_json(tmp_path: Path) -> None:
    provenance.write_machine(tmp_path)
    stated: dict[str, Any] = json.loads((tmp_path / "machine.json").read_text(encoding="utf-8"))
    assert stated == provenance.machine()
