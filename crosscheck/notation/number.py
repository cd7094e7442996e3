"""Printed numbers: what one cell says.

A cell can hold a number, its spread (`± 0.031`), an interval (`(0.894–0.900)`), a change
(`(+1.7%)`), a p-value, the value before it (`0.55 → 0.64`), or several numbers (`0.82/0.79`).
What has a digit and is none of these is not understood; then the cell has no number at all.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from crosscheck.notation.quantity import NUMBER, Comma, Quantity, quantity
from crosscheck.notation.source import UNSEEN, is_digit

__all__ = ["Cell", "Comma", "Quantity", "parse"]

LONGEST = 300
"""Characters of a cell that is read as numbers; a longer one is prose."""

_LEVEL_OF_THE_CONTRACT = 95
_HARMLESS = frozenset(
    ("best", "second", "second best", "ours", "our", "this work", "new", "ref", "ref.", "baseline")
)
_BLANK = re.compile(r"[-–—−‐*.…\s/]*|n ?/? ?a\.?|nan|none|null|tba|tbd|not reported", re.IGNORECASE)
_UNSEEN = re.compile(f"[{UNSEEN}\ufe00-\ufe0f]")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_A, _B = NUMBER.format("a"), NUMBER.format("b")
_PLAIN = re.compile(_A, re.IGNORECASE)
_LEVEL = r"(?:(?P<level>\d\d(?:\.\d)?) ?% ?)?(?:CI|confidence interval|CrI|HDI)? ?[:=]? ?"
_BETWEEN = r" ?(?:–|—|−|-|to|,|;|\.\.|~) ?"
_SPREAD = re.compile(rf" ?(?:±|\+ ?/ ?[-−–]|\+[-−–]) ?{_A}", re.IGNORECASE)
_SPREAD_IN = re.compile(
    rf" ?[(\[] ?(?:±|\+ ?/ ?[-−–]|(?:std|s\.?d\.?|σ) ?[.=:]? ?) ?{_A} ?[)\]]", re.IGNORECASE
)
_RANGE = re.compile(
    rf" ?,? ?{_LEVEL.replace('<level>', '<early>')}[(\[] ?{_LEVEL}[(\[]? ?"
    rf"{_A}{_BETWEEN}{_B} ?[)\]]? ?[)\]]",
    re.IGNORECASE,
)
_SKEWED = re.compile(rf"\^[{{(]?(?P<up>{_A})[)}}]? ?_[{{(]?(?P<down>{_B})[)}}]?")
_SKEWED_TOO = re.compile(rf" ?_[{{(]?(?P<down>{_A})[)}}]? ?\^[{{(]?(?P<up>{_B})[)}}]?")
_P = re.compile(
    rf" ?[,;]? ?[(\[]? ?p(?:[- ]?val(?:ue)?)? ?=? ?{_A} ?[)\]]?(?![\w.])", re.IGNORECASE
)
_BRACKET = re.compile(rf" ?[(\[] ?(?P<way>[↑↓▲▼△▽⬆⬇])? ?{_A} ?[)\]]", re.IGNORECASE)
_CHANGE = re.compile(
    rf"(?:(?P<low>_)[{{(]?| )(?P<way>[↑↓▲▼△▽⬆⬇])? ?(?=[+−\-–\d.]){_A}[)}}]?(?![\w.^])",
    re.IGNORECASE,
)
_ARROW = re.compile(r" ?(?:→|⟶|➜|➔|⇒|-+>|=>|—>|–>) ?")
_MARK = re.compile(
    r"[ *†‡§¶↑↓▲▼△▽⬆⬇✓✔★☆#]"
    r"|\^(?![{(]?[nkxyijmtNKT][)}]?(?!\w))[{(]?[a-zA-Z*†‡§¶#,]{1,4}[)}]?"
    r"|[a-d](?!\w)|\((?:[a-d]|[*†‡§¶]{1,3})\)"
)
_RAISED_MARK = re.compile(r" ?\^[{(]?\d{1,2}(?:,\d{1,2}){0,3}[)}]?(?![\d.])")
_REMARK = re.compile(r" ?[(\[](?P<remark>[^()\[\]]{1,40})[)\]]")
_END = re.compile(r" ?[;,.] ?$")
_OVER = re.compile(r" ?[/|] ?")
_LEAD = re.compile(r"[ *†‡§¶↑↓▲▼△▽⬆⬇✓✔★☆=:]*")


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell says: at most a number and what stands with it, or several numbers."""

    text: str
    number: Quantity | None = None
    spread: Quantity | None = None
    bracket: Quantity | None = None
    low: Quantity | None = None
    high: Quantity | None = None
    change: Quantity | None = None
    before: Quantity | None = None
    """What stands before an arrow, and so was the value before."""
    p: Quantity | None = None
    upper: Quantity | None = None
    lower: Quantity | None = None
    """Two different errors: `0.82^{+.01}_{-.02}`."""
    several: tuple[Quantity, ...] = ()
    """Two numbers or more, parted by a slash; `number` is None then."""
    level: str = ""
    """The percentage of an interval, where it is said: `95`."""
    remark: str = ""
    """Words in brackets after the number."""
    raised: str = ""
    """A raised number that nobody has told to be the mark of a note."""
    marks: tuple[tuple[int, int], ...] = ()
    """Where digits stand that are marks or the interval's level, no numbers of their own."""

    @property
    def blank(self) -> bool:
        """Whether the cell says that there is nothing to say."""
        return _BLANK.fullmatch(" ".join(self.text.split())) is not None

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Every number of the cell."""
        parts = (self.before, self.number, self.spread, self.bracket, self.low, self.high)
        more = (self.change, self.p, self.upper, self.lower)
        return tuple(one for one in (*parts, *more, *self.several) if one is not None)

    @property
    def doubt(self) -> str:
        """Why its number is not simply the value that the labels name; empty where it is."""
        number = self.number
        if self.remark and self.remark.lower() not in _HARMLESS:
            return f"what “({self.remark})” says about the number is not known"
        if self.raised:
            return f"the raised “{self.raised}” may be a power, or mark a note that is not found"
        if self.level and float(self.level) != _LEVEL_OF_THE_CONTRACT:
            return f"an interval of {self.level} %; the contract has those of 95 %"
        if number is not None and number.points and not number.signed:
            return f"“{number.text}” is in points, as a difference is"
        if number is not None and number.unsure:
            return f"“{number.text}” can be {number.text.replace(',', '.')} or a whole number"
        return ""

    @property
    def understood(self) -> bool:
        """Whether every digit of the cell belongs to a number or to a mark."""
        spans = [*(one.span for one in self.quantities), *self.marks]
        read = {at for start, end in spans for at in range(start, end)}
        return all(at in read for at, char in enumerate(self.text) if is_digit(char))


def parse(text: str, comma: Comma = None) -> Cell:
    """Read a cell; one that holds anything but numbers has none of them."""
    if len(text) > LONGEST or not any(map(is_digit, text)):
        return Cell(text)
    plain, places = _canonical(text)
    found = _read(plain, comma)
    if found is None:
        return Cell(text)
    cell = replace(found, text=text, marks=tuple(_back(one, places) for one in found.marks))
    moved = {
        name: replace(one, span=_back(one.span, places))
        for name in _NAMES
        if (one := getattr(cell, name)) is not None
    }
    several = tuple(replace(one, span=_back(one.span, places)) for one in cell.several)
    return replace(cell, several=several, **moved)


_NAMES = (
    "number", "spread", "bracket", "low", "high", "change", "before", "p", "upper", "lower",
)  # fmt: skip


def _back(span: tuple[int, int], places: list[int]) -> tuple[int, int]:
    start, end = span
    return places[start], places[end - 1] + 1 if end > start else places[start]


def _canonical(text: str) -> tuple[str, list[int]]:
    """Take out what is not seen, make blanks one, raise raised digits by a hat; and say whence."""
    shown: list[str] = []
    places: list[int] = []
    raised = False
    for at, char in enumerate(text):
        if _UNSEEN.match(char):
            continue
        said = char
        if char.isspace() and not _groups(text, at):
            said = "" if shown and shown[-1] == " " else " "
        elif char.translate(_SUPERSCRIPTS) != char:
            said = char.translate(_SUPERSCRIPTS) if raised else "^" + char.translate(_SUPERSCRIPTS)
        elif char > "\u02af" and unicodedata.category(char) in {"So", "Sk", "Cs", "Lm"}:
            said = "*"
        raised = char.translate(_SUPERSCRIPTS) != char
        shown += said
        places += [at] * len(said)
    plain = "".join(shown)
    return plain, [*places, len(text)]


def _groups(text: str, at: int) -> bool:
    """Say whether a narrow blank stands between digits, and so may group them."""
    return (
        text[at] in "\u00a0\u2009\u202f"
        and is_digit(text[at - 1 : at] or " ")
        and is_digit(text[at + 1 : at + 2] or " ")
    )


def _read(plain: str, comma: Comma) -> Cell | None:
    """Read a cell's canonical text; None where it is not understood to its end."""
    at = _LEAD.match(plain).end()  # type: ignore[union-attr] # it finds nothing at least
    end = len(plain.rstrip())
    whole = re.compile(rf"\( ?{_A} ?\) ?%").fullmatch(plain, at, end)
    if whole:
        inside = quantity(whole, "a", comma)
        return None if inside is None else Cell(plain, number=replace(inside, percent=True))
    cell = _range(plain, at, end, comma)
    if cell is not None:
        return cell
    found = _PLAIN.match(plain, at, end)
    number = quantity(found, "a", comma) if found else None
    if found is None or number is None:
        return None
    return _rest(plain, found.end(), end, Cell(plain, number=number), comma)


