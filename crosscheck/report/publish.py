"""Write a run's report: aside first, then moved into place, so that nobody finds half of one.

The folder for it is made before the work begins: a place that cannot be written to is said at once.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck import system
from crosscheck.errors import UserError
from crosscheck.report import assemble, ledger
from crosscheck.report.formats import formats
from crosscheck.report.json import NAME as REPORT
from crosscheck.report.provenance import MACHINE, write_machine
from crosscheck.report.write import folder_name, write_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.gate import Outcome
    from crosscheck.report.gallery import Galleries
    from crosscheck.report.view import Report

SAMPLE = "ledger-sample.csv"


@contextmanager
def aside(out: Path) -> Iterator[Path]:
    """Give a folder beside `out`; it becomes `out` at the end, or vanishes if anything failed."""
    target = Path(os.path.abspath(out))  # noqa: PTH100 - resolve() would follow a link given as out
    _refuse_foreign(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise UserError(
            f"--out {out}: cannot be written to ({error.strerror}); name another folder"
        ) from None
    try:
        yield folder
        # On the disk before it is given its name.
        system.sync(folder)
        folder.chmod(0o755)
        _put_in_place(folder, target)
    except OSError as error:
        raise UserError(
            f"--out {out}: the report could not be written ({error.strerror}); nothing was left "
            "behind. Make room, or name another folder"
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write(outcome: Outcome, folder: Path, figures: Galleries) -> Report:
    """Write every format into the folder."""
    report = write_all(assemble.report_of(outcome), outcome.ledgers, figures, folder)
    names = [one.system for one in outcome.evidence]
    for one in outcome.evidence:
        sample = one.ledgers(sample=True)
        if sample:
            place = folder / folder_name(one.system, names) if len(names) > 1 else folder
            text = ledger.render(sample, one.tolerance)
            (place / SAMPLE).write_text(text, encoding="utf-8", newline="\n")
    write_machine(folder)
    return report


def _refuse_foreign(target: Path) -> None:
    """Never replace what is not a report of ours."""
    if not target.exists():
        return
    if not target.is_dir():
        raise UserError(f"--out {target}: is a file; name a folder")
    if any(target.iterdir()) and not (target / REPORT).is_file():
        raise UserError(
            f"--out {target}: holds files that are no report of ours, and would be replaced; "
            "name a new folder"
        )
    strangers = _strangers(target)
    if strangers:
        raise UserError(
            f"--out {target}: holds {', '.join(strangers[:3])} besides an old report, which would "
            "be lost; move it, or name a new folder"
        )


def _strangers(target: Path) -> list[str]:
    """Name what lies in a report's folder and was not written by us."""
    known = {*formats(), MACHINE, ledger.NAME, SAMPLE, "figures"}
    if (target / REPORT).is_file():
        try:
            # Of any version of the schema: an older one is there to be replaced.
            stated = json.loads((target / REPORT).read_text(encoding="utf-8"))
            names = [one["name"] for one in stated["systems"]]
            known |= {folder_name(name, names) for name in names}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return [f"a {REPORT} that is not ours"]
    return sorted(path.name for path in target.iterdir() if path.name not in known)


def _put_in_place(folder: Path, target: Path) -> None:
    if not target.exists():
        folder.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.old.", dir=target.parent))
    try:
        target.rename(old / target.name)
        try:
            folder.rename(target)
        except OSError:
            (old / target.name).rename(target)
            raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
