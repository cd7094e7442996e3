from __future__ import annotations

import hashlib
import importlib
import io
import itertools
import math
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from fontTools import subset
from fontTools.ttLib import TTFont
from matplotlib import rc_context
from matplotlib.figure import Figure

from crosscheck.drawing import fonts, pdf, style, svg
from crosscheck.drawing.curves import curves
from crosscheck.drawing.fonts import LAYOUT_TABLES
from crosscheck.drawing.plot import NotDrawnError
from crosscheck.drawing.render import VARIABLES, render
from crosscheck.drawing.scripts import spell_out
from crosscheck.figures import OF_ALL, ablation, agreement, draw_all, draw_comparison, due, joined
from crosscheck.model.comparison import ComparisonRow
from crosscheck.model.ledgers import compare
from crosscheck.report.gallery import Drawn, Gallery
from crosscheck.report.view import ComparisonView

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.drawing.data import FigureData
    from crosscheck.drawing.plot import Plot

FIGURES = due({"posts": 1})
"""Those of the study that the source documents are about."""
USUAL = subset.load_font
"""As fontTools has it."""
HOSTILE = "</text><script>alert(1)</script>$x_\\$&\x00\n"


@pytest.fixture(scope="module")
def gallery(data: FigureData) -> Gallery:
    return draw_all(data)


def one(name: str, data: FigureData) -> Plot:
    with style.applied():
        plot: Plot = importlib.import_module(f"crosscheck.figures.{name}").draw(data)
    return plot


def rendered(name: str, data: FigureData) -> Drawn:
    with style.applied():
        return render(name, importlib.import_module(f"crosscheck.figures.{name}").draw(data))


def digests(gallery: Gallery) -> dict[str, str]:
    return {
        drawn.name: hashlib.sha256(
            drawn.svg.encode() + drawn.pdf + drawn.inline.encode()
        ).hexdigest()
        for drawn in gallery.figures
    }


def test_complete_data_give_every_figure(gallery: Gallery) -> None:
    assert [drawn.name for drawn in gallery.figures] == list(FIGURES)
    assert gallery.not_drawn == {}


def test_another_machine_with_another_hash_seed_gives_the_same_bytes(
    data: FigureData, gallery: Gallery, tmp_path: Path, another_machine: dict[str, str]
) -> None:
    (tmp_path / "data").write_bytes(pickle.dumps(data))
    program = (
        "import hashlib, pathlib, pickle, sys\n"
        "from crosscheck.figures import draw_all\n"
        "data = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "for d in draw_all(data).figures:\n"
        "    content = d.svg.encode() + d.pdf + d.inline.encode()\n"
        "    print(d.name, hashlib.sha256(content).hexdigest())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "data")],
        capture_output=True,
        text=True,
        check=True,
        env=another_machine | {"MPLCONFIGDIR": str(tmp_path), "SOURCE_DATE_EPOCH": "1"},
    )
    assert dict(line.split() for line in done.stdout.splitlines()) == digests(gallery)


def test_the_users_own_matplotlib_settings_change_nothing(
    data: FigureData, gallery: Gallery
) -> None:
    from matplotlib import rc_context  # noqa: PLC0415 - loaded on use

    ruined = {"lines.linewidth": 9, "font.size": 30, "svg.hashsalt": None, "axes.grid": False}
    with rc_context(ruined):
        drawn = rendered("gamma", data)
    (before,) = [each for each in gallery.figures if each.name == "gamma"]
    assert (drawn.svg, drawn.pdf, drawn.inline) == (before.svg, before.pdf, before.inline)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_what_to_see_its_axes_and_n(name: str, data: FigureData) -> None:
    plot = one(name, data)
    assert len(plot.title) > 20
    assert len(plot.alt) > 40
    assert len(plot.caption) > 40
    texts = " ".join(text.get_text() for text in plot.figure.texts)
    assert re.search(r"\d", texts)
    if name != "state_flow":
        assert plot.figure.axes[-1].get_xlabel() or plot.figure.axes[0].get_xlabel()
    said = f"{texts} " + " ".join(axes.get_ylabel() for axes in plot.figure.axes)
    assert re.search(r"n = |keys|folds", f"{said} {plot.title}")


