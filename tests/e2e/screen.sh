#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pictures of the screen: each folder of tests/screen holds `cmd` (a scenario of the generator, then
# options), `in` (keys and commands) and `out` (the picture expected); `before`: what the generator
# makes before.sqlite of, to compare with. UPDATE=1 writes `out` anew.
set -euo pipefail
: "${SOURCE_DIR:?}" "${DLPROF_TUI:?}" "${DLPROF_GEN:?}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config # no themes of one's own
unset NO_COLOR
cd "$work"
failed=0
count=0

for folder in "$SOURCE_DIR"/tests/screen/*/; do
    name=$(basename "$folder")
    read -r scenario rest <"$folder/cmd"
    profile=$work/$scenario.sqlite
    [ -e "$profile" ] || "$DLPROF_GEN" "$scenario" "$profile" >/dev/null
    if [ -e "$folder/before" ]; then
        read -ra words <"$folder/before"
        "$DLPROF_GEN" "${words[0]}" before.sqlite "${words[@]:1}" --force >/dev/null
    fi
    # `C` before the options: the locale without UTF-8.
    locale=C.UTF-8
    if [ "${rest%% *}" = C ]; then
        locale=C
        rest=${rest#C}
    fi
    rm -f "$work"/saved.* "$work"/*_copy_*
    # shellcheck disable=SC2086 # options are words
    LC_ALL=$locale "$DLPROF_TUI" $rest --script="$folder/in" --dump "$profile" >"$work/out" \
        2>"$work/err" || echo "status $?" >>"$work/out"
    cat "$work/err" >>"$work/out"
    for saved in "$work"/saved.* "$work"/*_copy_*.{md,tsv}; do
        [ -e "$saved" ] || continue
        { echo "--- $(basename "$saved")"; cat "$saved"; } >>"$work/out"
    done
    count=$((count + 1))
    if [ -n "${UPDATE:-}" ]; then
        cp "$work/out" "$folder/out"
    elif ! diff -u "$folder/out" "$work/out"; then
        echo "FAILED: $name"
        failed=$((failed + 1))
    fi
done
echo "$count pictures, $failed differ"
[ "$failed" = 0 ]
