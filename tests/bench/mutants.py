"""The mutants of a source file: mutmut's operators, less the mutants that no test should notice.

mutmut itself leaves decorated functions alone, because it copies functions; here a mutant's code is
put into the living function, so properties, cached functions and the like are mutated too. Like
mutmut, only what stands inside a function is mutated: tables at the top of a module are not.

Two kinds of mutants are not made:
- other words in prose: a string constant with a blank in it is a message for people;
- `strict=True` of `zip`: a check on ourselves, which no input can set off.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import lru_cache
from typing import TYPE_CHECKING

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import MutationVisitor, deep_replace
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

if TYPE_CHECKING:
    from pathlib import Path
    from types import CodeType

# A text made of these only is no prose: the ledger names slices by a list of words.
SLICES = {"fold", "criterion", "state", "has_evidence", "view", "*"}


@dataclass(frozen=True)
class Mutant:
    """One change inside one function."""

    file: str
    function: str
    """The name of the function or `Class.method` at the top of the module."""
    first: int
    """The line of the function's `def`."""
    last: int
    line: int
    in_header: bool
    """Whether it is a default value, which is worked out when the module is imported."""
    module: cst.Module
    owner: cst.FunctionDef
    old: cst.CSTNode
    new: cst.CSTNode

    @property
    def name(self) -> str:
        """What `--only` looks at."""
        return f"{self.module_name}.{self.function}"

    @property
    def module_name(self) -> str:
        """The name under which the file is imported."""
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def mutated(self) -> cst.FunctionDef:
        """Return the function with the change in it."""
        return cst.ensure_type(deep_replace(self.owner, self.old, self.new), cst.FunctionDef)

    def whole_file(self) -> str:
        """Return the source of the module with the change in it."""
        return cst.ensure_type(deep_replace(self.module, self.old, self.new), cst.Module).code

    def compiled(self, filename: str) -> CodeType:
        """Compile the changed function alone, undecorated, with the line numbers of its file."""
        bare = self.mutated().with_changes(
            decorators=[], leading_lines=[], lines_after_decorators=[]
        )
        holder, _, _ = self.function.rpartition(".")
        body: cst.BaseCompoundStatement = bare
        if holder:
            body = cst.ClassDef(cst.Name(holder), cst.IndentedBlock([bare]))
        tree = ast.parse("from __future__ import annotations\n" + cst.Module([body]).code)
        ast.increment_lineno(tree, self.first - (3 if holder else 2))
        return compile(tree, filename, "exec", dont_inherit=True)

    def unchanged(self) -> Mutant:
        """Return the mutant that is none: for a run that everything survives."""
        return replace(self, new=self.old)

    def change(self) -> str:
        """Describe the change by the lines it touches: stable while these stay as they are."""
        before, after = _lines(self.owner), _lines(self.mutated())
        _, _, *lines = unified_diff(before, after, n=0, lineterm="")
        gone, come = (
            " ".join(line[1:] for line in lines if line.startswith(mark)) for mark in "-+"
        )
        return f"{gone} → {come}"


@lru_cache(maxsize=2)
def _lines(function: cst.FunctionDef) -> list[str]:
    return [line.strip() for line in cst.Module([function]).code.strip().splitlines()]


class _Visitor(MutationVisitor):
    """mutmut's visitor, which also notes where a mutation is, and enters decorated functions."""

    def __init__(self) -> None:
        super().__init__(mutation_operators, IgnoredCode(set(), set(), set()))
        self.line = 0
        self.lines: list[int] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        position = self.get_metadata(PositionProvider, node, None)
        if position is not None:
            self.line = position.start.line
        return super().on_visit(node)

    def _create_mutations(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.BaseString) and _prose(node):
            return
        before = len(self.mutations)
        super()._create_mutations(node)
        if isinstance(node, cst.Call) and _strict(node):
            made = self.mutations[before:]
            self.mutations[before:] = [each for each in made if _strict(each.mutated_node)]
        self.lines += [self.line] * (len(self.mutations) - len(self.lines))

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.FunctionDef) and node.decorators:
            return False
        if isinstance(node, cst.Arg) and _is_strict(node):
            return True
        return super()._skip_node_and_children(node)


def _prose(node: cst.BaseString) -> bool:
    text = ast.literal_eval(node.value) if isinstance(node, cst.SimpleString) else ""
    return isinstance(text, str) and " " in text and not set(text.split()) <= SLICES


def _strict(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and any(
        _is_strict(arg) and not m.matches(arg.value, m.Name("None")) for arg in node.args
    )


def _is_strict(arg: cst.Arg) -> bool:
    return arg.keyword is not None and arg.keyword.value == "strict"


def of(root: Path, file: str) -> list[Mutant]:
    """Return every mutant of a file."""
    wrapper = MetadataWrapper(cst.parse_module((root / file).read_text(encoding="utf-8")))
    visitor = _Visitor()
    wrapper.visit(visitor)
    names: dict[cst.FunctionDef, str] = {}
    for statement in wrapper.module.body:
        if isinstance(statement, cst.FunctionDef):
            names[statement] = statement.name.value
        elif isinstance(statement, cst.ClassDef):
            names |= {
                method: f"{statement.name.value}.{method.name.value}"
                for method in statement.body.body
                if isinstance(method, cst.FunctionDef)
            }
    positions = wrapper.resolve(PositionProvider)
    found = []
    for mutation, line in zip(visitor.mutations, visitor.lines, strict=True):
        owner = mutation.contained_by_top_level_function
        if owner is None or owner not in names:
            continue
        in_header = line < positions[owner.body.body[0]].start.line
        found.append(
            Mutant(
                file,
                names[owner],
                positions[owner.name].start.line,
                positions[owner].end.line,
                line,
                in_header,
                wrapper.module,
                owner,
                mutation.original_node,
                mutation.mutated_node,
            )
        )
    return found
