"""Ed25519 keys: one's own to sign with, those of others to trust.

Private keys are OpenSSH's (`ssh-keygen -t ed25519`) or PKCS 8 in PEM. Trusted ones are a folder of
`.pub` and `.pem` files, or one file with a key a line: `NAME… ssh-ed25519 KEY`, as OpenSSH's
allowed signers, or `ssh-ed25519 KEY NAME`, as a `.pub` file.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crosscheck.errors import UserError
from crosscheck.limits import admit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

KIND = "ssh-ed25519"
OPENSSH = b"-----BEGIN OPENSSH PRIVATE KEY-----"
MISSING = (
    "certificates need the package cryptography, which is not installed; install the extra: "
    "pip install 'metric-crosscheck[certify]'"
)


@dataclass(frozen=True, slots=True)
class Trusted:
    """A public key, and whose it is according to whoever trusts it."""

    name: str
    key: Ed25519PublicKey
    fingerprint: str


def _library() -> Any:  # noqa: ANN401 - a module
    try:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - an extra
    except ImportError:
        raise UserError(MISSING) from None
    return serialization


def verifies(key: Ed25519PublicKey, signature: bytes, signed: bytes) -> bool:
    """Tell whether a key made a signature."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra

    try:
        key.verify(signature, signed)
    except InvalidSignature:
        return False
    return True


def fingerprint(key: Ed25519PublicKey) -> str:
    """Name a key as `ssh-keygen -l` does."""
    library = _library()
    line = key.public_bytes(library.Encoding.OpenSSH, library.PublicFormat.OpenSSH)
    digest = hashlib.sha256(base64.b64decode(line.split()[1])).digest()
    return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}"


def own(path: Path, ask: Callable[[], str] | None) -> Ed25519PrivateKey:
    """Read the key to sign with; `ask` gives the passphrase, where somebody can be asked."""
    library = _library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - an extra
        Ed25519PrivateKey,
    )

    content = _content(path)
    ssh = content.lstrip().startswith(OPENSSH)
    load = library.load_ssh_private_key if ssh else library.load_pem_private_key
    key = _opened(path, content, load, ask)
    if not isinstance(key, Ed25519PrivateKey):
        raise UserError(
            f"{path}: is no Ed25519 key ({type(key).__name__.strip('_')}); make one with "
            "`ssh-keygen -t ed25519`"
        )
    return key


def _opened(path: Path, content: bytes, load: Any, ask: Callable[[], str] | None) -> object:  # noqa: ANN401 - a function of the library
    """Load a key; one that is locked is asked for its passphrase, or refused."""
    try:
        return load(content, password=None)
    except TypeError:
        pass  # it is locked
    except _errors():
        raise UserError(f"{path}: {_unreadable(content)}") from None
    if ask is None:
        raise UserError(
            f"{path}: is locked with a passphrase, and nobody can be asked for it here; sign at a "
            "terminal, or with a key that is not locked"
        )
    try:
        return load(content, password=ask().encode())
    except ValueError:
        raise UserError(f"{path}: the passphrase does not open it") from None
    except _errors() as error:
        raise UserError(
            f"{path}: is locked in a way that needs another package ({error}); install "
            "`bcrypt`, or sign with a key that is not locked"
        ) from None


def _errors() -> tuple[type[Exception], ...]:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - an extra

    return ValueError, UnsupportedAlgorithm


def _unreadable(content: bytes) -> str:
    if content.split(b" ", 1)[0] == KIND.encode() or b"PUBLIC KEY-----" in content:
        return "is a public key; sign with the private one"
    return "is no private key that can be read; expected OpenSSH's or PKCS 8 in PEM"


def _content(path: Path) -> bytes:
    try:
        admit(path, "config")
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); check the path") from None


def trusted(path: Path) -> list[Trusted]:
    """Read whom to trust: a folder of keys, or a file of them."""
    _library()
    if path.is_dir():
        files = sorted(one for one in path.iterdir() if one.suffix in {".pub", ".pem"})
        found = [key for file in files for key in _keys(file)]
    else:
        found = list(_keys(path))
    if not found:
        raise UserError(f"{path}: holds no Ed25519 key; put the signers' .pub files there")
    names: dict[str, list[str]] = {}
    for one in found:
        names.setdefault(one.fingerprint, []).append(one.name)
    known = {one.fingerprint: one for one in found}
    return [
        Trusted(", ".join(dict.fromkeys(names[name])), one.key, name) for name, one in known.items()
    ]


def _keys(file: Path) -> Iterator[Trusted]:
    content = _content(file)
    if content.lstrip().startswith(b"-----BEGIN"):
        yield _trusted(file, file.stem, _library().load_pem_public_key, content)
        return
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        yield _line(f"{file}, line {number}", words, file.stem)


def _line(place: str, words: Sequence[str], stem: str) -> Trusted:
    """Read `NAMES ssh-ed25519 KEY …` or `ssh-ed25519 KEY NAME`; options are refused."""
    if KIND not in words or words.index(KIND) + 1 >= len(words):
        raise UserError(f"{place}: holds no {KIND} key; remove the line, or put the key there")
    at = words.index(KIND)
    if at > 1:
        raise UserError(
            f"{place}: has options ({' '.join(words[1:at])}), which are not understood here, so "
            "whom it trusts is not clear; write NAME ssh-ed25519 KEY"
        )
    comment = " ".join(words[at + 2 :])
    name = words[0] if at else comment or stem
    line = " ".join(words[at : at + 2]).encode()
    return _trusted(place, name, _library().load_ssh_public_key, line)


def _trusted(place: object, name: str, load: Callable[[bytes], object], content: bytes) -> Trusted:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - an extra
        Ed25519PublicKey,
    )

    try:
        key = load(content)
    except _errors():
        raise UserError(f"{place}: is no public key that can be read") from None
    if not isinstance(key, Ed25519PublicKey):
        raise UserError(f"{place}: is no Ed25519 key")
    return Trusted(name, key, fingerprint(key))
