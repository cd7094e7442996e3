"""Begin a vector: `python tests/vectors/new.py METRIC [ID]` adds a case to the family's file.

The data are the smallest that some vector already asks such a metric on; the answer is −1, which no
metric has, so that the tests fail until it is worked out by hand (docs/vectors.md).
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import jsonschema

import primary
from crosscheck.contract import keys_owed, load
from crosscheck.model.key import Key
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.contract import MetricId

    Case = dict[str, Any]
    Document = dict[str, Any]

HERE = Path(__file__).parent
WIDTH = 110
"""Columns that a line of a vector file may take before it is broken up."""
OPEN = -1
OTHER_QUESTIONS = ("refused", "intervals", "comparison")


def refuse(why: str) -> NoReturn:
    """End with one sentence."""
    print(why, file=sys.stderr)
    sys.exit(2)


def documents(folder: Path) -> dict[Path, Document]:
    """Read every family."""
    paths = sorted(path for path in folder.glob("*.json") if path.name != "schema.json")
    return {path: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def wanted(name: str) -> MetricId:
    """Find the metric that is meant."""
    found = load().find(name)
    if found is None:
        known = [template for metric in load().metrics for template in metric.templates]
        near = difflib.get_close_matches(name, known, n=3) or [
            "one that `crosscheck contract` lists"
        ]
        refuse(f"{name}: the contract has no such metric; perhaps {', '.join(near)}")
    return found


def examples(metric: MetricId, families: dict[Path, Document]) -> list[tuple[Path, Case]]:
    """Give the cases to begin from: of the metric, then of its family, the smallest first."""
    ranked = []
    for path, document in families.items():
        for case in document["cases"]:
            if "rows" not in case or any(question in case for question in OTHER_QUESTIONS):
                continue
            asked = [load().metric(Key.parse(key).metric) for key in case["expect"]]
            same = any(one.template == metric.template for one in asked)
            kin = any(one.metric.family == metric.metric.family for one in asked)
            home = path.stem == metric.metric.family
            ranked.append((not same, not home, not kin, len(json.dumps(case)), path, case))
    return [(path, case) for *_, path, case in sorted(ranked, key=lambda one: one[:4])]


def owed(metric: MetricId, case: Case) -> Iterator[str]:
    """List the metric's keys that the contract owes on the data of a case."""
    with scratch("vector") as folder:
        lines = "".join(f"{json.dumps(row)}\n" for row in case["rows"])
        (folder / "data.jsonl").write_text(lines, encoding="utf-8")
        try:
            facts = primary.describe(folder / "data.jsonl", case.get("settings", {}))
        except primary.InputError:  # written for Parquet, or with repeated rows
            return
    for key in keys_owed(facts, case.get("settings", {})):
        if Key.parse(key).metric == metric.text:
            yield key


def skeleton(metric: MetricId, families: dict[Path, Document], name: str) -> tuple[Path, Case]:
    """Make the case, and say which file it belongs to."""
    for path, example in examples(metric, families):
        keys = sorted(owed(metric, example), key=lambda key: Key.parse(key).slice != "all")
        if keys:
            return path, {
                "id": name,
                "section": metric.metric.section,
                "comment": "Say here what is special about these data.",
                "flags": example["flags"][:1],
                **{
                    part: example[part]
                    for part in ("rows", "format", "settings")
                    if part in example
                },
                "expect": {keys[0]: OPEN if metric.metric.kind == "integer" else str(OPEN)},
                "working": {keys[0]: f"Work it out by hand: {metric.formula}"},
            }
    refuse(
        f"{metric.text}: no vector has data on which it is owed; write its first case by hand, "
        "as docs/vectors.md says"
    )


def rendered(value: object, indent: int, used: int = 0) -> str:
    """Write JSON as the vectors have it: whatever fits into a line is in one."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or used + len(flat) < WIDTH:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, list):
        opening, closing, heads, parts = "[", "]", [pad] * len(value), value
    else:
        opening, closing, parts = "{", "}", list(value.values())
        heads = [f"{pad}{json.dumps(name, ensure_ascii=False)}: " for name in value]
    pairs = zip(heads, parts, strict=True)
    lines = ",\n".join(f"{head}{rendered(one, indent + 2, len(head))}" for head, one in pairs)
    return f"{opening}\n{lines}\n{' ' * indent}{closing}"


def add(path: Path, case: Case) -> None:
    """Append the case to its file, and touch nothing else there."""
    text = path.read_text(encoding="utf-8")
    end = "\n  ]\n}\n"
    written = f"{text.removesuffix(end)},\n    {rendered(case, 4, WIDTH)}{end}"
    schema = json.loads((HERE / "schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(written), schema)
    path.write_text(written, encoding="utf-8", newline="\n")


def main() -> None:
    """Add the case and say what comes next."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("metric", help="such as ndcg@10, auroc or map@5/by_gold")
    parser.add_argument("id", nargs="?", help="what is special about the case, in small letters")
    given = parser.parse_args()
    metric = wanted(given.metric)
    name = given.id or f"{re.sub(r'[^a-z0-9]+', '-', metric.template.lower()).strip('-')}-new"
    families = documents(HERE)
    if not re.fullmatch("[a-z0-9-]+", name):
        refuse(f"{name}: an id has small letters, digits and hyphens only")
    if any(name == case["id"] for document in families.values() for case in document["cases"]):
        refuse(f"{name}: another case has this id; name one that says what is special")
    path, case = skeleton(metric, families, name)
    add(path, case)
    print(f"{path.name}: case {name} asks for {next(iter(case['expect']))}.")
    print("Change its data, its flags and its words, work the answer out by hand, then run")
    print(f"  pytest tests/vectors tests/test_vectors.py -k {name}")


if __name__ == "__main__":
    main()
