#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pictures of the screen: compares them with the expected ones. A folder of tests/screen has `cmd`,
# the program's options; `in`, keys and commands; `out`, the expected picture; and maybe `before`,
# the generator's arguments for before.sqlite, a profile to compare with. In `cmd` the generator's
# arguments may precede the options: "calm --steps=4 -- --size=80x24". UPDATE=1 rewrites `out`.
# PICTURES="name name" selects pictures.
#
# A picture shows one thing, with the smallest profile that has it. Pictures that are not about
# findings use a profile without findings (calm, tiny, healthy); otherwise they would have to be
# rewritten when a detector changes (e2e/pictures.sh).
set -euo pipefail
: "${SOURCE_DIR:?}" "${DLPROF_TUI:?}" "${DLPROF_GEN:?}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config # without the user's themes
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
    made=${line%% -- *} # arguments of the generator
    if [ "$made" = "$line" ]; then
        made=${line%% *}
        rest=${line#"$made"}
        rest=${rest# }
    else
        rest=${line#* -- }
    fi
    read -ra words <<<"$made"
    # Each profile has a folder of its own, as its name is on the screen.
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
    # `C` before the options selects the locale without UTF-8.
    locale=C.UTF-8
    if [ "${rest%% *}" = C ]; then
        locale=C
        rest=${rest#C}
    fi
    rm -f saved.* ./*_copy_*
    # shellcheck disable=SC2086 # split the options into words
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
