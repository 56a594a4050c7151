#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pictures of the screen: each folder of tests/screen holds `cmd` (options of the program; before them and
# ` -- `, if there are any, the generator's: "calm --steps=4 -- --size=80x24"), `in` (keys and commands) and
# `out` (the picture expected); `before`: what the generator makes before.sqlite of, to compare with.
# UPDATE=1 writes `out` anew. PICTURES="name name": these only.
#
# A picture shows one thing, on the smallest profile that has it. Profiles without findings (calm, tiny,
# healthy) are for all that is not about findings; otherwise a changed detector rewrites it
# (e2e/pictures.sh).
set -euo pipefail
: "${SOURCE_DIR:?}" "${DLPROF_TUI:?}" "${DLPROF_GEN:?}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config # no themes of one's own
unset NO_COLOR
cd "$work"
failed=0
count=0

pictures=()
for name in ${PICTURES:-}; do pictures+=("$SOURCE_DIR/tests/screen/$name/"); done
[ ${#pictures[@]} -gt 0 ] || pictures=("$SOURCE_DIR"/tests/screen/*/)

for folder in "${pictures[@]}"; do
    name=$(basename "$folder")
    line=$(<"$folder/cmd")
    made=${line%% -- *} # the scenario and options of the generator
    if [ "$made" = "$line" ]; then
        made=${line%% *}
        rest=${line#"$made"}
        rest=${rest# }
    else
        rest=${line#* -- }
    fi
    read -ra words <<<"$made"
    # Each profile in a folder of its own: its name is on the screen.
    mkdir -p "$work/${made// /_}"
    cd "$work/${made// /_}"
    profile=$PWD/${words[0]}.sqlite
    [ -e "$profile" ] || "$DLPROF_GEN" "${words[0]}" "$profile" "${words[@]:1}" >/dev/null
    rm -f before.sqlite
    if [ -e "$folder/before" ]; then
        read -ra words <"$folder/before"
        before=$work/before_$(tr ' ' _ <"$folder/before").sqlite
        [ -e "$before" ] || "$DLPROF_GEN" "${words[0]}" "$before" "${words[@]:1}" >/dev/null
        cp -l "$before" before.sqlite
    fi
    # `C` before the options: the locale without UTF-8.
    locale=C.UTF-8
    if [ "${rest%% *}" = C ]; then
        locale=C
        rest=${rest#C}
    fi
    rm -f saved.* ./*_copy_*
    # shellcheck disable=SC2086 # options are words
    LC_ALL=$locale "$DLPROF_TUI" $rest --script="$folder/in" --dump "$profile" >"$work/out" \
        2>"$work/err" || echo "status $?" >>"$work/out"
    cat "$work/err" >>"$work/out"
    for saved in saved.* *_copy_*.{md,tsv}; do
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
