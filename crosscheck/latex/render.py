"""LaTeX tokens as the reader of the page sees them; what a command hides, a rule passes over."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.notation.pieces import Passed
from crosscheck.notation.written import (
    BOLD,
    ITALIC,
    LOWERED,
    RAISED,
    STRUCK,
    UNDERLINE,
    Written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crosscheck.latex.tokens import Token

_DEEPEST = 40
"""Groups within groups that are followed; what is deeper is text without markup."""
_FLAGS = {"bold": BOLD, "underline": UNDERLINE, "italic": ITALIC, "struck": STRUCK}
_DASHES = re.compile(r"---?")
_QUOTES = re.compile(r"``|''")
_SPREAD = re.compile(r"[±\s]*\.?\d")
_TEN = re.compile(r"(?:[×x·] ?|^ ?)10$")
_SCRIPTS = {"textsuperscript": "^", "sp": "^", "tnote": "^", "textsubscript": "_", "sb": "_"}
_MATH = frozenset(("(", ")", "ensuremath"))
_POWER = "to the power of"
"""The text of a `^` that raises a number, where another one sets a mark."""
_NOTES = frozenset(("footnote", "footnotetext"))


@cache
def _data() -> dict[str, Any]:
    text = (Path(__file__).parent / "commands.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _index(table: str) -> dict[str, str]:
    """Turn a table of names by what they are into what each name is."""
    return {name: what for what, names in _data()[table].items() for name in names}


@cache
def _known(part: str) -> Any:  # noqa: ANN401 - pylatexenc has no types
    """Give what pylatexenc knows of commands."""
    return import_module(f"pylatexenc.{part}").get_default_latex_context_db()


@cache
def _arguments(name: str) -> str | None:
    """Give the arguments of a command as `commands.toml` writes them; None for an unknown one."""
    known = _index("arguments").get(name)
    if known is not None:
        return known
    spec = _known("latexwalker").get_macro_spec(name)
    said = getattr(getattr(spec, "args_parser", None), "argspec", None)
    return None if said is None else said.replace("*", "").replace("[", "o").replace("{", "t")


@cache
def _character(name: str) -> str | None:
    """Give the characters that a command stands for; None where it is none of those."""
    said = _index("said").get(name)
    if said is not None:
        return said
    if name in _index("arguments"):
        return None
    spec = _known("latex2text").get_macro_spec(name)
    found = getattr(spec, "simplify_repl", None)
    return found if isinstance(found, str) and "%" not in found else None


@dataclass
class Hidden:
    """What rendering leaves out of the text."""

    passed: list[Passed] = field(default_factory=list)
    notes: list[Written] = field(default_factory=list)
    """Footnotes, which are sentences of their own."""
    texts: Mapping[int, str] = field(default_factory=dict)
    """What footnotes say whose marks stand apart, by the place of the mark."""

    def leave(self, tokens: Sequence[Token], rule: str) -> None:
        """Pass tokens over."""
        ranges = tuple((one.start, one.end) for one in tokens if one.end > one.start)
        if ranges:
            self.passed.append(Passed(ranges, rule))


def render(tokens: Sequence[Token], hidden: Hidden) -> Written:
    """Give the plain text of some tokens."""
    text = _Page(hidden).text(list(_powers(tokens)), 0, 0)
    text = text.replaced(_QUOTES)
    parts, at = [], 0
    for found in _DASHES.finditer(text.text):
        said = "—" if len(found[0]) == 3 else "–"  # noqa: PLR2004 - TeX's own ligatures
        parts += [text[at : found.start()], text[found.start() : found.end()].said(said)]
        at = found.end()
    return Written.joined([*parts, text[at:]]).tidied()


def _powers(tokens: Sequence[Token]) -> Iterator[Token]:
    """Tell a `^` that stands on a number within the same math from one that begins it."""
    on_number = False
    for token in tokens:
        if token.kind == "run":
            on_number = token.text[-1].isdigit() or token.text[-1] in "%)]"
        elif token.kind in {"$", "_", "&"} or (token.kind == "command" and token.text in _MATH):
            on_number = False
        raises = token.kind == "^" or (token.kind == "command" and token.text == "sp")
        yield token._replace(kind="^", text=_POWER) if raises and on_number else token
        if raises:
            on_number = False


def closing(tokens: Sequence[Token], at: int) -> int:
    """Find the token that closes the group that opens at `at`; the end where none does."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[i].kind, 0)
        if depth <= 0:
            return i
    return len(tokens)


def option_end(tokens: Sequence[Token], at: int, brackets: str = "[]") -> int:
    """Find the place after an argument in brackets that begins at `at`; `at` if there is none."""
    if at >= len(tokens) or tokens[at].kind != "run" or tokens[at].text[0] != brackets[0]:
        return at
    depth = 0
    for i in range(at, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[i].kind, 0)
        if tokens[i].kind == "par" or depth < 0:
            return at
        if tokens[i].kind == "run" and depth == 0 and brackets[1] in tokens[i].text:
            return i + 1
    return at


