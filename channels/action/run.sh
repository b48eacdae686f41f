#!/usr/bin/env bash
# The last step of action.yml: its inputs, from the environment, as one command. Nothing of them is
# ever read by the shell as code.
set -euo pipefail

case "$COMMAND" in
    lint | check) ;;
    *)
        echo "::error::unity-snippet: command is lint or check, not '$COMMAND'."
        exit 2
        ;;
esac
case "$FORMAT" in
    github | sarif) ;;
    *)
        echo "::error::unity-snippet: format is github or sarif, not '$FORMAT'."
        exit 2
        ;;
esac

command=(unity-cli "$COMMAND" --format "$FORMAT")
[[ -z "$PROJECT" ]] || command+=(--project "$PROJECT")
# One a line, so that names may hold spaces. (No mapfile: macOS has Bash 3.)
while IFS= read -r line; do
    line="${line%$'\r'}"
    [[ -z "$line" ]] || command+=("$line")
done <<<"$ARGUMENTS"
command+=(--)
while IFS= read -r line; do
    line="${line%$'\r'}"
    [[ -z "$line" ]] || command+=("$line")
done <<<"$PATHS"

if [[ "$FORMAT" == github ]]; then
    exec "${command[@]}"
fi
code=0
"${command[@]}" >"$SARIF_FILE" || code=$?
# Findings are in the file; a file that isn't there can't be uploaded.
[[ -s "$SARIF_FILE" ]] && echo "sarif-file=$SARIF_FILE" >>"$GITHUB_OUTPUT"
exit "$code"
