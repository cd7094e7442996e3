"""The vectors check themselves: well formed, in lowest terms, and equal to their own arithmetic.

Nothing here runs an implementation. Each answer that is not a plain number carries the sum it was
worked out by (`arithmetic`); a pocket calculator of a page does that sum again, exactly where it
is rational and to sixty digits where it is not.
"""

from __future__ import annotations

import ast
import json
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
FAMILIES = sorted(path.stem for path in HERE.glob("*.json") if path.stem != "schema")
DIGITS = 30
Number = Fraction | Decimal

STATISTICS = (
    {"mean", "std", "std/population", "median", "p25", "p75", "p90", "min", "max", "n", "value"}
    | {"mean_prob", "mean_label", "macro", "micro", "difference", "improvement"}
    | {f"{end}/{unit}/{method}" for end in ("ci_low", "ci_high") for unit in ("post", "query")
       for method in ("percentile", "bca")}
    | {f"{end}/seed/percentile" for end in ("ci_low", "ci_high")}
    | {f"difference_{end}/{unit}/percentile" for end in ("ci_low", "ci_high")
       for unit in ("post", "query")}
    | {"p/permutation", "p/holm"}
)  # fmt: skip
POPULATIONS = {
    *("all_queries", "positives_only", "pairs", "predicted_positive", "posts", "tune_queries")
}
SLICES = {"fold", "criterion", "state", "has_evidence", "view", "class", "seed", "dataset"}
AGGREGATED = {"all", "folds", "criteria", "seeds", "dataset"}


def load(family: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((HERE / f"{family}.json").read_text(encoding="utf-8"))
    return document


def params(part: str = "id") -> list[Any]:
    """Give the cases that have `part`, each under its own name."""
    return [
        pytest.param(case, id=case["id"])
        for family in FAMILIES
        for case in load(family)["cases"]
        if part in case
    ]


def decimal(value: Number) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(value.numerator) / value.denominator


def lg(value: Number) -> Number:
    """Logarithm to base 2, an integer for a power of two."""
    if isinstance(value, Fraction) and value.denominator == 1:
        exponent = value.numerator.bit_length() - 1
        if value.numerator == 1 << exponent:
            return Fraction(exponent)
    return decimal(value).ln() / Decimal(2).ln()


def sqrt(value: Number) -> Number:
    """Square root, a fraction for a square of one."""
    if isinstance(value, Fraction):
        top, bottom = isqrt(value.numerator), isqrt(value.denominator)
        if (top * top, bottom * bottom) == (value.numerator, value.denominator):
            return Fraction(top, bottom)
    return decimal(value).sqrt()


def ln(value: Number) -> Number:
    """Natural logarithm, exact for 1."""
    return Fraction(0) if value == 1 else decimal(value).ln()


def exp(value: Number) -> Number:
    """Power of e, exact for 0."""
    return Fraction(1) if value == 0 else decimal(value).exp()


def pi() -> Decimal:
    """π by Machin's formula: 16·arctan(1/5) − 4·arctan(1/239)."""

    def arctan_of_inverse(n: int) -> Decimal:
        total, power, k = Decimal(0), Decimal(1) / n, 0
        while abs(power) > Decimal(10) ** -(getcontext().prec + 5):
            total += power / (2 * k + 1)
            power, k = -power / (n * n), k + 1
        return total

    return 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)


def density(x: Decimal) -> Decimal:
    return (-x * x / 2).exp() / (2 * pi()).sqrt()


def phi(value: Number) -> Decimal:
    """Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + …)."""
    x = decimal(value)
    term, total, k = x, Decimal(0), 1
    while abs(term) > Decimal(10) ** -(getcontext().prec + 5):
        total += term
        term, k = term * x * x / (k + 2), k + 2
    return Decimal(1) / 2 + density(x) * total


def probit(value: Number) -> Number:
    """Φ⁻¹(p) by Newton's method."""
    p, x = decimal(value), Decimal(0)
    if p == Decimal(1) / 2:
        return Fraction(0)
    for _ in range(200):
        step = (phi(x) - p) / density(x)
        x -= max(min(step, Decimal(1)), Decimal(-1))
        if abs(step) < Decimal(10) ** -(getcontext().prec - 8):
            return x
    raise ArithmeticError(f"probit({value}) did not settle")


def combine(left: Number, operator: ast.operator, right: Number) -> Number:
    if isinstance(operator, ast.Pow):
        return left ** int(right)
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        left, right = decimal(left), decimal(right)
    if isinstance(operator, ast.Add):
        return left + right  # type: ignore[operator]
    if isinstance(operator, ast.Sub):
        return left - right  # type: ignore[operator]
    if isinstance(operator, ast.Mult):
        return left * right  # type: ignore[operator]
    if isinstance(operator, ast.Div):
        return left / right  # type: ignore[operator]
    raise ValueError(f"the calculator knows + − × ÷ and powers, not {operator}")


