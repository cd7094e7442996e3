"""Rerun and bundle: a report is verified, a changed one is told apart, tricks are refused."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import re
import shutil
import stat
import zipfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import rerun
from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, FAILED, PASS, UserError
from crosscheck.limits import VARIABLE
from crosscheck.report import json as pages
from crosscheck.report import ledger
from crosscheck.report.formats import formats
from crosscheck.rerun import bundle

if TYPE_CHECKING:
    from collections.abc import Callable


def again(report: Path) -> rerun.Rerun:
    return rerun.rerun(report, processes=False)


def edit(report: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the stored report, and write it as a gate does."""
    stored = json.loads((report / "report.json").read_text())
    change(stored)
    text = json.dumps(stored, indent=2, ensure_ascii=False)
    (report / "report.json").write_text(f"{text}\n")


def test_an_untouched_report_is_the_same(report: Path) -> None:
    found = again(report)
    assert found.same
    assert (found.elsewhere, found.machine) == ((), ())
    assert again(report / "report.json").same


def test_a_changed_number_in_the_report_is_found(report: Path) -> None:
    edit(report, lambda one: one["systems"][0]["headline"][0].update(value=0.001))
    found = again(report)
    assert [one.where for one in found.differences] == ["systems.0.headline.0.value"]


def test_a_changed_verdict_is_found(report: Path) -> None:
    text = (report / "report.json").read_text()
    (report / "report.json").write_text(text.replace('"verdict": "pass"', '"verdict": "fail"', 1))
    [difference] = again(report).differences
    assert (difference.where, difference.stored, difference.now) == ("verdict", "'fail'", "'pass'")


KEY = "map@3/by_gold|positives_only|all|mean"
"""A number that is no binary fraction, and that trec_eval gives too."""


def restate(report: Path, column: str, change: Callable[[str], str], key: str = KEY) -> None:
    """Change one cell of the stored ledger, and let the differences follow, as a gate would."""
    path = report / "ledger.csv"
    header, *lines = [line.split(",") for line in path.read_text().splitlines()]
    [place] = [n for n, line in enumerate(lines) if line[0] == key]
    cell = header.index(column)
    lines[place][cell] = change(lines[place][cell])
    path.write_text("".join(f"{','.join(line)}\n" for line in (header, *lines)))
    if column in ("primary", "reference", "trec_eval"):
        path.write_text(ledger.render(ledger.read(path.read_text())))


def up(cell: str) -> str:
    return repr(math.nextafter(float(cell), 1))


@pytest.mark.parametrize("name", ["primary", "reference"])
def test_the_last_bit_of_our_own_numbers_is_held_against_the_report(
    report: Path, name: str
) -> None:
    restate(report, name, up)
    found = again(report)
    assert [one.where for one in found.differences] == [
        "ledger.csv, SHA-256",
        f"ledger.csv, {name}, {KEY}",
    ]
    assert found.ours.numbers - found.ours.equal == 1


def test_last_digits_of_others_are_theirs(report: Path) -> None:
    restate(report, "trec_eval", up)
    found = again(report)
    assert found.same
    assert list(found.ours.witnesses) == ["primary", "reference"]
    assert found.ours.equal == found.ours.numbers
    assert list(found.others.witnesses) == ["trec_eval"]
    assert found.others.numbers - found.others.equal == 1


def test_others_are_held_to_what_the_contract_calls_exact(report: Path) -> None:
    restate(report, "trec_eval", lambda cell: repr(float(cell) + 2e-9))
    assert [one.where for one in again(report).differences] == [
        "ledger.csv, SHA-256",  # the verdict is drift
        f"ledger.csv, trec_eval, {KEY}",
    ]


@pytest.mark.parametrize(
    ("column", "cell", "where"),
    [
        ("relative_difference", "0.125", "ledger.csv"),
        ("verdict", "drift", "ledger.csv, SHA-256"),
        ("primary", "1e-400x", "ledger.csv"),
    ],
)
def test_every_column_of_the_stored_ledger_is_looked_at(
    report: Path, column: str, cell: str, where: str
) -> None:
    lines = (report / "ledger.csv").read_text().splitlines()
    place = lines[0].split(",").index(column)
    cells = lines[9].split(",")
    cells[place] = cell
    lines[9] = ",".join(cells)
    (report / "ledger.csv").write_text("\n".join(lines) + "\n")
    assert [one.where for one in again(report).differences] == [where]


