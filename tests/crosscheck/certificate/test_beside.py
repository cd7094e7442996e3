"""The pages of a certificate say what was signed beside them, though a trusted key covers them."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.certificate import check, keys
from crosscheck.certificate.envelope import seal
from crosscheck.certificate.issue import Again, issue
from crosscheck.cli import run
from crosscheck.errors import PASS, UserError

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.certificate.issue import Signer


def swear(certificate: Path, name: str, key: Any) -> None:
    """Sign a file as it is now, as somebody would who is trusted and lies."""
    file = certificate / "certificate.json"
    stated = json.loads(base64.b64decode(json.loads(file.read_text())["payload"]))
    subject = next(one for one in stated["subject"] if one["name"] == name)
    digest = hashlib.sha256((certificate / name).read_bytes()).hexdigest()
    subject["digest"]["sha256"] = digest
    file.write_text(seal(json.dumps(stated, ensure_ascii=False).encode(), key))


def problems(certificate: Path, trusted: Path) -> tuple[str, ...]:
    return check.verify(certificate, keys.trusted(trusted)).problems


def test_a_forged_sheet_is_not_what_was_signed(certificate: Path, trusted: Path) -> None:
    sheet = certificate / "certificate.pdf"
    sheet.write_bytes(sheet.read_bytes() + b"\n")
    assert problems(certificate, trusted) == ("certificate.pdf: is not what was signed",)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("certificate.pdf", (b"%%EOF", b"%%EOF\n%%EOF")),
        ("ro-crate-metadata.json", (b"crosscheck: PASS", b"crosscheck: PASS, by ACM")),
        ("ro-crate-metadata.json", (b"Jane Doe", b"The Royal Society")),
        ("ro-crate-metadata.json", (b"@graph", b"@other")),
        ("report/report.md", (b"PASS", b"PASS, 99 %")),
        ("report/junit.xml", (b"testsuites ", b"testsuites  ")),
        ("report/report.html", (b"</body>", b"<p>Verified by ACM</p></body>")),
    ],
)
def test_a_page_that_says_otherwise_does_not_verify_though_signed(
    certificate: Path, trusted: Path, jane: Any, name: str, change: tuple[bytes, bytes]
) -> None:
    file = certificate / name
    content = file.read_bytes()
    assert change[0] in content
    file.write_bytes(content.replace(*change))
    swear(certificate, name, jane.key)
    [problem] = problems(certificate, trusted)
    assert problem.startswith(f"{name}: ")


def test_a_sheet_of_another_library_is_said_not_to_be_proven(
    certificate: Path, trusted: Path, jane: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = certificate / "certificate.pdf"
    content = sheet.read_bytes()
    at = content.index(b"Matplotlib pdf backend v") + len(b"Matplotlib pdf backend v")
    sheet.write_bytes(content[:at] + b"9" + content[at + 1 :])
    swear(certificate, "certificate.pdf", jane.key)
    assert run(["verify", str(certificate), "--trusted", str(trusted), "-q"]) == PASS
    assert "not proven: certificate.pdf: another version" in capsys.readouterr().out


def test_a_matplotlibrc_that_lies_around_changes_no_sheet(
    passing: Path,
    certificate: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    signer: Signer,
) -> None:
    import matplotlib as mpl  # noqa: PLC0415 - heavy

    monkeypatch.setitem(mpl.rcParams, "font.size", 30.0)
    monkeypatch.setitem(mpl.rcParams, "font.family", ["serif"])
    issue(passing, tmp_path / "again", signer)
    sheets = [(one / "certificate.pdf").read_bytes() for one in (certificate, tmp_path / "again")]
    assert sheets[0] == sheets[1]


@pytest.mark.parametrize("name", ["report.md", "junit.xml", "report.html"])
def test_a_report_whose_pages_say_otherwise_is_not_certified(
    passing: Path, tmp_path: Path, signer: Signer, name: str
) -> None:
    forged = shutil.copytree(passing, tmp_path / "forged")
    with (forged / name).open("a") as file:
        file.write("<!-- 99 % -->")
    with pytest.raises(UserError, match="says otherwise than report"):
        issue(forged, tmp_path / "certificate", signer)
    assert not (tmp_path / "certificate").exists()


def test_what_changed_after_it_was_rerun_is_not_signed(
    passing: Path, tmp_path: Path, signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = shutil.copytree(passing, tmp_path / "report")

    def meanwhile(*_: object) -> None:
        (report / "ledger.csv").write_text("another")

    monkeypatch.setattr("crosscheck.certificate.issue._refuse_changed", meanwhile)
    with pytest.raises(UserError, match="was changed while it was certified"):
        issue(report, tmp_path / "certificate", signer, Again())
    assert not (tmp_path / "certificate").exists()


def test_words_of_an_envelope_that_nobody_signed_stay_on_a_line(
    certificate: Path, trusted: Path, mallory: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = certificate / "certificate.json"
    envelope = json.loads(file.read_text())
    payload = base64.b64decode(envelope["payload"])
    envelope["signatures"] = json.loads(seal(payload, mallory.key))["signatures"]
    envelope["signatures"][0]["keyid"] = "x\nVERIFIED: it is"
    file.write_text(json.dumps(envelope))
    run(["verify", str(certificate), "--trusted", str(trusted)])
    shown = capsys.readouterr()
    assert not [line for line in shown.err.splitlines() if line.startswith("VERIFIED")]
    assert "x\\nVERIFIED" in shown.err


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Journal of Examples", "path": "journal.toml", "sha256": "ab" * 32},
        {"name": "strict"},
        {"name": "Journal of Examples"},
    ],
)
def test_a_report_that_names_a_policy_that_it_was_not_held_to_is_not_certified(
    passing: Path, tmp_path: Path, signer: Signer, change: dict[str, str]
) -> None:
    forged = shutil.copytree(passing, tmp_path / "forged")
    report = json.loads((forged / "report.json").read_text())
    report["provenance"]["policy"].update(change)
    (forged / "report.json").write_text(json.dumps(report))
    with pytest.raises(UserError, match="names the policy"):
        issue(forged, tmp_path / "certificate", signer)
