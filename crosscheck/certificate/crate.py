"""RO-Crate metadata: what the folder holds, for archives and search engines."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crosscheck.certificate.statement import Predicate

NAME = "ro-crate-metadata.json"
MEDIA = {
    ".json": "application/json",
    ".html": "text/html",
    ".md": "text/markdown",
    ".xml": "application/xml",
    ".csv": "text/csv",
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
}
MISSING = (
    "the metadata of a certificate need the package rocrate, which is not installed; install the "
    "extra: pip install 'metric-crosscheck[certify]'"
)


def titles(predicate: Predicate) -> tuple[str, str]:
    """Give what a certificate is called, and what it says in a sentence."""
    verdict = predicate.found.verdict.upper()
    return f"Certificate of a crosscheck: {verdict}", predicate.found.summary


def metadata(predicate: Predicate, sizes: Mapping[str, int]) -> str:
    """Describe the files of a certificate: name → bytes."""
    try:
        from rocrate.model import Person, SoftwareApplication  # noqa: PLC0415 - an extra
        from rocrate.rocrate import ROCrate  # noqa: PLC0415 - the same
    except ImportError:
        raise UserError(MISSING) from None
    crate = ROCrate()
    crate.name, crate.description = titles(predicate)
    crate.datePublished = predicate.when
    who = crate.add(Person(crate, "#certifier", {"name": predicate.who}))
    program = crate.add(SoftwareApplication(crate, "#program", {"name": predicate.program}))
    for name, size in sizes.items():
        kind = MEDIA.get(PurePosixPath(name).suffix, "application/octet-stream")
        crate.add_file(
            dest_path=name, properties={"contentSize": str(size), "encodingFormat": kind}
        )
    crate.root_dataset["author"] = who
    crate.root_dataset["mentions"] = program
    # A fixed order, whatever the library keeps.
    graph = sorted(crate.metadata.generate()["@graph"], key=lambda one: one["@id"])
    text = {"@context": crate.metadata.generate()["@context"], "@graph": graph}
    return json.dumps(text, indent=2, ensure_ascii=False) + "\n"
