"""Print architecture.md with its pictures drawn from the code.

The page keeps its words; what stands between `<!-- NAME: drawn -->` and `<!-- end -->` is drawn.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import textwrap
import tomllib
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import grimp

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_suffix(".md")
BLOCK = re.compile(r"(<!-- (\w+): drawn -->\n).*?(<!-- end -->)", re.DOTALL)
START = "crosscheck.commands.gate"
WIDTH = 110
MOST_NAMED = 20
"""Members of a registry that are named; more are counted."""
FOLLOWED = ("crosscheck.gate", "crosscheck.report.publish", "crosscheck.report.write")
"""Where a run is followed into; what it calls elsewhere is named, and not opened."""
READERS = ("primary/reading/formats.py", "reference/files.py", "crosscheck/data/raw.py")
SHARED = ("contract", "model", "processes", "system", "errors")
"""Layers that everybody uses, and that a run's picture leaves out."""


def page(text: str) -> str:
    """Give the page with every picture drawn anew."""
    drawn = {"packages": packages, "primary": primary, "run": run, "points": points}
    return BLOCK.sub(lambda block: block[1] + drawn[block[2]]() + block[3], text)


def _fenced(lines: list[str]) -> str:
    return "\n".join(["```text", *(line.rstrip() for line in lines), "```", ""])


def _first(thing: Any) -> str:
    """Give the first sentence of a docstring."""
    return re.split(r"(?<=[^.])\.?\s*\n|\.$", inspect.getdoc(thing) or "", maxsplit=1)[0]


def packages(root: str = "crosscheck") -> str:
    """Draw who imports whom, by layer: every mark is right of the diagonal."""
    names = [name for layer in _layers(root) for name in layer]
    width = max(map(len, names))
    numbers = {name: n for n, name in enumerate(names, 1)}
    head = " ".join(f"{n:>2}" for n in numbers.values())
    matrix, about = [f"{'':{width + 4}}{head}"], []
    for name in names:
        below = _imported(root, name)
        marks = (" ·" if one == name else " ●" if one in below else "  " for one in names)
        matrix.append(f"{numbers[name]:>2}  {name:<{width}}{' '.join(marks)}")
        told = re.sub(r"^[\w` ]+: ", "", _first(importlib.import_module(f"{root}.{name}")))
        about.append(_short(f"{numbers[name]:>2}  {name:<{width}}  {told}"))
    return _fenced([*matrix, "", *about])


def primary() -> str:
    """Draw the same of the primary."""
    return packages("primary")


def _short(line: str) -> str:
    return line if len(line) <= WIDTH else line[:WIDTH].rpartition(" ")[0] + " …"


def _layers(root: str) -> list[list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one.get("containers") == [root])
    split = [[name.strip() for name in layer.split("|")] for layer in layers]
    return [[name for name in layer if name != "__main__"] for layer in split if layer]


@cache
def _graph(root: str) -> grimp.ImportGraph:
    return grimp.build_graph(root, cache_dir=None)


def _imported(root: str, name: str) -> set[str]:
    """Name the packages that one imports."""
    graph, whole = _graph(root), f"{root}.{name}"
    modules = {whole, *graph.find_descendants(whole)} & graph.modules
    found = (one for module in modules for one in graph.find_modules_directly_imported_by(module))
    return {one.split(".")[1] for one in found if one.startswith(f"{root}.")} - {name}


def run() -> str:
    """Draw what a gate calls, in the order in which it is written."""
    start = importlib.import_module(START).command.callback
    calls = list(_calls(start, 0, set()))
    names = ["crosscheck gate", *_branches([(depth, one.__name__) for depth, one in calls])]
    called = [start, *(one for _, one in calls)]
    files = [_file(one) for one in called]
    wide, far = max(map(len, names)), max(map(len, files))
    return _fenced(
        [
            _short(
                f"{name:<{wide}}  {file:<{far}}  {_first(inspect.unwrap(one)).partition(';')[0]}"
            )
            for name, file, one in zip(names, files, called, strict=True)
        ]
    )


def _branches(calls: list[tuple[int, str]]) -> list[str]:
    """Put the names on the branches of a tree, from the last to the first."""
    lines: list[str] = []
    later: set[int] = set()
    for depth, name in reversed(calls):
        trunk = "".join("│  " if level in later else "   " for level in range(depth))
        lines.append(f"{trunk}{'├' if depth in later else '└'}─ {name}")
        later = {level for level in later if level < depth} | {depth}
    return lines[::-1]


def _file(function: Any) -> str:
    path = Path(inspect.getsourcefile(inspect.unwrap(function)) or "")
    return path.relative_to(ROOT / "crosscheck").as_posix()


