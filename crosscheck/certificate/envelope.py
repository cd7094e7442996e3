"""DSSE, the envelope of in-toto: a payload, its type, and signatures over both.

Everything about an envelope is checked before a byte of its payload is read. The hint `keyid` is
not signed, so nothing depends on it; the signer is whoever's key verifies.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, ValidationError

from crosscheck.certificate.keys import fingerprint, verifies
from crosscheck.certificate.statement import PAYLOAD, Strict, parse
from crosscheck.errors import UserError
from crosscheck.system import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from crosscheck.certificate.keys import Trusted

MOST = 10
"""Signatures of one envelope."""


class Signature(Strict):
    """One signature, and a hint at its key."""

    keyid: str
    sig: str


class Envelope(Strict):
    """A DSSE envelope."""

    payload_type: str = Field(alias="payloadType")
    payload: str
    signatures: Annotated[list[Signature], Field(min_length=1, max_length=MOST)]


def encode(kind: str, body: bytes) -> bytes:
    """Write what is signed (DSSE, pre-authentication encoding): the type is part of it."""
    name = kind.encode()
    return b"DSSEv1 %d %s %d %s" % (len(name), name, len(body), body)


def seal(payload: bytes, key: Ed25519PrivateKey) -> str:
    """Put a payload into an envelope and sign it."""
    signature = {
        "keyid": fingerprint(key.public_key()),
        "sig": base64.b64encode(key.sign(encode(PAYLOAD, payload))).decode(),
    }
    envelope = {
        "payloadType": PAYLOAD,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [signature],
    }
    return json.dumps(envelope, indent=2) + "\n"


def unseal(content: bytes, trusted: Sequence[Trusted]) -> tuple[bytes, list[Trusted]]:
    """Give the payload and who signed it; every signature must be by a trusted key of its own."""
    envelope = _read(content)
    if envelope.payload_type != PAYLOAD:
        raise UserError(
            f"the envelope holds “{one_line(envelope.payload_type, 80)}”, not “{PAYLOAD}”, so it "
            "is no certificate"
        )
    payload = _decoded(envelope.payload, "payload")
    signed = encode(PAYLOAD, payload)
    signers: list[Trusted] = []
    for one in envelope.signatures:
        signature = _decoded(one.sig, "signature")
        by = next((key for key in trusted if verifies(key.key, signature, signed)), None)
        if by is None:
            raise UserError(
                f"a signature ({one_line(one.keyid, 80)}) is by no trusted key, or not over this "
                "payload: the certificate was altered, or its signer is not among --trusted"
            )
        if by in signers:
            raise UserError(f"{by.name} has signed twice; an envelope holds each signer once")
        signers.append(by)
    return payload, signers


def _read(content: bytes) -> Envelope:
    try:
        return Envelope.model_validate(parse(content))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UserError(f"is no DSSE envelope: {where}: {first['msg']}") from None


def _decoded(text: str, what: str) -> bytes:
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise UserError(f"the {what} is not base64") from None
    if base64.b64encode(found).decode() != text:
        raise UserError(f"the {what} is written in a second way, which could hide a change")
    return found