FUNCTIONS: dict[str, Callable[[Number], Number]] = {
    "lg": lg,
    "ln": ln,
    "exp": exp,
    "sqrt": sqrt,
    "phi": phi,
    "probit": probit,
}


def calculate(text: str, names: dict[str, Number]) -> Number:
    """Do the sum that `text` spells out; numbers in it are exact decimals."""

    def value(node: ast.expr) -> Number:
        match node:
            case ast.Constant():
                return Fraction(ast.get_source_segment(text, node) or "")
            case ast.Name():
                return names[node.id]
            case ast.UnaryOp(op=ast.USub()):
                return -value(node.operand)
            case ast.BinOp():
                return combine(value(node.left), node.op, value(node.right))
            case ast.Call(func=ast.Name(id=name), args=[argument]):
                return FUNCTIONS[name](value(argument))
        raise ValueError(f"the calculator cannot read {ast.dump(node)} in {text}")

    with localcontext(prec=60):
        return value(ast.parse(text, mode="eval").body)


def written(value: Number) -> str:
    """The answer as a vector writes it: lowest terms, or thirty digits."""
    if isinstance(value, Fraction):
        return str(value)
    with localcontext(prec=DIGITS):
        return format(+value, "f")


def answers(case: dict[str, Any]) -> dict[str, int | str]:
    """Every answer of a case by key: the ledger's, the intervals', the comparison's."""
    found = dict(case.get("expect", {}))
    found |= case.get("intervals", {}).get("expect", {})
    found |= case.get("comparison", {}).get("expect", {})
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_family_fits_the_schema(family: str) -> None:
    schema = json.loads((HERE / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    errors = jsonschema.Draft202012Validator(schema).iter_errors(load(family))
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_family_declares_the_flags_it_uses_and_no_others(family: str) -> None:
    document = load(family)
    used = {flag for case in document["cases"] for flag in case["flags"]}
    assert (document["family"], used) == (family, set(document["flags"]))


def test_case_ids_are_unique() -> None:
    ids = [case["id"] for family in FAMILIES for case in load(family)["cases"]]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("case", params())
def test_keys_are_well_formed(case: dict[str, Any]) -> None:
    malformed = []
    for key in [*answers(case), *case.get("absent", [])]:
        parts = key.split("|")
        if len(parts) != 4 or not all(parts):
            malformed.append(key)
            continue
        _, population, where, statistic = parts
        kind, equals, which = where.partition("=")
        known = kind in SLICES and (which or kind == "dataset") if equals else where in AGGREGATED
        if not known or population not in POPULATIONS or statistic not in STATISTICS:
            malformed.append(key)
    assert malformed == []


@pytest.mark.parametrize("case", params())
def test_answers_are_in_lowest_terms_or_thirty_digits(case: dict[str, Any]) -> None:
    wrong = {}
    for key, answer in answers(case).items():
        if isinstance(answer, int) or answer == "inf":
            continue
        if "." in answer:
            digits = len(Decimal(answer).as_tuple().digits)
            if digits != DIGITS or key not in case.get("arithmetic", {}):
                wrong[key] = answer
        elif str(Fraction(answer)) != answer:
            wrong[key] = answer
    assert wrong == {}


@pytest.mark.parametrize("case", params("arithmetic"))
def test_arithmetic_gives_the_answer(case: dict[str, Any]) -> None:
    names: dict[str, Number] = {}
    given, done = answers(case), {}
    for name, text in case["arithmetic"].items():
        value = calculate(text, names)
        if "|" in name:
            done[name] = written(value)
        else:
            names[name] = value
    assert done == {key: given[key] for key in done}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/3 + 1/6", "1/2"),
        ("lg(8)", "3"),
        ("1/lg(3)", "0.630929753571457437099527114343"),
        ("sqrt(9/16)", "3/4"),
        ("ln(1) + exp(0)", "1"),
        ("ln(2)", "0.693147180559945309417232121458"),
        ("exp(1)", "2.71828182845904523536028747135"),
        ("sqrt(2)", "1.41421356237309504880168872421"),
        ("probit(0.975)", "1.95996398454005423552459443052"),
        ("phi(1)", "0.841344746068542948585232545632"),
    ],
)
def test_calculator(text: str, expected: str) -> None:
    assert written(calculate(text, {})) == expected
