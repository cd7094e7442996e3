"""Mutation score: `python tests/bench/mutation.py [PACKAGE …] [--only PATTERN] [--survivors]`.

Works in a copy of the project under .cache/mutation, with one process at low priority. Prints a
table by module and every survivor, with its reason from survivors.toml. Exit code 1 if a survivor
has no reason there, or a reason no survivor. See docs/mutation.md.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
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
    from collections.abc import Iterator, Mapping, Sequence

    from mutants import Mutant

    Verdicts = dict[str, str]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "mutation"
REASONS = HERE / "survivors.toml"
NOTICED = (trial.KILLED, trial.TIMEOUT)


@dataclass(frozen=True)
class Package:
    """What is mutated, and which tests must notice."""

    files: tuple[str, ...]
    """Glob patterns."""
    tests: tuple[str, ...]
    """What pytest is told to run."""
    seconds: float
    """How much processor time these tests may take; several times what they need."""


BARE = "test_bare_python_prints_the_ledger_with_the_config_beside_the_data"
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
    sys.path.insert(0, str(work))
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


def tried(package: Package, files: Sequence[str], chosen: Mapping[str, Mutant]) -> Iterator[str]:
    """Yield the verdict on each mutant in turn; those that the import runs come out as such."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        code = trial.BROKEN
        try:
            with os.fdopen(writer, "w", buffering=1) as pipe:
                code = trial.try_all(
                    files, list(chosen.values()), package.tests, lambda said: print(said, file=pipe)
                )
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        for line in pipe:
            yield line.strip()
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit("the trial of the mutants broke off; see above")


def judged(name: str, chosen: Mapping[str, Mutant], files: Sequence[str]) -> Verdicts:
    """Put the chosen mutants on trial."""
    package, found, started = PACKAGES[name], dict[str, str](), time.monotonic()
    for key, said in zip(chosen, tried(package, files, chosen), strict=True):
        found[key] = said
        if len(found) % 50 == 0 or len(found) == len(chosen):
            count = Counter(found.values())
            minutes = (time.monotonic() - started) / 60
            print(f"  {len(found)}/{len(chosen)} {dict(count)} {minutes:.1f} min", flush=True)
    for key, said in found.items():
        if said == trial.IMPORTED:
            found[key] = trial.try_written(chosen[key], package.tests, package.seconds)
    return found


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
    return name.rpartition(" #")[0] or name


def report(verdicts: Verdicts, known: Mapping[str, str]) -> list[str]:
    """Print the table and the survivors; return the survivors without a reason."""
    rows: dict[str, Counter[str]] = {}
    for name, said in verdicts.items():
        said_or_reason = said
        if said not in NOTICED and plain(name) in known:
            said_or_reason = "equivalent"
        rows.setdefault(name.partition(":")[0], Counter())[said_or_reason] += 1
    rows["all"] = sum(rows.values(), Counter())
    print("\n| module | mutants | killed | timeout | equivalent | survived | killed, % |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for module, count in rows.items():
        n, noticed = count.total(), sum(count[each] for each in NOTICED)
        lost = n - noticed - count["equivalent"]
        cells = (n, count[trial.KILLED], count[trial.TIMEOUT], count["equivalent"], lost)
        print(f"| {module} | {' | '.join(map(str, cells))} | {100 * noticed / n:.1f} |")
    unexplained = []
    for name, said in verdicts.items():
        if said not in NOTICED:
            reason = known.get(plain(name))
            if reason is None:
                unexplained.append(name)
            print(f"\n{said}: {name}\n    {reason or 'NO REASON in survivors.toml'}")
    return unexplained


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", nargs="*", default=list(PACKAGES), help=", ".join(PACKAGES))
    parser.add_argument("--only", default="*", help="pattern for module.function")
    parser.add_argument("--survivors", action="store_true", help="only those of the last run")
    given = parser.parse_args()
    os.nice(10)
    sys.dont_write_bytecode = True
    bad = 0
    for name in given.package:
        bad += one(name, given.only, survivors=given.survivors)
        sys.path.pop(0)
    return int(bool(bad))


def one(name: str, only: str, *, survivors: bool) -> int:
    """Try the mutants of one package; return how many lines of survivors.toml are amiss."""
    work = copied(name)
    files = sorted(
        str(path.relative_to(work))
        for pattern in PACKAGES[name].files
        for path in work.glob(pattern)
    )
    every = named([mutant for file in files for mutant in mutants.of(work, file)])
    kept = CACHE / f"{name}.json"
    last: Verdicts = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    chosen = {
        key: mutant
        for key, mutant in every.items()
        if fnmatch.fnmatch(mutant.name, f"*{only}*")
        and not (survivors and last.get(key) in NOTICED)
    }
    print(f"{name}: {len(chosen)} of {len(every)} mutants in {len(files)} files", flush=True)
    found = judged(name, chosen, files) if chosen else {}
    merged = {key: found.get(key) or last.get(key, "") for key in every}
    kept.write_text(json.dumps({k: v for k, v in merged.items() if v}, indent=1), encoding="utf-8")
    known = {key: why for key, why in reasons().items() if key.partition(":")[0] in files}
    shown = {k: v for k, v in merged.items() if v and fnmatch.fnmatch(every[k].name, f"*{only}*")}
    unexplained = report(shown, known)
    survived = {plain(key) for key, said in shown.items() if said not in NOTICED}
    stale = [key for key in known if key not in survived] if only == "*" else []
    for key in stale:
        print(f"\nsurvivors.toml explains what did not survive: {key}")
    print(f"\n{len(unexplained)} survivors without a reason, {len(stale)} reasons too many")
    return len(unexplained) + len(stale)


if __name__ == "__main__":
    sys.exit(main())