def _range(plain: str, at: int, end: int, comma: Comma) -> Cell | None:
    """Read a cell that is an interval and nothing else."""
    span = _RANGE.fullmatch(plain, at, end)
    if span is None:
        return None
    return _with_range(Cell(plain), span, comma)


def _rest(plain: str, at: int, end: int, cell: Cell, comma: Comma) -> Cell | None:
    """Read what follows the first number, part by part."""
    while at < end:
        change = _CHANGE.match(plain, at, end)
        taken = _with_change(cell, change, comma) if change else None
        if change and taken is not None:
            cell, at = taken, change.end()
            continue
        mark = _MARK.match(plain, at, end) or _END.match(plain, at, end)
        if mark:
            at = mark.end()
            continue
        step = _part(plain, at, end, cell, comma)
        if step is None:
            return None
        cell, at = step
    return _finished(cell)


def _part(plain: str, at: int, end: int, cell: Cell, comma: Comma) -> tuple[Cell, int] | None:
    """Read one addition: the cell with it and where it ended, None if it is not understood."""
    for pattern, take in _PARTS:
        found = pattern.match(plain, at, end)
        if found:
            taken = take(cell, found, comma)
            if taken is not None:
                return taken, found.end()
    return _next(plain, at, end, cell, comma)


def _next(plain: str, at: int, end: int, cell: Cell, comma: Comma) -> tuple[Cell, int] | None:
    """Read an arrow or a slash with the number after it."""
    arrow, over = _ARROW.match(plain, at, end), _OVER.match(plain, at, end)
    mark = arrow or over
    found = _PLAIN.match(plain, mark.end(), end) if mark else None
    number = quantity(found, "a", comma) if found else None
    if found is None or number is None:
        return None
    if arrow and cell.number and len(cell.quantities) == 1:
        return Cell(plain, number=number, before=cell.number, marks=cell.marks), found.end()
    if over and (cell.several or (cell.number and len(cell.quantities) == 1)):
        first = cell.several or ((cell.number,) if cell.number else ())
        return Cell(plain, several=(*first, number), marks=cell.marks), found.end()
    return None


