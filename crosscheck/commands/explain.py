"""`crosscheck explain KEY[=VALUE] [DATA]`: what a metric means, and what a number comes from."""

from __future__ import annotations

import json
from typing import Any

import click

from crosscheck.commands import completion
from crosscheck.commands.gate import Ranking
from crosscheck.system import say

EXAMPLES = """\b
Examples:
  crosscheck explain map@10
  crosscheck explain "nDCG@10 = 0.8206" per_query.csv
  crosscheck explain "MRR improvement over old = +12%" rows.csv --ranking new=a --ranking old=b
"""


@click.command("explain", epilog=EXAMPLES)
@click.argument("question", metavar="KEY[=VALUE]", shell_complete=completion.metrics)
@click.argument("data", required=False)
@click.option("--config", metavar="FILE", help="crosscheck.toml.")
@click.option(
    "--ranking",
    "rankings",
    multiple=True,
    type=Ranking(),
    help="A ranking in a column of DATA; the first is asked about, the others may explain it.",
)
@click.option("--qrels", type=str, metavar="FILE", help="Judgements.")
@click.option("--run", type=str, metavar="FILE", help="Run; or as DATA.")
@click.option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar="NAME",
    help="Ask these too.",
    shell_complete=completion.witnesses,
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(
    question: str,
    *,
    witnesses: tuple[str, ...],
    as_json: bool,
    **asked: Any,  # noqa: ANN401
) -> None:
    """Teach what KEY means and what it is on DATA; with VALUE, find what gives that number.

    KEY is a metric as people write it (nDCG@10, MRR, TPR@5%FPR) or a whole ledger key
    (ndcg@10|positives_only|folds|std). Without DATA, the built-in study is used. A change between
    two rankings is asked as “KEY improvement over NAME = VALUE”, its p as “KEY p over NAME = …”.
    """
    from crosscheck.answers.explained import (  # noqa: PLC0415 - `--help` answers at once
        answer,
        as_data,
        page_of,
        read_question,
    )
    from crosscheck.gate.request import prepare  # noqa: PLC0415 - the same
    from crosscheck.model.options import Options  # noqa: PLC0415 - the same

    wanted = read_question(question)
    # Code runs if it is named here; what a config names is not asked, so it need not be allowed.
    with prepare(Options(witnesses=witnesses, **asked), settings={"witnesses": []}) as request:
        found = answer(wanted, request, named=bool(witnesses))
        if as_json:
            say(json.dumps(as_data(*found), indent=2))
            return
        from crosscheck.contract.printing import print_page  # noqa: PLC0415 - rich is heavy

        print_page(page_of(*found))
