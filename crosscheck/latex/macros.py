r"""Macros put in the place of their names: `\newcommand`, `\def`, `\iffalse`, `\input`.

A token of a macro's body keeps the place where it stands in the definition, so the number in
`\newcommand{\ours}{0.82}` is one number, claimed wherever `\ours` is written.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.latex.tokens import Token, tokenize
from crosscheck.notation.pieces import Passed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crosscheck.notation.written import Written

MOST = 2_000_000
"""Tokens that a file may come to: macros that double themselves end here."""
_COMMANDS = frozenset(
    ("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "newrobustcmd")
)
_DEFS = frozenset(("def", "gdef", "edef", "xdef"))
_INPUTS = frozenset(("input", "include", "subfile", "subfileinclude"))
_FOREIGN = frozenset(
    (
        "csvautotabular",
        "csvautobooktabular",
        "csvautolongtable",
        "csvreader",
        "import",
        "includepdf",
    )
)
"""Commands that put the content of another file on the page."""
_KEPT = frozenset(("begin", "end", "item", "\\", "par", "input", "def", "newcommand"))
"""Commands that a file cannot redefine here: the structure that is read rests on them."""


@dataclass(frozen=True, slots=True)
class _Macro:
    arguments: int
    default: tuple[Token, ...] | None
    body: tuple[Token, ...]


class Expander:
    """Reads tokens from the front; what it has not to expand, it gives on."""

    def __init__(
        self, page: Written, name: str, load: Callable[[str], Written | None] = lambda _: None
    ) -> None:
        tokens, self.passed = tokenize(page)
        self._pending = deque(tokens)
        self._name = name
        self._load = load
        self._macros: dict[str, _Macro] = {}
        self._open: list[bool | None] = []
        """The conditions that hold here, None for one that is not known."""
        self._switches: dict[str, bool] = {}
        self._flags: dict[str, str] = {}
        self._spent = 0
        self.missing: list[tuple[str, Token]] = []

    def run(self) -> list[Token]:
        """Give the tokens of the whole text."""
        out: list[Token] = []
        while self._pending:
            token = self._pending.popleft()
            self._spend(1)
            if token.kind != "command" or not self._acts(token):
                out.append(token)
        return out

    def _spend(self, tokens: int) -> None:
        self._spent += tokens
        if self._spent > MOST:
            raise UserError(
                f"{self._name}: its macros come to more than {MOST:,} tokens; does one call itself?"
            )

    def _acts(self, token: Token) -> bool:
        """Carry out a command that is about other tokens; False for any other."""
        name = token.text
        if name in self._macros:
            self._expand(self._macros[name])
        elif name in _COMMANDS or name == "NewDocumentCommand":
            self._new_command(token)
        elif name in _DEFS:
            self._def(token)
        elif name == "let":
            self._let(token)
        elif name == "csname":
            self._pending.appendleft(self._spelled(token))
        elif name in {"newif", "else", "fi"} or name in self._flags or _is_condition(name):
            self._condition(token)
        elif name in _INPUTS:
            return self._input(token)
        elif name in _FOREIGN:
            self.missing.append((name, token))
            return False
        else:
            return False
        return True

    def _expand(self, macro: _Macro) -> None:
        arguments: list[list[Token]] = []
        if macro.default is not None:
            said = self._option()
            arguments.append(list(macro.default) if said is None else said)
        while len(arguments) < macro.arguments:
            arguments.append(self._argument())
        body: list[Token] = []
        for token in macro.body:
            at = int(token.text) - 1 if token.kind == "#" else -1
            body += arguments[at] if 0 <= at < len(arguments) else [token]
        self._spend(len(body) + 1)
        self._pending.extendleft(reversed(body))

    def _new_command(self, begin: Token) -> None:
        self._star()
        name = [one for one in self._argument() if one.kind == "command"]
        if begin.text == "NewDocumentCommand":
            kinds = "".join(one.text for one in self._argument() if one.kind == "run")
            count, default = (len(kinds), None) if set(kinds) <= {"m"} else (-1, None)
        else:
            said = "".join(one.text for one in self._option() or () if one.kind == "run")
            count = int(said) if said.isdecimal() and len(said) == 1 else 0
            default = self._option() if count else None
        self._define(begin, name, count, default)

    def _def(self, begin: Token) -> None:
        while self._pending and self._pending[0].text == "expandafter":
            self._pending.popleft()
        name = [self._pending.popleft()] if self._pending else []
        if name and name[0].kind == "command" and name[0].text == "csname":
            name = [self._spelled(name[0])]
        count = 0
        while self._pending and self._pending[0].kind != "{":
            token = self._pending.popleft()
            if token.kind == "#" and self._pending and self._pending[0].kind == "run":
                count = count + 1 if self._pending.popleft().text == str(count + 1) else -99
            elif token.kind == "par":
                return
            else:
                count = -99  # arguments that end at a mark: not known here, left as they are
        self._define(begin, name, count, None)

    def _define(
        self, begin: Token, name: list[Token], count: int, default: list[Token] | None
    ) -> None:
        body = self._argument()
        inside = [*name, *(default or ()), *body]
        ranges = [(begin.start, begin.end), *((one.start, one.end) for one in inside)]
        end = max(high for _, high in ranges)
        if begin.start < end:
            self.passed.append(Passed(((begin.start, end),), "definition"))
        self.passed.append(Passed(tuple(ranges), "definition"))
        if count < 0 or len(name) != 1 or name[0].text in _KEPT:
            return
        settled = None if default is None else tuple(default)
        self._macros[name[0].text] = _Macro(count, settled, tuple(_numbered(body)))

    def _spelled(self, begin: Token) -> Token:
        r"""Take the command that `\csname rr\endcsname` spells."""
        name, last = "", begin
        while self._pending:
            last = self._pending.popleft()
            if last.kind == "par" or (last.kind == "command" and last.text == "endcsname"):
                break
            name += last.text if last.kind != "space" else ""
        end = max(begin.end, last.end)
        self.passed.append(Passed(((begin.start, end),), "layout"))
        return Token("command", name or "relax", begin.start, end)

    def _let(self, begin: Token) -> None:
        names: list[Token] = []
        while self._pending and len(names) < 2:  # noqa: PLR2004 - the new name and the old
            token = self._pending.popleft()
            if token.kind != "space" and token.text != "=":
                names.append(token)
        if len(names) == 2 and names[0].kind == "command" and names[0].text not in _KEPT:  # noqa: PLR2004 - the same
            body = self._macros.get(names[1].text, _Macro(0, None, (names[1],)))
            if names[1] != names[0]:
                self._macros[names[0].text] = body
        self.passed.append(Passed(((begin.start, begin.end),), "definition"))

    def _condition(self, token: Token) -> None:
        """Follow a condition that is known; of any other both branches are read."""
        name = token.text
        if name == "newif":
            said = [one.text for one in self._argument() if one.kind == "command"]
            for one in said:
                self._flags |= {f"{one[2:]}true": one, f"{one[2:]}false": one}
                self._switches[one] = False
        elif name in self._flags:
            self._switches[self._flags[name]] = name.endswith("true")
        elif name == "fi":
            self._open = self._open[:-1]
        elif name == "else":
            if self._open and self._open[-1]:
                self._skip_branch(token)
        else:
            holds = {"iftrue": True, "iffalse": False}.get(name, self._switches.get(name))
            self._open.append(holds)
            if holds is False:
                self._skip_branch(token)

    def _skip_branch(self, begin: Token) -> None:
        """Pass over what stands up to the end, or the other branch, of this condition."""
        depth, last = 0, begin
        while self._pending:
            last = self._pending.popleft()
            if last.kind != "command":
                continue
            if _is_condition(last.text):
                depth += 1
            elif last.text == "else" and not depth:
                break
            elif last.text == "fi":
                if not depth:
                    self._open = self._open[:-1]
                    break
                depth -= 1
        if begin.start < last.end:
            self.passed.append(Passed(((begin.start, last.end),), "comment"))

    def _input(self, begin: Token) -> bool:
        name = "".join(one.text for one in self._argument(whole=True)).strip()
        page = self._load(name)
        if page is None:
            self.missing.append((f"input{{{name}}}", begin))
            return True
        tokens, passed = tokenize(page)
        self.passed += passed
        self._spend(len(tokens) + 100)
        self._pending.extendleft(reversed(tokens))
        return True

    def _star(self) -> None:
        if self._pending and self._pending[0].kind == "run" and self._pending[0].text == "*":
            self._pending.popleft()

    def _blank(self) -> None:
        while self._pending and self._pending[0].kind == "space":
            self._pending.popleft()

    def _option(self) -> list[Token] | None:
        """Take an argument in brackets, if there is one."""
        self._blank()
        if not self._pending or self._pending[0].kind != "run" or self._pending[0].text[0] != "[":
            return None
        taken: list[Token] = []
        depth = 0
        while self._pending:
            token = self._pending.popleft()
            depth += {"{": 1, "}": -1}.get(token.kind, 0)
            if token.kind == "run" and depth == 0 and "]" in token.text:
                at = token.text.index("]")
                taken.append(_cut(token, 0, at))
                if at + 1 < len(token.text):
                    self._pending.appendleft(_cut(token, at + 1, len(token.text)))
                break
            if token.kind == "par":
                break
            taken.append(token)
        taken[0] = _cut(taken[0], 1, len(taken[0].text))
        return taken

    def _argument(self, *, whole: bool = False) -> list[Token]:
        """Take a group, or else one token: of a run its first character unless `whole`."""
        self._blank()
        if not self._pending:
            return []
        token = self._pending.popleft()
        if token.kind != "{":
            if token.kind == "run" and len(token.text) > 1 and not whole:
                self._pending.appendleft(_cut(token, 1, len(token.text)))
                token = _cut(token, 0, 1)
            return [token]
        taken, depth = [], 1
        while self._pending:
            token = self._pending.popleft()
            depth += {"{": 1, "}": -1}.get(token.kind, 0)
            if depth == 0:
                break
            taken.append(token)
        self._spend(len(taken))
        return taken


def _is_condition(name: str) -> bool:
    return name.startswith("if") and name not in {"iff", "ifthenelse"}


def _cut(token: Token, low: int, high: int) -> Token:
    """Give a part of a run; one that stands for a single place keeps it."""
    if token.end - token.start != len(token.text):
        return token._replace(text=token.text[low:high])
    return Token(token.kind, token.text[low:high], token.start + low, token.start + high)


def _numbered(body: Iterable[Token]) -> Iterable[Token]:
    """Join `#` and the digit after it to one token."""
    hash_seen: Token | None = None
    for token in body:
        if hash_seen is not None and token.kind == "run" and token.text[0].isdecimal():
            yield Token("#", token.text[0], hash_seen.start, token.start + 1)
            if len(token.text) > 1:
                yield _cut(token, 1, len(token.text))
            hash_seen = None
        elif token.kind == "#":
            hash_seen = token
        else:
            hash_seen = None
            yield token
