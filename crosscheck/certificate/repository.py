"""The commit of the data's repository, if there is one.

git is asked for names of objects alone: nothing that a repository's config could name is run, and
what a file is, is hashed here.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from crosscheck.certificate.statement import Repository

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 20
SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=", "--no-optional-locks")
LENGTHS = {40: "sha1", 64: "sha256"}


def repository_of(files: Sequence[Path]) -> Repository | None:
    """Name the commit that is checked out where the files lie, and say whether they are in it."""
    git = which("git")
    if not files or git is None:
        return None
    folder = files[0].resolve().parent
    commit = _said(git, folder, "rev-parse", "--verify", "HEAD")
    top = _said(git, folder, "rev-parse", "--show-toplevel")
    if commit is None or top is None or len(commit) not in LENGTHS:
        return None
    inside = all(_committed(git, Path(top), file.resolve(), commit) for file in files)
    return Repository(commit=commit, committed=inside)


def _committed(git: str, top: Path, file: Path, commit: str) -> bool:
    """Tell whether a file is, byte by byte, what the commit holds under its name."""
    if not file.is_relative_to(top):
        return False
    name = file.relative_to(top).as_posix()
    listed = _said(git, top, "ls-tree", "-z", "--full-tree", commit, "--", f":(literal){name}")
    parts = (listed or "").partition("\t")[0].split()
    return bool(parts) and parts[-1] == _blob(file, LENGTHS[len(commit)])


def _blob(file: Path, algorithm: str) -> str:
    digest = hashlib.new(algorithm, usedforsecurity=False)
    digest.update(b"blob %d\0" % file.stat().st_size)
    with file.open("rb") as content:
        while chunk := content.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _said(git: str, folder: Path, *words: str) -> str | None:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        ran = subprocess.run(  # noqa: S603 - our own words, and paths after `--`
            [git, *SAFE, "-C", str(folder), *words],
            env=ours | {"GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ran.stdout.decode("utf-8", "replace").strip("\0\n") or None
