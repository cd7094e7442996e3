"""Mutation score: `python tests/bench/mutation.py [PACKAGE …] [--only PATTERN]`, and --help.

Mutants by mutants.py, trials by trial.py; here is what is mutated and which tests must notice.

Works in a copy of the project under .cache/mutation, with one process at low priority. Prints a
table by module and every survivor, with its reason from survivors.toml. Exit code 1 if a survivor
has no reason there, or a reason no survivor. See docs/mutation.md.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import mutants
import trial

if TYPE_CHECKING:
    from collections.abc import Iterator, KeysView, Mapping, Sequence

    from mutants import Mutant

    Verdicts = dict[str, str]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "mutation"
REASONS = HERE / "survivors.toml"
PAGE = ROOT / "docs" / "mutation.md"
NOTICED = (trial.KILLED, trial.TIMEOUT)
EQUIVALENT = "equivalent"


@dataclass(frozen=True)
class Package:
    """What is mutated, and which tests must notice."""

    files: tuple[str, ...]
    """Glob patterns."""
    tests: tuple[str, ...]
    """What pytest is told to run."""
    seconds: float
    """How much processor time these tests may take; several times what they need."""
    patience: float = math.inf
    """How many seconds of tests a mutant has to survive to be called a survivor."""


BARE = "test_bare_python_prints_the_ledger_with_the_config_beside_the_data"
HOLDS = "test_the_ledger_holds_the_vectors_answers"
RANDOM = [
    f"{test}[{seed}]"
    for test in (
        "test_tie_bounds_are_the_extremes_over_all_orders_of_equals",
        "test_curves_are_those_of_the_definition",
    )
    for seed in range(4, 40)
]
PACKAGES = {
    "reference": Package(
        files=("reference/*.py",),
        tests=(
            "tests/reference",
            # Left out: what needs files from outside the project, a process of its own, or long.
            "--ignore=tests/reference/test_real_data.py",
            "--ignore=tests/reference/test_properties.py",
            "--deselect=tests/reference/test_vectors.py::test_ledger[classification-mcc-of-144000]",
            f"--deselect=tests/reference/test_command.py::{BARE}",
        ),
        seconds=120,
    ),
    "crosscheck": Package(
        files=("crosscheck/model/ledgers.py", "crosscheck/checks/*.py"),
        tests=(
            "tests/crosscheck/model/test_ledgers.py",
            "tests/crosscheck/checks",
            # Left out: what runs the whole gate, half a second each.
            "--ignore=tests/crosscheck/checks/test_data.py",
            "--ignore=tests/crosscheck/checks/test_numbers.py",
        ),
        seconds=120,
    ),
    "primary": Package(
        files=("primary/**/*.py",),
        tests=(
            "tests/primary",
            # Left out: what needs files from outside the project, or long.
            "--ignore=tests/primary/test_real_data.py",
            "--deselect=tests/primary/test_bootstrap.py::test_bca_agrees_with_scipy",
            f"--deselect=tests/primary/test_vectors.py::{HOLDS}[classification-mcc-of-144000]",
            # Of forty random cases four will do.
            *(f"--deselect=tests/primary/test_algorithms.py::{case}" for case in RANDOM),
        ),
        seconds=120,
        patience=2,
    ),
}


def copied(package: str) -> Path:
    """Copy the project as it stands, without what git ignores, and go there."""
    work = CACHE / package
    shutil.rmtree(work, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, done.stdout.split("\0")):
        if (ROOT / name).is_file():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, work / name)
    os.chdir(work)
    sys.path[0] = str(work)  # in place of this folder, whose coverage.py hides the package
    os.environ["PYTHONPATH"] = str(work)
    return work


def named(found: Sequence[Mutant]) -> dict[str, Mutant]:
    """Give every mutant a name that lasts as long as its lines do; equal ones are numbered."""
    seen: Counter[str] = Counter()
    names = {}
    for mutant in found:
        name = f"{mutant.file}: {mutant.function}: {mutant.change()}"
        seen[name] += 1
        names[f"{name} #{seen[name]}" if seen[name] > 1 else name] = mutant
    return names


def tried(
    package: Package, files: Sequence[str], chosen: Mapping[str, Mutant], until: float
) -> Iterator[str]:
    """Yield the verdict on each mutant in turn; those that the import runs come out as such."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        code = trial.BROKEN
        try:
            with os.fdopen(writer, "w", buffering=1) as pipe:
                plugin = trial.Session(
                    files,
                    list(chosen.values()),
                    lambda said: print(said, file=pipe),
                    package.patience,
                    until,
                )
                code = trial.try_all(plugin, package.tests)
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        for line in pipe:
            yield line.strip()
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit("the trial of the mutants broke off; see above")


def judged(
    name: str, chosen: Mapping[str, Mutant], files: Sequence[str], minutes: float
) -> Iterator[Verdicts]:
    """Put the chosen mutants on trial; yield what is known every now and then, and at the end."""
    package, found, started = PACKAGES[name], dict[str, str](), time.monotonic()
    answers = tried(package, files, chosen, started + 60 * minutes)
    for key, said in zip(chosen, answers, strict=math.isinf(minutes)):
        found[key] = said
        if len(found) % 50 == 0 or len(found) == len(chosen):
            count = ", ".join(f"{n} {each}" for each, n in Counter(found.values()).items())
            so_far = (time.monotonic() - started) / 60
            print(f"  {len(found)} of {len(chosen)}: {count}; {so_far:.1f} min", flush=True)
            yield {key: said for key, said in found.items() if said != trial.IMPORTED}
    for key, said in found.items():
        if said == trial.IMPORTED:
            found[key] = trial.try_written(chosen[key], package.tests, package.seconds)
    yield found


