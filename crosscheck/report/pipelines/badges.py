"""`badge.svg` and `badge.json`: the verdict and the claims that hold, small enough for a README.

The picture works offline; the JSON is what badge servers take as an endpoint.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crosscheck.report.formats import Format

if TYPE_CHECKING:
    from crosscheck.report.view import Report

LABEL = "crosscheck"
COLOURS = {"pass": "#2e7d32", "weakened": "#8a6d00", "fail": "#b3261e"}
WIDE, NARROW, USUAL = frozenset("mwMW%"), frozenset("iljtfrI1.,:/ "), 6.6
"""Letters of Verdana at 11 px: a picture has no font to ask."""
EDGE = 6

SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" aria-label="{text}">
<title>{text}</title>
<rect width="{whole}" height="20" rx="3" fill="#3c4043"/>
<path d="M{left} 0h{right_less}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z" fill="{colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
<text x="{edge}" y="14" textLength="{label_length}">{label}</text>
<text x="{message_at}" y="14" textLength="{message_length}">{message}</text>
</g>
</svg>
"""


def state(report: Report) -> str:
    """Say pass or fail, and whether something weakens a pass."""
    weak = any(one.weakens for one in report.circumstances)
    return "weakened" if report.verdict == "pass" and weak else report.verdict


def message(report: Report) -> str:
    """Say the verdict, and how many claims hold or do not."""
    counts = [one.claim_counts for one in report.systems if one.claim_counts]
    verified, wrong = sum(one.verified for one in counts), sum(one.wrong for one in counts)
    told = "pass, weakened" if state(report) == "weakened" else report.verdict
    if wrong:
        return f"{told}: {wrong:,} of {verified + wrong:,} claims wrong"
    return f"{told}: {verified:,} claim{'' if verified == 1 else 's'} verified" if counts else told


def picture(report: Report) -> str:
    """Draw the badge."""
    told = message(report)
    left = _width(LABEL) + 2 * EDGE
    right = _width(told) + 2 * EDGE
    return SVG.format(
        whole=left + right,
        left=left,
        right_less=right - 3,
        colour=COLOURS[state(report)],
        edge=EDGE,
        text=f"{LABEL}: {told}",
        label=LABEL,
        label_length=_width(LABEL),
        message=told,
        message_at=left + EDGE,
        message_length=_width(told),
    )


def endpoint(report: Report) -> str:
    """Write what a badge server asks for."""
    told = {
        "schemaVersion": 1,
        "label": LABEL,
        "message": message(report),
        "color": COLOURS[state(report)].removeprefix("#"),
        "isError": report.verdict == "fail",
    }
    return json.dumps(told, indent=2) + "\n"


def _width(text: str) -> int:
    return round(sum(10 if one in WIDE else 4.5 if one in NARROW else USUAL for one in text))


PICTURE = Format("badge.svg", lambda report, _: picture(report))
ENDPOINT = Format("badge.json", lambda report, _: endpoint(report))