def _with_spread(cell: Cell, found: re.Match[str], comma: Comma) -> Cell | None:
    spread = quantity(found, "a", comma)
    return None if cell.spread or not spread else replace(cell, spread=spread)


def _with_range(cell: Cell, found: re.Match[str], comma: Comma) -> Cell | None:
    low, high = quantity(found, "a", comma), quantity(found, "b", comma)
    if cell.low or low is None or high is None:
        return None
    marks = tuple(found.span(one) for one in ("early", "level") if found[one])
    level = found["early"] or found["level"] or ""
    return replace(cell, low=low, high=high, level=level, marks=cell.marks + marks)


def _with_errors(cell: Cell, found: re.Match[str], comma: Comma) -> Cell | None:
    ends = [quantity(found, one, comma) for one in "ab"]
    up, down = (0, 1) if found.start("up") < found.start("down") else (1, 0)
    upper, lower = ends[up], ends[down]
    if cell.upper or upper is None or lower is None or not lower.signed:
        return None
    return replace(cell, upper=upper, lower=lower)


def _with_p(cell: Cell, found: re.Match[str], comma: Comma) -> Cell | None:
    p = quantity(found, "a", comma)
    return None if cell.p or not p else replace(cell, p=p)


def _with_bracket(cell: Cell, found: re.Match[str], comma: Comma) -> Cell | None:
    inside = quantity(found, "a", comma)
    if inside is None or cell.bracket or cell.change or cell.several:
        return None
    inside = _directed(inside, found["way"])
    return replace(cell, change=inside) if inside.signed else replace(cell, bracket=inside)


