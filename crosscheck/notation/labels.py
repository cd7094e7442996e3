"""What a row label, a column header or a level of a nested file says about a number.

A label can name a metric, a population, a slice, a split, a statistic, a data set, a change between
systems, or none of these: then it names the system. Words are data (`words.toml`). What stands
beside a metric's name and is not understood is kept as a condition: `MRR (训练集)` is not MRR.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.model.key import escape
from crosscheck.notation import word_lists as lists
from crosscheck.notation.metric_names import folded, lookup

if TYPE_CHECKING:
    from crosscheck.contract.parameters import Parameter

LONGEST = 300
"""Characters above which a text is no label."""
_ARROWS = re.compile(r"[↑↓▲▼†‡§¶*]+|\((?:higher|lower) is better\)", re.IGNORECASE)
_PERCENT = re.compile(
    r"[(\[] ?(?:in |as )?(?:%|percent|percentage|[×x] ?100) ?[)\]]$|,? (?:in )?%$|,? [×x] ?100$",
    re.IGNORECASE,
)
_SLICE = re.compile(
    r"^(?P<kind>fold|criterion|view|state|seed|class)(?: ?[=:_#-] ?| |(?=\d))(?P<value>[^|]+)$",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(r"^(?P<head>.*\S) ?[(\[](?P<tail>[^()\[\]]*)[)\]]$")
_POWER = re.compile(
    r"(?:(?<=[^\W\d_]{2})|(?<=\b[RP])|(?<=[^\W\d_]\d)|(?<=\))) ?\^ ?[{(]?\d+[)}]?(?!\w)|[√÷‾]"
    r"|(?<=[\w)])(?: ?[*·×]{1,2}| x)(?! ?100\b) ?\d+(?!\w)"
)
"""A raised number after a name: a power or a footnote, never the cut-off. `F^1` is a name."""
_DELTA = re.compile(r"^[Δ∆δ] ?\(?(?P<rest>[^()]*)\)?$")
_PAIR = re.compile(r"^(?P<new>\S.*?) (?:vs\.?|versus|over|against|[−–-]) (?P<old>\S.*)$")
_AGAINST = re.compile(
    r"\b(?:vs\.?|versus|over|against|compared to|relative to) (?P<name>.+)$", re.IGNORECASE
)
_SEPARATOR = re.compile(r"[ _/.:,;-]+|(?=[(\[])|(?<=[)\]])")
_PERCENTILE = re.compile(r"p\d\d")
"""A percentile of times, as everybody writes it; precision at 95 is P@95."""
_TOP = re.compile(r"(?:top|acc|accuracy) ?@ ?([1-9]\d{0,3})", re.IGNORECASE)
_TOPS = ("hit", "top_k_accuracy")
_ENDS = frozenset(("train", "training", "dev", "val", "validation", "test", "devset", "testset"))
"""Splits that the name of a data set ends with."""
_MOST_PIECES = 12
_SHORTEST = 2
"""Letters that a name needs if other words stand beside it: `P` and `R` alone name metrics."""


@dataclass(frozen=True, slots=True)
class Label:
    """What one label, or several taken together, say; None where they say nothing."""

    metric: str | None = None
    template: str | None = None
    parameter: tuple[str, str] | None = None
    """A symbol and its value, such as K and 10."""
    population: str | None = None
    slice: str | None = None
    statistic: str | None = None
    change: str | None = None
    """How a change is counted: `relative`, `points`, `difference` or `open`."""
    against: str | None = None
    percent: bool = False
    listing: str | None = None
    neutral: bool = False
    other: tuple[str, ...] = ()
    problem: str | None = None
    suggestions: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    """The metrics that an ambiguous name can mean."""
    dataset: str | None = None
    split: str | None = None
    average: bool = False
    noted: str = ""
    """The rule by which the quantity is no metric."""
    condition: tuple[str, ...] = ()
    """What stands beside a metric's name and is not understood."""
    grid: tuple[str, str] | None = None
    """The side of a confusion matrix and its class: `actual`, `Fraud`."""

    def plus(self, inner: Label) -> Label:
        """Add an inner label: where both speak, the inner one holds."""
        own = bool(inner.metric or inner.template or inner.problem)
        named = inner if own else self
        return Label(
            metric=named.metric,
            template=named.template,
            parameter=inner.parameter or self.parameter,
            population=inner.population or self.population,
            slice=inner.slice or self.slice,
            statistic=inner.statistic or self.statistic,
            change=inner.change or self.change,
            against=inner.against or self.against,
            percent=inner.percent or self.percent,
            listing=inner.listing,
            other=self.other + inner.other,
            problem=named.problem,
            suggestions=named.suggestions if own else inner.suggestions or self.suggestions,
            candidates=named.candidates,
            dataset=inner.dataset or self.dataset,
            split=inner.split or self.split,
            average=inner.average or self.average,
            noted=inner.noted or self.noted,
            condition=self.condition + inner.condition,
            grid=inner.grid or self.grid,
        )

    @property
    def names_metric(self) -> bool:
        """Whether a metric is meant, even if it is not clear which."""
        return bool(self.metric or self.template or self.candidates)

    @property
    def pure(self) -> bool:
        """Whether it names a metric and says nothing that was not understood."""
        return self.names_metric and not self.condition and not self.change


