from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from crosscheck.report import html, markdown, printing
from crosscheck.report.gallery import Drawn, Gallery
from crosscheck.report.results import CRITERIA
from crosscheck.report.view import Figure

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.model.findings import Finding
    from crosscheck.report.view import ComparisonView, Report, SystemView

LIMIT = 5_000_000
VOID = {"meta", "br", "input", "hr", "img", "link"}


class Page(HTMLParser):
    """What a page is made of; refuses tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: Counter[str] = Counter()
        self.loads: list[str] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags[tag] += 1
        if tag not in VOID:
            self.open.append(tag)
        if given.get("id"):
            self.ids.append(given["id"] or "")
        if tag == "a":
            self.links.append(given.get("href") or "")
        self.loads += [given[name] or "" for name in ("src", "srcset", "data") if given.get(name)]
        assert not any(name.startswith("on") for name in given), given

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def text(written: Path) -> str:
    return (written / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_names_from_the_data_are_text_and_never_markup(page: Page) -> None:
    assert page.tags["script"] == 1
    assert page.text.count("<script>alert('x')</script>") > 5


def test_it_needs_no_network(text: str, page: Page) -> None:
    assert page.loads == []
    assert page.tags["link"] == 0
    assert not re.search(r"url\((?!#)", text)
    assert not re.search(r"@import|fetch\(|XMLHttpRequest", text)
    assert all(link.startswith(("#", "figures/")) for link in page.links)


def test_every_anchor_leads_somewhere(page: Page) -> None:
    inside = {link[1:] for link in page.links if link.startswith("#")}
    assert inside - set(page.ids) == set()


def test_every_id_is_there_once(page: Page) -> None:
    assert [name for name, n in Counter(page.ids).items() if n > 1] == []


def test_every_linked_figure_is_there(page: Page, written: Path) -> None:
    files = [link for link in page.links if link.startswith("figures/")]
    assert len(files) > 20
    assert all((written / link).is_file() for link in files)


def test_the_first_screen_says_verdict_who_and_how_far_apart(page: Page) -> None:
    head = page.text[page.text.index("metric-crosscheck") : page.text.index("Contents")]
    for said in ("FAIL", "1 error.", "Keys compared", "within 1e−9", "primary, reference, ranx"):
        assert said in head


def test_the_first_line_names_the_data(report: Report) -> None:
    queries = report.systems[0].facts["queries"]
    first = f"rows.csv, {queries['all_queries']} queries, {queries['positives_only']} with evidence"
    assert f'<p class="kicker">metric-crosscheck · {first}, ' in html.render(report)


def test_claims_have_no_column_in_the_coverage_matrix(
    make_report: Callable[..., Report], system: SystemView
) -> None:
    claimed = system.witnesses[0].model_copy(update={"name": "the claims", "kind": "claims"})
    stated = system.model_copy(update={"witnesses": [*system.witnesses, claimed]})
    text = html.render(make_report(systems=[stated]))
    [head] = re.findall(r"Coverage: keys of each family by witness</caption>\s*<thead>.*", text)
    assert ">primary<" in head
    assert ">the claims<" not in head


def test_the_command_can_be_pasted_into_a_shell(make_report: Callable[..., Report]) -> None:
    provenance = make_report().provenance
    spaced = provenance.model_copy(update={"command": ["crosscheck", "gate", "my data.csv"]})
    page = Page(html.render(make_report(provenance=spaced)))
    assert "crosscheck gate 'my data.csv'" in page.text


def test_errors_come_first(page: Page) -> None:
    assert page.text.index("Title of XC401") < page.text.index("Title of XC950")


def test_findings_carry_remedy_place_values_and_explanation(page: Page) -> None:
    for said in ("Do what helps XC401.", "row 12", "∞", "It fits.", "Waived: known & harmless"):
        assert said in page.text


def test_what_was_not_checked_and_not_drawn_is_said(page: Page) -> None:
    assert "there is one fold only" in page.text
    assert "the data lack scores" in page.text


def test_the_same_report_gives_the_same_bytes(report: Report) -> None:
    assert html.render(report) == html.render(report.model_copy(deep=True))


def test_nothing_of_the_template_is_left_over(text: str) -> None:
    assert "{{" not in text
    assert "{%" not in text


def test_a_passing_report_without_anything_still_makes_a_page(
    make_report: Callable[..., Report],
) -> None:
    page = Page(html.render(make_report(verdict="pass", findings=[], systems=[], comparison=None)))
    assert "PASS" in page.text


def test_a_finding_about_several_systems_is_shown_once(
    report: Report, make_report: Callable[..., Report]
) -> None:
    found = report.findings[1]
    both = [found.model_copy(update={"system": name}) for name in ("one", "two")]
    text = Page(html.render(make_report(findings=both))).text
    assert text.count("Title of XC401") == 1
    assert "one, two" in text


def test_of_several_systems_the_last_is_open(
    report: Report, make_report: Callable[..., Report]
) -> None:
    systems = [report.systems[0].model_copy(update={"name": name}) for name in ("one", "two")]
    text = html.render(make_report(systems=systems))
    assert re.findall(r'<details class="system"( open)?>', text) == ["", " open"]
    page = Page(text)
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_big_data_do_not_make_a_big_page(
    report: Report, make_report: Callable[..., Report]
) -> None:
    system = report.systems[0]
    template = system.tables[CRITERIA][0]
    criteria = [
        template.model_copy(update={"key": f"auroc|all_queries|criterion=C{n}|value"})
        for n in range(3000)
    ]
    big = system.model_copy(
        update={
            "claims": system.claims * 10_000,
            "tables": system.tables | {CRITERIA: criteria},
            "sensitivity": system.sensitivity * 100,
        }
    )
    systems = [big.model_copy(update={"name": f"system {n}"}) for n in range(6)]
    findings = [
        found.model_copy(update={"message": f"{found.message} {n}"})
        for n in range(10_000)
        for found in report.findings
    ]
    text = html.render(make_report(findings=findings, systems=systems))
    assert len(text.encode()) < LIMIT
    assert "29,800 more findings are in" in text
    assert "2,900 more rows are in" in text


def test_the_same_figure_of_two_systems_has_ids_of_its_own(
    report: Report, make_report: Callable[..., Report]
) -> None:
    markup = (
        '<svg><path id="roc-p1"/><use xlink:href="#roc-p1"/><g clip-path="url(#roc-p1)"/></svg>'
    )
    gallery = Gallery((Drawn("roc", "See", "This", "Thus", "", b"", markup),), {})
    shown = Figure(name="roc", title="See", alt="This", caption="Thus", files=[])
    systems = [
        report.systems[0].model_copy(update={"name": name, "figures": [shown]})
        for name in ("one", "two")
    ]
    text = html.render(make_report(systems=systems), {"one": gallery, "two": gallery})
    assert re.findall(r'<path id="([^"]*)', text) == ["f1-roc-p1", "f2-roc-p1"]
    assert re.findall(r'xlink:href="#([^"]*)', text) == ["f1-roc-p1", "f2-roc-p1"]
    assert re.findall(r"url\(#([^)]*)", text) == ["f1-roc-p1", "f2-roc-p1"]


@pytest.mark.parametrize(("room", "inside"), [(1000, True), (10, False)])
def test_figures_beyond_the_pages_room_are_linked(
    room: int,
    inside: bool,
    make_report: Callable[..., Report],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    markup = '<svg viewBox="0 0 1 1"></svg>'
    drawn = Drawn("roc", "See this", "There is this", "Thus", "", b"", markup)
    shown = Figure(name="roc", title="See this", alt="", caption="Thus", files=["figures/roc.svg"])
    systems = [make_report().systems[0].model_copy(update={"figures": [shown]})]
    monkeypatch.setattr(html, "FIGURE_BYTES", room)
    text = html.render(make_report(systems=systems), {"full": Gallery((drawn,), {})})
    assert (markup in text) is inside
    assert ("See this: drawn in the files below." in text) is not inside
    assert 'href="figures/roc.svg"' in text


def test_a_remedy_is_told_once(make_report: Callable[..., Report], findings: list[Finding]) -> None:
    said = {"remedy": "Look at the denominator."}
    again = [findings[0].model_copy(update=said | {"message": f"no. {n}"}) for n in range(9)]
    report = make_report(findings=again)
    for page in (html.render(report, {}), markdown.render(report)):
        assert page.count("Look at the denominator.") == 1


def test_the_head_names_every_system(
    make_report: Callable[..., Report], system: SystemView
) -> None:
    both = [system.model_copy(update={"name": name}) for name in ("retriever", "reranked")]
    kicker = html.render(make_report(systems=both), {}).partition("</p>")[0]
    assert "systems retriever, reranked" in kicker


def test_a_comparison_without_resamples_speaks_of_none(
    make_report: Callable[..., Report], comparison: ComparisonView
) -> None:
    bare = comparison.model_copy(update={"resamples": 0})
    page = html.render(make_report(comparison=bare), {})
    assert "no intervals and no tests were asked for" in page
    assert "0 resamples" not in page


def test_the_self_test_is_told_as_a_record_of_the_release(report: Report) -> None:
    assert "a record of the release, not of this run" in html.render(report, {})


def test_a_sentence_for_the_paper_names_the_key_of_what_it_prints(report: Report) -> None:
    row = next(row for row in report.systems[0].headline if row.folds_mean is not None)
    page = html.render(report, {})
    listed = page[page.index('class="statements"') :].partition("</ul>")[0].split("<li>")
    [sentence] = [one for one in listed if one.startswith(f"{row.name} = ")]
    assert printing.plus_minus(row.folds_mean or 0.0, row.folds_std or 0.0) in sentence
    assert f">{row.metric}|{row.population}|folds|mean<" in sentence
