"""The same bits on every machine: the arithmetic that `reference.values` allows, and no other."""

from __future__ import annotations

import ast
import builtins
import hashlib
import os
import random
import re
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference import bootstrap, normal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Jsonl = Callable[[list[dict[str, Any]]], Path]

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "reference").rglob("*.py"))
# Of `math`: what is exact or, by IEEE 754 or by Python's word, correctly rounded.
MATH = {"floor", "fsum", "inf", "isfinite", "isqrt", "lcm", "nan", "prod", "sqrt"}
OTHER_ARITHMETIC = {"cmath", "numpy", "random", "statistics"}
POWERS = {"pow", "power", "__pow__"}
WRITTEN_OUT = re.compile(r"\d+ \*\* \d+")
SETTINGS = {
    "tau_neg": 0.2, "tau_pos": 0.6, "views": {"first": ["A"]}, "k": [1, 3],
    "slices": {"place": "site"},
}  # fmt: skip
CLASSES = {"task": "multiclass", "columns": {"label": "site", "predicted": "told"}}


def forbidden(source: str) -> Iterator[str]:
    """Yield whatever may come out otherwise on another machine, Python or hash seed."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=[ast.alias(name=name)]) if name.split(".")[0] in OTHER_ARITHMETIC:
                yield f"import {name}"
            case ast.ImportFrom(module=name) if name in {*OTHER_ARITHMETIC, "math"}:
                yield f"from {name}"
            case ast.Attribute(value=ast.Name(id="math"), attr=name) if name not in MATH:
                yield f"math.{name}"
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in POWERS:
                yield name
            case ast.BinOp(op=ast.Pow()) | ast.AugAssign(op=ast.Pow()):
                if not WRITTEN_OUT.fullmatch(ast.unparse(node)):
                    yield ast.unparse(node)
            case ast.For(iter=over) | ast.comprehension(iter=over) if _is_set(over):
                yield f"for … in {ast.unparse(over)}"


def _is_set(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(op=ast.Sub() | ast.BitAnd() | ast.BitOr() | ast.BitXor(), left=a, right=b):
            return any(_is_set(side) or _is_keys(side) for side in (a, b))
    return False


def _is_keys(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "keys"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_arithmetic_that_every_machine_rounds_alike(path: Path) -> None:
    assert list(forbidden(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("math.log(x)", ["math.log"]),
        ("math.erfc", ["math.erfc"]),
        ("from math import exp", ["from math"]),
        ("from statistics import NormalDist", ["from statistics"]),
        ("import numpy.linalg", ["import numpy.linalg"]),
        ("x ** 1.5", ["x ** 1.5"]),
        ("2 ** n", ["2 ** n"]),
        ("x **= 2", ["x **= 2"]),
        ("pow(x, 2)", ["pow"]),
        ("context.power(x, 2)", ["power"]),
        ("[f(x) for x in {a, b}]", ["for … in {a, b}"]),
        ("for x in set(a): f(x)", ["for … in set(a)"]),
        ("for x in a.keys() - b: f(x)", ["for … in a.keys() - b"]),
        ("math.sqrt(2**31) + math.fsum(x for x in sorted({1}))", []),
        ("for x in a.keys(): f(x - 1)", []),
    ],
)
def test_what_is_forbidden_is_found(source: str, found: list[str]) -> None:
    assert list(forbidden(source)) == found


def study() -> list[dict[str, Any]]:
    """Return a study with every column, ties, both splits, and ids that hash by the seed."""
    draw = random.Random(7)
    rows = [
        {
            "post_id": f"{split}-{post}", "criterion_id": criterion, "fold": post % 2,
            "split": split, "seed": seed, "site": draw.choice("xyz"), "told": draw.choice("xyz"),
            "candidates": list("abcdef"),
            "scores": [draw.randint(0, 3) / 10 for _ in range(6)],
            "node_probs": [draw.random() for _ in range(6)],
            "selected": draw.sample("abcdef", draw.randint(0, 3)),
            "gold": draw.sample("abcdefgh", draw.randint(0, 3)),
            "prob": draw.random(),
        }
        for split in ("EVAL", "TUNE")
        for seed in ("s1", "s2")
        for post in range(6)
        for criterion in "AB"
    ]  # fmt: skip
    for row in rows:
        row["grades"] = [draw.randint(1, 3) for _ in row["gold"]]
        row["judged"] = [*row["gold"], "i"]
    return rows


def everything(path: Path) -> list[Any]:
    """Ask every function of the door, the comparison included."""
    read = reference.read(path, SETTINGS)
    plan: dict[str, Any] = {"post": [[0, 2, 1, 1, 2, 0]], "query": [[2, 0, 1] * 4]}
    plan["seed"] = {"units": plan["post"], "seeds": [[2, 0]]}
    sample = {unit: {"replicates": [0], "jackknife": [0, 1]} for unit in plan}
    recomputed = reference.intervals(read, None, plan, {}, {}, sample)["recomputed"]
    draw = random.Random(11)
    replicates, jackknife = (
        {
            unit: {key: [draw.random() for _ in range(count)] for key in parts["replicates"]}
            for unit, parts in recomputed.items()
        }
        for count in (40, 6)
    )
    other = reference.read(path, {**SETTINGS, "threshold": 0.3})
    return [
        reference.describe(read),
        reference.evaluate(read),
        reference.per_query(read),
        recomputed,
        reference.intervals(read, None, {}, replicates, jackknife, {}),
        reference.compare((read, None), (other, None), plan, swaps=[[0, 1, 1, 0, 0, 1]]),
        reference.describe(path, CLASSES),
        reference.evaluate(path, CLASSES),
        refusal(path, {"columns": {name: name for name in "hgfedcba"}}),
    ]


def refusal(path: Path, settings: dict[str, Any]) -> str:
    with pytest.raises(reference.InputError) as caught:
        reference.evaluate(path, settings)
    return str(caught.value)


def digest(path: Path) -> str:
    return hashlib.sha256(repr(everything(path)).encode()).hexdigest()


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_no_answer_depends_on_the_hash_seed(jsonl: Jsonl, seed: str) -> None:
    path = jsonl(study())
    program = "import sys; from pathlib import Path; from test_same_bits import digest;"
    program += "print(digest(Path(sys.argv[1])))"
    folders = os.pathsep.join((str(ROOT), str(Path(__file__).parent)))
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": folders}
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, str(path)],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == digest(path)


def test_sum_is_never_asked_for_floats(jsonl: Jsonl, monkeypatch: pytest.MonkeyPatch) -> None:
    """From Python 3.12 on `sum` adds floats otherwise than before."""
    path, plain = jsonl(study()), sum
    asked: list[float] = []

    def exact_sum(values: Iterable[Any], start: Any = 0) -> Any:
        terms = [*values, start]
        asked.extend(term for term in terms if isinstance(term, float))
        return plain(terms[:-1], start)

    monkeypatch.setattr(builtins, "sum", exact_sum)
    everything(path)
    monkeypatch.undo()
    assert asked == []


DIGITS = {
    "-8": "6.22096057427178412351599517258818842248871731E-16",
    "0": "0.5",
    "1": "0.84134474606854294858523254563203792247791296672660",
    "1.96": "0.97500210485177956586341573095916280997750022093812",
    "16": "1",
    "-16": "0",
    "1e9": "1",
}


@pytest.mark.parametrize(("x", "digits"), DIGITS.items())
def test_the_normal_distribution_to_fifty_digits(x: str, digits: str) -> None:
    found = normal.below(Decimal(x))
    assert found == Decimal(digits)
    assert float(found) == pytest.approx(NormalDist().cdf(float(x)), rel=1e-13)


def test_the_inverse_of_the_normal_distribution_to_fifty_digits() -> None:
    upper = Decimal("1.9599639845400542355245944305205515279555500778695")
    assert normal.inverse(Fraction(39, 40)) == upper
    assert normal.inverse(Fraction(1, 40)) == upper.copy_negate()
    assert normal.inverse(Fraction(1, 2)) == 0


@pytest.mark.parametrize("below", [1, 2, 77, 5_000, 9_999, 10_000, 10_001, 19_999])
def test_the_inverse_undoes_the_distribution(below: int) -> None:
    share = Fraction(below, 20_000)
    found = normal.below(normal.inverse(share))
    assert abs(Fraction(found) - share) < Fraction(1, 10**48)


def test_the_acceleration_is_the_exact_one() -> None:
    """Deviations from the mean 3/4: −1/4, −1/4, −1/4, 3/4; cubes 3/8, squares 3/4."""
    found = bootstrap.acceleration([0.0, 1.0, 1.0, 1.0])
    assert float(found) == float(Decimal(3) / 8 / (6 * Decimal("0.75") * Decimal("0.75").sqrt()))
    assert bootstrap.acceleration([0.1, 0.1, 0.3, 0.3]) == 0
