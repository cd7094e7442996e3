"""One run, every format: writes the report's folder.

The caller hands over an empty folder and moves it into place when all is written, so that nobody
ever finds half a report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.report import ledger
from crosscheck.report.formats import encoded, formats
from crosscheck.report.names import folder_name
from crosscheck.report.view import Figure, LedgerFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from crosscheck.report.gallery import Galleries, Gallery
    from crosscheck.report.ledger import Ledgers
    from crosscheck.report.view import Report, SystemView

COMPARISON = None
"""The place of the comparison's gallery among the systems'."""


def write_all(
    report: Report,
    ledgers: Mapping[str, Ledgers],
    figures: Galleries,
    directory: Path,
) -> Report:
    """Write every format; gives the report with its figures and ledgers filled in.

    `ledgers` is system → witness → key → value; `figures` a gallery a system, the comparison's
    under `None`. With several systems, each one's ledger and figures are in a folder of its name.
    """
    return write_figured(write_ledgers(report, ledgers, directory), figures, directory)


def write_ledgers(report: Report, ledgers: Mapping[str, Ledgers], directory: Path) -> Report:
    """Write each system's ledger; gives the report with the files filled in."""
    folders = _folders(report)
    systems = []
    for system in report.systems:
        text = ledger.render(ledgers[system.name], report.provenance.tolerance)
        place = f"{folders[system.name]}{ledger.NAME}"
        _put(directory / place, text)
        file = _ledger(system, ledgers[system.name], text, place)
        systems.append(system.model_copy(update={"ledger": file}))
    return report.model_copy(update={"systems": systems})


def write_figured(report: Report, figures: Galleries, directory: Path) -> Report:
    """Write the figures, and every format; gives the report with the figures filled in."""
    folders = _folders(report)
    systems = [
        _with_figures(one, figures.get(one.name), folders[one.name]) for one in report.systems
    ]
    comparison = report.comparison
    if comparison is not None and COMPARISON in figures:
        drawn = _figures(figures[COMPARISON], "")
        comparison = comparison.model_copy(update={"figures": drawn})
    filled = report.model_copy(update={"systems": systems, "comparison": comparison})
    for name, gallery in figures.items():
        _draw(gallery, directory / (folders[name] if name is not None else "") / "figures")
    pages(filled, figures, directory)
    return filled


def pages(report: Report, figures: Galleries, directory: Path) -> None:
    """Write the report in every format."""
    for name, render in formats().items():
        _put(directory / name, render(report, figures))


def _ledger(system: SystemView, ledgers: Ledgers, text: str, path: str) -> LedgerFile:
    ours = [one.name for one in system.witnesses if one.kind == "implementation"]
    columns = ledger.stable_columns(name for name in ours if name in ledgers)
    keys = len({key for one in ledgers.values() for key in one})
    return LedgerFile(path=path, keys=keys, columns=columns, sha256=ledger.digest(text, columns))


def _folders(report: Report) -> dict[str, str]:
    """Say where each system's files lie."""
    several = len(report.systems) > 1
    names = [system.name for system in report.systems]
    return {name: f"{folder_name(name, names)}/" if several else "" for name in names}


def _with_figures(system: SystemView, gallery: Gallery | None, folder: str) -> SystemView:
    if gallery is None:
        return system
    drawn = {"figures": _figures(gallery, folder), "not_drawn": gallery.not_drawn}
    return system.model_copy(update=drawn)


def _figures(gallery: Gallery, folder: str) -> list[Figure]:
    return [
        Figure(
            name=drawn.name,
            title=drawn.title,
            alt=drawn.alt,
            caption=drawn.caption,
            files=[f"{folder}figures/{drawn.name}.{kind}" for kind in ("svg", "pdf")],
        )
        for drawn in gallery.figures
    ]


def _draw(gallery: Gallery, folder: Path) -> None:
    for drawn in gallery.figures:
        _put(folder / f"{drawn.name}.svg", drawn.svg)
        folder.joinpath(f"{drawn.name}.pdf").write_bytes(drawn.pdf)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(text))