class _Page:
    def __init__(self, hidden: Hidden) -> None:
        self.hidden = hidden

    def text(self, tokens: Sequence[Token], flag: int, depth: int) -> Written:
        out: list[Written] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.kind == "command":
                more, at, flag = self._command(tokens, at, flag, depth, out)
                out += more
            elif token.kind == "{" and depth < _DEEPEST:
                end = closing(tokens, at)
                out.append(self.text(tokens[at + 1 : end], flag, depth + 1))
                at = end + 1
            elif token.kind in {"^", "_"}:
                inner, at = self._argument(tokens, at + 1, flag, depth)
                before = "".join(one.text for one in out[-6:])
                power = token.text == _POWER and _is_power(inner, before)
                out.append(_raised(inner) if power else script(token.kind, inner, before))
            else:
                out.append(_plain(token, flag))
                at += 1
        return Written.joined(out)

    def _command(
        self, tokens: Sequence[Token], at: int, flag: int, depth: int, out: list[Written]
    ) -> tuple[list[Written], int, int]:
        """Render one command: its text, where it ended, and the marks from there on."""
        name = tokens[at].text
        mark = _FLAGS.get(_index("mark").get(name, ""), 0)
        if name in _SCRIPTS:
            inner, end = self._argument(tokens, at + 1, flag, depth)
            before = "".join(one.text for one in out[-6:])
            return (
                [script(_SCRIPTS[name], inner, before)],
                end,
                flag,
            )
        if name in _index("changes"):
            return *self._changed(tokens, at, flag, depth), flag
        if name in {"begin", "end"}:
            return [Written.added(" ")], self._environment(tokens, at), flag
        said = _character(name)
        if said is not None:
            spot = Written.of(said[:1], tokens[at].start)
            return (
                [_over(spot, said, tokens[at], flag)] if said else [],
                self._starred(tokens, at),
                flag,
            )
        if _arguments(name) == "":
            return self._bare(tokens, at, flag | mark)
        return *self._with_arguments(tokens, at, flag | mark, depth), flag

    def _starred(self, tokens: Sequence[Token], at: int) -> int:
        """Step past the end of a line with its space."""
        if tokens[at].text != "\\":
            return at + 1
        end = option_end(tokens, at + 1)
        self.hidden.leave(tokens[at + 1 : end], "layout")
        return end

    def _bare(self, tokens: Sequence[Token], at: int, flag: int) -> tuple[list[Written], int, int]:
        """Render a command without arguments that are read: a switch, or a rule of a table."""
        name, end = tokens[at].text, at + 1
        if name.endswith("rule") or name in {"addlinespace", "hline", "hdashline"}:
            end = option_end(tokens, end)
            self.hidden.leave(tokens[at:end], "layout")
        return [], end, flag

    def _environment(self, tokens: Sequence[Token], at: int) -> int:
        """Step past the name of an environment and the arguments that lay it out."""
        end = at + 1
        if end < len(tokens) and tokens[end].kind == "{":
            end = closing(tokens, end) + 1
        if tokens[at].text == "begin":
            name = "".join(one.text for one in tokens[at + 2 : end - 1])
            end = self._settings(tokens, end, name)
        self.hidden.leave(tokens[at:end], "layout")
        return end

    @staticmethod
    def _settings(tokens: Sequence[Token], at: int, name: str) -> int:
        end = option_end(tokens, at)
        for _ in range(_data()["environment"].get(name, 0)):
            if end < len(tokens) and tokens[end].kind == "{":
                end = option_end(tokens, min(closing(tokens, end) + 1, len(tokens)))
        return end

    def _with_arguments(
        self, tokens: Sequence[Token], at: int, flag: int, depth: int
    ) -> tuple[list[Written], int]:
        name, end, out = tokens[at].text, at + 1, []
        arguments = _arguments(name)
        rule = _index("rule").get(name, "layout")
        if end < len(tokens) and tokens[end].text == "*" and tokens[end].kind == "run":
            end += 1
        if arguments is None:
            return self._unknown(tokens, at, flag, depth)
        for kind in arguments:
            if kind == "o":
                past = option_end(tokens, _after_blank(tokens, end))
                self.hidden.leave(tokens[end:past], rule)
                end = max(end, past)
            elif kind == "p":
                past = option_end(tokens, _after_blank(tokens, end), "()")
                self.hidden.leave(tokens[end:past], rule)
                end = max(end, past)
            elif kind == "-":
                begin, end = end, self._skipped(tokens, end)
                self.hidden.leave(tokens[begin:end], rule)
            else:
                inner, end = self._argument(tokens, end, flag, depth)
                if name in _NOTES:
                    self.hidden.notes.append(inner.tidied())
                    out += [Written.note(inner.tidied().text)] if name == "footnote" else []
                else:
                    out.append(inner)
        if name == "footnotemark":
            out.append(Written.note(self.hidden.texts.get(tokens[at].start, "a footnote")))
        return out, end

    def _changed(
        self, tokens: Sequence[Token], at: int, flag: int, depth: int
    ) -> tuple[list[Written], int]:
        """Say the sign of a root or a fraction before what it changes."""
        token, end = tokens[at], at + 1
        sign = _over(Written.of(" ", token.start), _index("changes")[token.text], token, flag)
        out = [sign, Written.added(" ")]
        past = option_end(tokens, _after_blank(tokens, end))
        self.hidden.leave(tokens[end:past], "layout")
        end = max(end, past)
        while end < len(tokens) and tokens[end].kind == "{":
            inner, end = self._argument(tokens, end, flag, depth)
            out += [inner, Written.added(" ")]
        return out, end

    def _unknown(
        self, tokens: Sequence[Token], at: int, flag: int, depth: int
    ) -> tuple[list[Written], int]:
        """Keep the text of every argument of a command that nobody has defined, else its name."""
        end = at + 1
        out: list[Written] = []
        while end < len(tokens) and tokens[end].kind == "{":
            inner, end = self._argument(tokens, end, flag, depth)
            out += [Written.added(" "), inner] if out else [inner]
        if not out:
            token = tokens[at]
            out = [_over(Written.of(token.text[:1], token.start), token.text, token, flag)]
        return out, end

    @staticmethod
    def _skipped(tokens: Sequence[Token], at: int) -> int:
        at = _after_blank(tokens, at)
        if at < len(tokens) and tokens[at].kind == "{":
            return min(closing(tokens, at) + 1, len(tokens))
        return min(at + 1, len(tokens))

    def _argument(
        self, tokens: Sequence[Token], at: int, flag: int, depth: int
    ) -> tuple[Written, int]:
        """Render the argument at `at`: a group, a command, or one character."""
        at = _after_blank(tokens, at)
        if at >= len(tokens):
            return Written.of(""), at
        token = tokens[at]
        if token.kind == "{":
            end = closing(tokens, at)
            inner = tokens[at + 1 : end]
            if depth >= _DEEPEST:
                return Written.joined([_plain(one, flag) for one in inner]), end + 1
            return self.text(inner, flag, depth + 1), end + 1
        if token.kind == "command":
            said, end, _ = self._command(tokens, at, flag, depth + 1, [])
            return Written.joined(said), end
        # A raised or lowered run without braces is one character to TeX; what follows stays text.
        whole = _plain(token, flag)
        rest = whole[1:]
        if rest:
            return Written.joined([whole[:1], rest]), at + 1
        return whole, at + 1


