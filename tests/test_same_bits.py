"""Both implementations give the same bits under every BLAS kernel, vector width and thread count.

One small study with everything in it is computed in processes that differ in what a machine may
choose: the kernel that OpenBLAS multiplies with, the vectors that numpy and the C library use, the
number of threads, Python's hash seed. Every number of ledger, per-query values, intervals (with
replicates, jackknife and ROC band) and comparison (with permutations) must come out the same.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[1]
SEED = 20260117
RESAMPLES = 250
SAMPLED = {"replicates": [0, 17], "jackknife": [0, 5]}
SETTINGS = {
    "tau_neg": 0.2,
    "tau_pos": 0.7,
    "views": {"some": ["A.1", "A.3"]},
    "bins": [10, 7],
    "threshold": {"0": 0.4, "1": 0.55},
}

# --- the study, and everything that can be said about it ---------------------------------------


def query(
    draw: random.Random, *, fold: int, post: int, criterion: int, split: str
) -> dict[str, Any]:
    size = draw.randint(1, 24)
    candidates = [f"{post}_{number}" for number in range(size)]
    gold = [one for one in candidates if draw.random() < 0.12] + ["lost"] * (draw.random() < 0.05)
    scores = [round(draw.gauss(one in gold, 1), draw.choice([1, 9])) for one in candidates]
    prob = round(1 / (1 + math.exp(draw.gauss(1 - 2 * bool(gold), 1.2))), draw.choice([1, 3, 16]))
    selected = [one for one in candidates if draw.random() < 0.2]
    return {
        "post_id": f"p{post}",
        "criterion_id": f"A.{criterion}",
        "fold": fold,
        "split": split,
        "candidates": candidates,
        "scores": scores,
        "gold": gold,
        "prob": prob,
        "selected": selected,
        "node_probs": [round(draw.random(), draw.choice([2, 16])) for _ in candidates],
    }


def systems() -> dict[str, list[dict[str, Any]]]:
    """Give two systems over the same queries: folds, criteria, ties, TUNE rows, lost gold."""
    draw = random.Random(SEED)
    rows = [
        query(draw, fold=post % 2, post=post, criterion=criterion, split=split)
        for split, posts in (("EVAL", range(60)), ("TUNE", range(60, 76)))
        for post in posts
        for criterion in range(1, 5)
    ]
    other = [
        row
        | {
            "scores": [round(score + draw.gauss(0, 0.5), 2) for score in row["scores"]],
            "prob": round(row["prob"] * draw.uniform(0.9, 1), 5),
        }
        for row in rows
    ]
    return {"a": rows, "b": other}


def plan(posts: int, queries: int) -> dict[str, list[list[int]]]:
    draw = random.Random(SEED)
    found: dict[str, list[list[int]]] = {}
    for unit, count in (("post", posts), ("query", queries)):
        found[unit] = []
        for _ in range(RESAMPLES):
            counts = [0] * count
            for _ in range(count):
                counts[draw.randrange(count)] += 1
            found[unit].append(counts)
    return found


def flat(found: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Give every number under its place, floats to the last bit."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from flat(value, f"{path}/{key}")
    elif isinstance(found, float):
        yield path, found.hex()
    elif hasattr(found, "tolist") or isinstance(found, list | tuple):
        for place, value in enumerate(found.tolist() if hasattr(found, "tolist") else found):
            yield from flat(value, f"{path}/{place}")
    else:
        yield path, str(found)


def by_primary(files: Mapping[str, Path], drawn: Mapping[str, Any]) -> dict[str, Any]:
    import primary  # noqa: PLC0415 - only the processes that compute need it

    a, b = (files[name] for name in ("a", "b"))
    draw = random.Random(SEED + 1)
    swaps = [[draw.randrange(2) for _ in drawn["post"][0]] for _ in range(RESAMPLES)]
    intervals = primary.intervals(a, SETTINGS, drawn)
    compared = primary.compare((a, SETTINGS), (b, SETTINGS), drawn, swaps=swaps)
    return {
        "ledger": primary.evaluate(a, SETTINGS),
        "per_query": primary.per_query(a, SETTINGS).to_dict("list"),
        "intervals": vars(intervals),
        "compare": vars(compared),
        "swaps": swaps,
    }


def by_reference(
    files: Mapping[str, Path], drawn: Mapping[str, Any], known: Mapping[str, Any]
) -> dict[str, Any]:
    import reference  # noqa: PLC0415 - only the processes that compute need it

    a, b = ((files[name], SETTINGS) for name in ("a", "b"))
    sample = dict.fromkeys(drawn, SAMPLED)
    some = {
        unit: {number: counts[number] for number in SAMPLED["replicates"]}
        for unit, counts in drawn.items()
    }
    intervals, compared = known["intervals"], known["compare"]
    return {
        "ledger": reference.evaluate(*a),
        "per_query": reference.per_query(*a),
        "intervals": reference.intervals(
            *a, some, intervals["replicates"], intervals["jackknife"], sample
        ),
        "compare": reference.compare(a, b, some, None, known["swaps"][:2], compared["replicates"]),
    }


def main(folder: Path) -> None:
    """Compute everything, write it down line by line, and say what it was computed with."""
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]  # noqa: PLC0415

    files = {name: folder / f"{name}.jsonl" for name in ("a", "b")}
    drawn = plan(60, 240)
    ours = by_primary(files, drawn)
    theirs = by_reference(files, drawn, ours)
    lines = sorted(map("\t".join, flat({"primary": ours, "reference": theirs})))
    text = "\n".join(lines)
    Path(sys.argv[2]).write_text(text)
    kernels = [
        library["architecture"]
        for library in threadpool_info()
        if library["internal_api"] == "openblas"
    ]
    print(  # noqa: T201 - the answer to the process that asked
        json.dumps(
            {
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
                "numbers": len(lines),
                "kernels": sorted(set(kernels)),
            }
        )
    )


# --- the machines that this one can stand in for ------------------------------------------------

NEEDED = {"Prescott": "SSE3", "Haswell": "X86_V3", "Zen": "X86_V3", "SkylakeX": "X86_V4"}
"""What a processor must have for each of OpenBLAS's kernels."""


