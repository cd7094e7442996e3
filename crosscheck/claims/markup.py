"""Markup off: Markdown and LaTeX cells as the reader of the page sees them."""

from __future__ import annotations

import html
import re

_SYMBOLS = {
    "pm": "±",
    "times": "×",
    "cdot": "·",
    "uparrow": "↑",
    "downarrow": "↓",
    "Uparrow": "↑",
    "Downarrow": "↓",
    "Delta": "Δ",
    "delta": "δ",
    "alpha": "α",
    "gamma": "γ",
    "tau": "τ",
    "dagger": "†",
    "ddagger": "‡",
    "ast": "*",
    "star": "*",
    "approx": "≈",
    "sim": "~",
    "le": "≤",
    "leq": "≤",
    "leqslant": "≤",
    "ge": "≥",
    "geq": "≥",
    "geqslant": "≥",
    "lt": "<",
    "gt": ">",
    "textendash": "–",
    "textemdash": "—",
    "textminus": "−",
    "textpm": "±",
    "textpercent": "%",
    "quad": " ",
    "qquad": " ",
    "ldots": "…",
    "dots": "…",
    "checkmark": "✓",
    "backslash": "\\",
    "newline": " ",
    "linebreak": " ",
}
_SILENT = {
    "textbf", "textit", "textrm", "textsf", "texttt", "textsc", "textnormal", "emph", "underline",
    "uline", "mathbf", "mathrm", "mathit", "mathsf", "mathtt", "boldmath", "bm", "boldsymbol",
    "bf", "it", "rm", "sf", "tt", "bfseries", "itshape", "small", "footnotesize", "scriptsize",
    "tiny", "normalsize", "large", "centering", "best", "second", "num", "makecell", "thead",
    "mbox", "hbox", "text", "ensuremath", "left", "right", "displaystyle", "textstyle",
    "shortstack",
    "operatorname", "ul", "hl", "color", "phantom", "hphantom", "protect", "raggedright", "strut",
}  # fmt: skip
_DROPPED = {
    "cite", "citep", "citet", "ref", "footnote", "footnotemark", "label", "cellcolor", "rowcolor",
    "columncolor", "textcolor", "hspace", "vspace", "rule", "phantom", "hphantom", "tnote",
    "resizebox", "scalebox", "rotatebox", "setlength", "fontsize", "raisebox", "color",
}  # fmt: skip
_KEEPS_SECOND = {"textcolor", "scalebox", "rotatebox", "raisebox"}
_MAX_DEPTH = 40


def markdown(cell: str) -> str:
    """Take Markdown and inline HTML off a cell."""
    text = re.sub(r"<br\s*/?>", " ", cell, flags=re.IGNORECASE)
    text = re.sub(r"<sub>\s*±?\s*([^<]*)</sub>", r" ± \1", text, flags=re.IGNORECASE)
    text = re.sub(r"<sup>[^<]*</sup>", "", text, flags=re.IGNORECASE)
    text = re.sub(r"</?[a-zA-Z][^<>]*>", "", text)
    text = re.sub(r"!?\[([^\[\]]*)\]\([^()]*\)", r"\1", text)
    text = re.sub(r"\[\^[^\]]*\]", "", text)
    text = html.unescape(text)
    if "$" in text or "\\" in text:
        text = latex(text.replace("\\|", "|"))
    text = re.sub(r"(\*\*|__|~~|`)", "", text)
    text = re.sub(r"(?<![\w*])\*([^*]+)\*(?![\w*])", r"\1", text)
    return _tidy(text)


def latex(cell: str, depth: int = 0) -> str:
    """Take LaTeX off a cell; what is not known keeps its argument's text."""
    if depth > _MAX_DEPTH:
        return cell
    out: list[str] = []
    i = 0
    while i < len(cell):
        piece, i = _token(cell, i, depth)
        out.append(piece)
    text = "".join(out)
    text = text.replace("---", "—").replace("--", "–").replace("``", "").replace("''", "")
    return _tidy(text)


