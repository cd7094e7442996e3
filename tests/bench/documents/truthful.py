"""Documents that tell the truth: what they print is what simulated data give, rounded."""

from __future__ import annotations

import random
from dataclasses import dataclass
from statistics import mean, stdev
from typing import TYPE_CHECKING

from documents import simulate as sim
from documents.sheets import FORMS, Document, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from documents.simulate import Values

SYSTEMS = ("BM25", "DPR", "ColBERT", "SPLADE", "Ours")
MODELS = ("LogReg", "SVM", "Random forest", "BERT", "Ours")
DATASETS = ("NFCorpus", "SciFact", "FiQA", "ArguAna", "SCIDOCS", "Quora")
CLASSES = ("cat", "dog", "bird", "horse", "ship", "truck")


@dataclass(frozen=True)
class Style:
    """How a document prints shares."""

    digits: int
    percent: str
    """`` for fractions, `sign` for 73.3%, `bare` for 73.3."""

    def __call__(self, value: float) -> str:
        """Print a share."""
        if not self.percent:
            return f"{value:.{self.digits}f}"
        return f"{100 * value:.{max(self.digits - 2, 1)}f}" + "%" * (self.percent == "sign")


def style(chance: random.Random) -> Style:
    """Choose a style; bare percentages keep clear of small numbers, which would be ambiguous."""
    return Style(chance.choice((2, 3, 3, 4)), chance.choice(("", "", "sign", "bare")))


def _names(chance: random.Random, names: Sequence[str], most: int = 4) -> list[str]:
    return sorted(chance.sample(names, chance.randint(2, most)), key=names.index)


def _best(values: Sequence[Sequence[float]], shift: int = 1) -> set[tuple[int, int]]:
    """Say which cells are the best of their column."""
    found = set()
    for c, column in enumerate(zip(*values, strict=True)):
        found |= {(r, c + shift) for r, value in enumerate(column) if value == max(column)}
    return found


def _runs(
    chance: random.Random, systems: Sequence[str], ks: Sequence[int]
) -> dict[str, list[Values]]:
    gold = sim.queries(chance, chance.choice((12, 25, 50)), chance.choice((1, 3, 8, 25)))
    found = {}
    for system in systems:
        lists = sim.rankings(chance, gold, 0.1 + 0.8 * chance.random())
        each = [sim.of_query(one, max(g, sum(map(bool, one))), ks)
                for one, g in zip(lists, gold, strict=True)]  # fmt: skip
        found[system] = each
    return found


