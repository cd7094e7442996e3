"""The rule of primary/arithmetic/exact.py, held: which numeric operations may be used, and where.

Of numpy and math only the names below may be used, so that a new one has to be thought about;
sums, products, powers and logarithms of arrays are refused by whatever name they are called.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[2] / "primary"
ONE_PLACE = "exact.py"

TYPES = (
    "bool_ dtype float32 float64 generic int8 int64 integer ndarray number uint8 uint16 "
    "uint32 uint64 unsignedinteger"
)
MOVES = (
    "append arange array asarray concatenate delete empty empty_like flatnonzero "
    "errstate frombuffer full iinfo finfo inf nan ones ones_like repeat stack take_along_axis "
    "where zeros zeros_like"
)
COMPARES = (
    "argsort clip count_nonzero isfinite isin lexsort logical_or.reduce maximum "
    "maximum.accumulate maximum.reduceat minimum minimum.at searchsorted setdiff1d sort unique"
)
WHOLE_NUMBERS = "add.at bincount divmod random.default_rng"
ONE_ROUNDING = "abs diff divide frexp rint sqrt"
IN_ORDER = "cumsum"
NUMPY = {
    name
    for names in (TYPES, MOVES, COMPARES, WHOLE_NUMBERS, ONE_ROUNDING, IN_ORDER)
    for name in names.split()
}

MATH = {"floor", "fsum", "inf", "isfinite", "nan", "nextafter", "sqrt"}
"""Of Python's own floats: exact sums, and functions that IEEE 754 rounds correctly."""

METHODS = {
    *("sum", "mean", "std", "var", "prod", "dot", "matmul", "trace", "cumprod", "average"),
    *("median", "quantile", "percentile", "ewm_mean", "rolling_mean", "rolling_sum", "corr", "cov"),
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "ln", "pow", "power", "logaddexp"),
}
"""What no array, series or column may be asked for, whatever library it belongs to."""

LIBRARIES = {"scipy.special", "scipy.stats", "statistics", "cmath"}
"""Modules whose functions end in the C library's."""


def dotted(node: ast.AST) -> str:
    """Give `np.add.reduce` of the expression that says so, and nothing of any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def whole_power(node: ast.BinOp) -> bool:
    """Say whether both sides are whole numbers that are written out: 10**9."""
    return all(
        isinstance(side, ast.Constant) and type(side.value) is int
        for side in (node.left, node.right)
    )


def of_imports(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    names = [one.name for one in node.names]
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if module in {"numpy", "math"}:
            yield f"from {module} import …: write np. or math., so that the name is seen"
        names = [module, *(f"{module}.{name}" for name in names)]
    elif any(one.name == "numpy" and one.asname != "np" for one in node.names):
        yield "numpy under another name than np"
    yield from (f"import of {name}" for name in names if name in LIBRARIES)


def of_names(node: ast.Name, *, owner: bool) -> Iterator[str]:
    if node.id in {"sum", "pow"}:
        yield f"{node.id}: write tally, total or math.fsum"
    elif node.id in {"np", "math"} and not owner:
        yield f"{node.id} by itself: write the name of the operation, so that it is seen"


def of_attributes(node: ast.Attribute, *, outermost: bool) -> Iterator[str]:
    name = dotted(node)
    library, _, used = name.partition(".")
    if library == "np" and outermost and used not in NUMPY:
        yield f"{name}: not among the operations that give the same bits everywhere"
    elif library == "math" and used not in MATH:
        yield f"{name}: the C library rounds it as it likes"
    elif library not in {"np", "math", "exact"} and node.attr in METHODS:
        yield f".{node.attr}: in {ONE_PLACE} alone"


def of_calls(node: ast.Call) -> Iterator[str]:
    named = any(keyword.arg in {None, "weights"} for keyword in node.keywords)
    if dotted(node.func) == "np.bincount" and (len(node.args) > 1 or named):
        yield "np.bincount with weights: write exact.in_order or exact.totals_by"


def of_operators(node: ast.BinOp | ast.AugAssign) -> Iterator[str]:
    if isinstance(node.op, ast.MatMult):
        yield f"@: write exact.whole_product or exact.weighed, in {ONE_PLACE} alone"
    if isinstance(node.op, ast.Pow) and not (isinstance(node, ast.BinOp) and whole_power(node)):
        yield "**: write the product, or a root of it"


def refused(source: str) -> list[str]:
    """Name every operation in a file that may give other bits on another machine."""
    tree = ast.parse(source)
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found: list[str] = []
    for node in ast.walk(tree):
        told: list[str] = []
        if isinstance(node, ast.Import | ast.ImportFrom):
            told += of_imports(node)
        elif isinstance(node, ast.Attribute):
            told += of_attributes(node, outermost=id(node) not in inner)
        elif isinstance(node, ast.Name):
            told += of_names(node, owner=id(node) in inner)
        elif isinstance(node, ast.Call):
            told += of_calls(node)
        elif isinstance(node, ast.BinOp | ast.AugAssign):
            told += of_operators(node)
        found += [f"line {getattr(node, 'lineno', 0)}: {what}" for what in told]
    return found


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != ONE_PLACE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_adds_floats_in_the_one_place_alone(path: Path) -> None:
    assert refused(path.read_text()) == []


def test_every_name_that_is_allowed_is_used() -> None:
    used = {
        dotted(node)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
    }
    assert {f"np.{name}" for name in NUMPY} | {f"math.{name}" for name in MATH} <= used


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nnp.dot(a, b)",
        "import numpy as np\nnp.add.reduce(a)",
        "import numpy as np\nnp.log2(a)",
        "import numpy as np\nnp.bincount(a, weights=b)",
        "import numpy as np\nnp.bincount(a, b)",
        "import numpy as np\nnp.bincount(a, **b)",
        "import numpy\nnumpy.dot(a, b)",
        "import numpy as other",
        "from numpy import dot",
        "from math import exp",
        "from scipy.special import ndtr",
        "from scipy import special",
        "import statistics",
        "math.exp(x)",
        "math.log2(x)",
        "a @ b",
        "a @= b",
        "a ** 2",
        "a ** 0.5",
        "2.0 ** 3",
        "a **= 2",
        "sum(values)",
        "list(map(sum, values))",
        "getattr(np, 'dot')(a, b)",
        "pow(a, 2)",
        "values.sum()",
        "(a * b).sum(axis=1)",
        "frame['x'].mean()",
        "values[0].std(ddof=1)",
        "list(map(np.ndarray.sum, a))",
    ],
)
def test_what_depends_on_the_machine_is_refused(code: str) -> None:
    assert refused(code) != []


@pytest.mark.parametrize(
    "code",
    [
        "10**9",
        "-(2**63)",
        "import numpy as np\nnp.sqrt(a * b) / np.maximum(c, 1)",
        "import numpy as np\nnp.bincount(a, minlength=3)",
        "math.fsum(values) / len(values)",
        "exact.total(values)",
    ],
)
def test_what_has_one_answer_is_allowed(code: str) -> None:
    assert refused(code) == []