def reasons() -> dict[str, str]:
    """Read which survivors are equivalent, and why."""
    entries = tomllib.loads(REASONS.read_text(encoding="utf-8")).get("equivalent", [])
    return {
        f"{entry['file']}: {entry['function']}: {change}": entry["reason"]
        for entry in entries
        for change in entry["changes"]
    }


def plain(name: str) -> str:
    """Return a mutant's name without its number."""
    return re.sub(r" #\d+$", "", name)


def report(verdicts: Verdicts, files: Sequence[str], *, whole: bool) -> int:
    """Print table, survivors and reasons; return how many of either lack the other."""
    known = {key: why for key, why in reasons().items() if key.partition(":")[0] in files}
    survivors = {name: said for name, said in verdicts.items() if said not in NOTICED}
    print("", *table(verdicts, known), sep="\n")
    for name, said in survivors.items():
        print(f"\n{said}: {name}\n    {known.get(plain(name), 'NO REASON in survivors.toml')}")
    explained = {plain(name) for name in survivors}
    missing = explained - known.keys()
    stale = known.keys() - explained if whole else set()
    for key in stale:
        print(f"\nsurvivors.toml explains what did not survive: {key}")
    print(f"\n{len(missing)} survivors without a reason, {len(stale)} reasons without a survivor")
    return len(missing) + len(stale)


def table(verdicts: Verdicts, known: Mapping[str, str]) -> Iterator[str]:
    """Yield how many mutants of each module met which end, as Markdown."""
    rows: dict[str, Counter[str]] = {}
    for name, said in verdicts.items():
        explained = said not in NOTICED and plain(name) in known
        rows.setdefault(name.partition(":")[0], Counter())[EQUIVALENT if explained else said] += 1
    rows["all"] = sum(rows.values(), Counter())
    yield "| module | mutants | killed | timeout | equivalent | survived | killed, % |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for module, count in rows.items():
        n, ends = count.total(), [count[each] for each in (*NOTICED, EQUIVALENT)]
        cells = map(str, (n, *ends, n - sum(ends)))
        yield f"| {module} | {' | '.join(cells)} | {100 * sum(ends[:2]) / n:.1f} |"


def write_page(package: str, verdicts: Verdicts, every: KeysView[str]) -> None:
    """Put the table and the reasons between the package's marks in docs/mutation.md."""
    known = reasons()
    lines = [*table(verdicts, known), ""]
    made, untried = (
        Counter(name.partition(":")[0] for name in names)
        for names in (every, every - verdicts.keys())
    )
    if untried:
        parts = ", ".join(f"`{file}` {n} of {made[file]}" for file, n in untried.items())
        lines += [f"Not tried, for want of time, and not in the table: {parts}.", ""]
    left: Counter[tuple[str, str]] = Counter()
    for name, said in verdicts.items():
        if said not in NOTICED:
            where = ": ".join(name.split(": ")[:2])
            left[where, known.get(plain(name), "no reason")] += 1
    for (where, why), count in left.items():
        file, function = where.split(": ")
        times = f" ({count} mutants)" if count > 1 else ""
        lines.append(f"- `{file}`, `{function}`{times}: {why}")
    first, last = f"<!-- {package} -->\n", f"<!-- end of {package} -->"
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(first)
    _, _, after = rest.partition(last)
    text = "\n".join(lines)
    PAGE.write_text(f"{before}{first}\n{text}\n\n{last}{after}", encoding="utf-8")


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", nargs="*", default=list(PACKAGES), help=", ".join(PACKAGES))
    parser.add_argument("--only", default="*", help="pattern for module.function")
    parser.add_argument("--survivors", action="store_true", help="only those of the last run")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="stop then; mutants in an order by chance"
    )
    parser.add_argument("--write", action="store_true", help="renew docs/mutation.md")
    given = parser.parse_args()
    os.nice(10)
    # Each trial is a fork, which starts its thread pools anew: one thread is the quickest start.
    os.environ |= {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    sys.dont_write_bytecode = True
    bad = 0
    for name in given.package:
        bad += one(name, given)
    return int(bool(bad))


def by_chance(chosen: Mapping[str, Mutant]) -> dict[str, Mutant]:
    """Order mutants by the hash of their names, so that the first ones are a fair sample."""
    names = sorted(chosen, key=lambda name: hashlib.sha256(name.encode()).digest())
    return {name: chosen[name] for name in names}


def one(name: str, given: argparse.Namespace) -> int:
    """Try the mutants of one package; return how much in survivors.toml is missing or stale."""
    work = copied(name)
    globs = PACKAGES[name].files
    files = sorted({str(path.relative_to(work)) for each in globs for path in work.glob(each)})
    every = named([mutant for file in files for mutant in mutants.of(work, file)])
    asked = {
        key for key, mutant in every.items() if fnmatch.fnmatch(mutant.name, f"*{given.only}*")
    }
    kept = CACHE / f"{name}.json"
    last: Verdicts = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    known = {key: said for key, said in last.items() if key in every}
    done = {key for key in known if given.survivors and known[key] in NOTICED}
    chosen = {key: mutant for key, mutant in every.items() if key in asked - done}
    print(f"{name}: {len(chosen)} of {len(every)} mutants in {len(files)} files", flush=True)
    if given.minutes < math.inf:
        chosen = by_chance(chosen)
    for found in judged(name, chosen, files, given.minutes) if chosen else ():
        known |= found
        kept.write_text(json.dumps(known, indent=1), encoding="utf-8")
    verdicts = {key: known[key] for key in every if key in asked and key in known}
    if given.write and len(asked) == len(every):
        write_page(name, verdicts, every.keys())
    return report(verdicts, files, whole=len(verdicts) == len(every))


if __name__ == "__main__":
    sys.exit(main())
