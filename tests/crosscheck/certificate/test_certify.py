"""Certificates as they are written: keys, pages, metadata, repository, nothing half-written."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.certificate import check, keys, page
from crosscheck.certificate.issue import Signer, issue
from crosscheck.certificate.repository import repository_of
from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, FAILED, PASS, UserError
from crosscheck.rerun.bundle import pack

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_the_command_reruns_signs_and_is_verified(
    passing: Path, tmp_path: Path, jane: Any, trusted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "key").write_bytes(jane.private(ssh=True))
    out = tmp_path / "out"
    words = ["--key", str(tmp_path / "key"), "--who", "Jane  Doe", "--out", str(out), "-q"]
    assert run(["certify", str(passing), *words]) == PASS
    assert "CERTIFIED as PASS" in capsys.readouterr().out
    found = check.verify(out, keys.trusted(trusted))
    assert found.holds
    assert (found.predicate.rerun, found.predicate.who) == ("same", "Jane Doe")
    assert run(["certify", str(passing), *words]) == BAD_INPUT
    assert "is there already" in capsys.readouterr().err


def test_a_fail_is_certified_as_a_fail(
    failing: Path, tmp_path: Path, jane: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "key.pem").write_bytes(jane.private(ssh=False))
    words = ["--key", str(tmp_path / "key.pem"), "--who", "Jane", "--no-rerun"]
    when = ["--when", "2027-01-31T12:00:00+00:00", "--out", str(tmp_path / "out")]
    assert run(["certify", str(failing / "report.json"), *words, *when]) == FAILED
    assert "CERTIFIED as FAIL" in capsys.readouterr().out
    text = (tmp_path / "out" / "certificate.html").read_text()
    assert '<p class="stamp">FAIL</p>' in text
    assert "the signer did not rerun the report" in text


def test_a_bundle_is_certified_with_its_inputs(
    passing: Path, tmp_path: Path, signer: Signer, trusted: Path
) -> None:
    pack(passing, tmp_path / "study.zip")
    issue(tmp_path / "study.zip", tmp_path / "out", signer)
    assert (tmp_path / "out" / "report" / "inputs" / "answers.csv").is_file()
    assert check.verify(tmp_path / "out", keys.trusted(trusted)).holds


def test_the_same_moment_gives_the_same_bytes(
    passing: Path, sealed: Path, tmp_path: Path, signer: Signer
) -> None:
    issue(passing, tmp_path / "again", signer)
    for path in sealed.rglob("*"):
        if path.is_file():
            twin = tmp_path / "again" / path.relative_to(sealed)
            assert twin.read_bytes() == path.read_bytes(), path.name


def test_no_date_is_in_the_report(sealed: Path) -> None:
    texts = [path.read_text() for path in (sealed / "report").rglob("*") if path.is_file()]
    assert not any("2027-01-31" in text for text in texts)
    assert "2027-01-31" in (sealed / "certificate.html").read_text()


def test_the_metadata_are_a_crate(sealed: Path) -> None:
    crate = json.loads((sealed / "ro-crate-metadata.json").read_text())
    by_id = {one["@id"]: one for one in crate["@graph"]}
    assert by_id["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    root = by_id["./"]
    assert root["datePublished"] == "2027-01-31T12:00:00+00:00"
    assert root["author"] == {"@id": "#certifier"}
    assert by_id["#certifier"]["name"] == "Jane Doe"
    parts = {one["@id"] for one in root["hasPart"]}
    assert {"report/report.json", "certificate.html", "certificate.pdf"} <= parts
    assert all((sealed / name).is_file() for name in parts)


def test_the_page_and_the_pdf_say_what_was_checked_and_what_was_not(sealed: Path) -> None:
    text = (sealed / "certificate.html").read_text()
    for said in (
        "Jane Doe",
        "2027-01-31T12:00:00+00:00",
        "1 of 1 hold",
        "What was not checked",
        "intervals were not asked for",
        "witnesses: not asked: ranx, scikit-learn, trec_eval, ir_measures, scipy",
    ):
        assert said in text
    assert (sealed / "certificate.pdf").read_bytes().startswith(b"%PDF-")


def test_a_hostile_name_stays_text(passing: Path, tmp_path: Path, jane: Any) -> None:
    who = "<script>alert(1)</script> $\\frac$ 名前"
    when = "2027-01-31T12:00:00+00:00"
    found = issue(passing, tmp_path / "out", Signer(who, when, jane.key))
    text = (tmp_path / "out" / "certificate.html").read_text()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert page.pdf(found)


def test_many_lines_take_several_sheets(sealed: Path, trusted: Path) -> None:
    predicate = check.verify(sealed, keys.trusted(trusted)).predicate
    long = predicate.found.model_copy(update={"not_checked": [f"check {n}" for n in range(200)]})
    told = page.sections(predicate.model_copy(update={"found": long}))
    lines = next(one.lines for one in told if one.title == "What was not checked")
    assert lines[-1] == "… and 160 more in certificate.json"
    drawn = page.pdf(predicate.model_copy(update={"found": long}))
    assert drawn.count(b"/Type /Page\n") + drawn.count(b"/Type /Page ") > 1


# -------------------------------------------------------------------------------------------- keys


@pytest.mark.parametrize("ssh", [True, False])
def test_keys_of_openssh_and_of_pem_are_read(tmp_path: Path, jane: Any, *, ssh: bool) -> None:
    (tmp_path / "key").write_bytes(jane.private(ssh=ssh))
    found = keys.own(tmp_path / "key", None)
    assert keys.fingerprint(found.public_key()) == keys.fingerprint(jane.key.public_key())


def test_a_fingerprint_is_the_one_that_ssh_shows(jane: Any) -> None:
    # By ssh-keygen -l of this key, made of 32 times the letter j.
    shown = "SHA256:pYg5bp6PIZ6ZlFg5lb6kFY3WQZisoGTA7FSkeU5bgAo"
    assert keys.fingerprint(jane.key.public_key()) == shown


def test_a_locked_key_asks_for_its_passphrase(tmp_path: Path, jane: Any) -> None:
    (tmp_path / "key").write_bytes(jane.private(ssh=False, passphrase=b"open"))
    assert keys.own(tmp_path / "key", lambda: "open")
    with pytest.raises(UserError, match="the passphrase does not open it"):
        keys.own(tmp_path / "key", lambda: "sesame")
    with pytest.raises(UserError, match="nobody can be asked"):
        keys.own(tmp_path / "key", None)


def test_a_locked_key_of_openssh_is_opened(tmp_path: Path, jane: Any) -> None:
    pytest.importorskip("bcrypt")
    (tmp_path / "key").write_bytes(jane.private(ssh=True, passphrase=b"open"))
    assert keys.own(tmp_path / "key", lambda: "open")


def test_a_locked_key_says_which_package_would_open_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jane: Any
) -> None:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - only here
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - the same

    def locked(_: bytes, password: bytes | None) -> None:
        if password is None:
            raise TypeError
        raise UnsupportedAlgorithm("Need bcrypt module")

    monkeypatch.setattr(serialization, "load_ssh_private_key", locked)
    (tmp_path / "key").write_bytes(jane.private(ssh=True))
    with pytest.raises(UserError, match="install `bcrypt`"):
        keys.own(tmp_path / "key", lambda: "open")


def test_what_is_no_key_to_sign_with(tmp_path: Path, jane: Any) -> None:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - only here
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - the same

    curve = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    wrong = {
        b"": "is no private key",
        b"hello": "is no private key",
        jane.line.encode(): "is a public key",
        jane.private(ssh=True)[:-40]: "is no private key",
        curve: "is no Ed25519 key",
    }
    for content, said in wrong.items():
        (tmp_path / "key").write_bytes(content)
        with pytest.raises(UserError, match=said):
            keys.own(tmp_path / "key", None)
    with pytest.raises(UserError, match="cannot be read"):
        keys.own(tmp_path / "none", None)


def test_whom_to_trust_is_a_folder_or_a_file(tmp_path: Path, jane: Any, mallory: Any) -> None:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - only here

    folder = tmp_path / "keys"
    folder.mkdir()
    (folder / "jane.pub").write_text(f"{jane.line} jane@laptop\n")
    info = serialization.PublicFormat.SubjectPublicKeyInfo
    pem = mallory.key.public_key().public_bytes(serialization.Encoding.PEM, info)
    (folder / "mal.pem").write_bytes(pem)
    (folder / "README").write_text("not a key")
    assert [one.name for one in keys.trusted(folder)] == ["jane@laptop", "mal"]
    lines = f"# the lab\n\njane@example.org {jane.line}\n{mallory.line}\n{jane.line} again\n"
    (tmp_path / "file").write_text(lines)
    assert [one.name for one in keys.trusted(tmp_path / "file")] == [
        "jane@example.org, again",
        "file",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no Ed25519 key"),
        ("ssh-rsa AAAA jane", "line 1: holds no ssh-ed25519 key"),
        ("ssh-ed25519", "line 1: holds no ssh-ed25519 key"),
        ("ssh-ed25519 AAAA", "is no public key that can be read"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA", "is no public key that can be read"),
    ],
)
def test_what_is_no_key_to_trust(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(UserError, match=said):
        keys.trusted(tmp_path / "file")


def test_options_that_are_not_understood_are_not_passed_over(tmp_path: Path, jane: Any) -> None:
    (tmp_path / "file").write_text(f'jane valid-before="20200101" {jane.line}\n')
    with pytest.raises(UserError, match="has options"):
        keys.trusted(tmp_path / "file")


def test_without_the_library_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(UserError, match=r"metric-crosscheck\[certify\]"):
        keys.trusted(tmp_path)


@pytest.mark.parametrize("when", ["yesterday", "2027-01-31", "2027-01-31T12:00:00"])
def test_a_moment_has_its_time_zone(
    passing: Path, tmp_path: Path, jane: Any, when: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "key").write_bytes(jane.private(ssh=True))
    words = ["--key", str(tmp_path / "key"), "--who", "Jane", "--when", when]
    assert run(["certify", str(passing), *words]) == BAD_INPUT
    assert "--when" in capsys.readouterr().err
    assert sorted(path.name for path in passing.parent.iterdir()) == [
        "answers.csv",
        "claims.json",
        "report",
    ]


# -------------------------------------------------------------------------------------- repository


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_the_commit_of_the_data_is_named(tmp_path: Path) -> None:
    data = tmp_path / "data [1].csv"
    data.write_text("a\n")
    assert repository_of([data]) is None
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "Add the data")
    found = repository_of([data])
    assert found is not None
    assert (found.commit, found.committed) == (git(tmp_path, "rev-parse", "HEAD"), True)
    data.write_text("b\n")
    changed = repository_of([data])
    assert changed is not None
    assert not changed.committed


def test_no_code_of_a_repository_is_run(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("a\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "Add the data")
    git(tmp_path, "config", "core.fsmonitor", f"touch {tmp_path}/ran")
    git(tmp_path, "config", "filter.x.clean", f"touch {tmp_path}/ran")
    (tmp_path / ".gitattributes").write_text("* filter=x\n")
    assert repository_of([data]) is not None
    assert not (tmp_path / "ran").exists()