def _after_blank(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].kind == "space":
        at += 1
    return at


def _over(spot: Written, said: str, token: Token, flag: int) -> Written:
    """Say characters at the place of a command."""
    made = (spot or Written.of(" ", token.start)).said(said).marked(flag)
    for at in range(len(made.ends)):
        made.ends[at] = token.end
    return made


def _plain(token: Token, flag: int) -> Written:
    if token.kind == "run" and token.end - token.start == len(token.text):
        text = Written.of(token.text, token.start)
        return text.marked(flag) if flag else text
    if token.kind in {"$", "{", "}"}:
        return Written.of("")
    said = " " if token.kind in {"space", "par", "~", "&"} else token.text
    return _over(Written.of(said[:1], token.start), said, token, flag)


def _is_power(inner: Written, before: str) -> bool:
    """Whether what is raised is a number, and no exponent of ten."""
    return inner.text.strip(" .").isdigit() and not _TEN.search(before.rstrip("{} "))


def _raised(inner: Written) -> Written:
    """Say a power as no footnote's mark is said."""
    return Written.joined([Written.added(" ^ "), inner.tidied().marked(RAISED)])


def script(kind: str, inner: Written, before: str) -> Written:
    """Say a script: `_{0.03}` after a number is its spread, `nDCG_{10}` a name."""
    inner = inner.tidied()
    if not inner:
        return inner
    if kind == "^":
        if not inner.text.strip("*†‡§¶#★ "):
            return inner.marked(RAISED)
        return Written.joined([Written.added("^"), inner.marked(RAISED)])
    shown = before.rstrip("$} ")
    last = shown[-1:]
    if (last.isdigit() or last == "%") and _SPREAD.match(inner.text) and "±" not in shown:
        if "±" in inner.text[:2]:
            return Written.joined([Written.added(" "), inner.marked(LOWERED)])
        return Written.joined([Written.added(" ± "), inner.marked(LOWERED)])
    return Written.joined([Written.added("_"), inner.marked(LOWERED)])
