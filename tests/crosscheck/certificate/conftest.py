"""A report of four queries, keys, and a certificate of it, made once and copied."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import gate
from crosscheck.certificate.issue import Signer, issue
from crosscheck.gate.request import prepare
from crosscheck.model.options import Options
from crosscheck.report import publish

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytest.importorskip("cryptography")

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

WHEN = "2027-01-31T12:00:00+00:00"
ROWS = "query_id,candidates,gold\nq1,a|b|c,a\nq2,d|e|f,e\nq3,g|h,x\nq4,i|j,j\n"


@dataclass(frozen=True)
class Keys:
    """A person's key, in the forms that people keep it in."""

    key: Ed25519PrivateKey

    @property
    def line(self) -> str:
        openssh = serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
        return self.key.public_key().public_bytes(*openssh).decode()

    def private(self, *, ssh: bool, passphrase: bytes | None = None) -> bytes:
        form = serialization.PrivateFormat.OpenSSH if ssh else serialization.PrivateFormat.PKCS8
        lock = (
            serialization.BestAvailableEncryption(passphrase)
            if passphrase
            else serialization.NoEncryption()
        )
        return self.key.private_bytes(serialization.Encoding.PEM, form, lock)


@pytest.fixture(scope="session")
def jane() -> Keys:
    return Keys(Ed25519PrivateKey.from_private_bytes(b"j" * 32))


@pytest.fixture(scope="session")
def mallory() -> Keys:
    return Keys(Ed25519PrivateKey.from_private_bytes(b"m" * 32))


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Gate the four queries with a claim, inside this process; the report's folder."""

    def make(claim: str) -> Path:
        folder = tmp_path_factory.mktemp("gated")
        (folder / "answers.csv").write_text(ROWS)
        (folder / "claims.json").write_text(json.dumps({"mrr@all": claim}))
        asked = Options(
            data=str(folder / "answers.csv"),
            claims=(str(folder / "claims.json"),),
            witnesses=("primary",),
        )
        out = folder / "report"
        out.mkdir()
        with prepare(asked, search=False) as request:
            publish.write(gate.run(replace(request, processes=False)), out, {})
        return out

    return make


@pytest.fixture(scope="session")
def passing(made: Callable[[str], Path]) -> Path:
    return made("0.5")


@pytest.fixture(scope="session")
def failing(made: Callable[[str], Path]) -> Path:
    return made("0.9")


@pytest.fixture(scope="session")
def sealed(passing: Path, jane: Keys, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Jane's certificate of the report that passes."""
    target = tmp_path_factory.mktemp("sealed") / "certificate"
    issue(passing, target, Signer("Jane Doe", WHEN, jane.key))
    return target


@pytest.fixture
def certificate(sealed: Path, tmp_path: Path) -> Path:
    """Give a copy to be tampered with."""
    return shutil.copytree(sealed, tmp_path / "certificate")


@pytest.fixture
def trusted(tmp_path: Path, jane: Keys) -> Path:
    """Trust Jane alone."""
    (tmp_path / "trusted").write_text(f"jane@example.org {jane.line}\n")
    return tmp_path / "trusted"


@pytest.fixture
def signer(jane: Keys) -> Any:
    return Signer("Jane Doe", WHEN, jane.key)
