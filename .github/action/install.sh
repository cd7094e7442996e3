#!/usr/bin/env bash
# Installs this very checkout of metric-crosscheck, with the extras asked for, into an environment of its own.
set -euo pipefail

cache="$RUNNER_TEMP/crosscheck-cache"
place="$RUNNER_TEMP/crosscheck-env"
extras="${EXTRAS:-}"
if [[ ! "$extras" =~ ^[a-z,]*$ ]]; then
  echo "::error::extras: “$extras” is no list such as figures,ranx" >&2
  exit 2
fi

python -m venv "$place"
PIP_CACHE_DIR="$cache/pip" PIP_DISABLE_PIP_VERSION_CHECK=1 \
  "$place/bin/pip" install --quiet "$GITHUB_ACTION_PATH${extras:+[$extras]}"
echo "$place/bin" >> "$GITHUB_PATH"
echo "XDG_CACHE_HOME=$cache" >> "$GITHUB_ENV"