def test_an_emptied_ledger_is_found(report: Path) -> None:
    (report / "ledger.csv").write_text("")
    assert again(report).differences[0].where == "ledger.csv, SHA-256"


@pytest.mark.parametrize("name", [name for name in formats() if name != "report.json"])
def test_every_page_is_looked_at(report: Path, name: str) -> None:
    page = (report / name).read_text()
    (report / name).write_text(f"{page}<!-- 0.99 -->")
    assert list(map(str, again(report).differences)) == [
        f"{name}: another page → what the inputs give"
    ]
    (report / name).unlink()
    assert [(one.where, one.stored) for one in again(report).differences] == [(name, "missing")]


def test_a_missing_ledger_is_found(report: Path) -> None:
    (report / "ledger.csv").unlink()
    [difference] = again(report).differences
    assert (difference.where, difference.stored) == ("ledger.csv", "missing")


def made_with(report: Path, package: str, version: str) -> None:
    """State another version wherever a gate of that version would have."""
    edit(report, lambda one: one["provenance"]["versions"].update({package: version}))
    between = r'(?:</span>)? |",\s+"version": "'
    now = re.escape(metadata.version(package))
    stated = re.compile(rf"\b({package}(?:{between})){now}")
    for page in (report / name for name in formats()):
        page.write_text(stated.sub(rf"\g<1>{version}", page.read_text()))


def test_another_version_is_stated_and_not_held_against_it(report: Path) -> None:
    made_with(report, "numpy", "1.0")
    found = again(report)
    assert list(map(str, found.differences)) == []
    assert [one.where for one in found.elsewhere] == ["versions.numpy"]


@pytest.mark.parametrize("name", [name for name in formats() if name != "report.json"])
def test_pages_are_compared_whatever_the_version(report: Path, name: str) -> None:
    made_with(report, "numpy", "1.0")
    (report / name).write_text((report / name).read_text() + "<!-- 0.99 -->")
    assert list(map(str, again(report).differences)) == [
        f"{name}: another page; other versions may lay it out otherwise"
    ]


@pytest.mark.parametrize(
    ("versions", "where"),
    [
        ({"foo": "1"}, "provenance.versions.foo"),
        ({"python": None}, "provenance.versions.python"),
    ],
)
def test_versions_of_other_packages_than_the_program_lists_are_a_difference(
    report: Path, versions: dict[str, str | None], where: str
) -> None:
    def change(one: dict[str, Any]) -> None:
        stated = one["versions"] | versions
        one["versions"] = {name: told for name, told in stated.items() if told}

    restored(report, change)
    found = again(report)
    assert [one.where for one in found.differences] == [where]
    assert found.elsewhere == ()


def test_a_witness_states_the_versions_of_the_provenance(report: Path) -> None:
    edit(report, lambda one: one["systems"][0]["witnesses"][0].update(version="numpy 99"))
    [difference] = again(report).differences
    assert difference.where == "systems.0.witnesses.0.version"


def test_a_forged_badge_is_found(report: Path) -> None:
    edit(report, lambda one: one.update(selftest="9999/9999"))
    [difference] = again(report).differences
    assert (difference.where, difference.stored) == ("selftest", "'9999/9999'")


def test_the_badge_of_another_version_is_said_not_to_be_compared(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made_with(report, "metric-crosscheck", "0.0.1")
    assert run(["rerun", str(report)]) == PASS
    badge = json.loads((report / "report.json").read_text())["selftest"]
    told = f"not compared: the self-test's badge, {badge}: it is the record of another version"
    assert told in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("was", "forged"),
    [
        ('"verdict": "pass"', '"verdict": "fail",\n  "verdict": "pass"'),
        ('"verdict": "pass"', '"verdict":  "pass"'),
        ('"verdict"', '"verdic\\u0074"'),
        ("\n", "\r\n"),
    ],
)
def test_every_byte_of_the_report_is_looked_at(report: Path, was: str, forged: str) -> None:
    content = (report / "report.json").read_bytes()
    (report / "report.json").write_bytes(content.replace(was.encode(), forged.encode(), 1))
    assert list(map(str, again(report).differences)) == [
        "report.json: other bytes → as gate writes them"
    ]


