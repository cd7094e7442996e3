"""The documentation site: built strictly, every link leads somewhere, no network is needed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from crosscheck.audit.verdicts import rules as audit_rules
from crosscheck.model.findings import cases, rules

if TYPE_CHECKING:
    from pathlib import Path

FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
"""Elements that a browser fetches by itself, and where they say what."""
NOT_FETCHED = {"canonical", "prev", "next", "alternate"}


class Links(HTMLParser):
    """What a page links to, and what it fetches."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.names |= {said[name] or "" for name in ("id", "name") if name in said}
        if tag == "a" and said.get("href"):
            self.links.append(said["href"] or "")
        relation = set((said.get("rel") or "").split())
        if tag in FETCHED and said.get(FETCHED[tag]) and not relation & NOT_FETCHED:
            self.fetched.append(said[FETCHED[tag]] or "")


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Links]:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, root / "docs" / "site.py", folder],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    pages = {}
    for page in sorted((folder / "html").rglob("*.html")):
        pages[page] = Links()
        pages[page].feed(page.read_text(encoding="utf-8"))
    return pages


def test_the_gallery_is_what_the_cases_say(root: Path) -> None:
    spec = importlib.util.spec_from_file_location("site_pages", root / "docs" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = (root / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert text == module.gallery(linked=False), "run `make site`"


def test_every_rule_has_its_page_and_every_case_stands_in_the_gallery(
    site: dict[Path, Links],
) -> None:
    names = {page.stem for page in site if page.parent.name == "rules"}
    assert {*rules(), *audit_rules()} <= names
    [gallery] = [links for page, links in site.items() if page.name == "gallery.html"]
    assert set(cases()) <= gallery.names


def test_every_link_within_the_site_leads_somewhere(site: dict[Path, Links]) -> None:
    dead = set()
    for page, links in site.items():
        if page.name == "404.html":  # its links are those of a server's root
            continue
        for link in links.links:
            there = urlsplit(link)
            if there.scheme or there.netloc:
                continue
            target = (page.parent / unquote(there.path)).resolve() if there.path else page
            if not target.exists() and target.with_name("index.html") not in site:
                dead.add((page.name, link))
    assert sorted(dead) == []


def test_nothing_is_fetched_from_elsewhere(site: dict[Path, Links]) -> None:
    fetched = {link for links in site.values() for link in links.fetched}
    assert {link for link in fetched if urlsplit(link).netloc} == set()
    [folder] = {page.parent for page in site if page.name == "gallery.html"}
    styles = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.css"))
    assert re.findall(r"@import[^;]*|url\(\s*['\"]?(?:https?:)?//", styles) == []
