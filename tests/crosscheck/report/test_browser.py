"""The page in a real browser: no network, no error, sorting, filtering, narrow, accessible."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium on this machine: the page was not tried in a browser"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where there is a browser

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, timeout=0)
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, written: Path) -> Iterator[Any]:
    """Give a function that opens the report and fails on any request or console message."""
    contexts = []
    problems: list[str] = []

    def visit(**options: Any) -> Any:
        context = browser.new_context(offline=True, **options)
        context.set_default_timeout(0)  # a busy machine is no fault of the page's
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: requested.append(request.url))
        page.goto(address)
        return page

    address = (written / "report.html").as_uri()
    requested: list[str] = []
    yield visit
    for context in contexts:
        context.close()
    assert problems == []
    assert set(requested) == {address}


def column(page: Any, table: str, number: int) -> list[str]:
    found: list[str] = page.locator(f"{table} tbody tr").evaluate_all(
        "(rows, n) => rows.filter(r => !r.hidden).map(r => r.cells[n].innerText.trim())", number
    )
    return found


def test_it_sorts_by_number_both_ways(opened: Any) -> None:
    page = opened()
    button = page.locator("#system-1-headline thead button", has_text="Value")
    button.click()
    values = page.locator("#system-1-headline tbody tr").evaluate_all(
        "rows => rows.map(r => Number(r.cells[1].dataset.value))"
    )
    assert values == sorted(values)
    button.click()
    turned = page.locator("#system-1-headline tbody tr").evaluate_all(
        "rows => rows.map(r => Number(r.cells[1].dataset.value))"
    )
    assert turned == sorted(values, reverse=True)
    header = page.locator("#system-1-headline thead th").nth(1)
    assert header.get_attribute("aria-sort") == "descending"


def test_it_sorts_names_in_natural_order(opened: Any) -> None:
    page = opened()
    page.locator("#system-1-headline thead button", has_text="Metric").click()
    names = column(page, "#system-1-headline", 0)
    assert names.index("Recall@3") < names.index("Recall@5") < names.index("Recall@10")


def test_search_narrows_a_table_and_says_so(opened: Any) -> None:
    page = opened()
    box = page.get_by_label("Search Headline results of full")
    box.fill("ndcg@10|")
    assert column(page, "#system-1-headline", 0) == ["nDCG@10"]
    assert page.locator(".tools output").first.inner_text().startswith("1 of ")
    box.fill("")
    assert len(column(page, "#system-1-headline", 0)) > 20


def test_it_says_everything_without_javascript(opened: Any) -> None:
    page = opened(java_script_enabled=False)
    assert page.locator(".stamp").inner_text() == "FAIL"
    assert page.locator("input, button").count() == 0
    assert page.locator("#system-1-headline tbody tr").count() > 20
    assert page.locator("figure svg").first.is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_never_scrolls_sideways(width: int, opened: Any) -> None:
    page = opened(viewport={"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_anchors_bring_their_section_into_view(opened: Any) -> None:
    page = opened()
    page.locator("nav a", has_text="Provenance").click()
    assert page.url.endswith("#provenance")
    assert page.locator("#provenance").evaluate("e => e.getBoundingClientRect().top < innerHeight")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_to_object_to(scheme: str, width: int, opened: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - the same as above

    page = opened(color_scheme=scheme, viewport={"width": width, "height": 844})
    found = Axe().run(page).response["violations"]
    said = [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"][:2]]
    assert said == []


def test_colours_follow_the_readers_choice(opened: Any) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    assert opened(color_scheme="light").evaluate(background) == "rgb(255, 255, 255)"
    assert opened(color_scheme="dark").evaluate(background) == "rgb(20, 23, 26)"


def test_it_prints_without_its_controls(opened: Any) -> None:
    page = opened()
    page.emulate_media(media="print")
    assert page.locator(".tools").first.is_hidden()
    assert page.locator("nav").is_hidden()
    assert page.pdf(format="A4").startswith(b"%PDF")
