"""The tasks behind *Explain*: a metric's definition, and what gives a number on data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.config import FILE
from crosscheck.serve.settings import DataSettings, as_toml
from crosscheck.serve.view import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.contract.page import Page


def define(task: dict[str, Any], _: Callable[[str], None]) -> dict[str, Any]:
    """Say what a metric means, without any data: what `crosscheck contract METRIC` prints."""
    from crosscheck.answers.explained import read_question  # noqa: PLC0415 - the contract is enough
    from crosscheck.contract import load  # noqa: PLC0415 - the same
    from crosscheck.contract.metric_page import metric_page  # noqa: PLC0415 - the same

    key = read_question(task["question"]).key
    metric = load().metric(key.partition("|")[0]).metric
    page = metric_page(load(), metric)
    return _told(task, page, {"key": key}, f"crosscheck contract {metric.id}")


def explain(task: dict[str, Any], _: Callable[[str], None]) -> dict[str, Any]:
    """Say what a metric is on data, and which mistakes give a number."""
    from crosscheck.answers.explained import (  # noqa: PLC0415 - polars is heavy
        answer,
        as_data,
        page_of,
        read_question,
    )
    from crosscheck.gate.request import prepare  # noqa: PLC0415 - the same

    settings = DataSettings.model_validate(task["settings"])
    wanted = read_question(task["question"])
    write_config(settings)
    options = settings.options(task["files"]).model_copy(update={"claims": ()})
    with prepare(options, search=False, settings={"witnesses": []}) as request:
        found = answer(wanted, request, named=False)
        page = page_of(*found)
    command = settings.explain(task["question"], task["files"])
    return _told(task, page, as_data(*found), command, as_toml(settings))


def write_config(settings: DataSettings) -> None:
    """Write the config that the options name, where there is one."""
    text = as_toml(settings)
    if text:
        Path(FILE).write_text(text, encoding="utf-8")


def _told(
    task: dict[str, Any], page: Page, data: dict[str, Any], command: str, config: str = ""
) -> dict[str, Any]:
    if task["api"]:
        blocks = [{"block": type(one).__name__.lower(), **_fields(one)} for one in page]
        return {**data, "page": blocks, "command": command, "config": config}
    return {"html": render("explained.html", page=page, command=command, config=config)}


def _fields(block: object) -> dict[str, Any]:
    return {name: getattr(block, name) for name in block.__slots__}  # type: ignore[attr-defined] # dataclasses with slots
