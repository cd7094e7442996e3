"""What machines of others read of a report: code scanning, merge requests, badges (docs/ci.md).

Each module makes one or two files of the report; `FORMATS` lists them for the report's registry.
"""

from __future__ import annotations

from crosscheck.report.pipelines import badges, code_quality, sarif

FORMATS = (sarif.FORMAT, code_quality.FORMAT, badges.PICTURE, badges.ENDPOINT)
