"""Loaded by every process of a watched command: which stage is it in, how long, at what cost?

`stages.py` puts this folder on the path. A timer looks at the stack a hundred times a second; the
time since it last looked, and the processor's, go to the stage that is found. Nothing of the
program is wrapped or changed, so that any commit can be watched.
"""

import atexit
import json
import os
import signal
import sys
import time

EVERY = 0.01
PLACE = os.environ.get("CROSSCHECK_STAGES", "")
IMPORTS = "imports"
RULES = (
    ("crosscheck.witnesses.resampling", "drawn", "intervals"),
    ("crosscheck.ablation.paired", "compared", "comparison of systems"),
    ("crosscheck.ablation.values", "valued", "values of the compared systems"),
    ("crosscheck.figures", "draw_all", "figures"),
    ("crosscheck.figures.studio", "figure_data", "figures"),
    ("crosscheck.witnesses.implementations", "primary", "witness primary"),
    ("crosscheck.witnesses.implementations", "reference", "witness reference"),
    ("crosscheck.witnesses.rankings", "_testify", "ranking libraries"),
    ("crosscheck.witnesses.scikit_learn", "testify", "scikit-learn"),
    ("crosscheck.witnesses.scipy", "testify", "scipy"),
    ("crosscheck.study", "write", "study written"),
    ("crosscheck.gate.stated", "", "claims"),
    ("crosscheck.data.case", "make_case", "data described"),
    ("crosscheck.gate", "_compared", "ledgers compared"),
    ("crosscheck.gate", "_judge", "checks and forensics"),
    ("crosscheck.checks", "prepare", "checks and forensics"),
    ("crosscheck.report.assemble", "", "report put together"),
    ("crosscheck.report.write", "", "report rendered"),
    ("crosscheck.report.publish", "", "report published"),
    ("crosscheck.workspace.cached", "", "cache"),
    ("crosscheck.commands.terminal", "show", "verdict shown"),
    ("crosscheck.witnesses.run", "hear", "waiting for the witnesses"),
    ("crosscheck.figures.studio", "galleries", "waiting for the figures"),
)
"""Module, function (none: any of it) and stage; the first rule that fits the stack counts."""


class Watch:
    """What this process did so far, by stage."""

    def __init__(self, place: str) -> None:
        """Begin."""
        self.place = place
        self.at = time.monotonic(), time.process_time()
        self.spent: dict[str, list[float]] = {}
        self.looks = 0

    def look(self, _: int, frame: object) -> None:
        """Find out where the process is."""
        stage = stage_of(frame)
        now = time.monotonic(), time.process_time()
        held = self.spent.setdefault(stage, [0.0, 0.0])
        for place in (0, 1):
            held[place] += now[place] - self.at[place]
        self.at = now
        self.looks += 1
        if self.looks % 5 == 0:
            self.tell()

    def tell(self) -> None:
        """Write down what is known, again and again: nobody is told before a process is ended.

        Beside the place, then in one step: a process that is ended in mid-word leaves what it said
        before.
        """
        place = f"{self.place}/{os.getpid()}"
        with open(f"{place}.part", "w") as file:  # noqa: PTH123
            json.dump({"parent": os.getppid(), "spent": self.spent}, file)
        os.replace(f"{place}.part", f"{place}.json")  # noqa: PTH105


def stage_of(frame: object) -> str:
    """Name the stage of a stack."""
    seen = []
    while frame is not None:
        name = frame.f_globals.get("__name__", "")  # type: ignore[attr-defined]
        if name == "importlib._bootstrap":
            return IMPORTS
        seen.append((name, frame.f_code.co_name))  # type: ignore[attr-defined]
        frame = frame.f_back  # type: ignore[attr-defined]
    for module, function, stage in RULES:
        if any(name == module and function in {"", called} for name, called in seen):
            return stage
    return "everything else"


def begin() -> None:
    """Watch this process, and those that are forked from it."""
    watch = Watch(PLACE)
    signal.signal(signal.SIGALRM, watch.look)
    signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)
    # Python lets go of its handlers when it ends, and an alarm that nobody hears kills.
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)


if PLACE and hasattr(signal, "setitimer") and not sys.flags.isolated:
    begin()
    os.register_at_fork(after_in_child=begin)