@pytest.mark.parametrize("name", FIGURES)
def test_titles_are_as_wide_as_their_column_at_most(name: str, data: FigureData) -> None:
    plot = one(name, data)
    figure = plot.figure
    figure.draw_without_rendering()
    right = max(text.get_window_extent().x1 for text in figure.texts)
    assert right <= figure.bbox.x1


def test_files_are_well_formed_and_carry_no_date(gallery: Gallery) -> None:
    for drawn in gallery.figures:
        ET.fromstring(drawn.svg)  # noqa: S314 - our own output
        assert "<dc:date>" not in drawn.svg
        assert drawn.pdf.startswith(b"%PDF")
        assert b"CreationDate" not in drawn.pdf


def test_pdf_fonts_are_embedded_as_true_type(gallery: Gallery) -> None:
    for drawn in gallery.figures:
        assert b"/Type3" not in drawn.pdf
        assert b"FontFile2" in drawn.pdf


def test_pdf_fonts_hold_what_draws_and_no_layout_tables(gallery: Gallery) -> None:
    for drawn in gallery.figures:
        fonts = [stream for stream in streams(drawn.pdf) if stream.startswith(b"\0\1\0\0")]
        assert fonts
        for font in fonts:
            with TTFont(io.BytesIO(font)) as opened:
                assert {"glyf", "hmtx", "loca"} <= set(opened.keys())
                assert not set(LAYOUT_TABLES) & set(opened.keys())
    assert subset.load_font is USUAL


def streams(pdf: bytes) -> list[bytes]:
    return re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL)


def test_a_pdf_is_not_packed_for_not_every_zlib_packs_into_the_same_bytes(gallery: Gallery) -> None:
    assert not [drawn.name for drawn in gallery.figures if b"FlateDecode" in drawn.pdf]


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in OF_ALL])
def test_a_figure_that_is_drawn_early_needs_the_primary_alone(name: str, data: FigureData) -> None:
    alone = replace(data, ledgers={"primary": data.ledger})
    assert one(name, alone).alt == one(name, data).alt


def test_inline_markup_fits_into_a_page_among_others(gallery: Gallery) -> None:
    ids: list[str] = []
    for drawn in gallery.figures:
        root = ET.fromstring(drawn.inline.replace("xlink:href", "href"))  # noqa: S314 - ours
        assert root.get("role") == "img"
        assert root.get("aria-label") == drawn.alt
        own = re.findall(r' id="([^"]*)"', drawn.inline)
        assert set(re.findall(r'(?:href="|url\()#([^")]*)', drawn.inline)) == set(own)
        ids += own
        assert "<style" not in drawn.inline
        assert "font-family" not in drawn.inline
    assert len(ids) == len(set(ids))


def test_inline_colours_are_the_pages(gallery: Gallery) -> None:
    for drawn in gallery.figures:
        left = set(re.findall(r"#[0-9a-f]{6}\b", drawn.inline))
        assert left == set(), drawn.name
        used = set(re.findall(r"var\((--[a-z-]+)\)", drawn.inline))
        assert used <= set(VARIABLES.values())


def test_only_figures_for_both_columns_are_wide(gallery: Gallery) -> None:
    wide = {drawn.name for drawn in gallery.figures if drawn.wide}
    assert wide == {"cutoffs", "criteria", "k_histogram", "grid"}


def test_series_differ_by_more_than_colour(data: FigureData) -> None:
    for axes in one("cutoffs", data).figure.axes:
        lines = [line for line in axes.get_lines() if not line.get_label().startswith("_")]  # type: ignore[union-attr]
        looks = {(str(line.get_linestyle()), line.get_marker()) for line in lines}
        markers = {line.get_marker() for line in lines}
        assert len(looks) == len(markers) == len(lines) == 3


