"""The built-in studies as places to try faults: of evidence, of judged topics, of classes.

The last two have no place for some mistakes of the field. So a run without the last topics stands
beside the run as it is, and one class against the rest beside all of them.
"""

from __future__ import annotations

import csv
import json
import tomllib
from typing import TYPE_CHECKING, Any

from crosscheck import study
from crosscheck.faults.grounds import Ground, Row, write
from crosscheck.study import classes, further, trec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CUTS = [1, 10]
"""Cut-offs on the study of evidence: what the others would show, these show."""
LACKED = 3
"""Topics that the shortened run has no line of."""
OF_THE_CASE = {"data", "claims", "systems", "metrics"}
"""What a study's config says beside settings of the numbers."""


def evidence(folder: Path) -> Iterator[Ground]:
    """Write the study of evidence, with few cut-offs."""
    paths = study.write(folder)
    yield Ground(paths["full"], _settings(paths["config"].read_text(encoding="utf-8"), k=CUTS))


def of_the_field(folder: Path) -> Iterator[Ground]:
    """Write the studies of topics and of classes, each as it is and once more."""
    qrels, run, config = (further.write("trec", folder)[name] for name in trec.GATED)
    settings = _settings(config.read_text(encoding="utf-8"))
    yield Ground({"qrels": str(qrels), "run": str(run)}, settings)
    shorter = folder / "shorter.run"
    lacked = {str(trec.FIRST_TOPIC + trec.TOPICS - 1 - place) for place in range(LACKED)}
    lines = run.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.split()[0] not in lacked]
    shorter.write_text("".join(kept), encoding="utf-8")
    yield Ground({"qrels": str(qrels), "run": str(shorter)}, settings)
    table = further.write("classes", folder)[classes.DATA]
    yield Ground(table, _settings(classes.CONFIG))
    one = folder / "one_class.jsonl"
    with table.open(encoding="utf-8", newline="") as stream:
        write([_one_against_the_rest(row) for row in csv.DictReader(stream)], one)
    yield Ground(one, {"slices": _settings(classes.CONFIG)["slices"]})


def _settings(config: str, **further: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever TOML holds
    held = tomllib.loads(config)
    return {name: held[name] for name in held if name not in OF_THE_CASE} | further


def _one_against_the_rest(row: dict[str, str]) -> Row:
    """Ask of an example whether it is of the first class."""
    kept = {name: row[name] for name in ("query_id", "seed", "dataset")}
    prob = json.loads(row["class_probs"])[0]
    return kept | {"y_true": int(row["label"] == classes.CLASSES[0]), "y_prob": prob}
