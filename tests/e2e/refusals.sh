#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks that files that are not profiles are refused at once with one message and status 1, and
# that truncated or hostile files do no harm.
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

# Within a second of CPU time, as other programs may be using the processor.
at_once=(timeout 10 sh -c 'ulimit -t 1 && exec "$@"' sh)

refused() { # NAME FILE WORD: checks for one message with the name of the file and WORD
    check "$1: status 1" run 1 "${at_once[@]}" "$DLPROF_TUI" --print=summary "$2"
    check "$1: names the file" said "$(basename "$2")"
    check "$1: says '$3'" said "$3"
    check "$1: nothing on standard output" test ! -s "$work/out"
    check "$1: the same from the screen" run 1 "${at_once[@]}" "$DLPROF_TUI" --dump "$2"
    check "$1: ... with the same message" said "$3"
}

: >"$work/empty.sqlite"
refused "empty file" "$work/empty.sqlite" "empty"
head -c 65536 /dev/zero >"$work/zeroed.sqlite"
refused "zeroed header" "$work/zeroed.sqlite" "nsys export"
echo "not a database" >"$work/text.sqlite"
refused "text" "$work/text.sqlite" "nsys"
printf 'SQLite format 3\0AAAAAAAA' >"$work/short.sqlite"
refused "24 bytes" "$work/short.sqlite" "SQLite"
mkdir "$work/folder.sqlite"
refused "directory" "$work/folder.sqlite" "director"
mkfifo "$work/fifo.sqlite"
refused "FIFO" "$work/fifo.sqlite" "not a regular file\|FIFO\|pipe"
refused "device" /dev/zero "not a regular file\|device"
refused "missing" "$work/missing.sqlite" "No such file"
truncate -s 4G "$work/sparse.sqlite"
refused "4 GB sparse" "$work/sparse.sqlite" "nsys"
sqlite3 "$work/other.sqlite" "CREATE TABLE songs(id, title); INSERT INTO songs VALUES(1, 'x')"
refused "another program's database" "$work/other.sqlite" "nsys"
echo '{"traceEvents": []}' >"$work/nothing.json"
refused "a trace without events" "$work/nothing.json" "export_chrome_trace"
echo '{"songs": [{"name": "x"}]}' >"$work/other.json"
refused "JSON of another program" "$work/other.json" "export_chrome_trace"
"$DLPROF_GEN" empty "$work/nothing.sqlite" >/dev/null
refused "an export with neither CUDA nor NVTX" "$work/nothing.sqlite" "nsys profile -t cuda,nvtx"
"$DLPROF_GEN" tiny "$work/view.sqlite" >/dev/null
sqlite3 "$work/view.sqlite" "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO k;
    CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL
    SELECT n + 1 FROM c) SELECT k.*, n FROM k, c"
refused "a table that is an endless view" "$work/view.sqlite" "view"

# Files of the real corpus that are not exports of nsys, or are empty exports.
corpus=${DLPROF_CORPUS:-$SOURCE_DIR/../shared/corpus}
if [ -d "$corpus" ]; then
    while read -r file; do refused "${file#"$corpus"/}" "$file" "nsys"; done < <(
        find "$corpus"/pyprof/*nvprof* -name '*.csv'
        find "$corpus/dlprof" -name '*.csv' -o -path '*/empty/*'
    )
else
    echo "skip broken files of the corpus: not here"
fi

# A database with a journal is incomplete and refused unless the user insists.
"$DLPROF_GEN" tiny "$work/live.sqlite" >/dev/null
echo x >"$work/live.sqlite-wal"
refused "a journal beside it" "$work/live.sqlite" "ignore-journal"
check "--ignore-journal opens it" run 0 "$DLPROF_TUI" --ignore-journal --print=trust "$work/live.sqlite"
check "... and trust says so" said "journal"

# Every truncation of a small profile ends in a message or a report, never in a crash.
"$DLPROF_GEN" tiny "$work/tiny.sqlite" >/dev/null
size=$(stat -c %s "$work/tiny.sqlite")
for ((cut = 1; cut < 40; cut++)); do
    head -c $((size * cut / 40)) "$work/tiny.sqlite" >"$work/cut.sqlite"
    status=0
    timeout 20 "$DLPROF_TUI" --print=summary "$work/cut.sqlite" >/dev/null 2>&1 || status=$?
    [ $status -le 1 ] || not_ok "cut at $cut/40: status $status"
done
ok "truncated files"

# Nothing in a file reaches the terminal as a control sequence.
"$DLPROF_GEN" hostile "$work/hostile.sqlite" >/dev/null
for report in kernels ranges ops api trust report; do
    check "$report of hostile names" run 0 "$DLPROF_TUI" --print=$report "$work/hostile.sqlite"
    check "... has rows" test "$(wc -l <"$work/out")" -gt 3
    check "hostile names in $report are made visible" \
        sh -c "! LC_ALL=C grep -q \$(printf '\\033') '$work/out'"
done
check "a key op that is none" run 0 "$DLPROF_TUI" --print=summary \
    --key_op="$(printf 'a\033[31mb')" "$work/tiny.sqlite"
check "... is said above the rows" grep -qF 'key op a^[[31mb not found' "$work/out"

# The names of host and user in a file appear nowhere: not on a screen, in a session or in --doctor.
"$DLPROF_GEN" tiny "$work/private.sqlite" >/dev/null
sqlite3 "$work/private.sqlite" "
    DROP TABLE IF EXISTS TARGET_INFO_SYSTEM_ENV; CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);
    INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'SECRET'), ('User', 'SECRET'),
        ('EnvironmentVariables', 'HOME=SECRET');
    DROP TABLE IF EXISTS META_DATA_CAPTURE; CREATE TABLE META_DATA_CAPTURE (name, value);
    INSERT INTO META_DATA_CAPTURE VALUES ('CAPTURE_HOST', 'SECRET'),
        ('COMMAND_LINE', 'SECRET');
    DROP TABLE IF EXISTS META_DATA_EXPORT; CREATE TABLE META_DATA_EXPORT (name, value);
    INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_USER', 'SECRET')" || not_ok "private rows"
run 0 "$DLPROF_TUI" --list=views
tail -n +2 "$work/out" | cut -f1 | sed 's/.*/:view &\ndump/' >"$work/keys"
echo ":session $work/private.session" >>"$work/keys"
check "all views of a profile with names of host and user" run 0 "$DLPROF_TUI" --size=200x60 \
    --script="$work/keys" "$work/private.sqlite"
check "... are drawn" test "$(wc -l <"$work/out")" -gt 1000
check "... and none of them is shown" sh -c "! grep SECRET '$work/out' '$work/private.session'"
check "... nor by --doctor" run 0 "$DLPROF_TUI" --doctor "$work/private.sqlite"
check "... which reads it" said "private.sqlite"
check "... too" sh -c "! grep SECRET '$work/out'"
finish
