"""YAML: nested names down to values; needs the extra `documents`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crosscheck.errors import UserError
from crosscheck.extras import needed
from crosscheck.notation.pieces import Passed
from crosscheck.notation.written import NOTHING, Written
from crosscheck.readers import Reader
from crosscheck.readers.nested import DEEPEST, Node, leaves

if TYPE_CHECKING:
    from crosscheck.notation.pieces import Piece

_LARGEST = 2**19
"""Characters that are read: PyYAML's own reader is slow, and the fast one dies of deep nesting."""
_MOST_NODES = 60_000
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_NULL = "tag:yaml.org,2002:null"


def read(page: Written, name: str) -> list[Piece]:
    """List every value of every document in the file."""
    yaml = needed("yaml", name)
    if len(page) > _LARGEST:
        raise UserError(f"{name}: {len(page):,} characters of YAML; at most {_LARGEST:,} are read")
    try:
        documents = list(yaml.compose_all(page.text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())
        raise UserError(f"{name}: not valid YAML: {said}; mend the file and run again") from error
    except RecursionError as error:
        raise UserError(f"{name}: not valid YAML: it is nested too deeply") from error
    builder = _Builder(page, name)
    found = [leaf for one in documents if one is not None for leaf in leaves(builder.node(one, 0))]
    return [*found, *builder.rest()]


@dataclass
class _Builder:
    """Turns the nodes of PyYAML into ours; an alias is read wherever it stands, within limits."""

    page: Written
    name: str
    made: int = 0
    spans: set[tuple[int, int]] = field(default_factory=set)
    """Where values and names stand; between them a file has comments, anchors and marks only."""

    def node(self, one: Any, depth: int) -> Node:  # noqa: ANN401 - PyYAML has no types
        """Give a node of ours."""
        self.made += 1
        if depth > DEEPEST or self.made > _MOST_NODES:
            raise UserError(
                f"{self.name}: line {one.start_mark.line + 1}: deeper than {DEEPEST} levels, or "
                f"more than {_MOST_NODES:,} values with its aliases; give a smaller file"
            )
        if one.id == "mapping":
            return Node(members=tuple(self._members(one, depth)))
        if one.id == "sequence":
            return Node(items=tuple(self.node(item, depth + 1) for item in one.value))
        value = NOTHING if one.tag == _NULL else self._scalar(one)
        return Node(value=value, numeric=one.tag in _NUMBERS)

    def _members(self, one: Any, depth: int) -> list[tuple[Written, Node]]:  # noqa: ANN401 - the same
        seen: set[str] = set()
        members = []
        for key, value in one.value:
            if key.id != "scalar" or key.value in seen:
                what = (
                    f"“{str(key.value)[:60]}” stands twice"
                    if key.id == "scalar"
                    else "a name is no text"
                )
                raise UserError(
                    f"{self.name}: line {key.start_mark.line + 1}: {what} in one object; "
                    f"mend the file and run again"
                )
            seen.add(key.value)
            members.append((self._scalar(key), self.node(value, depth + 1)))
        return members

    def _scalar(self, one: Any) -> Written:  # noqa: ANN401 - the same
        """Find a value in the text; one that is written in another way than it reads is said."""
        self.spans.add((one.start_mark.index, one.end_mark.index))
        written = self.page[one.start_mark.index : one.end_mark.index]
        at = written.text.find(one.value)
        if at >= 0:
            return written[at : at + len(one.value)]
        return written.said(one.value) if written else NOTHING

    def rest(self) -> list[Passed]:
        """Pass over what is no value and no name."""
        passed, at = [], 0
        for low, high in sorted(self.spans):
            if low > at:
                passed.append(Passed.of(self.page[at:low], "comment"))
            at = max(at, high)
        return [*passed, Passed.of(self.page[at:], "comment")]


READER = Reader("YAML", (".yaml", ".yml"), read)
