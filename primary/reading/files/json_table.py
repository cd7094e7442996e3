"""A table as one JSON document: an array of objects, or an object that holds one."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any

from primary.reading.files.json_lines import from_records, parsed
from primary.reading.files.raw import check_utf8, no_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from primary.errors import Problems
    from primary.reading.files.raw import Raw

EXPECTED = "Write an array of objects, or an object of which one member is such an array."


def read_json(
    content: bytes,
    path: Path,
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> Raw:
    """Read the wanted columns, each in its type."""
    return from_records(records(content, path, problems), mapped, wanted, problems)


def records(content: bytes, path: Path, problems: Problems) -> list[dict[str, Any]]:
    """Give the objects of the table."""
    if not content.strip():
        raise no_rows(str(path))
    check_utf8(content, problems)
    try:
        document = parsed(content.removeprefix(codecs.BOM_UTF8).decode())
    except (ValueError, RecursionError) as error:
        problems.add(f"the file is not JSON ({error})", "It may be truncated; write it again.")
        problems.stop_if_any()
    return of_document(document, path, problems)


def of_document(document: Any, path: Path, problems: Problems) -> list[dict[str, Any]]:  # noqa: ANN401 - any JSON
    """Find the array of objects in a document."""
    arrays = {"": document} if isinstance(document, list) else {}
    if isinstance(document, dict):
        arrays = {name: one for name, one in document.items() if is_table(one)}
    if len(arrays) != 1:
        found = f"found several arrays of objects, {', '.join(arrays)}" if arrays else "found none"
        problems.add(f"{found} in the file", EXPECTED)
        problems.stop_if_any()
    (rows,) = arrays.values()
    if not rows:
        raise no_rows(str(path))
    for number, row in enumerate(rows, start=1):
        if type(row) is not dict:
            problems.add(f"found {str(row)[:40]}, expected an object", "Write {…}.", row=number)
    problems.stop_if_any()
    return list(rows)


def is_table(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Say whether a value is an array of objects."""
    return isinstance(value, list) and bool(value) and all(type(one) is dict for one in value)