def machines() -> dict[str, dict[str, str]]:
    """Give environments: each a kernel, a level of vectors, a number of threads, a hash seed."""
    from numpy._core import _multiarray_umath as built  # noqa: PLC0415 - only here

    features = built.__cpu_features__
    switched = [one for one in built.__cpu_dispatch__ if features[one]]
    narrow = [one for one in switched if one != "X86_V3"]
    plain = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(switched),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
        "POLARS_MAX_THREADS": "1",
    }
    given = {
        "as it is": {"PYTHONHASHSEED": "0"},
        "Prescott": {**plain, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "1"},
        "Haswell": {"NPY_DISABLE_CPU_FEATURES": " ".join(narrow), "OPENBLAS_NUM_THREADS": "2"},
        "Zen": {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
        "SkylakeX": {**plain, "OPENBLAS_NUM_THREADS": "2", "PYTHONHASHSEED": "1"},
    }
    for name, variables in given.items():
        if name in NEEDED:
            variables["OPENBLAS_CORETYPE"] = name
    return {
        name: variables
        for name, variables in given.items()
        if name not in NEEDED or features.get(NEEDED[name])
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    for name, rows in systems().items():
        lines = (json.dumps(row) for row in rows)
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def computed(folder: Path, name: str, variables: Mapping[str, str]) -> tuple[dict[str, Any], Path]:
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("OPENBLAS_", "NPY_", "GLIBC_", "POLARS_", "PYTHONHASHSEED"))
    }
    lines = folder / f"{name}.txt"
    done = subprocess.run(
        [sys.executable, "-P", __file__, str(folder), str(lines)],
        env={**kept, **{key: value for key, value in variables.items() if value}},
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), lines


def differing(first: Path, second: Path) -> list[str]:
    ours, theirs = (path.read_text().splitlines() for path in (first, second))
    return [f"{a}  |  {b}" for a, b in zip(ours, theirs, strict=False) if a != b][:5]


def test_every_machine_gives_the_same_bits(folder: Path) -> None:
    found = {name: computed(folder, name, given) for name, given in machines().items()}
    first, lines = found.pop("as it is")
    assert first["numbers"] > 100_000
    for name, (answer, other) in found.items():
        assert answer["sha256"] == first["sha256"], (name, differing(lines, other))
    # A kernel that the library was built without is replaced by one that it has, under its name.
    tried = {kernel for answer, _ in found.values() for kernel in answer["kernels"]}
    assert len(tried) >= min(len(found), 2) or not first["kernels"]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
