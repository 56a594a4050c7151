#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every view at three sizes, in UTF-8 and in ASCII, compared with the pictures in
# tests/views/NAME.txt. With the theme `mono` the text must be the same, since colour alone must not
# carry information. UPDATE=1 rewrites the pictures. Only views about findings show a profile with
# findings, so that a changed detector changes no other picture.
set -euo pipefail
: "${SOURCE_DIR:?}" "${DLPROF_TUI:?}" "${DLPROF_GEN:?}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state # without the user's settings
unset NO_COLOR
cd "$work"
"$DLPROF_GEN" calm calm.sqlite --steps=4 >/dev/null
"$DLPROF_GEN" calm calm_not.sqlite --steps=4 --problem=loader --problem=fp32head >/dev/null
printf '%s\n' expert findings summary overview tensor tensor_ops >about_findings
"$DLPROF_TUI" --list=views | tail -n +2 | cut -f1 >all_names
{ grep -vxFf about_findings all_names; grep -xFf about_findings all_names; } >names
sed 's/.*/:view &\ndump/' <(grep -vxFf about_findings all_names) >script
sed 's/.*/:view &\ndump/' <(grep -xFf about_findings all_names) >script_not
[ -z "${UPDATE:-}" ] || rm -f "$SOURCE_DIR"/tests/views/*.txt

# all_views LOCALE SIZE THEME: prints the pictures of all views one after the other.
all_views() {
    LC_ALL=$1 "$DLPROF_TUI" --size="$2" --theme="$3" --script=script calm.sqlite
    LC_ALL=$1 "$DLPROF_TUI" --size="$2" --theme="$3" --script=script_not calm_not.sqlite
}

failed=0
mkdir pictures
for size in 80x24 200x50 40x12; do
    rows=${size#*x}
    for locale in C.UTF-8 C; do
        all_views "$locale" "$size" dark >all
        all_views "$locale" "$size" mono >in_mono
        cmp all in_mono || { echo "FAILED: $size, $locale: mono tells something else"; failed=1; }
        first=1
        while read -r name; do
            { echo "==== $size $locale"; sed -n "$first,$((first + rows - 1))p" all; } \
                >>"pictures/$name.txt"
            first=$((first + rows))
        done <names
        [ "$(wc -l <all)" = $((first - 1)) ] || { echo "FAILED: not $rows lines each"; failed=1; }
        if [ "$locale" = C ] && LC_ALL=C grep -n '[^ -~]' all; then
            echo "FAILED: $size: not ASCII"
            failed=1
        fi
    done
done
if [ -n "${UPDATE:-}" ]; then
    mkdir -p "$SOURCE_DIR/tests/views"
    cp pictures/*.txt "$SOURCE_DIR/tests/views/"
elif ! diff -ru "$SOURCE_DIR/tests/views" pictures; then
    failed=1
fi
echo "$(wc -l <names) views"
[ "$failed" = 0 ]
