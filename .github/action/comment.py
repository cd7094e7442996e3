"""One comment in the pull request: written once, changed from then on. Standard library alone."""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

MARK = "<!-- metric-crosscheck: {job} -->"
LONGEST = 60_000
"""Characters; GitHub takes 65,536."""
PAGES = 20


def call(method: str, path: str, body: object = None) -> object:
    """Ask GitHub's API, or whatever stands in for it."""
    url = os.environ.get("GITHUB_API_URL", "https://api.github.com") + path
    request = urllib.request.Request(  # noqa: S310 - the address is the runner's own
        url,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['TOKEN']}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - the same
        return json.load(answer)


def text_of(report: Path, mark: str) -> str:
    """Give the report's page: of one config report.md, of several each one's."""
    pages = sorted(report.rglob("report.md"))
    parts = []
    for page in pages:
        folder = page.parent.relative_to(report).as_posix()
        head = f"## {folder}\n\n" if folder != "." else ""
        parts.append(head + page.read_text(encoding="utf-8"))
    whole = "\n\n".join(parts)
    if len(whole) > LONGEST:
        whole = whole[:LONGEST].rpartition("\n")[0] + "\n\n… the rest is in the report itself."
    return f"{mark}\n{whole}"


def main() -> int:
    """Change the comment with our mark, or write the first."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = int(event["pull_request"]["number"])
    repository = os.environ["GITHUB_REPOSITORY"]
    mark = MARK.format(job=os.environ.get("GITHUB_JOB", "gate"))
    body = {"body": text_of(Path(os.environ["REPORT"]), mark)}
    try:
        for page in range(1, PAGES + 1):
            place = f"/repos/{repository}/issues/{number}/comments?per_page=100&page={page}"
            found = call("GET", place)
            if not isinstance(found, list) or not found:
                break
            for one in found:
                if str(one.get("body", "")).startswith(mark):
                    call("PATCH", f"/repos/{repository}/issues/comments/{int(one['id'])}", body)
                    print("the comment was changed")
                    return 0
        call("POST", f"/repos/{repository}/issues/{number}/comments", body)
    except (urllib.error.URLError, TimeoutError) as error:
        # From a fork the token may read and not write: the verdict stands without a comment.
        print(f"::warning title=crosscheck::the comment could not be written: {error}")
        return 0
    print("the comment was written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
