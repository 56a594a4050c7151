#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2317 # functions are called through check
# Each folder of tests/golden is a profile as SQL text, whose first comment derives the figures by
# hand, and the reports that it must give: NAME.FORMAT is --print=NAME --formats=FORMAT, and
# NAME.WORD.FORMAT the same with the options that the comment names ("-- NAME.WORD.FORMAT: ...");
# NAME.screen is the picture of the view NAME.
# Where the folder has a tables.sql of its own it is a profile of another format than nsys's.
# database.txt is what the viewer would see of the DLProf database that is written of it (--dldb): all of
# its views. UPDATE=1 writes them again: check every figure against the comment before you keep one.
set -u
work= # made by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

golden=$SOURCE_DIR/tests/golden

views() { # FILE: of a database, but for the time at which it was written
    local view
    sqlite3 "$1" "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name" | while read -r view; do
        printf '\n%s\n' "$view"
        sqlite3 -header "$1" "SELECT * FROM $view" | sed -E 's/[0-9]{4}(-[0-9]{2}){2} ([0-9]{2}:?){3}/TIME/'
    done
}

compare() { # FILE, in the folder of the profile that is at hand
    local file=$1 name=${1##*/} options
    read -ra options < <(sed -n "s/^-- ${name//./\\.}: //p" "$folder/profile.sql")
    if [ "$name" = database.txt ]; then
        run 0 "$DLPROF_TUI" "--dldb=$work/written.sqlite" --force "$profile" &&
            views "$work/written.sqlite" >"$work/out" || return
    elif [ "${name##*.}" = screen ]; then
        printf ':view %s\ndump\n' "${name%%.*}" >"$work/script"
        run 0 "$DLPROF_TUI" --size=80x24 "--script=$work/script" "$profile" || return
    else
        run 0 "$DLPROF_TUI" "--print=${name%%.*}" "--formats=${name##*.}" "${options[@]}" \
            "$profile" || return
    fi
    if [ -n "${UPDATE:-}" ]; then
        cp "$work/out" "$file"
    else
        diff -u "$file" "$work/out"
    fi
}

# DLProf's reports are printed without the op tree; a condition needs it. They are the same.
with_tree() { # all of them in $work/tree
    rm -rf "$work/tree"
    run 0 "$DLPROF_TUI" --reports=all --formats=csv "--output_path=$work/tree" --fail-if='busy>90000s' "$profile"
}
same_with_tree() { # REPORT FILE, of the profile that is at hand
    run 0 "$DLPROF_TUI" "--print=$1" --formats=csv "$profile" && diff -u "$work/out" "$work/tree/dlprof_$2.csv"
}

count=0
"$DLPROF_TUI" --list=reports | awk -F'\t' 'NR > 1 && $3 != "" { print $1, $3 }' >"$work/reports"
check "DLProf has eight reports" test "$(wc -l <"$work/reports")" = 8
for folder in "$golden"/*/; do
    folder=${folder%/}
    profile=$work/${folder##*/}.sqlite
    tables=$folder/tables.sql # of nsys, unless it has its own
    [ -f "$tables" ] || tables=$golden/tables.sql
    if ! cat "$tables" "$folder/profile.sql" | sqlite3 -bail "$profile"; then
        not_ok "${folder##*/}: the SQL"
        continue
    fi
    for file in "$folder"/*.*; do
        case ${file##*/} in
        *.sql) continue ;;
        esac
        check "${folder##*/}/${file##*/}" compare "$file"
        count=$((count + 1))
    done
    check "${folder##*/}: all with the tree" with_tree
    while read -r report file; do
        check "${folder##*/}: $report with and without the tree" same_with_tree "$report" "$file"
    done <"$work/reports"
done
check "there are golden files" test "$count" -gt 20
finish
