"""Two reports, field by field: what is not as it was, and where.

A stranger's report may be of any length, so the work grows with the length alone, and after some
hundreds of differences one more is not worth finding.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from crosscheck.rerun.folder import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 500
LONGEST = 120
"""Characters of a value that are shown."""
ABSENT = "not present"


def changed(was: Any, now: Any) -> Iterator[Change]:  # noqa: ANN401 - anything that JSON holds
    """Give the differences, and say where there are more than are worth telling."""
    found = list(islice(_walk((), was, now), MOST + 1))
    yield from found[:MOST]
    if len(found) > MOST:
        yield Change("report.json", f"more than {MOST} differences", "as gate writes it")


def _walk(path: tuple[str, ...], was: Any, now: Any) -> Iterator[Change]:  # noqa: ANN401 - the same
    if isinstance(was, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*was, *now]):
            if name in was and name in now:
                yield from _walk((*path, str(name)), was[name], now[name])
            else:
                yield _change((*path, str(name)), was.get(name, _NONE), now.get(name, _NONE))
    elif isinstance(was, list) and isinstance(now, list):
        for place in range(max(len(was), len(now))):
            if place < min(len(was), len(now)):
                yield from _walk((*path, str(place)), was[place], now[place])
            else:
                one, other = (held[place] if place < len(held) else _NONE for held in (was, now))
                yield _change((*path, str(place)), one, other)
    elif type(was) is not type(now) or repr(was) != repr(now):
        yield _change(path, was, now)


_NONE = object()


def _change(path: tuple[str, ...], was: object, now: object) -> Change:
    return Change(".".join(path) or "the report", _brief(was), _brief(now))


def _brief(value: object) -> str:
    if value is _NONE:
        return ABSENT
    # What is nested is named, not written out: it may be of any length.
    if isinstance(value, dict | list) and len(value) > LONGEST:
        return f"{len(value):,} entries"
    text = repr(value[: LONGEST + 1] if isinstance(value, str) else value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
