"""The pages' templates: everything that is printed is escaped, and shown harmless."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.answers.sheets import WORST
from crosscheck.contract.page import Bullets, Heading, PageTable, Paragraph
from crosscheck.report.html import safe_environment

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
STATES = {
    "impossible": ("impossible", "✕"),
    "involved": ("in contradiction with it", "≠"),
    "doubtful": ("doubtful", "?"),
    "unread": ("not understood", "¿"),
    "uncheckable": ("understood, not checkable", "·"),
    "consistent": ("verified against the rest", "✓"),
    "ignored": ("ignored by a rule", "–"),
}
"""State → how it is called, and its sign: no state is told by colour alone."""


def render(template: str, **values: object) -> str:
    """Write a page or a part of one."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = safe_environment(TEMPLATES)
    environment.globals |= {"states": STATES, "worst": WORST, "kind_of": _kind_of}
    environment.filters |= {"grouped": lambda count: f"{count:,}"}
    return environment


def _kind_of(block: object) -> str:
    """Name a block of a page of the contract."""
    kinds = {Heading: "heading", Paragraph: "paragraph", Bullets: "bullets", PageTable: "table"}
    return kinds[type(block)]
