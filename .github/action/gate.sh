#!/usr/bin/env bash
# Gates what the inputs name. Annotations and the step's summary are the command's own; the exit code goes into the
# step's outputs, so that the report is kept and the comment is written whatever the verdict is.
set -euo pipefail

words=(gate --out "$OUT")
if [[ -d "${CONFIG:-}" ]]; then
  words+=(--all "$CONFIG")
elif [[ -n "${CONFIG:-}" ]]; then
  words+=(--config "$CONFIG")
fi
if [[ -n "${DATA:-}" ]]; then
  words+=("$DATA")
fi
while IFS= read -r file; do
  if [[ -n "$file" ]]; then words+=(--claims "$file"); fi
done <<< "${CLAIMS:-}"
read -r -a more <<< "${ARGS:-}"
words+=(${more[@]+"${more[@]}"})

code=0
crosscheck "${words[@]}" || code=$?
case "$code" in
  0) verdict=pass ;;
  1) verdict=fail ;;
  *) verdict=error ;;
esac
{
  echo "code=$code"
  echo "verdict=$verdict"
  if [[ -d "$OUT" ]]; then echo "report=$OUT"; fi
} >> "$GITHUB_OUTPUT"
