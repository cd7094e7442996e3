"""The verifier as an attacker meets it: nothing but what a trusted person signed is verified."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.certificate import check, keys
from crosscheck.certificate.envelope import encode, seal
from crosscheck.certificate.issue import Again, Signer, issue
from crosscheck.certificate.statement import PAYLOAD
from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, FAILED, PASS, UserError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def verify(certificate: Path, trusted: Path, **more: Any) -> check.Verified:
    return check.verify(certificate, keys.trusted(trusted), **more)


def envelope(certificate: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((certificate / "certificate.json").read_text())
    return found


def payload(certificate: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.b64decode(envelope(certificate)["payload"]))
    return found


def put(certificate: Path, changed: dict[str, Any]) -> None:
    (certificate / "certificate.json").write_text(json.dumps(changed))


def resign(certificate: Path, key: Any, change: Callable[[dict[str, Any]], None]) -> None:
    """Sign an altered statement with a trusted key: what must then fail is not the signature."""
    stated = payload(certificate)
    change(stated)
    (certificate / "certificate.json").write_text(seal(json.dumps(stated).encode(), key))


def refused(certificate: Path, trusted: Path) -> str:
    with pytest.raises(UserError) as error:
        verify(certificate, trusted)
    return str(error.value)


def test_an_honest_certificate_is_verified(certificate: Path, trusted: Path) -> None:
    found = verify(certificate, trusted)
    assert found.problems == ()
    assert [one.name for one in found.signers] == ["jane@example.org"]
    assert found.predicate.found.verdict == "pass"
    assert found.predicate.rerun == "not done"
    assert found.files == len(payload(certificate)["subject"])


def test_it_is_an_in_toto_statement_in_a_dsse_envelope(certificate: Path, jane: Any) -> None:
    stated, sealed = payload(certificate), envelope(certificate)
    assert stated["_type"] == "https://in-toto.io/Statement/v1"
    assert stated["predicateType"] == "urn:metric-crosscheck:certificate:1"
    assert sealed["payloadType"] == "application/vnd.in-toto+json"
    # By the letter of DSSE, without any code of ours.
    body = base64.b64decode(sealed["payload"])
    signed = b"DSSEv1 28 application/vnd.in-toto+json %d " % len(body) + body
    jane.key.public_key().verify(base64.b64decode(sealed["signatures"][0]["sig"]), signed)
    names = {one["name"]: one["digest"]["sha256"] for one in stated["subject"]}
    there = {path for path in certificate.rglob("*") if path.is_file()}
    assert names == {
        path.relative_to(certificate).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in there
        if path.name != "certificate.json"
    }


def test_a_key_that_is_not_trusted(certificate: Path, tmp_path: Path, mallory: Any) -> None:
    (tmp_path / "others").write_text(mallory.line)
    assert "by no trusted key" in refused(certificate, tmp_path / "others")


def test_a_hint_at_a_trusted_key_helps_nobody(
    certificate: Path, trusted: Path, mallory: Any
) -> None:
    hint = envelope(certificate)["signatures"][0]["keyid"]
    resign(certificate, mallory.key, lambda _: None)
    forged = envelope(certificate)
    forged["signatures"][0]["keyid"] = hint
    put(certificate, forged)
    assert "by no trusted key" in refused(certificate, trusted)


def test_an_altered_payload(certificate: Path, trusted: Path) -> None:
    forged = envelope(certificate)
    body = base64.b64decode(forged["payload"]).replace(b"Jane Doe", b"Jane Roe")
    put(certificate, forged | {"payload": base64.b64encode(body).decode()})
    assert "by no trusted key, or not over this payload" in refused(certificate, trusted)


def test_the_envelope_of_another_certificate(
    certificate: Path, trusted: Path, failing: Path, tmp_path: Path, signer: Signer
) -> None:
    issue(failing, tmp_path / "other", signer)
    shutil.copy(certificate / "certificate.json", tmp_path / "other" / "certificate.json")
    found = verify(tmp_path / "other", trusted)
    assert not found.holds
    assert any("report/report.json: is not what was signed" in one for one in found.problems)


@pytest.mark.parametrize("kind", ["application/json", "", f"{PAYLOAD} "])
def test_a_payload_of_another_type(certificate: Path, trusted: Path, jane: Any, kind: str) -> None:
    # Signed by Jane, as that type: what she signed elsewhere is no certificate.
    body = base64.b64decode(envelope(certificate)["payload"])
    signature = base64.b64encode(jane.key.sign(encode(kind, body))).decode()
    forged = envelope(certificate) | {"payloadType": kind}
    forged["signatures"] = [{"keyid": "", "sig": signature}]
    put(certificate, forged)
    assert "so it is no certificate" in refused(certificate, trusted)
    put(certificate, forged | {"payloadType": PAYLOAD})
    assert "by no trusted key" in refused(certificate, trusted)


def test_lengths_are_part_of_what_is_signed() -> None:
    assert encode("a", b"b c") != encode("a b", b"c")
    assert encode("a", b"b") == b"DSSEv1 1 a 1 b"


def test_a_further_signature_by_a_stranger(certificate: Path, trusted: Path, mallory: Any) -> None:
    forged = envelope(certificate)
    body = base64.b64decode(forged["payload"])
    more = base64.b64encode(mallory.key.sign(encode(PAYLOAD, body))).decode()
    forged["signatures"].append({"keyid": "Mallory", "sig": more})
    put(certificate, forged)
    assert "a signature (Mallory) is by no trusted key" in refused(certificate, trusted)


def test_one_signer_twice(certificate: Path, trusted: Path) -> None:
    forged = envelope(certificate)
    put(certificate, forged | {"signatures": forged["signatures"] * 2})
    assert "has signed twice" in refused(certificate, trusted)


def test_two_people_may_sign(certificate: Path, trusted: Path, mallory: Any, jane: Any) -> None:
    forged = envelope(certificate)
    body = base64.b64decode(forged["payload"])
    more = base64.b64encode(mallory.key.sign(encode(PAYLOAD, body))).decode()
    forged["signatures"].append({"keyid": "", "sig": more})
    put(certificate, forged)
    trusted.write_text(f"jane {jane.line}\nmal {mallory.line}\n")
    assert [one.name for one in verify(certificate, trusted).signers] == ["jane", "mal"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: one | {"signatures": []}, "signatures"),
        (lambda one: one | {"more": 1}, "more"),
        (lambda one: {"payload": one["payload"]}, "is no DSSE envelope"),
        (lambda one: one | {"payload": one["payload"] + "\n"}, "is not base64"),
        (lambda one: one | {"payload": 3}, "payload"),
        (lambda one: [one], "is no DSSE envelope"),
    ],
)
def test_what_is_no_envelope(
    certificate: Path, trusted: Path, change: Callable[[Any], Any], said: str
) -> None:
    put(certificate, change(envelope(certificate)))
    assert said in refused(certificate, trusted)


def test_base64_has_one_way_to_say_a_thing(certificate: Path, trusted: Path) -> None:
    forged = envelope(certificate)
    signature = forged["signatures"][0]["sig"]
    assert signature.endswith("==")
    last = signature[-3]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    other = alphabet[alphabet.index(last) + 1]
    forged["signatures"][0]["sig"] = f"{signature[:-3]}{other}=="
    put(certificate, forged)
    assert "written in a second way" in refused(certificate, trusted)


@pytest.mark.parametrize(
    "text", ['{"payload": "a", "payload": "b"}', "{", "[" * 100_000, "\\xff", "NaN"]
)
def test_json_that_two_readers_read_differently(
    certificate: Path, trusted: Path, text: str
) -> None:
    (certificate / "certificate.json").write_text(text)
    assert str(certificate) in refused(certificate, trusted)


@pytest.mark.parametrize(
    "name",
    [
        *("../outside", "/etc/passwd", "report/../certificate.html", "./a", "a//b", ""),
        *("a\\b", "c:a", "a\x00b", "report/", "..", "a\nb"),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused_though_signed(
    certificate: Path, trusted: Path, jane: Any, name: str
) -> None:
    resign(certificate, jane.key, lambda one: one["subject"][0].update(name=name))
    assert "is no certificate of ours: subject.0.name" in refused(certificate, trusted)


@pytest.mark.parametrize("again", [str, str.upper])
def test_a_file_that_is_named_twice(
    certificate: Path, trusted: Path, jane: Any, again: Callable[[str], str]
) -> None:
    def twice(one: dict[str, Any]) -> None:
        first = one["subject"][0]
        one["subject"].append({"name": again(first["name"]), "digest": {"sha256": "0" * 64}})

    resign(certificate, jane.key, twice)
    assert "twice" in refused(certificate, trusted)


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.update(_type="https://in-toto.io/Statement/v0.1"),
        lambda one: one.update(predicateType="https://slsa.dev/provenance/v1"),
        lambda one: one.update(subject=[]),
        lambda one: one.update(more=1),
        lambda one: one["predicate"].update(more=1),
        lambda one: one["predicate"].update(when="yesterday"),
        lambda one: one["predicate"].update(when="2027-01-31T12:00:00"),
        lambda one: one["predicate"]["found"].update(verdict="PASS"),
        lambda one: one["predicate"]["found"]["counts"].update(errors="0"),
        lambda one: one["subject"][0]["digest"].update(sha512="00"),
        lambda one: one["subject"][0]["digest"].update(sha256="AB" * 32),
    ],
)
def test_what_is_no_statement_of_ours_though_signed(
    certificate: Path, trusted: Path, jane: Any, change: Callable[[dict[str, Any]], None]
) -> None:
    resign(certificate, jane.key, change)
    assert "is no certificate of ours" in refused(certificate, trusted)


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.update(verdict="fail"),
        lambda one: one["counts"].update(errors=1),
        lambda one: one["weakened_by"].clear(),
        lambda one: one["policy"].update(name="strict"),
        lambda one: one["inputs"].clear(),
        lambda one: one.update(contract_sha256="00"),
    ],
)
def test_what_the_report_does_not_say_though_signed(
    certificate: Path, trusted: Path, jane: Any, change: Callable[[dict[str, Any]], None]
) -> None:
    resign(certificate, jane.key, lambda one: change(one["predicate"]["found"]))
    found = verify(certificate, trusted)
    assert any("says otherwise than the report" in one for one in found.problems)


def test_a_page_that_says_otherwise_though_signed(
    certificate: Path, trusted: Path, jane: Any
) -> None:
    page = certificate / "certificate.html"
    page.write_text(page.read_text().replace("Jane Doe", "The Royal Society"))

    def rehash(one: dict[str, Any]) -> None:
        subject = next(each for each in one["subject"] if each["name"] == page.name)
        subject["digest"]["sha256"] = hashlib.sha256(page.read_bytes()).hexdigest()

    resign(certificate, jane.key, rehash)
    assert verify(certificate, trusted).problems == (
        "certificate.html: says otherwise than what was signed beside it",
    )


def fail_as_pass(report: dict[str, Any]) -> None:
    report["verdict"] = "pass"
    report["summary"] = report["summary"].replace("FAIL: ", "PASS: ")


def lighter(report: dict[str, Any]) -> None:
    fail_as_pass(report)
    for one in report["findings"]:
        one["severity"] = "advice"


@pytest.mark.parametrize("forge", [fail_as_pass, lighter])
def test_a_fail_is_not_certified_as_a_pass(
    failing: Path, tmp_path: Path, signer: Signer, forge: Callable[[dict[str, Any]], None]
) -> None:
    forged = shutil.copytree(failing, tmp_path / "forged")
    report = json.loads((forged / "report.json").read_text())
    forge(report)
    (forged / "report.json").write_text(json.dumps(report))
    with pytest.raises(UserError, match="it was altered"):
        issue(forged, tmp_path / "certificate", signer)
    assert not (tmp_path / "certificate").exists()


@pytest.mark.parametrize("forge", [fail_as_pass, lighter])
def test_nor_verified_as_one_though_a_trusted_person_signed_it(
    failing: Path,
    tmp_path: Path,
    signer: Signer,
    trusted: Path,
    forge: Callable[[dict[str, Any]], None],
) -> None:
    target = tmp_path / "certificate"
    issue(failing, target, signer)
    file = target / "report" / "report.json"
    report = json.loads(file.read_text())
    forge(report)
    file.write_text(json.dumps(report))

    def swear(one: dict[str, Any]) -> None:
        subject = next(each for each in one["subject"] if each["name"] == "report/report.json")
        subject["digest"]["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
        one["predicate"]["found"]["verdict"] = "pass"

    resign(target, signer.key, swear)
    assert any("it was altered" in one for one in verify(target, trusted).problems)


@pytest.mark.slow
def test_a_report_without_findings_that_they_came_from_is_not_rerun_into_a_certificate(
    failing: Path, tmp_path: Path, signer: Signer
) -> None:
    forged = shutil.copytree(failing, tmp_path / "forged")
    report = json.loads((forged / "report.json").read_text())
    fail_as_pass(report)
    report["findings"] = []
    (forged / "report.json").write_text(json.dumps(report))
    with pytest.raises(UserError, match="is not what its inputs give"):
        issue(forged, tmp_path / "certificate", signer, Again(within=[failing.parent]))


def test_a_file_that_is_missing_added_or_altered(certificate: Path, trusted: Path) -> None:
    (certificate / "report" / "ledger.csv").unlink()
    (certificate / "report" / "report.md").write_text("# PASS")
    (certificate / "notes.txt").write_text("x")
    (certificate / "empty").mkdir()
    (certificate / "certificate.pdf").unlink()
    (certificate / "certificate.pdf").symlink_to("/dev/zero")
    (certificate / "report" / "more").symlink_to(certificate)
    assert set(verify(certificate, trusted).problems) == {
        "report/ledger.csv: is missing",
        "report/report.md: is not what was signed",
        "notes.txt: was added; nobody signed it",
        "certificate.pdf: is no plain file",
        "report/more: was added; nobody signed it",
    }


def test_the_policy_that_will_do(certificate: Path, trusted: Path) -> None:
    stated = payload(certificate)["predicate"]["found"]["policy"]["sha256"]
    assert verify(certificate, trusted, policy=stated).holds
    [problem] = verify(certificate, trusted, policy="0" * 64).problems
    assert problem.startswith("policy: the report was held to “standard”")


def test_the_command_says_who_vouches_for_what(
    certificate: Path, trusted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", str(certificate), "--trusted", str(trusted)]) == PASS
    said = capsys.readouterr().out
    assert "signed by: jane@example.org (SHA256:" in said
    assert "numbers: not recomputed here (--rerun does); nor did the signer" in said
    assert "VERIFIED" in said
    (certificate / "more").write_text("")
    assert run(["verify", str(certificate), "--trusted", str(trusted)]) == FAILED
    assert "NOT VERIFIED: 1 problem\n  more: was added" in capsys.readouterr().out


def test_a_certificate_of_a_fail_that_holds_is_no_pass(
    failing: Path, tmp_path: Path, signer: Signer, trusted: Path
) -> None:
    issue(failing, tmp_path / "certificate", signer)
    assert verify(tmp_path / "certificate", trusted).holds
    words = ["verify", str(tmp_path / "certificate"), "--trusted", str(trusted), "-q"]
    assert run(words) == FAILED


@pytest.mark.parametrize("there", ["certificate.json", "nothing"])
def test_what_cannot_be_read_is_bad_input(
    tmp_path: Path, trusted: Path, there: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "certificate.json").mkdir()
    assert run(["verify", str(tmp_path / there), "--trusted", str(trusted)]) == BAD_INPUT
    assert "crosscheck: " in capsys.readouterr().err


@pytest.mark.slow
def test_the_numbers_are_recomputed_where_they_are_asked_for(
    certificate: Path, trusted: Path, passing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["verify", str(certificate), "--trusted", str(trusted), "--rerun"]
    words += ["--inputs", str(passing.parent)]
    assert run(words) == PASS
    assert "numbers: recomputed, the same" in capsys.readouterr().out


def test_no_byte_of_a_certificate_can_be_changed(certificate: Path, trusted: Path) -> None:
    random = Random(3)
    known = keys.trusted(trusted)
    files = sorted(path for path in certificate.rglob("*") if path.is_file())
    for path in files * 8:
        content = bytearray(path.read_bytes())
        at = random.randrange(len(content))
        before, content[at] = content[at], content[at] ^ (1 << random.randrange(8))
        path.write_bytes(content)
        try:
            found = check.verify(certificate, known)
        except UserError:
            pass
        else:
            # The hint at the key and what stands between JSON's words are not signed.
            loose = path.name == "certificate.json"
            loose &= chr(before).isspace() or _in_hint(bytes(content), at)
            assert loose or not found.holds, (path.name, at)
        content[at] = before
        path.write_bytes(content)


def _in_hint(content: bytes, at: int) -> bool:
    start = content.find(b'"keyid"')
    return start < at < content.find(b'"sig"')
