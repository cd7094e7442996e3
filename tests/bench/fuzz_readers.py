"""Spoiled files, thrown at every reader for a while: `make fuzz-readers`, SECONDS=600 for each.

Every reader gets a process of its own, in which the whole command is run on one spoiled file after
the other. An exit code of ours (3), a traceback, a death, a wait of a minute or more than a
gigabyte is a failure, and its file is kept in reports/fuzz-readers/.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "reports" / "fuzz-readers"
LONGEST = 60
MOST_MB = 1024
HEADER = "query_id,fold,candidates,scores,gold,has_evidence,prob\n"
ROW = 'q{0},{1},a|b|c,"[0.9, 0.5, {2:.2f}]",{3},{4},{2:.3f}\n'
CSV = HEADER + "".join(
    ROW.format(n, n % 2, n / 30, "b" if n % 3 else "", int(n % 3 > 0)) for n in range(30)
)
CONFIG = """
threshold = 0.4
tau_neg = 0.2
tau_pos = 0.8
k = [1, 3, 10]
fpr = [1, 5]
gamma = [0.9]
tolerance = 0.01
seed = 7
resamples = 5
ties = "order"
metrics = ["auroc", "ndcg@10"]
[columns]
gold = "gold"
[views]
one = ["A.1"]
[grid]
tau_neg = [0.1]
tau_pos = [0.8]
[profile]
queries = 30
[waivers]
"XC901 auroc*" = "known"
[claims]
file = "claims.json"
"""
NUMBERS = [
    b"\x00" * 4,
    b"\xff" * 4,
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x80" * 9 + b"\x01",
]
WORDS = [
    b"1e999",
    b"-1",
    b"9" * 400,
    b"nan",
    b'"',
    b"[",
    b"{",
    b"\x00",
    b"\xff",
    b"=",
    b"\n",
    b"0x",
]


def spoil(content: bytes, random: Random, words: list[bytes]) -> bytes:
    """Change some bytes: flip, cut, copy, put in what readers stumble over."""
    held = bytearray(content)
    for _ in range(random.choice([1, 1, 2, 4, 16])):
        # The end of a Parquet file and of an archive says what the rest is.
        near_the_end = random.random() < 0.4
        first = max(0, len(held) - 600) if near_the_end else 0
        place = random.randrange(first, len(held) + 1)
        span = random.choice([0, 1, 1, 4, random.randrange(200)])
        what = random.randrange(5)
        if what == 0:
            held[place : place + 1] = bytes([random.randrange(256)])
        elif what == 1:
            held[place : place + span] = b""
        elif what == 2:
            held[place:place] = held[place : place + span] * random.choice([1, 2, 50])
        elif what == 3:
            held[place : place + span] = random.choice(words)
        else:
            held[place : place + 4] = random.randbytes(4)
    return bytes(held)


def parquet(random: Random) -> dict[str, bytes]:
    """Spoil a Parquet file."""
    return {
        "data.parquet": spoil(SEEDS[random.choice(["plain", "packed", "lists"])], random, NUMBERS)
    }


def arrow(random: Random) -> dict[str, bytes]:
    """Spoil a file or a stream of Arrow."""
    return {"data.arrow": spoil(SEEDS[random.choice(["file", "stream"])], random, NUMBERS)}


def gzipped(random: Random) -> dict[str, bytes]:
    """Spoil a compressed table, or the table before it is compressed."""
    if random.random() < 0.5:
        return {"data.csv.gz": spoil(gzip.compress(CSV.encode()), random, NUMBERS)}
    return {"data.csv.gz": gzip.compress(spoil(CSV.encode(), random, WORDS))}


def lines(random: Random) -> dict[str, bytes]:
    """Spoil JSON: a table of lines, or the claims about an honest one."""
    if random.random() < 0.5:
        return {"data.jsonl": spoil(SEEDS["lines"], random, WORDS)}
    claims = b'{"auroc": 0.5, "metrics": {"mrr": "0.50 \\u00b1 0.01", "ndcg@10": [0.1, 0.2]}}'
    return {"data.csv": CSV.encode(), "claims.json": spoil(claims, random, WORDS)}


def config(random: Random) -> dict[str, bytes]:
    """Spoil a config."""
    files = {"data.csv": CSV.encode(), "claims.json": b'{"auroc": 0.5}'}
    return files | {"crosscheck.toml": spoil(CONFIG.encode(), random, WORDS)}


def bundles(random: Random) -> dict[str, bytes]:
    """Spoil a bundle."""
    return {"b.zip": spoil(SEEDS["bundle"], random, NUMBERS)}


def reports(random: Random) -> dict[str, bytes]:
    """Spoil a report, of which the inputs lie beside it."""
    return {"r/report.json": spoil(SEEDS["report"], random, WORDS), "data.csv": CSV.encode()}


READERS: dict[str, Callable[[Random], dict[str, bytes]]] = {
    "parquet": parquet,
    "arrow": arrow,
    "gzip": gzipped,
    "zip": bundles,
    "json": lines,
    "report": reports,
    "config": config,
}
SEEDS: dict[str, bytes] = {}
GATE = ("--out", "out", "-q", "--no-figures", "--witness", "primary")


def sow(folder: Path) -> None:
    """Make the honest files that are spoiled later."""
    import polars as pl  # noqa: PLC0415 - in the processes that need it

    from crosscheck.cli import run  # noqa: PLC0415 - the same

    frame = pl.read_csv(CSV.encode())
    for name, given in {
        "plain": {"compression": "uncompressed"},
        "packed": {"compression": "zstd", "use_pyarrow": True},
    }.items():
        held = io.BytesIO()
        frame.write_parquet(held, **given)  # type: ignore[arg-type]
        SEEDS[name] = held.getvalue()
    nested, held = frame.with_columns(pl.col("candidates").str.split("|")), io.BytesIO()
    nested.drop("scores").write_parquet(held)
    SEEDS["lists"] = held.getvalue()
    for name, write in {"file": frame.write_ipc, "stream": frame.write_ipc_stream}.items():
        write(held := io.BytesIO(), compression="zstd" if name == "file" else "uncompressed")  # type: ignore[operator]
        SEEDS[name] = held.getvalue()
    SEEDS["lines"] = nested.drop("scores").write_ndjson().encode()
    (folder / "data.csv").write_text(CSV)
    run(["gate", "data.csv", *GATE])
    run(["bundle", "out", "--out", "b.zip"])
    SEEDS["bundle"] = (folder / "b.zip").read_bytes()
    SEEDS["report"] = (folder / "out" / "report.json").read_bytes()


def command(files: dict[str, bytes]) -> list[str]:
    """Give the command that reads these files."""
    if "b.zip" in files:
        return ["rerun", "b.zip", "-q"]
    if "r/report.json" in files:
        return ["rerun", "r", "-q"]
    data = next(name for name in files if name.startswith("data"))
    claims = ["--claims", "claims.json"] if "claims.json" in files else []
    return ["gate", data, *claims, *GATE]


def work(name: str, seconds: float, seed: int, folder: Path) -> None:
    """Spoil and run until the time is up; tell on standard output."""
    from crosscheck import gate  # noqa: PLC0415 - in the processes that need it
    from crosscheck.cli import run  # noqa: PLC0415 - the same

    honest = gate.run
    gate.run = lambda request, **words: honest(replace(request, processes=False), **words)
    os.chdir(folder)
    sow(folder)
    codes: Counter[str] = Counter()
    failures, number, until = [], seed, time.monotonic() + seconds
    while time.monotonic() < until:
        for path in list(folder.iterdir()):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        files = READERS[name](Random(f"{name} {number}"))
        for file, held in files.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_bytes(held)
        said = io.StringIO()
        signal.alarm(LONGEST)
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                code = str(run(command(files)))
            except BaseException as error:  # noqa: BLE001 - exactly what must not happen
                code = type(error).__name__
        signal.alarm(0)
        codes[code] += 1
        if code not in {"0", "1", "2"} or "Traceback" in said.getvalue():
            failures.append({"case": number, "code": code, "said": said.getvalue()[-400:]})
            keep(name, number, files)
        number += 1
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = {"codes": dict(codes), "failures": failures, "mb": largest, "next": number}
    sys.__stdout__.write(json.dumps(told) + "\n")  # type: ignore[union-attr]


def keep(name: str, number: int, files: dict[str, bytes]) -> None:
    """Keep what made a reader fail."""
    place = KEPT / f"{name}-{number}"
    for file, held in files.items():
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        (place / file).write_bytes(held)


def fuzz(name: str, seconds: float, seed: int) -> dict[str, Any]:
    """Let a process spoil files for one reader; if it dies, that is a failure too."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, __file__, name, str(seconds), str(seed), folder]
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith('{"codes"')]
        if done.returncode == 0 and lines:
            return dict(json.loads(lines[-1]))
        place = KEPT / f"{name}-died"
        shutil.copytree(folder, place, dirs_exist_ok=True)
    died = {"case": "died", "code": str(done.returncode), "said": done.stderr[-400:]}
    return {"codes": {}, "failures": [died], "mb": 0}


def main() -> int:
    """Fuzz every reader, one after the other, and print a table."""
    seconds = float(os.environ.get("SECONDS", "60"))
    seed = int(os.environ.get("SEED", "0"))
    chosen = os.environ.get("READERS", " ".join(READERS)).split()
    bad = 0
    print("| reader | seconds | files | exit 0 | exit 1 | exit 2 | failures | most memory |")
    print("|---|---|---|---|---|---|---|---|")
    for name in chosen:
        found = fuzz(name, seconds, seed)
        codes = found["codes"]
        failures = found["failures"] + ([{"code": "memory"}] if found["mb"] > MOST_MB else [])
        bad += len(failures)
        counts = " | ".join(f"{codes.get(code, 0):,}" for code in "012")
        total = sum(codes.values())
        print(
            f"| {name} | {seconds:g} | {total:,} | {counts} | {len(failures)} | {found['mb']} MB |",
            flush=True,
        )
        for one in failures[:5]:
            print(one, file=sys.stderr)
    return bool(bad)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        work(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    else:
        sys.exit(main())