def _calls(function: Any, depth: int, seen: set[Any]) -> Iterator[tuple[int, Any]]:
    """List what a function calls outside its own module, each once; its own parts are opened."""
    for called in _mentioned(inspect.unwrap(function)):
        if called in seen:
            continue
        seen.add(called)
        own = called.__module__ == inspect.unwrap(function).__module__
        followed = called.__module__.startswith(FOLLOWED)
        if not own and not isinstance(called, type):
            yield depth, called
        if own or followed:
            yield from _calls(called, depth if own else depth + 1, seen)


def _mentioned(function: Any) -> Iterator[Any]:
    """Find the functions and classes of crosscheck that a function names, in order."""
    module = sys.modules[function.__module__]
    imported = _imports(module)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for node in _in_order(tree):
        thing = None
        if isinstance(node, ast.Name):
            thing = imported.get(node.id, getattr(module, node.id, None))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            holder = imported.get(node.value.id)
            thing = getattr(holder, node.attr, None) if isinstance(holder, ModuleType) else None
        if _is_shown(thing) and thing is not function:
            yield thing


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Walk as the text is read, annotations aside."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from _in_order(child)


def _is_shown(thing: Any) -> bool:
    if not (inspect.isfunction(thing) or isinstance(thing, type)):
        return False
    package, _, rest = thing.__module__.partition(".")
    return package == "crosscheck" and rest.split(".")[0] not in SHARED


def _imports(module: ModuleType) -> dict[str, Any]:
    """Give what a module imports, anywhere in it, by the names it uses."""
    found: dict[str, Any] = {}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("crosscheck"):
            for one in node.names:
                found[one.asname or one.name] = _member(str(node.module), one.name)
    return found


def _member(module: str, name: str) -> Any:
    holder = importlib.import_module(module)
    if not hasattr(holder, name) and hasattr(holder, "__path__"):
        importlib.import_module(f"{module}.{name}")
    return getattr(holder, name, None)  # None: a name for types alone


def points() -> str:
    """Draw the extension points: interface, registry, who is there, files for one more."""
    rows = [
        "| a further | is a | in | there are | source files |",
        "|---|---|---|---|---|",
    ]
    counts = _counts()
    for name, (interface, registry, members) in _registries().items():
        many = members if len(members) <= MOST_NAMED else [f"{len(members)}"]
        told = "; ".join(f"{count} {what}".strip() for what, count in counts.get(name, ()))
        cells = (name, interface, registry, ", ".join(many), told or "not added in a test")
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([*rows, ""])


def _registries() -> dict[str, tuple[str, str, list[str]]]:
    from crosscheck.checks.groups import GROUPS  # noqa: PLC0415 - needs the path of this tree
    from crosscheck.contract import load  # noqa: PLC0415 - the same
    from crosscheck.readers import readers  # noqa: PLC0415 - the same
    from crosscheck.report.formats import formats  # noqa: PLC0415 - the same
    from crosscheck.witnesses.registry import STANDARD  # noqa: PLC0415 - the same
    from reference.files import FORMATS  # noqa: PLC0415 - the same

    return {
        "metric": (
            "`[[metric]]` entry, and a function on each side",
            "[`crosscheck/contract/`](../crosscheck/contract)`*.toml`",
            [one.id for one in load().metrics],
        ),
        "file format": (
            "reader on each side, and one of further columns",
            ", ".join(f"[`{one}`](../{one})" for one in READERS),
            list(FORMATS),
        ),
        "witness": (
            "[`Witness`](../crosscheck/witnesses/__init__.py)",
            "[`STANDARD`](../crosscheck/witnesses/registry.py)",
            [one.name for one in STANDARD],
        ),
        "check": (
            "[`Group`](../crosscheck/checks/groups.py)",
            "[`GROUPS`](../crosscheck/checks/groups.py)",
            [one.name for one in GROUPS],
        ),
        "claims reader": (
            "[`Reader`](../crosscheck/readers/__init__.py)",
            "[`readers/`](../crosscheck/readers), the folder",
            [one.name for one in readers().values()],
        ),
        "report format": (
            "[`Format`](../crosscheck/report/formats.py)",
            "[`report/`](../crosscheck/report), the folder",
            list(formats()),
        ),
    }


def _counts() -> dict[str, list[tuple[str, int]]]:
    """Count the source files of the additions that the tests really make."""
    text = (ROOT / "tests" / "additions" / "extensions.toml").read_text(encoding="utf-8")
    found: dict[str, list[tuple[str, int]]] = {
        name: [("", len(one["files"]) + len(one.get("lines", {})))]
        for name, one in tomllib.loads(text).items()
    }
    sys.path.insert(0, str(ROOT / "tests"))
    additions = importlib.import_module("test_additions")
    made = [one for one in vars(additions).values() if isinstance(one, additions.Addition)]
    formats_added = importlib.import_module("test_new_format").ADDED
    return found | {
        "metric": [(f"(`{one.metric}`)", len(one.files)) for one in made],
        "file format": [("(`.psv`)", len(formats_added))],
    }


if __name__ == "__main__":
    print(page(PAGE.read_text(encoding="utf-8")), end="")