def test_greys_of_neighbouring_fills_differ(data: FigureData) -> None:
    axes = one("k_histogram", data).figure.axes[0]
    greys = [
        float(np.dot(bars.patches[0].get_facecolor()[:3], [0.2126, 0.7152, 0.0722]))
        for bars in axes.containers
    ]
    assert min(abs(a - b) for a, b in itertools.pairwise(greys)) > 0.2


def test_a_curve_that_is_not_the_verified_one_is_never_drawn(data: FigureData) -> None:
    wrong = dict(data.ledger) | {"auroc|all_queries|all|value": 0.5}
    with pytest.raises(ValueError, match=r"but the ledger states 0\.5"):
        one("roc", replace(data, ledgers={"primary": wrong}))


def test_rankings_alone_give_their_figures_and_reasons_for_the_others(data: FigureData) -> None:
    stated = {key: value for key, value in data.ledger.items() if "@" in key and "@fpr" not in key}
    ranking = {
        key: v for key, v in stated.items() if key.split("@")[0] in ("ndcg", "recall", "hit")
    }
    counted = {"all_queries": 9, "positives_only": 5, "has_evidence": None}
    facts = {"queries": counted, "posts": 3}
    found = draw_all(
        replace(data, ledgers={"primary": ranking}, facts=facts, label=None, prob=None)
    )
    assert [drawn.name for drawn in found.figures] == ["cutoffs"]
    assert set(found.not_drawn) == set(FIGURES) - {"cutoffs"}
    assert found.not_drawn["roc"].startswith("the data have no probabilities")
    assert found.not_drawn["agreement"] == "only one witness testified"


def test_one_class_only_has_no_curve(data: FigureData) -> None:
    label = np.ones(5, dtype=bool)
    with pytest.raises(NotDrawnError, match="one class"):
        one("roc", replace(data, label=label, prob=np.linspace(0, 1, 5)))


def test_names_from_the_data_are_text_and_never_markup(data: FigureData) -> None:
    stated = {
        key.replace("criterion=A.2|", f"criterion={HOSTILE}|"): value
        for key, value in data.ledger.items()
    }
    criteria = [HOSTILE if name == "A.2" else name for name in data.criteria]
    facts = dict(data.facts) | {"criteria": criteria}
    drawn = rendered(
        "criteria", replace(data, system=HOSTILE, ledgers={"primary": stated}, facts=facts)
    )
    for text in (drawn.svg, drawn.inline.replace("xlink:href", "href")):
        ET.fromstring(text)  # noqa: S314 - our own output
        assert "<script" not in text


def test_a_name_in_any_script_stays_text_in_the_page_and_the_svg(data: FigureData) -> None:
    drawn = rendered("gamma", replace(data, system="系统 🧪"))
    assert "系统 🧪" in drawn.inline
    assert "系统 🧪" in drawn.svg
    assert "font-family: 'DejaVu Sans', sans-serif" in drawn.svg


def test_other_names_are_glyphs_in_the_svg(gallery: Gallery) -> None:
    assert [drawn.name for drawn in gallery.figures if "<text" in drawn.svg] == []


@pytest.mark.parametrize(
    ("name", "on_the_label"),
    [
        ("γ ± é", "γ ± é"),
        ("A.1 焦虑", r"A.1 \u7126\u8651"),
        ("焦虑不安 x", r"\u7126\u8651\u4e0d… x"),
        ("🧪", r"\u1f9ea"),
    ],
)
def test_a_pdf_spells_out_what_its_type_has_no_glyph_for(name: str, on_the_label: str) -> None:
    with style.applied():
        figure = style.blank(3, 1, "title", "subtitle")
    axes = figure.subplots()
    axes.set_yticks([0], [name])
    spell_out(figure)
    figure.draw_without_rendering()
    assert [label.get_text() for label in axes.get_yticklabels()] == [on_the_label]