def _with_change(cell: Cell, found: re.Match[str], comma: Comma) -> Cell | None:
    """Take `0.82 +3.1` and `0.82 ↑3.1`; a number without sign or arrow is something else."""
    inside = quantity(found, "a", comma)
    if inside is None or cell.change or cell.several or not (inside.signed or found["way"]):
        return None
    if found["asign"] and found.end("asign") != found.start("adigits"):
        return None
    return replace(cell, change=_directed(inside, found["way"]))


def _directed(one: Quantity, way: str | None) -> Quantity:
    """Let an arrow say the sign."""
    if not way or one.signed:
        return one
    return replace(one, value=-one.value if way in "↓▼▽⬇" else one.value, signed=True)


def _with_mark(cell: Cell, found: re.Match[str], _comma: Comma) -> Cell | None:
    """Take a raised number as a footnote's mark, but not beside a whole number: `2^10`."""
    number = cell.number
    if number is None or number.step >= 1:
        return None
    return replace(cell, marks=(*cell.marks, found.span()), raised=found[0].strip(" ^{}()"))


def _with_remark(cell: Cell, found: re.Match[str], _comma: Comma) -> Cell | None:
    said = found["remark"].strip()
    if cell.remark or any(map(is_digit, said)):
        return None
    return replace(cell, remark=said)


_PARTS = (
    (_SKEWED, _with_errors),
    (_SKEWED_TOO, _with_errors),
    (_SPREAD, _with_spread),
    (_SPREAD_IN, _with_spread),
    (_RANGE, _with_range),
    (_P, _with_p),
    (_BRACKET, _with_bracket),
    (_RAISED_MARK, _with_mark),
    (_REMARK, _with_remark),
)


def _finished(cell: Cell) -> Cell:
    """Share a percent sign that stands once at the end (`73.3 ± 3.1%`) with the whole cell."""
    shared = ("number", "before", "spread", "low", "high", "bracket", "upper", "lower")
    related = {name: one for name in shared if (one := getattr(cell, name)) is not None}
    telling = [one for name, one in related.items() if name != "bracket"]
    if any(one.percent and not one.points for one in telling):
        cell = replace(cell, **{name: replace(one, percent=True) for name, one in related.items()})
    if any(one.percent for one in cell.several):
        cell = replace(cell, several=tuple(replace(one, percent=True) for one in cell.several))
    return cell
