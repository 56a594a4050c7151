#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A detector whose texts change rewrites at most ten pictures (tests/screen, tests/views): the title and the
# opening words of each finding of each profile that a picture shows are counted in all of them.
set -euo pipefail
: "${SOURCE_DIR:?}" "${DLPROF_TUI:?}" "${DLPROF_GEN:?}"
most=10

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$DLPROF_TUI" --list=detectors | tail -n +2 | cut -f1,2 | awk -F'\t' 'length($2) > 15' >texts

# The scenario and options of the generator for each picture.
for cmd in "$SOURCE_DIR"/tests/screen/*/cmd; do
    line=$(<"$cmd")
    case $line in
    *" -- "*) printf '%s\n' "${line%% -- *}" ;;
    *) printf '%s\n' "${line%% *}" ;;
    esac
done | sort -u >profiles
# A finding's text up to its first number, quote or place, at most forty characters: screens cut the rest.
while read -ra words; do
    "$DLPROF_GEN" "${words[0]}" profile.sqlite "${words[@]:1}" --force >/dev/null
    "$DLPROF_TUI" --print=expert --formats=json profile.sqlite |
        sed -nE 's/^ *"problem": "([^"0-9\\:]{1,40}).*$/\1/p; s/^ *"finding": "([^":]*).*/=\1/p' |
        awk '/^=/ { if (length(text) > 15) print substr($0, 2) "\t" text; text = ""; next } { sub(/ +$/, ""); text = $0 }'
done <profiles >>texts

failed=0 found=0
while read -r detector; do
    awk -F'\t' -v detector="$detector" '$1 == detector { print $2 }' texts | sort -u >its
    count=$( (grep -rlFf its --include=out --include='*.txt' "$SOURCE_DIR/tests/screen" "$SOURCE_DIR/tests/views" ||
        true) | wc -l)
    if [ "$count" -gt "$most" ]; then
        echo "not ok $detector is in $count pictures, more than $most"
        failed=1
    elif [ "$count" -gt 0 ]; then
        echo "ok $detector is in $count"
        found=$((found + 1))
    fi
done < <(cut -f1 texts | sort -u)
# Otherwise nothing was compared.
[ "$found" -ge 10 ] || { echo "not ok only $found detectors are in any picture"; failed=1; }
exit "$failed"
