#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compares reports with expected files. Each folder of tests/golden holds a profile as SQL text,
# whose first comment derives the figures by hand, and the reports that it must give: NAME.FORMAT is
# --print=NAME --formats=FORMAT, and NAME.WORD.FORMAT the same with the options that the comment
# names ("-- NAME.WORD.FORMAT: ..."); NAME.screen is the picture of the view NAME. A folder with a
# tables.sql of its own is a profile of a format other than nsys's. database.txt holds all views of
# the DLProf database written from the profile (--dldb).
# UPDATE=1 rewrites the files: check every figure against the comment before committing one.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

golden=$SOURCE_DIR/tests/golden

views() { # FILE: prints the views of a database without the time of writing
    local view
    sqlite3 "$1" "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name" | while read -r view; do
        printf '\n%s\n' "$view"
        sqlite3 -header "$1" "SELECT * FROM $view" | sed -E 's/[0-9]{4}(-[0-9]{2}){2} ([0-9]{2}:?){3}/TIME/'
    done
}

compare() { # FILE: compares the output with a file of the current folder
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

# DLProf's reports are printed without building the op tree, which a condition requires. The output
# must be the same.
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
    tables=$folder/tables.sql # those of nsys unless the folder has its own
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