def test_a_million_queries_make_no_bigger_figure(data: FigureData) -> None:
    generator = np.random.default_rng(1)
    label = generator.random(1_000_000) < 0.1
    prob = np.clip(generator.normal(0.3 + 0.3 * label, 0.2), 0, 1)
    found = curves(label, prob)
    assert found is not None
    stated = dict(data.ledger) | {
        "auroc|all_queries|all|value": found.auroc,
        "auprc|all_queries|all|value": found.auprc,
    }
    big = replace(data, ledgers={"primary": stated}, label=label, prob=prob)
    for name in ("roc", "precision_recall"):
        assert len(rendered(name, big).inline) < 100_000


def test_too_many_criteria_are_cut_to_those_with_most_evidence(data: FigureData) -> None:
    criteria = [f"C{n}" for n in range(45)]
    stated = dict(data.ledger)
    for n, name in enumerate(criteria):
        stated[f"auroc|all_queries|criterion={name}|value"] = 0.5 + n / 100
        stated[f"queries|positives_only|criterion={name}|n"] = n
    plot = one(
        "criteria",
        replace(data, ledgers={"primary": stated}, facts=dict(data.facts) | {"criteria": criteria}),
    )
    labels = [label.get_text() for label in plot.figure.axes[0].get_yticklabels()]
    assert labels == criteria[15:]
    assert "The 15 criteria with least evidence are in the ledger." in plot.caption


def comparison(*rows: ComparisonRow) -> ComparisonView:
    return ComparisonView(
        baseline="base",
        systems=["base", "a", "b"],
        metrics=["ndcg@10"],
        resamples=1000,
        correction="Holm",
        rows=list(rows),
    )


def test_the_ablation_marks_what_leaves_out_zero() -> None:
    rows = [
        ComparisonRow(
            system=system,
            baseline="base",
            key="ndcg@10|positives_only|all|mean",
            name="nDCG@10",
            value=0.8,
            difference=difference,
            low=difference - 0.02,
            high=difference + 0.02,
            p_holm=0.0004,
        )
        for system, difference in (("a", 0.01), ("b", 0.05))
    ]
    found = draw_comparison(comparison(*rows))
    (drawn,) = found.figures
    assert drawn.title == "b changes nDCG@10 most against base: +0.0500"
    assert "+0.0500  p &lt; 0.001" in drawn.inline


def test_labels_of_the_ablations_narrow_panels_keep_clear_of_each_other() -> None:
    rows = [
        ComparisonRow(
            system="a",
            baseline="base",
            key=f"{name}|positives_only|all|mean",
            name=name,
            value=0.8,
            difference=-0.0006,
            low=-0.0049,
            high=0.0035,
        )
        for name in ("recall@10", "ndcg@10", "mrr@all", "map@10")
    ]
    with style.applied():
        figure = ablation.draw(comparison(*rows)).figure
        figure.draw_without_rendering()
        for axes in figure.axes:
            boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
            seen = [box for box in boxes if axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1]
            assert len(seen) > 1
            assert all(left.x1 < right.x0 for left, right in itertools.pairwise(seen))


def test_a_comparison_of_nothing_says_so() -> None:
    assert draw_comparison(comparison()).not_drawn == {
        "ablation": "no metric is shared by two systems"
    }


def test_ids_are_numbered_and_not_made_from_coordinates(gallery: Gallery) -> None:
    for drawn in gallery.figures:
        ids = re.findall(r' id="([^"]*)"', drawn.svg)
        assert not [name for name in ids if re.search(r"[0-9a-f]{10}", name)]
        assert len(set(ids)) == len(ids)
        assert set(re.findall(r'(?:href="#|url\(#)([^")]*)', drawn.svg)) <= set(ids)