@lru_cache(maxsize=8192)
def read(text: str) -> Label:
    """Read one label that may name a metric."""
    changed = _changes(text[:LONGEST])
    if changed:
        return changed
    plain, percent = _trimmed(text)
    label = _key(plain) or _word(plain) or named(plain) or _changed(plain) or _compound(plain)
    return replace(label or _unnamed(plain), percent=percent)


def _changes(text: str) -> Label | None:
    """Leave open what a metric means under a root, in a fraction, or with a raised number."""
    bare = _POWER.sub("", text)
    if bare == text:
        return None
    base = read(bare)
    if not (base.metric or base.template or base.candidates):
        return None
    return Label(
        problem=f"“{text.strip()}” may be another quantity than “{bare.strip()}”, or have a mark; "
        "write the name alone",
        percent=base.percent,
    )


@lru_cache(maxsize=8192)
def plain(text: str) -> Label:
    """Read one label that names no metric, whatever it looks like."""
    trimmed, percent = _trimmed(text)
    label = _word(trimmed)
    changed = None if label else _changed(trimmed)
    if changed is not None and changed.change:
        label = Label(change=changed.change, against=changed.against, other=changed.other)
    return replace(label or _place(trimmed), percent=percent)


def _trimmed(text: str) -> tuple[str, bool]:
    """Take marks and a trailing percent sign off; say whether there was one."""
    marked = lists.tidy(_ARROWS.sub("", text[:LONGEST]))
    percent = _PERCENT.search(marked)
    return (marked[: percent.start()] if percent else marked).strip(" :"), percent is not None


def _unnamed(text: str) -> Label:
    rule = lists.noted(text)
    return Label(noted=rule, other=(text,)) if rule else _place(text)


def _place(text: str) -> Label:
    """Read a name: of a data set, where it is a well-known one, else of a system."""
    if not text:
        return Label()
    return dataset(text) if lists.names_dataset(text) else Label(other=(text,))


def dataset(text: str) -> Label:
    """Name a data set; a split that stands last in its name is the one it is of: `MSMARCO dev`."""
    words = re.split(r"[ _.:/()-]+", text.strip(" )"))
    last = next((one for one in ("".join(words[-2:]), words[-1]) if one.lower() in _ENDS), "")
    return Label(dataset=text, split=lists.splits().get(last.lower()) if last else None)


def _key(text: str) -> Label | None:
    """Read a whole ledger key, or its beginning: `recall@10|positives_only`."""
    if "|" not in text:
        return None
    parts = [part.strip() for part in text.split("|")]
    known = load().find(parts[0])
    metric = known.text if known else lookup(parts[0]).metric
    if not metric or len(parts) > 4:  # noqa: PLR2004 - a key has four parts
        return None
    parts += [""] * (4 - len(parts))
    if not _known_words(*parts[1:]):
        return None
    return Label(metric, None, None, parts[1] or None, parts[2] or None, parts[3] or None)


