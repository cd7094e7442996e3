"""Markup off: Markdown and HTML within a line as the reader of the page sees them."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from crosscheck.latex.macros import Expander
from crosscheck.latex.render import Hidden, render, script
from crosscheck.notation.pieces import Passed
from crosscheck.notation.written import BOLD, ITALIC, STRUCK, UNDERLINE, Written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Notes = Mapping[str, str]

TAG = re.compile(
    r"<(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]{0,20})(?=[\s/>])"
    r"(?P<attributes>(?:[^<>\"']|\"[^\"]{0,2000}\"|'[^']{0,2000}'){0,4000})>"
)
"""A tag. Each way on begins with a character of its own, so there is nothing to try twice."""
COMMENT = re.compile(r"<!--")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});?")
_FLAGS = {
    "b": BOLD, "strong": BOLD, "th": 0, "u": UNDERLINE, "ins": UNDERLINE, "i": ITALIC, "em": ITALIC,
    "s": STRUCK, "del": STRUCK, "strike": STRUCK,
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<code>`{1,10})"
    r"|(?P<math>\${1,2})"
    r"|(?P<footnote>\[\^[^\]\s]{1,40}\])"
    r"|(?P<image>!\[)"
    r"|(?P<link>\]\([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?(?:\s+\"[^\"]{0,500}\")?\s?\))"
    r"|(?P<bracket>\[)"
    r"|(?P<auto><(?:https?|mailto|ftp):[^<>\s]{1,2000}>)"
    r"|(?P<url>(?:https?|ftp)://[^\s<>|)\]]{1,2000})"
    r"|(?P<strong>\*\*|__|~~|==)"
    r"|(?P<em>[*_])"
)
_TARGET = re.compile(r"\bhref\s{0,3}=\s{0,3}[\"']?#([^\s\"'>]{1,100})", re.IGNORECASE)
_SIGN = re.compile(r"\s*[\[(]?(?:\d{1,3}|[a-zA-Z]|[*†‡§¶]{1,3})[\])]?\s*")
_ID = re.compile(r"\b(?:id|name)\s{0,3}=\s{0,3}[\"']?([^\s\"'>]{1,100})", re.IGNORECASE)
_ENDS = re.compile(r"</?(?:p|li|div|td|tr|dd|dt|aside|table|ol|ul|h[1-6]|section)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"^[\[(]?(?:\d{1,3}|[a-zA-Z]|[*†‡§¶]{1,3})[\])]?[.:]?\s+")
_LONGEST_NOTE = 1000
_MATH = re.compile(r"\\[a-zA-Z%,]|[_^{]")


def entities(text: Written) -> Written:
    """Say the characters that `&plusmn;` and the like stand for."""
    if "&" not in text.text:
        return text
    parts, at = [], 0
    for found in _ENTITY.finditer(text.text):
        said = html.unescape(found[0])
        if said != found[0]:
            parts += [text[at : found.start()], text[found.start() : found.end()].said(said)]
            at = found.end()
    return Written.joined([*parts, text[at:]])


def latex(text: Written, hidden: list[Passed]) -> Written:
    """Take LaTeX off a formula."""
    out = Hidden()
    expander = Expander(text, "formula")
    shown = render(expander.run(), out)
    hidden += [*out.passed, *expander.passed]
    return shown


def inline_html(text: Written, hidden: list[Passed], notes: Notes | None = None) -> Written:
    """Take tags off a text: scripts are said, marks kept, everything else left out.

    A mark that links to a note, such as `<a href="#fn1">1</a>`, becomes that note.
    """
    if "<" not in text.text:
        return text
    out: list[Written] = []
    open_tags: list[tuple[str, int]] = []
    links: list[tuple[str, int]] = []
    at = 0
    for found in TAG.finditer(text.text):
        out.append(_flagged(text[at : found.start()], open_tags))
        hidden.append(Passed.of(text[found.start() : found.end()], "markup"))
        _linked(found, out, links, hidden, notes or {})
        _tag(found, text, out, open_tags)
        at = found.end()
    out.append(_flagged(text[at:], open_tags))
    return Written.joined(out)


def _linked(
    found: re.Match[str],
    out: list[Written],
    links: list[tuple[str, int]],
    hidden: list[Passed],
    notes: Notes,
) -> None:
    """Put a note in the place of the mark that links to it."""
    if found["name"].lower() != "a":
        return
    if not found["close"]:
        target = _TARGET.search(found["attributes"])
        links.append((target[1] if target else "", len(out)))
    elif links:
        target_id, start = links.pop()
        mark = Written.joined(out[start:])
        if target_id and _SIGN.fullmatch(mark.text) and notes.get(target_id):
            del out[start:]
            out.append(Written.note(notes[target_id]))
            hidden.append(Passed.of(mark, "mark"))


def targets(text: str) -> dict[str, str]:
    """Give what stands at every place that a mark can link to, by its id: the texts of notes."""
    if "href" not in text.lower():
        return {}
    wanted = set(_TARGET.findall(text))
    found: dict[str, str] = {}
    for one in TAG.finditer(text):
        named = _ID.search(one["attributes"]) if not one["close"] else None
        if named and named[1] in wanted:
            part = _ENDS.split(text[one.end() : one.end() + _LONGEST_NOTE])[0]
            plain = html.unescape(TAG.sub(" ", part))
            found.setdefault(named[1], _NUMBERED.sub("", " ".join(plain.split())))
    return found


def _flagged(text: Written, open_tags: Sequence[tuple[str, int]]) -> Written:
    flag = 0
    for name, _ in open_tags:
        flag |= _FLAGS.get(name, 0)
    return text.marked(flag) if flag else text


def _tag(
    found: re.Match[str], text: Written, out: list[Written], open_tags: list[tuple[str, int]]
) -> None:
    name = found["name"].lower()
    if name in {"br", "p", "div", "td", "th", "li", "tr"}:
        out.append(text[found.start() : found.end()].said(" "))
    elif not found["close"]:
        if len(open_tags) < 200 and (name in _FLAGS or name in {"sub", "sup"}):  # noqa: PLR2004 - deep enough
            open_tags.append((name, len(out)))
    elif any(name == one for one, _ in open_tags):
        while open_tags:
            last, start = open_tags.pop()
            if last == name:
                break
        if name in {"sub", "sup"}:
            inner = Written.joined(out[start:])
            before = "".join(one.text for one in out[max(0, start - 6) : start])
            del out[start:]
            out.append(script("^" if name == "sup" else "_", inner, before))


def markdown(text: Written, hidden: list[Passed], notes: Notes | None = None) -> Written:
    """Take Markdown and the HTML in it off a text; `notes`: what its footnotes say."""
    plain = entities(inline_html(_Line(text, hidden, notes or {}).shown(), hidden, notes))
    return plain.tidied()


class _Line:
    """Reads a text of Markdown from left to right, once."""

    def __init__(self, text: Written, hidden: list[Passed], notes: Notes) -> None:
        self.text = text
        self.notes = notes
        self.hidden = hidden
        self.out: list[Written] = []
        self.flags: list[tuple[str, int]] = []
        self.links: list[int] = []
        self.lonely = {mark: text.text.count(mark) for mark in ("**", "__", "~~", "==", "`")}

    def shown(self) -> Written:
        """Give the text without its marks."""
        at = 0
        while at < len(self.text):
            found = _TOKEN.search(self.text.text, at)
            if found is None:
                break
            self._keep(at, found.start())
            at = getattr(self, f"_{found.lastgroup}")(found)
        self._keep(at, len(self.text))
        return Written.joined(self.out)

    def _keep(self, start: int, end: int, flag: int = 0) -> None:
        for _, one in self.flags:
            flag |= one
        part = self.text[start:end]
        self.out.append(part.marked(flag) if flag else part)

    def _pass(self, start: int, end: int, rule: str) -> int:
        self.hidden.append(Passed.of(self.text[start:end], rule))
        return end

    def _escape(self, found: re.Match[str]) -> int:
        if found[0] == "\\(" or found[0] == "\\[":
            close = self.text.text.find("\\)" if found[0] == "\\(" else "\\]", found.end())
            if close >= 0:
                self.out.append(latex(self.text[found.end() : close], self.hidden))
                return close + 2
        if found[0] == "\\%" or found[0][1] in "\\|*_$#`~[]()!-.+<>{}&@=:;,'\"/?^":
            self._keep(found.start() + 1, found.end())
        return found.end()

    def _code(self, found: re.Match[str]) -> int:
        close = self._matching(found[0], found.end())
        if close < 0:
            self._keep(found.start(), found.end())
            return found.end()
        self._keep(found.end(), close)
        return close + len(found[0])

    def _matching(self, ticks: str, at: int) -> int:
        """Find as many backticks again, neither more nor fewer."""
        if len(ticks) > 2 and self.lonely["`"] < 2 * len(ticks):  # noqa: PLR2004 - one pair at least
            return -1
        pattern = re.compile(rf"(?<!`){ticks}(?!`)")
        close = pattern.search(self.text.text, at, at + 5000)
        return close.start() if close else -1

    def _math(self, found: re.Match[str]) -> int:
        close = self.text.text.find(found[0], found.end(), found.end() + 5000)
        inside = self.text[found.end() : close] if close >= 0 else None
        if inside is None or not inside.text.strip():
            self._keep(found.start(), found.end())
            return found.end()
        if _MATH.search(inside.text) or inside.text.strip() == inside.text:
            self.out.append(latex(inside, self.hidden))
            return close + len(found[0])
        self._keep(found.start(), found.end())
        return found.end()

    def _footnote(self, found: re.Match[str]) -> int:
        """Put a footnote in the place of its mark; one that stands nowhere says what is seen."""
        defined = self.text.text[found.end() : found.end() + 1] == ":"
        if not (defined and not self.text.text[: found.start()].strip()):
            self.out.append(Written.note(self.notes.get(found[0][1:-1], found[0])))
        return self._pass(found.start(), found.end(), "mark")

    def _image(self, found: re.Match[str]) -> int:
        self.links.append(len(self.out))
        return found.end()

    def _bracket(self, found: re.Match[str]) -> int:
        self.links.append(len(self.out))
        self._keep(found.start(), found.end())
        return found.end()

    def _link(self, found: re.Match[str]) -> int:
        if not self.links:
            self._keep(found.start(), found.start() + 1)
            return found.start() + 1
        opened = self.links.pop()
        if opened < len(self.out) and self.out[opened].text == "[":
            self.out[opened] = self.out[opened][:0]
        return self._pass(found.start(), found.end(), "url")

    def _auto(self, found: re.Match[str]) -> int:
        return self._pass(found.start(), found.end(), "url")

    _url = _auto

    def _strong(self, found: re.Match[str]) -> int:
        """Switch a mark on or off; one without a partner is text."""
        mark = found[0]
        flag = {"**": BOLD, "__": BOLD, "~~": STRUCK}.get(mark, 0)
        if any(one == mark for one, _ in self.flags):
            self._drop(mark)
        elif self.lonely[mark] > 1 and self.text.text.find(mark, found.end()) >= 0:
            self.flags.append((mark, flag))
        else:
            self._keep(found.start(), found.end())
        return found.end()

    def _drop(self, mark: str) -> None:
        last = max(i for i, (one, _) in enumerate(self.flags) if one == mark)
        del self.flags[last]

    def _em(self, found: re.Match[str]) -> int:
        """Read `*` and `_`: emphasis at the edge of a word, else a star or part of a name."""
        text, mark, at = self.text.text, found[0], found.start()
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        opened = any(one == mark for one, _ in self.flags)
        if opened and before.strip() and (mark == "*" or not after.isalnum()):
            self._drop(mark)
            return found.end()
        edge = not (before.isalnum() or before == mark)
        close = text.find(mark, at + 1) if edge and after.strip() and not opened else -1
        if close > 0 and text[close - 1].strip():
            self.flags.append((mark, ITALIC))
        else:
            self._keep(at, found.end())
        return found.end()
