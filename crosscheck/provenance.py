"""Provenance: what an auditor needs to run it again, and to know that it is the same.

Hashes of every input and of the contract, versions of everything that computes, the platform, the
command, the seed. Nothing of it depends on the time of day or on the machine's name.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck import system
from crosscheck.report.model import File, Provenance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONTRACT = Path(__file__).parent / "contract"
CHUNK = 1 << 20


def provenance(
    command: Sequence[str],
    inputs: Iterable[tuple[str, str, str]],
    packages: Iterable[str],
    *,
    seed: int,
    resamples: int,
    tolerance: float,
) -> Provenance:
    """Put together where a report comes from; `inputs` are (role, path, name shown)."""
    return Provenance(
        command=[system.slashed(word) for word in command],
        inputs=[describe(*one) for one in inputs],
        contract_sha256=contract_sha256(),
        versions={"python": platform.python_version()} | versions(packages),
        platform={
            "system": platform.system(),
            "machine": platform.machine(),
            "implementation": platform.python_implementation(),
            "byteorder": sys.byteorder,
        },
        seed=seed,
        resamples=resamples,
        tolerance=tolerance,
    )


def describe(role: str, path: str, shown: str) -> File:
    """Describe a file by the name it goes by, its content and its size."""
    file = Path(path)
    name = Path(shown).as_posix()
    return File(role=role, path=name, sha256=sha256(file), bytes=file.stat().st_size)


def sha256(path: Path) -> str:
    """Hash a file of any size."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


@cache
def contract_sha256() -> str:
    """Hash the contract: its data files, by name and content, in the order of their names."""
    digest = hashlib.sha256()
    for path in sorted(CONTRACT.glob("*.toml")):
        digest.update(f"{path.name} {sha256(path)}\n".encode())
    return digest.hexdigest()


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Give the version of each package; one that is not installed says so."""
    return {name: version(name) for name in sorted(set(packages), key=str.lower)}


def version(package: str) -> str:
    """Give a package's version."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
