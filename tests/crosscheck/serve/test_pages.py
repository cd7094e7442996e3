"""The three ways in, in a real browser: wide and narrow, light and dark, with axe."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from crosscheck.commands.gate import command as gate

from .conftest import ANSWERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Server

PUBLISHED = (Path(__file__).parents[1] / "audit" / "s2.md").read_text(encoding="utf-8")
STUDY = Path(__file__).resolve().parents[4] / "shared" / "data" / "study"
LOOKS = [("light", 1280), ("dark", 390)]
SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture
def opened(browser: Any, server: Server) -> Iterator[Callable[..., Any]]:
    """Give a function that opens a page and fails on any error, alert or foreign request."""
    contexts, problems, requested = [], [], []

    def visit(way: str, **options: Any) -> Any:
        context = browser.new_context(**options)
        context.set_default_timeout(0)  # a busy machine is no fault of the page's
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("request", lambda request: requested.append(request.url))
        page.goto(f"{server.address}/{way}")
        return page

    yield visit
    for context in contexts:
        context.close()
    # What the server refuses is told on the page, and by the browser besides.
    assert [one for one in problems if "the server responded with a status of 400" not in one] == []
    assert [one for one in requested if not one.startswith((server.address, "blob:"))] == []


def size(width: int) -> dict[str, int]:
    return {"width": width, "height": 844}


def objections(page: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - where there is a browser

    found = Axe().run(page, options={"iframes": False}).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"][:2]]


def bad(page: Any, text: str) -> None:
    page.locator("#problem:not([hidden])").wait_for()
    assert text in page.locator("#problem").inner_text()


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_the_three_impossible_numbers_of_the_published_tables_show(
    scheme: str, width: int, opened: Callable[..., Any]
) -> None:
    page = opened("table", color_scheme=scheme, viewport=size(width))
    page.fill("#text", PUBLISHED)
    page.locator("[data-verdict=impossible]").wait_for()
    cells = page.locator("button.cell.impossible")
    assert [one.split(" ")[0] for one in cells.all_inner_texts()] == [
        "0.8206", "+12.02%", "0.6497", "0.8206",
    ]  # fmt: skip
    cells.nth(2).click()
    reason = page.locator("#reason").inner_text()
    assert "The cell that does not fit is nDCG@1 / GNN (HPO) = 0.6497" in reason
    assert page.locator("#command").inner_text() == "crosscheck claims table.md"
    assert objections(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.keyboard.press("Escape")
    assert page.locator("#reason").is_hidden()
    assert page.evaluate("document.activeElement.innerText").startswith("0.6497")


def test_a_label_is_corrected_and_a_table_left_out(opened: Callable[..., Any]) -> None:
    page = opened("table")
    page.fill("#text", "| M | Foo | Hit@1 |\n|---|---|---|\n| A | 0.661 | 0.650 |\n")
    page.locator("button.cell.unread").wait_for()
    page.get_by_label("Foo means").fill("precision@1")
    page.locator("[data-verdict=impossible]").wait_for()
    assert page.locator("#command").inner_text() == (
        "crosscheck claims table.md --config crosscheck.toml"
    )
    assert page.locator("#config").inner_text().strip() == ('[claims.names]\nFoo = "precision@1"')
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download crosscheck.toml").click()
    assert saved.value.suggested_filename == "crosscheck.toml"
    page.get_by_label("Leave this table out").check()
    page.locator('[data-verdict="nothing could be checked"]').wait_for()
    assert 'exclude = ["table 1"]' in page.locator("#config").inner_text()
    page.get_by_label("Foo means").fill("hit@1")
    page.get_by_label("Leave this table out").uncheck()
    page.locator('[data-verdict="possible, with reservations"]').wait_for()


def test_a_document_without_numbers_gets_the_words_of_the_command(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "empty.md"
    file.write_text("# Nothing\n", "utf-8")
    page = opened("table")
    page.set_input_files("#document", file)
    bad(page, "empty.md: holds no number in a table or under a name")


def test_hostile_words_are_shown_and_nothing_else(opened: Callable[..., Any]) -> None:
    page = opened("table")
    said = html.escape(SCRIPT)  # as markup the reader takes it off; as text it stays
    header, row = f"| {said} | MRR {said} |", f"| {said} | 0.5 {said} |"
    page.fill("#text", f"# {said}\n\n{header}\n|---|---|\n{row}\n")
    page.locator("[data-verdict]").wait_for()
    page.locator("button.cell").first.click()
    assert page.locator("#result script, #result img, #reason img").count() == 0
    assert "<img" in page.locator("#result").inner_text()


def test_the_published_study_holds_on_the_page(opened: Callable[..., Any], server: Server) -> None:
    if not STUDY.is_dir():
        pytest.skip("the published study is in shared/data, which is not here")
    page = opened("data", viewport=size(1280))
    page.set_input_files("#data", STUDY / "per_query.csv")
    page.locator("#rankings").wait_for()
    page.set_input_files("#claims", STUDY / "summary.json")
    page.locator("#claimed").wait_for()
    page.get_by_text("Settings", exact=True).click()
    page.select_option("#witness", "trec_eval")
    page.uncheck("#figures")
    page.get_by_text("--no-figures").wait_for()
    assert objections(page) == []
    page.get_by_role("button", name="Gate these files").click()
    page.locator("iframe").wait_for()
    assert "82 of 82 claims verified" in page.locator("#held").inner_text()
    assert "primary" in page.locator("#progress").inner_text()
    report = page.frame_locator("iframe")
    assert report.locator(".stamp").inner_text() == "PASS"
    assert report.locator(".tools").first.is_visible(), "the report's own script runs"
    assert "--ranking retriever=retriever_topk" in page.locator("#command").inner_text()
    assert server.files()


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_a_wrong_file_gets_the_words_of_the_command(
    scheme: str,
    width: int,
    opened: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "wrong.csv").write_text(f"name,{SCRIPT}\na,b\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(gate, ["wrong.csv"], standalone_mode=False).exception
    page = opened("data", color_scheme=scheme, viewport=size(width))
    page.set_input_files("#data", tmp_path / "wrong.csv")
    page.locator("#refused").wait_for()
    assert page.locator("#refused").inner_text() == str(told)
    assert page.locator("#job").is_hidden()
    assert page.locator("#result img, #result script").count() == 0
    assert objections(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_job_is_cancelled_and_its_processes_are_gone(
    opened: Callable[..., Any], server: Server, tmp_path: Path
) -> None:
    (tmp_path / "answers.csv").write_text(ANSWERS, "utf-8")
    page = opened("data")
    page.set_input_files("#data", tmp_path / "answers.csv")
    page.locator("#facts").wait_for()
    page.get_by_role("button", name="Gate these files").click()
    page.get_by_text("primary is asked").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled.").wait_for()
    page.get_by_role("button", name="Gate these files").wait_for()
    assert page.locator("iframe").count() == 0
    assert not any("report" in str(one) for one in server.files())


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_a_metric_is_explained(scheme: str, width: int, opened: Callable[..., Any]) -> None:
    page = opened("explain", color_scheme=scheme, viewport=size(width))
    page.fill("#metric", "nDCG@10")
    page.get_by_role("button", name="Explain").click()
    page.get_by_text("divided by that of an ideal ranking").first.wait_for()
    assert page.locator("#command").inner_text().startswith("crosscheck contract ndcg@")
    assert objections(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_value_is_explained_on_a_file(opened: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(ANSWERS, "utf-8")
    page = opened("explain")
    page.fill("#metric", "MRR")
    page.fill("#value", "0.5")
    page.set_input_files("#data", tmp_path / "answers.csv")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Explain").click()
    page.get_by_text("The data give").first.wait_for()
    assert page.locator("#command").inner_text() == "crosscheck explain MRR=0.5 answers.csv"


def test_a_metric_that_nobody_knows_gets_the_words_of_the_command(
    opened: Callable[..., Any],
) -> None:
    page = opened("explain")
    page.fill("#metric", f"Foo {SCRIPT}")
    page.get_by_role("button", name="Explain").click()
    bad(page, "Write a metric (nDCG@10)")