def _known_words(population: str, where: str, statistic: str) -> bool:
    """Whether the contract has these parts of a key; an empty one is left open."""
    contract = load()
    populations = {one.id for one in contract.populations} | {""}
    slices = {one.id for one in contract.slices} | {""}
    statistics = {one.id for one in contract.statistics} | {""}
    return (
        population in populations
        and (where.partition("=")[0] in slices or "=" in where or _is_average(where, statistic))
        and (statistic in statistics or statistic.partition("/")[0] in {"ci_low", "ci_high"})
    )


def _is_average(where: str, statistic: str) -> bool:
    """Whether a slice is a column's name, and so the number an average over its values."""
    return statistic in {"macro", "micro"} and re.fullmatch(r"[^\W\d]\w*", where) is not None


def _word(text: str) -> Label | None:
    """Read a text that is one of the listed words, or a slice, or the value of a parameter."""
    name = folded(text)
    if not name:
        return None
    found = _SLICE.match(text)
    if found and not lists.index("listing").get(name):
        return Label(slice=f"{found['kind'].lower()}={escape(found['value'].strip())}")
    listing = lists.index("listing").get(name)
    if listing:
        return Label(listing=listing, slice="folds" if name == "folds" else None)
    return _parameter(text) or _listed(name)


def _listed(name: str) -> Label | None:
    if name in lists.index("change"):
        return Label(change=lists.index("change")[name])
    if name in lists.listed("folds"):
        return Label(slice="folds")
    if name in lists.index("population"):
        return Label(population=lists.index("population")[name])
    if name in lists.index("statistic"):
        return Label(statistic=lists.index("statistic")[name])
    if name in lists.splits():
        return Label(split=lists.splits()[name])
    if name in lists.listed("neutral"):
        return Label(neutral=True)
    return None


def _parameter(text: str) -> Label | None:
    """Read a value that stands alone, such as `@10` or `top-10`."""
    for one in load().parameters:
        pattern = one.alone.replace("{}", f"(?P<value>{one.pattern})")
        found = re.fullmatch(pattern, text, re.IGNORECASE) if pattern else None
        if found:
            return Label(parameter=(one.symbol, found["value"].lower()))
    return None


def headed(heading: str) -> Parameter | None:
    """Say which parameter the folded heading of a column names."""
    for one in load().parameters:
        if heading in map(folded, one.headings):
            return one
    return None


def named(text: str) -> Label | None:
    """Read a text that is a metric's name and nothing else; None for any other."""
    if _PERCENTILE.fullmatch(text):
        return None
    top = _TOP.fullmatch(text)
    if top:
        meant = tuple(one for name in _TOPS if load().find(one := f"{name}@{top[1]}"))
        said = f"“{text}” could mean {' or '.join(meant)}: of a ranking, or of class probabilities"
        return Label(parameter=("K", top[1]), problem=said, suggestions=meant, candidates=meant)
    found = lookup(text)
    if found.metric:
        # MRR alone is over the whole ranking; beside a column of K it is at that K.
        return Label(found.metric, found.template, population=found.population)
    if found.template or found.ambiguous:
        return Label(
            template=found.template,
            problem=found.problem,
            suggestions=found.suggestions,
            candidates=found.suggestions if found.ambiguous else (),
        )
    return None


def _changed(text: str) -> Label | None:
    """Read `ΔMRR`, `Δ AUC`, `vs. BM25`, `Improvement over BM25`, `Δ%`."""
    delta = _DELTA.match(text)
    if delta:
        pair = _PAIR.match(delta["rest"].strip())
        if pair:
            return Label(change="open", against=pair["old"], other=(pair["new"],))
        inner = read(delta["rest"]) if delta["rest"].strip() else Label()
        kind = "relative" if delta["rest"].strip() == "%" else "open"
        return replace(inner, change=inner.change or kind, other=(), problem=inner.problem)
    against = _AGAINST.search(text)
    if against is None:
        return None
    head = text[: against.start()].strip()
    outer = read(head) if head else Label(change="open")
    if not outer.change:
        return None
    return replace(outer, against=against["name"].strip(), other=())


