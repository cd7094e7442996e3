"""Provenance: what an auditor needs to run it again, and to know that it is the same.

Hashes of every input and of the contract, versions of everything that computes, the command, the
seed. Nothing of it depends on the time of day or on the machine. The kind of machine is written to
a file of its own beside the report: our numbers do not depend on it, a library's last digits do.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck import system
from crosscheck.data.hashes import sha256
from crosscheck.errors import UserError
from crosscheck.limits import admit
from crosscheck.report.names import MACHINE
from crosscheck.report.view import File, Provenance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crosscheck.model.options import Options
    from crosscheck.report.view import PolicyView

CONTRACT = Path(__file__).parents[1] / "contract"
CPU_FILE = Path("/proc/cpuinfo")
CPU = ("vendor_id", "cpu family", "model", "CPU implementer", "CPU architecture", "CPU part")
"""What Linux says of a processor's make: on x86 the first three, on ARM the others."""


def provenance(
    command: Sequence[str],
    options: Options | None,
    inputs: Iterable[tuple[str, str, str]],
    packages: Iterable[str],
    *,
    policy: PolicyView,
    seed: int,
    resamples: int,
    tolerance: float,
) -> Provenance:
    """Put together where a report comes from; `inputs` are (role, path, name shown)."""
    request = options.placed(_name) if options else None
    return Provenance(
        command=[system.slashed(word) for word in (request.command if request else command)],
        request=request,
        inputs=[describe(*one) for one in inputs],
        contract_sha256=contract_sha256(),
        policy=policy,
        versions={"python": platform.python_version()} | versions(packages),
        seed=seed,
        resamples=resamples,
        tolerance=tolerance,
    )


def describe(role: str, path: str, shown: str) -> File:
    """Describe a file by the name it goes by, its content and its size."""
    file = Path(path)
    return File(role=role, path=_name(shown), sha256=sha256(file), bytes=file.stat().st_size)


def _name(path: str) -> str:
    return Path(path).as_posix()


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


def machine() -> dict[str, str]:
    """Say what kind of machine this is: all that a library's last digits may depend on."""
    import numpy as np  # noqa: PLC0415 - heavy
    from threadpoolctl import (  # type: ignore[import-untyped]  # noqa: PLC0415 - the same
        threadpool_info,
    )

    # What BLAS other packages bring along depends on what was imported so far.
    known = [one for one in threadpool_info() if one["user_api"] == "blas"]
    blas = next((one for one in known if "numpy" in one["filepath"]), known[0] if known else {})
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})  # empty lists are left out
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "byteorder": sys.byteorder,
        "processor": _processor(),
        "simd": ", ".join([*simd.get("baseline", ()), *simd.get("found", ())]) or "none",
        "blas": f"{blas.get('internal_api', 'unknown')} {blas.get('version', '')}".strip(),
        "kernel": blas.get("architecture", "unknown"),
        "threads": str(blas.get("num_threads", "unknown")),
        "implementation": platform.python_implementation(),
    }


def write_machine(folder: Path) -> None:
    """Name the kind of machine beside a report."""
    text = json.dumps(machine(), indent=2, ensure_ascii=False)
    (folder / MACHINE).write_text(f"{text}\n", encoding="utf-8", newline="\n")


def read_machine(folder: Path) -> dict[str, str]:
    """Read on what kind of machine a report was computed; empty where it does not say."""
    file = folder / MACHINE
    if not file.is_file():
        return {}
    admit(file, "config")
    try:
        stated = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        stated = None
    if not isinstance(stated, dict) or not all(isinstance(one, str) for one in stated.values()):
        raise UserError(f"{file}: is not what `crosscheck gate` wrote; remove it to do without it")
    return stated


def _processor() -> str:
    """Name the processor's family: by vendor and numbers, not by what it is sold as."""
    text = CPU_FILE.read_text(encoding="utf-8", errors="replace") if CPU_FILE.exists() else ""
    stated: dict[str, str] = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        stated.setdefault(name.strip(), value.strip())
    found = [f"{name.removeprefix('vendor_id')} {stated[name]}" for name in CPU if name in stated]
    return ", ".join(one.strip() for one in found) or platform.processor() or "unknown"
