"""How much one visitor, one job and all of them together may take; the operator's to change."""

from __future__ import annotations

from dataclasses import dataclass

from crosscheck.limits import VARIABLE

MB = 2**20


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds by name; sizes are bytes, times are seconds."""

    upload: int = 200 * MB
    """All files of one visitor together."""
    text: int = 4 * MB
    """A request without files: a pasted table, settings."""
    document: int = 16 * MB
    """A file of claims."""
    seconds: int = 600
    """A job on data, from its start to its end."""
    quick: int = 30
    """The audit of a table, or a definition."""
    memory: int = 4096 * MB
    """All processes of one job together."""
    jobs: int = 2
    """Jobs on data that run side by side; as many audits run beside them."""
    queue: int = 8
    """Jobs of each kind that wait for their turn; whoever comes later is told so."""
    desks: int = 32
    """Visitors with files here."""
    grace: int = 15
    """How long files and a job stay after their page has left."""
    idle: int = 3600
    """How long a page may be open and silent."""
    connections: int = 200

    @property
    def limits(self) -> str:
        """What the readers are held to, as `CROSSCHECK_LIMITS` says it."""
        return ",".join(
            (
                f"file={self.upload}",
                f"document={self.document}",
                f"unpacked={8 * self.upload}",
                "resamples=10000",
                "slices=2000",
                "points=5000",
                "files=64",
            )
        )

    def environment(self) -> dict[str, str]:
        """Give the variables of a process that works on a stranger's files."""
        return {VARIABLE: self.limits}
