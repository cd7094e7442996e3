"""Hundreds of forged reports and bundles: none of them is called the same that is not.

A field, a byte, a file or an order is changed, in a folder or a bundle whose sums are made right
again. `FORGERIES=5000` tries more (`make forge`).
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import gate
from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, FAILED, PASS
from crosscheck.rerun import bundle, rerun

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.gate import Outcome, Request

COUNT = int(os.environ.get("FORGERIES", "300"))
UNPROVEN = "machine.json"
"""What a rerun says that it does not compare."""


def content(folder: Path) -> dict[str, bytes]:
    """Give every file of a folder, and every other thing as what it is."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        if path.is_file() and not path.is_symlink()
        else b"<no file>"
        for path in sorted(folder.rglob("*"))
    }


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the places of everything in a report."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(one for name, held in inner for one in leaves(held, (*path, name)))]


def other(value: Any, random: Random) -> Any:
    """Give another value, of the same kind as a rule."""
    if random.random() < 0.1:
        return random.choice([None, 0, "", [], {}, True, -1, "x", 1e308])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return random.choice([value + 1, -value, value * (1 + 1e-15) + 1e-300, 0])
    if isinstance(value, str):
        place = random.randrange(len(value) + 1)
        return value[:place] + random.choice("x0 é\u202e") + value[place:]
    if isinstance(value, list):
        return random.choice([value[::-1], value[1:], value * 2, [*value, None]])
    if isinstance(value, dict):
        items = list(value.items())
        random.shuffle(items)
        return random.choice([dict(items), dict(items[1:]), value | {"x": 1}])
    return "x"


def field(folder: Path, random: Random) -> None:
    """Change one value of the report, and write it as a gate does."""
    stored = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    *above, last = random.choice(leaves(stored)[1:])
    held = stored
    for name in above:
        held = held[name]
    held[last] = other(held[last], random)
    text = json.dumps(stored, indent=2, ensure_ascii=False)
    (folder / "report.json").write_text(f"{text}\n", encoding="utf-8")


def byte(folder: Path, random: Random) -> None:
    """Change, add or drop one byte of one file."""
    path = random.choice([path for path in folder.rglob("*") if path.is_file()])
    held = bytearray(path.read_bytes())
    place = random.randrange(len(held))
    held[place : place + random.randrange(2)] = bytes([random.randrange(256)] * random.randrange(2))
    path.write_bytes(held)


def file(folder: Path, random: Random) -> None:
    """Drop, add, empty, swap, rename or link a file."""
    one, two = random.sample([path for path in folder.rglob("*") if path.is_file()], 2)
    what = random.randrange(7)
    if what == 0:
        one.unlink()
    elif what == 1:
        (folder / random.choice(["x.html", "figures/x.svg", ".x"])).parent.mkdir(exist_ok=True)
        (folder / random.choice(["x.html", ".x"])).write_text("99 %")
    elif what == 2:
        one.write_bytes(b"")
    elif what == 3:
        held = one.read_bytes()
        one.write_bytes(two.read_bytes())
        two.write_bytes(held)
    elif what == 4:
        one.rename(one.with_name(f"{one.name}.x"))
    elif what == 5:
        one.unlink()
        one.symlink_to(two)
    else:
        (folder / "empty").mkdir()


def order(folder: Path, random: Random) -> None:
    """Put the lines of a file, or the members of the report, in another order."""
    path = random.choice([path for path in folder.rglob("*") if path.is_file()])
    lines = path.read_bytes().splitlines(keepends=True)
    one, two = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    path.write_bytes(b"".join(lines))


KINDS: tuple[Callable[[Path, Random], None], ...] = (field, field, byte, file, order)


def forged(random: Random) -> tuple[str, Path]:
    """Forge the report, or a bundle of it: before it is packed, inside it, or the archive."""
    shape = random.choice(["folder", "folder", "packed", "unpacked", "archive"])
    if shape == "archive":
        held = bytearray(Path("b.zip").read_bytes())
        for _ in range(random.randint(1, 3)):
            held[random.randrange(len(held))] = random.randrange(256)
        Path("b.zip").write_bytes(held)
        return shape, Path("b.zip")
    if shape == "unpacked":
        bundle.unpack(Path("b.zip"), Path("u"))
    folder = Path("u" if shape == "unpacked" else "r")
    random.choice(KINDS)(folder, random)
    if shape != "packed":
        return shape, folder
    try:
        bundle.pack(folder, Path("b.zip"))
    except Exception:  # noqa: BLE001 - what cannot be packed is rerun as it is
        return "folder", folder
    return shape, Path("b.zip")


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute the same request once: it is what is stored that differs here."""
    known: dict[str, Outcome] = {}
    compute = gate.run

    def remembered(request: Request, **words: Any) -> Outcome:
        asked = repr((request.sources, request.config, request.resamples, request.seed))
        asked += repr([one.name for one in request.witnesses]) + repr(request.ablation)
        if asked not in known:
            known[asked] = compute(request, **words)
        return replace(known[asked], request=request)

    monkeypatch.setattr(gate, "run", remembered)
    monkeypatch.setattr("crosscheck.rerun.rerun", partial(rerun, processes=False))


@pytest.mark.usefixtures("once")
def test_no_forgery_is_called_the_same(
    honest: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    place, seen = tmp_path / "place", dict.fromkeys((PASS, FAILED, BAD_INPUT), 0)
    truth = content(honest / "r")
    for number in range(COUNT):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(honest, place)
        monkeypatch.chdir(place)
        shape, path = forged(Random(number))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zipfile warns of doubled names
            code = run(["rerun", str(path), "-q"])
        shown = capfd.readouterr()
        assert code in seen, (number, shown.err)
        assert "Traceback" not in shown.err, number
        seen[code] += 1
        if code == PASS:
            assert shown.out.startswith("SAME: "), number
            with bundle.opened(path) as folder:
                stored = content(folder)
            differing = {name for name in truth if stored.get(name) != truth[name]}
            assert differing <= {UNPROVEN}, (number, shape)
            added = set(stored) - set(truth) - {"SHA256SUMS"}
            assert {name.partition("/")[0] for name in added} <= {"inputs", "requirements.lock"}
    # Most are found out by what they say, not by being unreadable; few change nothing.
    assert seen[FAILED] > COUNT / 4
    assert seen[PASS] < COUNT / 8