def _compound(text: str) -> Label | None:
    """Read a metric's name with words before or after it, or with words in brackets.

    `nDCG@10 (positives only)`, `auroc_std`, `mean MRR`, `BEIR (nDCG@10)`, `NDCG@5 Drop`.
    """
    qualified = _QUALIFIED.match(text)
    if qualified:
        inside = named(qualified["tail"].strip())
        if inside is not None and named(qualified["head"]) is None:
            return inside.plus(plain(qualified["head"]))
    cuts = [0, *(found.end() for found in _SEPARATOR.finditer(text) if found.end()), len(text)]
    starts = sorted(set(cuts))
    if len(starts) > _MOST_PIECES:
        return None
    for size in range(len(starts) - 2, 0, -1):
        for first in range(len(starts) - size):
            low, high = starts[first], starts[first + size]
            label = _inside(text[low:high])
            if label is not None:
                return _beside(_beside(label, text[:low]), text[high:])
    return None


def _inside(text: str) -> Label | None:
    bare = text.strip(" _/.:,;-")
    if bare[:1] in {"(", "["} and bare[-1:] in {")", "]"}:
        bare = bare[1:-1].strip()
    unfinished = bare.endswith(("@", "=")) or bare.count("(") != bare.count(")")
    return None if unfinished or len(bare) < _SHORTEST else named(bare)


def _beside(label: Label, rest: str) -> Label:
    """Add what stands before or after a metric's name, brackets for themselves."""
    for part in re.split(r"[()\[\]]", rest):
        text = lists.tidy(part.strip(" _/.:,;-@"))
        label = _qualified(label, text) if text else label
    return label


def _qualified(label: Label, text: str) -> Label:
    """Add words that are known, else a condition."""
    meant = _variant(label, text)
    if meant is not None:
        return meant
    word = _word(text)
    if word is None and lists.repeated(text):
        word = Label(slice=lists.repeated(text))
    if word is not None and not word.parameter:
        return label if word.neutral else label.plus(replace(word, listing=None))
    if folded(text) in lists.listed("average", "over") or _counts_datasets(text):
        return replace(label, average=True)
    if lists.names_dataset(text):
        return label.plus(dataset(text))
    return replace(label, condition=(*label.condition, text))


def _variant(label: Label, text: str) -> Label | None:
    """Read a definition of the contract that is named beside a metric: `MAP@10 (by gold)`."""
    name = "_".join(re.split(r"[ _-]+", text.lower()))
    if label.metric is None or "/" in label.metric:
        return None
    if name == "binary" and load().find(f"{label.metric}/graded"):
        return label  # as reports call the plain one where grades are known
    known = load().find(f"{label.metric}/{name}")
    template = f"{label.template}/{name}" if label.template else None
    return replace(label, metric=known.text, template=template) if known else None


def _counts_datasets(text: str) -> bool:
    """Whether a text such as “18 datasets” says that a number is over several of them."""
    number, _, what = text.partition(" ")
    return number.isdigit() and folded(what) in lists.listed("average", "over")


def path(parts: tuple[str, ...]) -> Label:
    """Read the levels of a nested file from the outside in."""
    whole = Label()
    for part in parts:
        listing = whole.listing
        inner = read(part)
        if listing and inner.slice is None and not inner.names_metric and inner.statistic is None:
            value = re.sub(rf"^{listing}[ _=-]*", "", part.strip("[]"), flags=re.IGNORECASE)
            inner = Label(slice=f"{listing}={escape(value)}")
        if inner.neutral:
            inner = Label()
        whole = whole.plus(inner)
    return whole