def ranking(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print systems by metrics, with a row of changes at times, maybe over two tables."""
    ks = chance.choice(sim.CUTOFFS)
    runs = _runs(chance, _names(chance, SYSTEMS), ks)
    means = {system: sim.averaged(each) for system, each in runs.items()}
    names = [
        n for n in next(iter(means.values())) if not n.startswith("MAP") or chance.random() < 0.1
    ]
    names = sorted(chance.sample(names, min(len(names), chance.randint(2, 6))), key=names.index)
    where = chance.choice(("", f"Results on {chance.choice(DATASETS)}", "Main results"))
    halves = [names]
    if len(names) > 3 and chance.random() < 0.4:
        halves = [names[:2], names[2:]]
    parts: list[Sheet | str] = []
    for half in halves:
        sheet = _by_system("ranking", half, means, show, where)
        _changed(chance, sheet, half, means, show)
        parts.append(sheet)
    if chance.random() < 0.4:
        system, name = chance.choice(list(means)), chance.choice(names)
        parts.insert(0, f"{system} reaches an {name} of {show(means[system][name])}.")
    return parts


def _by_system(
    kind: str, names: Sequence[str], means: dict[str, Values], show: Style, caption: str = ""
) -> Sheet:
    rows = [[system, *(show(values[n]) for n in names)] for system, values in means.items()]
    return Sheet(kind, ["Model", *names], rows, caption)


def _changed(
    chance: random.Random, sheet: Sheet, names: Sequence[str], means: dict[str, Values], show: Style
) -> None:
    """Add a row of changes of the last system, or mark the best."""
    way = chance.choice(("none", "bold", "relative", "points", "best other"))
    systems = list(means)
    if way == "bold":
        sheet.bold = _best([[means[s][n] for n in names] for s in systems])
        return
    if way == "none":
        return
    new = means[systems[-1]]
    olds = systems[-2:-1] if way != "best other" else systems[:-1]
    cells = []
    for name in names:
        old = max(means[s][name] for s in olds)
        if way == "points":
            change = (
                f"{100 * (new[name] - old):+.2f}"
                if show.percent
                else f"{new[name] - old:+.{show.digits}f}"
            )
        else:
            change = f"{100 * (new[name] - old) / old:+.2f}%" if old else "–"
        cells.append(change)
    label = {"points": "Δ", "relative": f"Improvement over {olds[-1]}", "best other": "Improvement"}
    sheet.rows.append([label[way], *cells])
    sheet.kind = "changes"


def datasets(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print one metric of systems by data sets, with their average."""
    systems, places = _names(chance, SYSTEMS), _names(chance, DATASETS, 6)
    name = chance.choice(("nDCG@10", "Recall@10", "MRR@10", "Hit@10"))
    values = {s: [] for s in systems}
    for _ in places:
        runs = _runs(chance, systems, (10,))
        for system, each in runs.items():
            values[system].append(sim.averaged(each)[name])
    rows = [[s, *map(show, some), show(mean(some))] for s, some in values.items()]
    word = chance.choice(("Avg", "Average", "Avg."))
    sheet = Sheet("average", ["Model", *places, word], rows, f"{name} by data set")
    if chance.random() < 0.5:
        sheet.bold = _best([[*some, mean(some)] for some in values.values()])
    return [sheet]


def graded(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print graded nDCG beside binary metrics."""
    ks = chance.choice(((5, 10), (10,), (3, 10)))
    gold = sim.queries(chance, chance.choice((12, 30)), chance.choice((3, 8)))
    means = {}
    for system in _names(chance, SYSTEMS, 3):
        lists = sim.rankings(chance, gold, 0.1 + 0.8 * chance.random())
        each = []
        for one, g in zip(lists, gold, strict=True):
            number = max(g, sum(map(bool, one)))
            missing = [chance.randint(1, 3) for _ in range(number - sum(map(bool, one)))]
            each.append({**sim.of_query(one, number, ks), **sim.graded(one, missing, ks)})
        means[system] = sim.averaged(each)
    names = [
        n for n in next(iter(means.values())) if n.startswith(("nDCG", "MRR@", "Recall", "Hit"))
    ]
    caption = "Graded relevance (0 to 3)"
    sheet = _by_system("graded", names, means, show, caption)
    sheet.header = [f"Graded {n}" if n.startswith("nDCG") else n for n in sheet.header]
    return [sheet]


def _binary(chance: random.Random, labels: Sequence[int]) -> tuple[list[list[int]], Values]:
    skill = 0.2 + 0.75 * chance.random()
    counts = sim.matrix(labels, sim.decisions(chance, labels, 2, skill), 2)
    return counts, sim.of_binary(counts, sim.area(chance, labels, skill))


def _labels(chance: random.Random) -> list[int]:
    size, share = chance.choice((30, 80, 200)), chance.choice((0.1, 0.3, 0.5))
    return [1, 0] + [int(chance.random() < share) for _ in range(size)]


def binary(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print binary classifiers, on one data set or several, maybe with counts."""
    models = _names(chance, MODELS)
    names = [
        "Accuracy",
        "Precision",
        "Recall",
        "F1",
        "Specificity",
        "FPR",
        "NPV",
        "Balanced accuracy",
        "MCC",
        "AUROC",
    ]
    kept = [n for n in names if n in {"Precision", "Recall", "F1"} or chance.random() < 0.5]
    if show.percent:
        kept = [n for n in kept if n != "MCC"]
    places = (
        _names(chance, ("Davidson", "HateXplain", "IMDB"), 3) if chance.random() < 0.4 else [""]
    )
    counted = len(places) == 1 and chance.random() < 0.4
    rows, every = [], []
    for place in places:
        labels = _labels(chance)
        for model in models:
            counts, values = _binary(chance, labels)
            (tn, fp), (fn, tp) = counts
            numbers = [str(n) for n in (tp, fp, tn, fn)] if counted else []
            lead = [model, place] if place else [model]
            rows.append([*lead, *numbers, *(show(values[n]) for n in kept)])
            every.append([values[n] for n in kept])
    lead = ["Model", "Dataset"] if places[0] else ["Model"]
    header = [*lead, *(["TP", "FP", "TN", "FN"] if counted else []), *kept]
    return [Sheet("counts" if counted else "binary", header, rows, labels=len(lead))]


def folds(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print a classifier fold by fold, with the average."""
    names = ("Accuracy", "Precision", "Recall", "F1", "AUROC")
    each = [_binary(chance, _labels(chance))[1] for _ in range(chance.choice((3, 5, 10)))]
    rows = [[f"Fold {i}", *(show(one[n]) for n in names)] for i, one in enumerate(each, 1)]
    rows.append(["Average", *(show(mean(one[n] for one in each)) for n in names)])
    return [Sheet("folds", ["Fold", *names], rows)]


def spreads(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print means over folds with their standard deviation."""
    names = chance.choice((("Accuracy", "F1", "AUROC"), ("Precision", "Recall", "F1")))
    count = chance.choice((3, 5))
    rows = []
    for model in _names(chance, MODELS, 3):
        each = [_binary(chance, _labels(chance))[1] for _ in range(count)]
        cells = [(mean(o[n] for o in each), stdev(o[n] for o in each)) for n in names]
        rows.append([model, *(f"{show(m)} ± {show(s)}" for m, s in cells)])
    return [
        Sheet("spreads", ["Model", *names], rows, f"Mean and standard deviation over {count} folds")
    ]


def classes(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print classifiers of several classes: macro, weighted or micro averages."""
    size = chance.randint(3, 6)
    labels = [*range(size), *(chance.choice(range(size)) for _ in range(chance.choice((40, 150))))]
    means = {}
    for model in _names(chance, MODELS):
        guesses = sim.decisions(chance, labels, size, 0.2 + 0.75 * chance.random())
        means[model] = sim.of_classes(sim.matrix(labels, guesses, size))
    way = chance.choice(("named", "macro caption", "weighted"))
    if way == "named":
        names = ["Accuracy", "Macro Precision", "Macro Recall", "Macro F1"]
        names += [
            n for n in ("Weighted F1", "Micro F1", "Balanced accuracy") if chance.random() < 0.5
        ]
        return [_by_system("classes", names, means, show, f"Results over {size} classes")]
    lead = "Macro" if way == "macro caption" else "Weighted"
    names = ["Accuracy", f"{lead} Precision", f"{lead} Recall", f"{lead} F1"]
    sheet = _by_system("classes", names, means, show, f"Results over {size} classes")
    if way == "macro caption":
        sheet.header = [n.removeprefix("Macro ") for n in sheet.header]
        sheet.caption += ", macro-averaged"
    return [sheet]


def report(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print a report by class, as libraries do, and maybe the confusion matrix."""
    size = chance.randint(3, 5)
    labels = [*range(size), *(chance.choice(range(size)) for _ in range(chance.choice((40, 150))))]
    guesses = sim.decisions(chance, labels, size, 0.3 + 0.65 * chance.random())
    counts = sim.matrix(labels, guesses, size)
    values = sim.of_classes(counts)
    rows = []
    for one in range(size):
        of = sim.of_class(counts, one)
        rows.append(
            [
                CLASSES[one],
                *(show(of[n]) for n in ("Precision", "Recall", "F1")),
                f"{of['Support']:.0f}",
            ]
        )
    names = ("Precision", "Recall", "F1")
    rows += [
        [f"{lead} avg", *(show(values[f"{lead} {n}"]) for n in names), str(len(labels))]
        for lead in ("Macro", "Weighted")
    ]
    parts: list[Sheet | str] = [
        Sheet("report", ["Class", "Precision", "Recall", "F1", "Support"], rows)
    ]
    if chance.random() < 0.6:
        grid = [[f"Actual {CLASSES[i]}", *map(str, counts[i])] for i in range(size)]
        parts.append(
            Sheet(
                "matrix",
                ["", *(f"Predicted {c}" for c in CLASSES[:size])],
                grid,
                "Confusion matrix",
            )
        )
        parts.append(
            Sheet(
                "classes",
                ["Metric", "Value"],
                [["Accuracy", show(values["Accuracy"])], ["Macro F1", show(values["Macro F1"])]],
            )
        )
    return parts


def grid(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print a binary confusion matrix and the rates that follow from it."""
    counts, values = _binary(chance, _labels(chance))
    (tn, fp), (fn, tp) = counts
    rows = [["Actual Positive", str(tp), str(fn)], ["Actual Negative", str(fp), str(tn)]]
    sheet = Sheet("matrix", ["", "Predicted Positive", "Predicted Negative"], rows)
    names = ("Precision", "Recall", "F1", "Accuracy", "AUROC")
    rates = Sheet("counts", ["Metric", "Value"], [[n, show(values[n])] for n in names])
    return [sheet, rates]


def topics(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print queries with their number of relevant documents."""
    gold = sim.queries(chance, chance.choice((4, 8)), 6)
    lists = sim.rankings(chance, gold, 0.1 + 0.8 * chance.random())
    rows = []
    for i, (one, g) in enumerate(zip(lists, gold, strict=True), 1):
        values = sim.of_query(one, g, (10,))
        rows.append([f"Topic {300 + i}", str(g), show(values["P@10"]), show(values["Recall@10"])])
    return [Sheet("topics", ["Topic", "Relevant", "P@10", "Recall@10"], rows)]


def ablation(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print a full model, what is left without each part, and the change in brackets."""
    ks = (10,)
    runs = _runs(chance, ("Full", "− reranker", "− query expansion", "− hard negatives"), ks)
    means = {system: sim.averaged(each) for system, each in runs.items()}
    names = ("nDCG@10", "Recall@10")
    sheet = _by_system("ablation", names, means, show)
    if chance.random() < 0.6:
        full = means["Full"]
        for row in sheet.rows[1:]:
            for c, name in enumerate(names, 1):
                change = means[row[0]][name] - full[name]
                text = (
                    f"{100 * change:+.{max(show.digits - 2, 1)}f}"
                    if show.percent
                    else f"{change:+.{show.digits}f}"
                )
                row[c] += f" ({text.replace('-', '−')})"
    return [sheet]


def splits(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print the same systems on two splits, and on the same split elsewhere."""
    systems = _names(chance, SYSTEMS, 3)
    means = {
        split: {s: sim.averaged(e) for s, e in _runs(chance, systems, (10,)).items()}
        for split in ("Dev", "Test")
    }
    names = ("MRR@10", "Recall@10")
    header = ["Model", *(f"{name} ({split})" for split in means for name in names)]
    rows = [[s, *(show(means[split][s][n]) for split in means for n in names)] for s in systems]
    first = Sheet("splits", header, rows)
    if chance.random() < 0.5:
        return [first]
    return [
        _by_system("splits", names, means[split], show, f"Results on the {split.lower()} set")
        for split in means
    ]


def tops(chance: random.Random, show: Style) -> list[Sheet | str]:
    """Print top-k accuracy beside accuracy and macro F1."""
    size = chance.randint(3, 6)
    rows = []
    for model in _names(chance, MODELS):
        labels = [chance.randrange(size) for _ in range(60)]
        guesses = sim.decisions(chance, labels, size, 0.2 + 0.7 * chance.random())
        values = sim.of_classes(sim.matrix(labels, guesses, size))
        top = values["Accuracy"] + (1 - values["Accuracy"]) * chance.random()
        rows.append([model, show(values["Accuracy"]), show(top), show(values["Macro F1"])])
    return [Sheet("classes", ["Model", "Top-1 accuracy", "Top-5 accuracy", "Macro F1"], rows)]


PAGES: tuple[Callable[[random.Random, Style], list[Sheet | str]], ...] = (
    ranking, ranking, datasets, graded, binary, binary, folds, spreads, classes, report, grid,
    topics, ablation, splits, tops,
)  # fmt: skip


def document(seed: int) -> Document:
    """Give the truthful document of a seed: one to three pages in one format and style."""
    chance = random.Random(seed)
    form = FORMS[seed % len(FORMS)]
    show = style(chance)
    if form == "csv":
        made = chance.choice(PAGES)(chance, show)
        return Document(form, [next(part for part in made if isinstance(part, Sheet))])
    parts: list[Sheet | str] = []
    pages = chance.sample(range(len(PAGES)), chance.choice((1, 1, 2, 3)))
    for number, page in enumerate(pages, 1):
        made = PAGES[page](chance, show)
        for part in made:
            if isinstance(part, Sheet) and len(pages) > 1:
                part.heading = f"Experiment {'ABC'[number - 1]}"
        parts += made
    return Document(form, parts)
