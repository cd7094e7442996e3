"""`crosscheck contract`: the contract, readable; one metric in full; JSON; Markdown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from crosscheck.commands import completion
from crosscheck.contract import load, read_name
from crosscheck.contract.metric_page import metric_page
from crosscheck.contract.page import Paragraph
from crosscheck.contract.plain_data import plain, plain_metric
from crosscheck.contract.printing import as_markdown, print_page
from crosscheck.contract.whole_page import whole_page
from crosscheck.errors import UserError
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from crosscheck.contract import Contract, MetricId


@click.command("contract")
@click.argument("metric", required=False, shell_complete=completion.metrics)
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON, for machines.")
@click.option("--markdown", is_flag=True, help="As Markdown; docs/contract.md is made so.")
def command(metric: str | None, *, as_json: bool, markdown: bool) -> None:
    """Show the contract, or one METRIC with every document's version of it.

    METRIC is an id (map@10, map@K, tpr@fpr=5%/tuned), a whole key, or a name as people write it
    (nDCG@10, ROC-AUC).
    """
    if as_json and markdown:
        raise UserError("--json and --markdown exclude each other; choose one.")
    contract = load()
    found = _look_up(contract, metric) if metric else None
    if as_json:
        data = plain_metric(contract, found) if found else plain(contract)
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    if found:
        page = metric_page(contract, found.metric)
        if metric and "|" in metric:
            page.insert(1, Paragraph(contract.describe(metric)))
        elif found.variant and metric == found.text:
            page.insert(1, Paragraph(f"Asked for: {found.text}. {found.definition}"))
    else:
        page = whole_page(contract, full=markdown)
    if markdown:
        click.echo(as_markdown(page), nl=False)
    else:
        print_page(page)


def _look_up(contract: Contract, written: str) -> MetricId:
    name = Key.parse(written).metric if "|" in written else written
    templates = {template: entry for entry in contract.metrics for template in entry.templates}
    entry = templates.get(name) or next((m for m in contract.metrics if m.id == name), None)
    if entry:
        template = name if name in templates else entry.templates[0]
        return contract.metric(contract.notation.shown(template))
    if contract.find(name) is None:
        reading = read_name(name)
        if reading.metric:
            return contract.metric(reading.metric.partition("|")[0])
        if reading.metrics:
            raise UserError(
                f"“{written}” could mean {' or '.join(reading.metrics)}: {reading.why}. "
                "Name one of them."
            )
    return contract.metric(name)
