"""Gather the documentation site's pages and build them: the docs, the README, a page a rule.

`make site` writes .cache/site/html. Links to files of the repository that are no pages become plain
text; the rules and the gallery are made from the rules' own data, so each fact stands once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from crosscheck.audit.verdicts import rules as audit_rules
from crosscheck.model.findings import cases, rules

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / ".cache" / "site"
CONFIG = ROOT / "docs" / "mkdocs.yml"
SAID = """\
Wrong numbers are no sign of bad people. These are public reports, each read before it was written
down here (the facts are data, in `crosscheck/model/cases.toml`); who wants to check opens the
issue. The rules named are those that meet such a case; `crosscheck rules XC601` says more of one.
"""
OUTER = ("CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)")
FENCE_NAME = re.compile(r"^(```\w+) (\S+)$", re.MULTILINE)


def gather(folder: Path) -> None:
    """Write every page of the site into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "rules").mkdir(parents=True)
    for page in sorted((ROOT / "docs").glob("*.md")):
        _write(folder / page.name, page.read_text(encoding="utf-8"), page.parent)
    for name in OUTER:
        _write(folder / name, (ROOT / name).read_text(encoding="utf-8"), ROOT)
    _write(folder / "index.md", (ROOT / "README.md").read_text(encoding="utf-8"), ROOT)
    for picture in (ROOT / "docs").glob("*.*"):
        if picture.suffix in {".svg", ".png"}:
            shutil.copy(picture, folder / picture.name)
    (folder / "gallery.md").write_text(gallery(linked=True), encoding="utf-8")
    (folder / "rules" / "index.md").write_text(_rules(), encoding="utf-8")
    for name, text in _rule_pages().items():
        (folder / "rules" / f"{name}.md").write_text(text, encoding="utf-8")


def _write(place: Path, text: str, beside: Path) -> None:
    """Copy a page; its links lead to pages of the site, or are the text that they had."""

    def linked(found: re.Match[str]) -> str:
        words, target, anchor = found[1], (beside / found[2]).resolve(), found[3] or ""
        if target.suffix == ".md" and target.parent in (ROOT, ROOT / "docs"):
            name = "index.md" if target == ROOT / "README.md" else target.name
            if name in {"index.md", *OUTER} or target.parent == ROOT / "docs":
                return f"[{words}]({name}{anchor})"
        if target.suffix == ".svg":
            return found[0]
        return words

    text = FENCE_NAME.sub(r'\1 title="\2"', text)
    place.write_text(LINK.sub(linked, text), encoding="utf-8")


def _happened(ids: tuple[str, ...], up: str) -> str:
    known = cases()
    lines = [f"- [{known[one].title}]({up}gallery.md#{one}) ({known[one].year})" for one in ids]
    return "\n## Where it really happened\n\n" + "\n".join(lines) + "\n" if ids else ""


def _rule_pages() -> dict[str, str]:
    pages = {}
    for one in rules().values():
        kind = {"error": "An **error**: it fails the gate."}.get(
            one.severity, f"**{one.severity.title()}**: it is listed, and fails nothing."
        )
        pages[one.id] = (
            f"# {one.id}: {one.title}\n\n{kind} Group “{one.group}”, section {one.section} of the "
            f"[contract](../contract.md).\n\n## Why\n\n{one.why}\n\n## Such as\n\n{one.example}\n\n"
            f"## What to try\n\n{one.remedy}\n{_happened(one.happened, '../')}"
        )
    for each in audit_rules().values():
        pages[each.id] = (
            f"# {each.id}: {each.title}\n\nOf `crosscheck claims`, which needs "
            f"[no data](../claims.md): it holds of every truthful table."
            f"\n\n## Why\n\n{each.law}\n\n## What to try\n\n{each.remedy}\n"
            f"{_happened(each.happened, '../')}"
        )
    return pages


def _rules() -> str:
    lines = ["# The rules\n", "Every finding cites one; ids are permanent. On a terminal: "]
    lines[-1] += "`crosscheck rules XC401`.\n"
    group = ""
    for one in rules().values():
        if one.group != group:
            group = one.group
            lines += [f"\n## {group.capitalize()}\n", "| rule | | |", "|---|---|---|"]
        lines.append(f"| [{one.id}]({one.id}.md) | {one.severity} | {one.title} |")
    lines += ["\n## Tables without data\n", "| rule | |", "|---|---|"]
    lines += [f"| [{one.id}]({one.id}.md) | {one.title} |" for one in audit_rules().values()]
    return "\n".join(lines) + "\n"


def gallery(*, linked: bool) -> str:
    """Tell the public cases, each with the rules that meet it; `linked`: which have pages."""
    meets: dict[str, list[str]] = {}
    for rule in (*rules().values(), *audit_rules().values()):
        for case in rule.happened:
            shown = f"[{rule.id}](rules/{rule.id}.md)" if linked else rule.id
            meets.setdefault(case, []).append(shown)
    text = "# What happened to others\n\n" + SAID
    for one in cases().values():
        place = f"https://github.com/{one.where}/issues/{one.number}"
        anchor = f" {{ #{one.id} }}" if linked else ""
        text += (
            f"\n## {one.title}{anchor}\n\n{one.told}\n\n[{one.cited}]({place}), {one.year}. "
            f"Met by {', '.join(meets[one.id])}.\n"
        )
    return text


def build(folder: Path) -> int:
    """Gather the pages into a folder and build them there, strictly; the exit code."""
    gather(folder / "pages")
    config = folder / "mkdocs.yml"
    config.write_text(CONFIG.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - our own tool
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", config],
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        check=False,
    )
    return done.returncode


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit(build(Path(sys.argv[1])))
    (ROOT / "docs" / "gallery.md").write_text(gallery(linked=False), encoding="utf-8")
    sys.exit(build(BUILT))
