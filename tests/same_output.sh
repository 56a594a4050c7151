#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# same_output.sh BEFORE AFTER PROFILE...: checks that two builds of the program show and save the
# same bytes: every view and report at 120x40 and as CSV, the one page, and DLProf's files. Names
# those that differ.
set -euo pipefail

before=$(realpath "$1") after=$(realpath "$2")
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=/dev/null XDG_CACHE_HOME=/dev/null
export LC_ALL=C.UTF-8 TZ=UTC
unset NO_COLOR

# outputs PROGRAM FOLDER PROFILE: writes all outputs of PROGRAM for the profile to files in FOLDER.
outputs() {
    local program=$1 name
    mkdir -p "$2"
    cd "$2"
    {
        for list in views reports; do "$program" --list=$list | tail -n +2 | cut -f1; done |
            while read -r name; do printf ':view %s\ndump\n:save %s.csv\n' "$name" "$name"; done
    } >keys
    timeout 300 "$program" --size=120x40 --script=keys "$3" >screens 2>&1 || echo "status $?" >>screens
    timeout 300 "$program" "$3" >page 2>&1 </dev/null || echo "status $?" >>page
    timeout 300 "$program" --reports=all --formats=csv,json --output_path=dlprof --base_name=x "$3" \
        >dlprof.log 2>&1 || echo "status $?" >>dlprof.log
    sed -i 's/^\[DLProf-[0-9:]*\]/[DLProf]/' dlprof.log # removes the time of day
    cd - >/dev/null
}

differ=0 same=0
for profile in "$@"; do
    profile=$(realpath "$profile")
    (outputs "$before" "$work/before" "$profile") &
    (outputs "$after" "$work/after" "$profile")
    wait
    # Some messages contain the name of the folder.
    if diff -rq "$work/before" "$work/after" >"$work/diff"; then
        same=$((same + 1))
    else
        differ=$((differ + 1))
        echo "differs: $profile"
        sed "s|$work/||g; s/^/  /" "$work/diff"
        [ -z "${KEEP:-}" ] || { mkdir -p "$KEEP"; cp -r "$work/before" "$work/after" "$KEEP/"; exit 1; }
    fi
    rm -rf "$work/before" "$work/after"
done
echo "$same profiles give the same, $differ do not"
[ "$differ" = 0 ]
