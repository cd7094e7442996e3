"""What other processes took of the machine while the tasks ran."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

STAT = Path("/proc/stat")
IDLE = (3, 4)
"""Where the first line of /proc/stat counts idle time and waiting for disks."""

GUEST = 8
"""From here on it counts time of guests, which is in the others already."""


class Watch:
    """Started before the first task; asked after the last."""

    def __init__(self) -> None:
        self.begin = time.monotonic()
        self.busy, self.own = _busy(), _own()

    def others(self) -> float | None:
        """Give the share of all cores' time that others took; None where nobody counts it."""
        busy = _busy()
        if busy is None or self.busy is None:
            return None
        theirs = busy - self.busy - (_own() - self.own)
        return max(0.0, theirs / (time.monotonic() - self.begin) / (os.cpu_count() or 1))


def _busy() -> float | None:
    """Give the seconds that all cores have worked, for whomever, since the machine started."""
    if not STAT.exists():
        return None
    ticks = [
        int(one) for one in STAT.read_text(encoding="utf-8").splitlines()[0].split()[1:][:GUEST]
    ]
    worked = sum(count for place, count in enumerate(ticks) if place not in IDLE)
    return worked / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    """Give the CPU seconds of this process and of its finished tasks."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in usages)