def test_the_agreement_figure_does_not_show_last_digits(data: FigureData) -> None:
    primary = data.ledgers["primary"]
    equal = replace(data, ledgers={"primary": primary, "reference": primary, "ranx": primary})
    near = {key: one * (1 + 3e-13) if type(one) is float else one for key, one in primary.items()}
    apart = replace(data, ledgers={"primary": primary, "reference": near, "ranx": near})
    assert rendered("agreement", equal) == rendered("agreement", apart)


def test_the_agreement_figure_counts_by_decades(data: FigureData) -> None:
    values = [0.0, 5e-10, 1.5e-9, 9e-9, 3e-8, 0.001, 0.00999, 0.5, 1e300, math.inf]
    first = {str(n): 1.0 for n in range(len(values))}
    second = {str(n): 1.0 + value for n, value in enumerate(values)}
    pair = compare(("primary", "ranx"), first, second)
    assert pair.count("exact") == 2
    assert agreement.decades(pair) == {-9: 2, -8: 1, -4: 1, -3: 1, -1: 3}
    ledgers = {"primary": first, "ranx": second}
    assert one("agreement", replace(data, ledgers=ledgers)).title.startswith("Not all witnesses")


def test_figures_drawn_apart_come_out_in_the_order_of_the_report() -> None:
    def one(name: str) -> Drawn:
        return Drawn(name, "t", "a", "c", "svg", b"pdf", "inline")

    first = Gallery((one("roc"), one("folds")), {"gamma": "no node_probs"})
    second = Gallery((one("agreement"),), {"precision_recall": "no prob"})
    whole = joined([second, first])
    assert [drawn.name for drawn in whole.figures] == ["roc", "folds", "agreement"]
    assert list(whole.not_drawn.items()) == [
        ("precision_recall", "no prob"),
        ("gamma", "no node_probs"),
    ]


def test_one_drawing_writes_what_matplotlib_writes_in_two() -> None:
    def made() -> Figure:
        figure = style.blank(style.COLUMN, 2.0, "A title & <more>", "a subtitle")
        axes = figure.add_subplot()
        axes.plot([0, 1, 2], [0.1, 0.9, 0.4], "o-", label="a line")
        axes.annotate("here", (1, 0.9), rotation=30)
        axes.legend()
        return figure

    facts = {"Title": "A title", "Date": None}
    with style.applied():
        usual = []
        for kind in ("path", "none"):
            text = io.StringIO()
            with rc_context({"svg.fonttype": kind}):
                made().savefig(text, format="svg", metadata=facts)
            usual.append(text.getvalue())
        assert svg.drawn(made(), facts) == tuple(usual)


def test_a_figure_that_is_laid_out_is_drawn_as_matplotlib_saves_it() -> None:
    facts = {"Title": "A title", "CreationDate": None}
    with style.applied(), fonts.read_once():
        figure = style.blank(style.COLUMN, 2.0, "A title", "a subtitle")
        figure.add_subplot().plot([0, 1, 2], [0.1, 0.9, 0.4], "o-", label="a line")
        svg.drawn(figure, {"Title": "A title", "Date": None})
        saved = io.BytesIO()
        figure.savefig(saved, format="pdf", metadata=facts)
        assert pdf.drawn(figure, facts) == saved.getvalue()


@pytest.mark.parametrize("text", ["Ångström − 1 ≤ 2", "Жук, a letter that few figures have"])
def test_a_font_that_was_reduced_before_is_embedded_as_the_whole_is(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def embedded() -> bytes:
        figure = Figure(figsize=(2, 1))
        figure.text(0.1, 0.5, text)
        written = io.BytesIO()
        figure.savefig(written, format="pdf", metadata={"CreationDate": None})
        return written.getvalue()

    with style.applied():
        with fonts.read_once():
            twice = [embedded(), embedded()]
        monkeypatch.setattr(subset, "load_font", fonts.without_layout)
        assert twice == [embedded()] * 2
