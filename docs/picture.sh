#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Puts a real screen into README.md, or into the file named: what the program (DLPROF_TUI) shows of
# the demo profile (DEMO). ./dev docs runs it; a test sees that the picture is still true.
set -eu
readme=${1:-$(cd "$(dirname "$0")/.." && pwd)/README.md}
screen=$(mktemp)
trap 'rm -f "$screen"' EXIT
LC_ALL=C.UTF-8 "$DLPROF_TUI" --dump --size=100x30 "$DEMO" | sed 's/ *$//' >"$screen"
test -s "$screen"
awk -v screen="$screen" '
    /^```text picture$/ { print; while ((getline line < screen) > 0) print line; inside = 1; next }
    inside && /^```$/ { inside = 0 }
    !inside { print }
' "$readme" >"$readme.new"
mv "$readme.new" "$readme"