def test_the_order_of_fields_is_looked_at(report: Path) -> None:
    edit(report, lambda one: one.update(verdict=one.pop("verdict")))
    assert [one.where for one in again(report).differences] == ["report.json"]
    restored(report, lambda one: one["versions"].update(python=one["versions"].pop("python")))
    assert [one.where for one in again(report).differences] == ["report.json"]


@pytest.mark.parametrize("kernel", [None, "Abacus"])
def test_last_digits_of_the_report_may_not_differ_on_any_machine(
    report: Path, kernel: str | None
) -> None:
    def raised(stored: dict[str, Any]) -> None:
        row = next(one for one in stored["systems"][0]["headline"] if one["value"] % 0.125)
        row["value"] = math.nextafter(row["value"], 1)

    edit(report, raised)
    if kernel:
        (report / "machine.json").write_text(json.dumps({"kernel": kernel}))
    assert not again(report).same


def test_another_kind_of_machine_is_stated_and_not_held_against_it(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads((report / "machine.json").read_text())
    (report / "machine.json").write_text(json.dumps(told | {"kernel": "Abacus"}))
    restate(report, "trec_eval", up)
    assert run(["rerun", str(report)]) == PASS
    lines = capsys.readouterr().out.splitlines()
    kernel = f"kernel: Abacus → {told['kernel']}"
    lines = lines[lines.index("not compared: machine.json") + 1 :]
    assert lines[0] == f"computed on another kind of machine: {kernel}"
    assert re.fullmatch(r"bit by bit: primary, reference; [\d,]+ numbers, all the same", lines[1])
    not_ours = r"within 1e−9: trec_eval; [\d,]+ numbers, 1 of them not the same bits"
    assert re.fullmatch(not_ours, lines[2])
    assert lines[3].startswith("SAME: ")


def test_a_report_that_names_no_machine_is_rerun_all_the_same(report: Path) -> None:
    (report / "machine.json").unlink()
    found = again(report)
    assert found.same
    assert (found.machine, found.uncompared) == ((), ("machine.json, which is missing",))


def moved(report: Path, gated: Path, **changes: bytes) -> None:
    """Make the stored paths point beside the report only."""
    for page in (report / name for name in formats()):
        page.write_text(page.read_text().replace(f"{gated.as_posix()}/", ""))
    # Their fingerprints are hashes of what they speak of: they cannot be edited.
    stored = pages.read(report / "report.json")
    for name in ("report.sarif", "codequality.json"):
        (report / name).write_text(formats()[name](stored, {}))
    for name, content in changes.items():
        (report.parent / name.replace("_", ".")).write_bytes(content)


def test_inputs_are_found_beside_the_report(
    report: Path, gated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved(report, gated)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert again(report).same


def test_a_changed_input_is_refused_and_nothing_said_of_what_it_is(
    report: Path, gated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved(report, gated, data_csv=b"query_id,prob\na,0.5\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="is not the file that was gated") as error:
        again(report)
    assert not re.search("[0-9a-f]{64}", str(error.value))


def test_a_missing_input_is_refused(
    report: Path, gated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved(report, gated)
    (tmp_path / "data.csv").unlink()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"data\.csv: not found"):
        again(report)


def test_the_command_says_same_or_changed(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rerun", str(report), "-q"]) == PASS
    assert capsys.readouterr().out.startswith("SAME: ")
    text = (report / "report.json").read_text()
    (report / "report.json").write_text(text.replace('"verdict": "pass"', '"verdict": "fail"', 1))
    assert run(["rerun", str(report), "-q"]) == FAILED
    shown = capsys.readouterr()
    assert shown.err == "CHANGED: 1 difference\n"
    assert "verdict: 'fail' → 'pass'" in shown.out


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"verdict": "pass"}', "nonsense"])
def test_a_file_that_is_no_report_is_refused(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.json").write_text(content)
    assert run(["rerun", str(tmp_path / "report.json")]) == BAD_INPUT
    assert "Traceback" not in capsys.readouterr().err


def restored(report: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the stored report's provenance."""
    edit(report, lambda one: change(one["provenance"]))


def test_what_was_asked_is_stored_as_data(report: Path, gated: Path) -> None:
    asked = json.loads((report / "report.json").read_text())["provenance"]["request"]
    assert {name: value for name, value in asked.items() if value not in (None, [], False)} == {
        "data": (gated / "data.csv").as_posix(),
        "config": (gated / "crosscheck.toml").as_posix(),
        "witnesses": ["trec_eval"],
        "found": True,
    }


def test_the_command_is_for_people_and_held_against_the_request(report: Path) -> None:
    restored(report, lambda one: one["command"].extend(["--seed", "7"]))
    assert [one.where for one in again(report).differences] == [
        "provenance.command.7",
        "provenance.command.8",
    ]


def refusal(report: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["rerun", str(report), "-q", *words]) == BAD_INPUT
    shown = capsys.readouterr().err
    assert "Traceback" not in shown
    return shown


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("unknown", 1),
        ("resamples", 0),
        ("resamples", "10"),
        ("seed", -1),
        ("seed", 1.5),
        ("timeout", True),
        ("intervals", "yes"),
        ("intervals", 1),
        ("data", ["data.csv"]),
        ("claims", "paper.md"),
        ("rankings", [["a"]]),
        ("witnesses", [1]),
    ],
)
def test_a_request_of_other_types_is_refused(
    report: Path, capsys: pytest.CaptureFixture[str], name: str, value: object
) -> None:
    restored(report, lambda one: one["request"].update({name: value}))
    assert f"provenance.request.{name}" in refusal(report, capsys)


def test_a_report_without_a_request_is_refused(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    restored(report, lambda one: one.update(request=None))
    assert "does not say what was asked for" in refusal(report, capsys)
    restored(report, lambda one: one.pop("request"))
    assert "provenance.request: Field required" in refusal(report, capsys)


def test_a_report_of_an_older_schema_is_refused(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (report / "report.json").read_text()
    older = text.replace('"schema_version": "3"', '"schema_version": "1"', 1)
    (report / "report.json").write_text(older)
    assert "is a report of schema version 1, and this program" in refusal(report, capsys)


@pytest.mark.parametrize(("name", "many"), [("data", False), ("claims", True), ("config", False)])
def test_a_file_that_is_no_listed_input_is_not_read(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, *, many: bool
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("query_id,candidates,gold\nhunter2,a,a\n")
    named = [str(secret)] if many else str(secret)
    restored(report, lambda one: one["request"].update({name: named}))
    shown = refusal(report, capsys)
    assert "does not list among its inputs" in shown
    assert "hunter2" not in shown


def test_a_config_leads_to_no_other_files_than_the_listed_inputs(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "secret.csv").write_text("hunter2")
    config = tmp_path / "other.toml"
    config.write_text('data = "secret.csv"\n')
    digest = hashlib.sha256(config.read_bytes()).hexdigest()
    size = config.stat().st_size
    listed = {"role": "config", "path": str(config), "sha256": digest, "bytes": size}

    def change(one: dict[str, Any]) -> None:
        one["inputs"] = [listed]
        one["request"].update(data=None, config=str(config))

    restored(report, change)
    shown = refusal(report, capsys)
    assert "secret.csv”, which it does not list" in shown
    assert "hunter2" not in shown


@pytest.mark.parametrize("path", ["", "/", "..", "a" * 5000, "a\0b", "**", "[", "~", "/dev/zero"])
def test_an_input_by_a_name_that_no_file_has_is_not_found(
    report: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    (report / "inputs").mkdir()
    restored(report, lambda one: one["inputs"][0].update(path=path))
    assert ": not found in " in refusal(report, capsys)


@pytest.fixture
def by_a_stranger(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gated: Path
) -> Path:
    """Give a report that was made with a witness of its authors', which leaves a trace."""
    (tmp_path / "stranger.py").write_text(
        "from pathlib import Path\n"
        "def evaluate(data, settings):\n"
        f"    Path({str(tmp_path / 'trace')!r}).write_text('run')\n"
        "    return {}\n"
    )
    monkeypatch.chdir(tmp_path)
    moved(report, gated)
    restored(report, lambda one: one["request"].update(witnesses=["stranger:evaluate"]))
    return report


def test_code_that_a_report_names_is_not_run(
    by_a_stranger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "allow it: --allow-witness stranger:evaluate"
    assert told in refusal(by_a_stranger, capsys)
    assert told in refusal(by_a_stranger, capsys, "--allow-witness", "other:evaluate")
    assert not Path("trace").exists()


def test_names_in_a_report_cannot_speak_to_the_terminal(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    restored(report, lambda one: one["request"].update(witnesses=["os:\x1b[2J\x9b31m"]))
    assert r"--allow-witness os:\u001b[2J\u009b31m" in refusal(report, capsys)
    restored(report, lambda one: one["request"].update(witnesses=["trec_eval"]))
    restored(report, lambda one: one["versions"].update(numpy="1\x1b]0;owned\x07"))
    assert run(["rerun", str(report)]) == FAILED
    assert r"versions.numpy: 1\u001b]0;owned\u0007 →" in capsys.readouterr().out


def test_nor_code_that_its_config_names(
    by_a_stranger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = Path("crosscheck.toml")
    config.write_text('witnesses = ["stranger:evaluate"]\n')
    digest = hashlib.sha256(config.read_bytes()).hexdigest()

    def change(one: dict[str, Any]) -> None:
        one["request"].update(witnesses=["primary"])
        listed = next(file for file in one["inputs"] if file["role"] == "config")
        listed.update(sha256=digest, bytes=config.stat().st_size)

    restored(by_a_stranger, change)
    assert "allow it: --allow-witness stranger:evaluate" in refusal(by_a_stranger, capsys)
    assert not Path("trace").exists()


def test_it_is_run_once_the_person_at_the_keyboard_allows_it(by_a_stranger: Path) -> None:
    assert (
        run(["rerun", str(by_a_stranger), "-q", "--allow-witness", "stranger:evaluate"]) == FAILED
    )
    assert Path("trace").read_text() == "run"


def packed(report: Path) -> Path:
    archive = report.parent / "b.zip"
    bundle.pack(report, archive)
    return archive


def test_a_bundle_reruns_from_itself(
    report: Path, gated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = packed(report)
    moved(report, gated)
    for path in (tmp_path / "data.csv", tmp_path / "crosscheck.toml"):
        path.unlink()
    (tmp_path / "far").mkdir()
    monkeypatch.chdir(tmp_path / "far")
    with bundle.opened(archive) as place:
        assert again(place).same
        unpacked = place
    assert not unpacked.exists()


def test_a_bundle_has_the_same_bytes_whenever_it_is_made(report: Path) -> None:
    first = packed(report).read_bytes()
    assert packed(report).read_bytes() == first


def test_a_bundle_holds_report_inputs_versions_and_hashes(report: Path) -> None:
    with zipfile.ZipFile(packed(report)) as archive:
        names = set(archive.namelist())
        lock = archive.read("requirements.lock").decode()
    assert {"report.json", "ledger.csv", "SHA256SUMS", "requirements.lock"} <= names
    assert {"inputs/data.csv", "inputs/crosscheck.toml"} <= names
    assert "numpy==" in lock


def rewritten(archive: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    with zipfile.ZipFile(archive) as source:
        files = {name: source.read(name) for name in source.namelist()}
    change(files)
    target = archive.with_name("changed.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as changed:
        for name, content in files.items():
            changed.writestr(name, content)
    return target


def refused(archive: Path, capsys: pytest.CaptureFixture[str]) -> str:
    before = set(archive.parent.rglob("*"))
    assert run(["rerun", str(archive)]) == BAD_INPUT
    shown = capsys.readouterr().err
    assert "Traceback" not in shown
    assert set(archive.parent.rglob("*")) == before
    return shown


def test_a_changed_file_in_a_bundle_is_refused(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(files: dict[str, bytes]) -> None:
        files["inputs/data.csv"] += b"\n"

    assert "inputs/data.csv" in refused(rewritten(packed(report), change), capsys)


def test_an_added_or_missing_file_in_a_bundle_is_refused(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "extra" in refused(rewritten(packed(report), lambda f: f.update(extra=b"x")), capsys)
    assert "ledger" in refused(rewritten(packed(report), lambda f: f.pop("ledger.csv")), capsys)
    assert "SHA256SUMS" in refused(rewritten(packed(report), lambda f: f.pop("SHA256SUMS")), capsys)


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/evil", "a/../../evil", "C:\\evil", "..\\evil", "a/"]
)
def test_paths_that_lead_outside_are_refused(
    name: str, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = rewritten(packed(report), lambda files: files.update({name: b"x"}))
    assert "is no plain file inside it" in refused(archive, capsys)


def test_links_in_a_bundle_are_refused(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = packed(report)
    link = zipfile.ZipInfo("inputs/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(archive, "a") as changed:
        changed.writestr(link, "/etc/passwd")
    assert "inputs/link" in refused(archive, capsys)


def test_a_bomb_is_refused_before_it_is_unpacked(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = rewritten(packed(report), lambda files: files.update(bomb=b"\0" * 100_000_000))
    assert "no honest data" in refused(archive, capsys)


def test_a_bundle_that_unpacks_to_too_much_is_refused(
    report: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "unpacked=1000")
    assert "no honest data" in refused(packed(report), capsys)


def test_too_many_files_and_doubled_names_are_refused(
    report: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = packed(report)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(archive, "a") as more:
        more.writestr("report.json", "{}")
    assert "one name twice" in refused(archive, capsys)
    monkeypatch.setenv(VARIABLE, "files=2")
    assert "files; " in refused(packed(report), capsys)


def test_a_damaged_bundle_is_refused(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = packed(report)
    content = bytearray(archive.read_bytes())
    content[len(content) // 2] ^= 0xFF
    archive.write_bytes(bytes(content))
    refused(archive, capsys)


def test_a_bundle_that_the_file_system_cannot_hold_is_refused(
    report: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = packed(report)

    def taken(place: Path, mode: str) -> None:
        raise FileExistsError(errno.EEXIST, f"File exists ({mode})", place)

    monkeypatch.setattr(Path, "open", taken)
    assert run(["rerun", str(archive)]) == BAD_INPUT
    assert "cannot be unpacked here (File exists (xb)); make room" in capsys.readouterr().err


def test_a_bundle_of_changed_inputs_is_not_made(
    report: Path, gated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved(report, gated, data_csv=b"other")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="is not the file that was gated"):
        bundle.pack(report, tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


def test_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == PASS
    listed = capsys.readouterr().out
    assert "XC401  error" in listed
    assert run(["rules", "xc401"]) == PASS
    assert "Try: " in capsys.readouterr().out
    assert run(["rules", "--json"]) == PASS
    known: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    told = {"id", "group", "title", "severity", "section", "remedy", "why", "example", "happened"}
    assert told == set(known[0])
    assert run(["rules", "XC000"]) == BAD_INPUT


def test_a_file_that_a_claims_file_takes_in_is_an_input(gated: Path, tmp_path: Path) -> None:
    shutil.copy(gated / "data.csv", tmp_path)
    (tmp_path / "paper.tex").write_text(r"\begin{document}\input{table}\end{document}")
    (tmp_path / "table.tex").write_text(
        r"\begin{tabular}{lr} Metric & Ours \\ MRR & 0.500 \\ \end{tabular}"
    )
    words = ["gate", str(tmp_path / "data.csv"), "--claims", str(tmp_path / "paper.tex"), "-q"]
    out = tmp_path / "report"
    run([*words, "--out", str(out), "--witness", "primary", "--no-figures"])
    stored = json.loads((out / "report.json").read_text())
    listed = [Path(one["path"]).name for one in stored["provenance"]["inputs"]]
    assert listed == ["data.csv", "paper.tex", "table.tex"]
    archive = tmp_path / "all.zip"
    assert run(["bundle", str(out), "--out", str(archive)]) == PASS
    assert run(["rerun", str(archive)]) == PASS
    (tmp_path / "table.tex").write_text("nothing")
    assert run(["rerun", str(out)]) == BAD_INPUT