def _token(cell: str, i: int, depth: int) -> tuple[str, int]:
    char = cell[i]
    if char == "\\":
        return _command(cell, i, depth)
    if char in "_^":
        return _script(cell, i, depth)
    if char == "{":
        inner, end = group(cell, i)
        return latex(inner, depth + 1), end
    if char == "~":
        return " ", i + 1
    return ("" if char in "$}" else char), i + 1


def _script(cell: str, i: int, depth: int) -> tuple[str, int]:
    """Read a sub- or superscript: `_{0.03}` after a number is its spread, `nDCG_{10}` a name."""
    body, end = argument(cell, i + 1)
    inner = latex(body, depth + 1)
    if cell[i] == "^":
        return ("*" if inner.strip("*†‡ ") == "" else f"^{inner}"), end
    before = cell[:i].rstrip("} $")
    if before and before[-1].isdigit() and re.match(r"[±\s]*\.?\d", inner) and "±" not in before:
        return f" ± {inner.lstrip('± ')}", end
    return f"_{inner}", end


def _command(cell: str, i: int, depth: int) -> tuple[str, int]:
    found = re.compile(r"\\([a-zA-Z]+)\*?").match(cell, i)
    if found is None:
        following = cell[i + 1 : i + 2]
        return {",": "\u2009", ";": " ", ":": " ", "!": "", " ": " ", "\\": " "}.get(
            following, following
        ), i + 2
    name, end = found[1], found.end()
    if name in _SYMBOLS:
        return _SYMBOLS[name], end
    if name in {"textsuperscript", "textsubscript"}:
        body, after = argument(cell, end)
        return _script("1^" + "{" + body + "}", 1, depth)[0] if "super" in name else _script(
            ("0" if i and cell[i - 1].isdigit() else "x") + "_{" + body + "}", 1, depth
        )[0], after
    if name in _DROPPED:
        return _dropped(cell, name, end, depth)
    if name in _SILENT:
        return "", end
    end = _skip_option(cell, end)
    if cell[end : end + 1] == "{":
        inner, after = group(cell, end)
        return latex(inner, depth + 1), after
    return name, end


def _dropped(cell: str, name: str, end: int, depth: int) -> tuple[str, int]:
    """Leave out a command with its arguments, but for the text that it colours or turns."""
    end = _skip_option(cell, end)
    arguments: list[str] = []
    while cell[end : end + 1] == "{" and len(arguments) < 3:  # noqa: PLR2004 - none takes more
        inner, end = group(cell, end)
        arguments.append(inner)
        if name not in _KEEPS_SECOND and name != "resizebox":
            break
        if name in _KEEPS_SECOND and len(arguments) == 2:  # noqa: PLR2004 - the second is text
            break
    kept = arguments[-1] if name in _KEEPS_SECOND | {"resizebox"} and len(arguments) > 1 else ""
    return latex(kept, depth + 1), end


def _skip_option(cell: str, i: int) -> int:
    while cell[i : i + 1] == "[":
        close = cell.find("]", i)
        if close < 0:
            return i
        i = close + 1
    return i


def argument(text: str, i: int) -> tuple[str, int]:
    """Read the argument that begins at `i`: a group, a command or one character."""
    while text[i : i + 1].isspace():
        i += 1
    if text[i : i + 1] == "{":
        return group(text, i)
    found = re.compile(r"\\[a-zA-Z]+").match(text, i)
    if found:
        return found[0], found.end()
    return text[i : i + 1], i + 1


def group(text: str, i: int) -> tuple[str, int]:
    """Read the balanced group that opens at `i`: what is inside, and where it ends."""
    depth, j = 0, i
    while j < len(text):
        if text[j] == "\\":
            j += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[j], 0)
        j += 1
        if depth == 0:
            return text[i + 1 : j - 1], j
    return text[i + 1 :], len(text)


def _tidy(text: str) -> str:
    return re.sub(r"[ \t\r\n\f\v]+", " ", text).strip()
