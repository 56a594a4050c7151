#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the replacement of DLProf's command: its options in every spelling, its messages while it
# writes files, and the model data. The capture itself is checked in capture.sh.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

run=$work/run.sqlite
"$DLPROF_GEN" dlprof "$run" --steps=4 >/dev/null || exit 1

# --- a script written for DLProf ----------------------------------------------------------------

mkdir "$work/bin"
ln -s "$DLPROF_TUI" "$work/bin/dlprof"
cat >"$work/script.sh" <<'SCRIPT'
set -e
dlprof --database=./run.sqlite --reports=all --formats=csv,json --iter_start=1 --iter_stop=3 \
    --output_path=./reports
test -s ./reports/dlprof_summary.csv
SCRIPT
check "a script written for DLProf" run 0 env -C "$work" PATH="$work/bin:$PATH" bash ./script.sh
check "... has its sixteen files" test "$(find "$work/reports" -type f | wc -l)" = 16
check "... of these iterations" grep -q '^Aggregated Iterations,3$' "$work/reports/dlprof_summary.csv"

# --- its options --------------------------------------------------------------------------------

# All options in all spellings: --long VALUE|other spelling|short. Each is accepted with "=" and
# with a blank. Their effects are checked below, in cli.sh and in capture.sh.
: >"$work/taken"
while IFS='|' read -r name value other short; do
    for spelling in "$name" $other; do
        check "--$spelling=$value" run 0 "$DLPROF_TUI" --dry-run "--$spelling=$value" true
        cp "$work/out" "$work/taken"
        check "--$spelling $value" run 0 "$DLPROF_TUI" --dry-run "--$spelling" "$value" true
        check "... the same" cmp "$work/taken" "$work/out"
    done
    [ -z "$short" ] || check "-$short $value" run 0 "$DLPROF_TUI" --dry-run "-$short" "$value" true
    [ -z "$short" ] || check "... the same" cmp "$work/taken" "$work/out"
done <<'OPTIONS'
force|true||f
verbosity|quiet||v
verbosity|minimal||v
verbosity|normal||v
verbosity|detailed||v
verbosity|diagnostic||v
mode|simple||m
mode|tensorflow1||m
mode|tensorflow2||m
mode|tensorrt||m
mode|trtexec||m
mode|pytorch||m
nsys_base_name|name|nsys_base_output_filename|
nsys_options|-t cuda|nsys_opts|
nsys_profile_range|true||
nsys_profile_range|false||
delay|5||y
duration|5||d
detailed_mode|false||
key_op|backward|key_node|
iter_start|1||
iter_stop|2||
output_path|./out||
base_name|my run|profile_name|
reports|summary,detail,iteration,kernel,tensor,op_type,group_node,expert_systems|report|
reports|node_op|report|
reports|all|report|
formats|csv,json|file_formats|
dump_model_data|true||
OPTIONS
for option in "--database=$run" "--database $run" "--nsys_database=$run" "--nsys_database $run"; do
    # shellcheck disable=SC2086 # split at the blank
    check "${option% *}" run 0 "$DLPROF_TUI" --print=op_type $option
    check "... is the profile" said "addcdiv_"
done
check "-h" run 0 "$DLPROF_TUI" -h
check "... is --help" said "^Options"
check "-V" run 0 "$DLPROF_TUI" -V
check "... is --version" said "^dlprof-tui [0-9]"
check "case counts" run 2 "$DLPROF_TUI" --Force --dry-run true
check "a nearest option" run 2 "$DLPROF_TUI" --nsys_option=x --dry-run true
check "... is suggested" said "did you mean --nsys_options"
# force EXPECTED OPTION...: checks whether files would be replaced (1) or not (0).
force() {
    local expected=$1
    shift
    run 0 "$DLPROF_TUI" --dry-run "$@" sh -c : || return 1
    [ "$(grep -c -- '--force-overwrite=true' "$work/out")" = "$expected" ]
}
check "--force, bare" force 1 --force
check "-f, bare" force 1 -f
check "--force=true" force 1 --force=true
check "--force=false" force 0 --force=false
check "--force true" force 1 --force true
check "-f false" force 0 -f false
check "... the last one counts" force 0 --force -f false
check "--force=yes" run 2 "$DLPROF_TUI" --force=yes --dry-run true
check "... is told" said "neither true nor false: yes"
check "a word that is neither is the next word" run 0 "$DLPROF_TUI" --force --dry-run sh -c true
check "... here the program" grep -q -- "-o ./nsys_profile sh -c true$" "$work/out"
check "... in its other spelling, too" run 2 "$DLPROF_TUI" --nsys_opt=x --dry-run true
check "... is suggested" said "did you mean --nsys_opts"
check "lists as words" run 0 "$DLPROF_TUI" --formats csv json --output_path="$work/words" \
    --reports summary kernel -- "$run"
check "... are all of them" test "$(find "$work/words" -type f | wc -l)" = 4
check "a report and a format named twice" run 0 "$DLPROF_TUI" --reports=summary,summary \
    --formats=csv,json,csv --report=summary --output_path="$work/twice" "$run"
check "... are written once" test "$(find "$work/twice" -type f | wc -l)" = 2
check "chapter 10's list of words" run 0 "$DLPROF_TUI" --dry-run --report summary detail node_op -- sh x
check "... ends before the program" grep -q -- "-o ./nsys_profile sh x$" "$work/out"

# --- what it prints -----------------------------------------------------------------------------

lines() { # prints DLProf's messages without the time
    sed -E 's/^\[DLProf-[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\] /[] /' "$work/out.txt"
}
# files OPTION...: writes the files for some iterations; standard output goes to out.txt, errors to
# err.
files() {
    run 0 "$DLPROF_TUI" --database="$run" --reports=summary,kernel --output_path="$work/o" --force "$@" &&
        mv "$work/out" "$work/out.txt"
}
check "files" files --iter_start=0 --iter_stop=3
cat >"$work/expected" <<'EXPECTED'
[] Reading the profile
[] Aggregating profile data
[] Found 5 iterations using key_node "/module/train/backward"
Iterations: [END, END, END, END, END]
Aggregating data over 4 iterations: iteration 0 start (0 ns) to iteration 3 end (END ns)
Expert Systems Feedback: 2 issues detected. Note that expert systems is still experimental as are all recommended changes

Problem detected: 
EXPECTED
lines | sed -E 's/[0-9]{4,}(,|\]| ns\) *$)/END\1/g; ' | head -8 >"$work/got"
check "... say what they are of" diff -u "$work/expected" "$work/got"
check "... each problem" test "$(grep -c '^Problem detected: $' "$work/out.txt")" = 2
check "... and what to change" test "$(grep -c '^Recommended change: $' "$work/out.txt")" = 2
check "... as the report does" grep -qxF "  $(sed -n 's/^"\([^"]*\)","Consider using NVIDIA DALI.*/\1/p' \
    "$work/reports/dlprof_expert_systems.csv")" "$work/out.txt"
check "... and how many were written" grep -q "^dlprof-tui: 2 files written to" "$work/err"
for option in --key_op --key_node; do
    check "$option: a key that is not there" files "$option=nosuch"
    check "... is one iteration" grep -q 'Found 1 iteration using key_node "nosuch"' "$work/out.txt"
done
check "... from 0 on" grep -q '^Aggregating data over 1 iteration: iteration 0 start (0 ns) to iteration 0 end (' \
    "$work/out.txt"
for level in quiet minimal; do
    check "--verbosity=$level" files --verbosity="$level"
    check "... prints nothing" test ! -s "$work/out.txt" -a ! -s "$work/err"
done
check "-v detailed" files -v detailed
check "... names each file" test "$(lines | grep -c "^\[\] Wrote $work/o/dlprof_[a-z]*\.csv$")" = 2
check "... not each table" test "$(grep -c 'rows of' "$work/out.txt")" = 0
check "-v diagnostic" files -v diagnostic
check "... each table" grep -q '^[0-9]* rows of CUPTI_ACTIVITY_KIND_KERNEL$' "$work/out.txt"
check "... and each doubt" grep -q '^call chains of CUDA calls were not captured' "$work/out.txt"
check "data types are left out" files --mode=tensorflow2 --detailed_mode=false --reports=detail
check "... of TensorFlow's files" sh -c "! grep -q 'Data Type' '$work/o/dlprof_detailed.csv'"
check "rows beside them" files --print=kernels --formats=csv
check "... have standard output for themselves" test "$(grep -c 'DLProf' "$work/out.txt")" = 0
check "... what is said is on the other" grep -q 'Expert Systems Feedback' "$work/err"

# --- simple mode --------------------------------------------------------------------------------

simple=$work/simple
check "--mode=simple" run 0 "$DLPROF_TUI" --mode=simple --reports=all --formats=csv,json \
    --output_path="$simple" "$run"
mv "$work/out" "$work/out.txt"
check "... has two reports" test "$(find "$simple" -type f -printf '%f\n' | sort | tr '\n' ' ')" = \
    "dlprof_kernel.csv dlprof_kernel.json dlprof_summary.csv dlprof_summary.json "
# figure NAME SQL: compares a figure of the summary and of standard output with the file itself.
figure() {
    local expected
    expected=$(sqlite3 "$run" "$2") || return 1
    grep -qxF "$1,$expected" "$simple/dlprof_summary.csv" && grep -qxF "$1: $expected" "$work/out.txt" &&
        [ "$expected" = "$(sqlite3 :memory: "SELECT readfile('$simple/dlprof_summary.json')
            ->> '\$.\"Summary Report\".\"$1\"'")" ]
}
check "... three figures" test "$(sed '1,/^Summary Report$/d' "$simple/dlprof_summary.csv" | grep -c ,)" = 3
check "... the wall clock of one iteration" grep -qxF \
    "$("$DLPROF_TUI" --print=summary --formats=csv --key_op=nosuch "$run" | grep '^Wall Clock')" \
    "$simple/dlprof_summary.csv"
check "... GPU time" figure "Total GPU Time (ns)" "SELECT sum(ns) FROM (
    SELECT end - start AS ns FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
    SELECT end - start FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
    SELECT end - start FROM CUPTI_ACTIVITY_KIND_MEMSET)"
check "... Tensor Core time" grep -qE '^Total Tensor Core Kernel Time \(ns\): [1-9]' "$work/out.txt"
check "... kernels and no ops" grep -qx 'Kernel Name,Uses TC,Total GPU Time (ns),.*' \
    "$simple/dlprof_kernel.csv"
check "... each once" test "$(sed '1,2d' "$simple/dlprof_kernel.csv" | wc -l)" = \
    "$(sqlite3 "$run" 'SELECT count(DISTINCT shortName) FROM CUPTI_ACTIVITY_KIND_KERNEL')"
check "... all of their time" test \
    "$(sed '1,2d' "$simple/dlprof_kernel.csv" | sed 's/^"[^"]*",//' | awk -F, '{ s += $2 } END { print s }')" = \
    "$(sqlite3 "$run" 'SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL')"
check "... says nothing of iterations and advice" test "$(grep -c 'key_node\|Expert' "$work/out.txt")" = 0
check "... of a database of DLProf" run 0 "$DLPROF_TUI" -v quiet --dldb="$work/run_dldb.sqlite" "$run"
check "... nothing but these, too" run 0 "$DLPROF_TUI" --mode=simple --reports=all --output_path="$work/told" \
    "$work/run_dldb.sqlite"
check "... the same kernels" cmp "$simple/dlprof_kernel.csv" "$work/told/dlprof_kernel.csv"
check "... the same figures" cmp <(sed '1,/^Summary Report$/d' "$simple/dlprof_summary.csv") \
    <(sed '1,/^Summary Report$/d' "$work/told/dlprof_summary.csv")
check "... and no advice" test "$(grep -c 'key_node\|Expert' "$work/out")" = 0
check "--mode=simple: a report of ops" run 2 "$DLPROF_TUI" --mode=simple --reports=summary,detail "$run"
check "... is told" said "has summary and kernel, not detail"
for option in --key_op=x --iter_start=1 --iter_stop=2; do
    check "--mode=simple $option" run 2 "$DLPROF_TUI" --mode=simple "$option" --reports=all "$run"
    check "... is told" said "do not go with it"
done
check "--mode=simple --key_op=x: the help all the same" run 0 "$DLPROF_TUI" --mode=simple --key_op=x --help
check "--mode=simple: ops on standard output" run 0 "$DLPROF_TUI" --mode=simple --print=detail "$run"
check "... are none" said "simple mode has no ops"

# --- a database of several domains --------------------------------------------------------------

domains=$work/domains.sqlite
sqlite3 "$domains" <"$SOURCE_DIR/tests/golden/dldb/tables.sql" &&
    sqlite3 "$domains" <"$SOURCE_DIR/tests/golden/dldb/profile.sql" || exit 1
printf '%s\n' ':view tree' ':scope domain custom' ":session $work/session" p >"$work/keys"
check "another domain, on the screen" run 0 "$DLPROF_TUI" --script="$work/keys" --size=80x20 --dump "$domains"
check "... is offered" said '✓ domain custom'
check "... as the one before" said '  domain default-domain'
check "... its ops, in the same view" said '^   forward  '
check "... are all of them" test "$(grep -c conv2d "$work/out")" = 0
check "a session of it" run 0 "$DLPROF_TUI" --session="$work/session" --size=80x20 --dump
check "... has its ops" said '^   forward  '
printf ':scope domain nosuch\n' >"$work/keys"
check "one that is not there" run 2 "$DLPROF_TUI" --script="$work/keys" --size=80x20 --dump "$domains"
check "... is told" said 'no domain nosuch'

# --- the model ----------------------------------------------------------------------------------

model=$work/m/my_run_model_data.json
check "--dump_model_data" run 0 "$DLPROF_TUI" --dump_model_data=true --base_name="my run" \
    --reports=iteration,detail --formats=json --output_path="$work/m" "$run"
check "... is one file more" said "3 files written"
# ask EXPECTED SQL: checks a query on the tables ops, instances, calls, kernels, copies, and the
# reports.
ask() {
    local got
    got=$(sqlite3 :memory: "
        CREATE TABLE file AS SELECT readfile('$model') AS model,
            readfile('$work/m/my_run_iteration.json') AS iteration,
            readfile('$work/m/my_run_detailed.json') AS detail;
        CREATE VIEW ops AS SELECT value AS row FROM file, json_each(model, '\$.ops');
        CREATE VIEW instances AS SELECT value AS row FROM file, json_each(model, '\$.instances');
        CREATE VIEW calls AS SELECT value AS row FROM file, json_each(model, '\$.calls');
        CREATE VIEW kernels AS SELECT value AS row FROM file, json_each(model, '\$.kernels');
        CREATE VIEW copies AS SELECT value AS row FROM file, json_each(model, '\$.copies');
        CREATE VIEW launches AS SELECT value AS row FROM file, json_each(iteration);
        CREATE VIEW details AS SELECT value AS row FROM file, json_each(detail);
        $2") || return 1
    [ "$got" = "$1" ] || { echo "# $got instead of $1"; return 1; }
}
check "... is JSON" ask 1 "SELECT json_valid(model) FROM file"
for table in KERNEL:kernels RUNTIME:calls; do
    check "... all ${table#*:}" ask \
        "$(sqlite3 "$run" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_${table%:*}")" \
        "SELECT count(*) FROM ${table#*:}"
done
check "... all copies" ask "$(sqlite3 "$run" 'SELECT sum(bytes) FROM (SELECT bytes FROM
    CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL SELECT bytes FROM CUPTI_ACTIVITY_KIND_MEMSET)')" \
    "SELECT sum(row ->> 'bytes') FROM copies"
check "... the kernels of the iteration report, with op, iteration, times and grid" ask 0 "
    WITH run AS (SELECT row ->> 'instance' AS number, row ->> 'op' AS op,
            row ->> 'iteration' AS iteration, row ->> 'input_shapes' AS shapes FROM instances),
        call AS (SELECT row ->> 'call' AS number, row ->> 'start' AS start FROM calls),
        op AS (SELECT row ->> 'op' AS number, row ->> 'id' AS id FROM ops)
    SELECT count(*) FROM (
        SELECT iteration, id, row ->> 'name', row ->> 'start', row ->> 'end' - (row ->> 'start'),
            call.start, row ->> 'grid[0]', coalesce(shapes, '') FROM kernels
            JOIN run ON run.number = row ->> 'instance' JOIN op ON op.number = run.op
            JOIN call ON call.number = row ->> 'call'
        EXCEPT
        SELECT row ->> 'Iteration', row ->> 'Op ID', row ->> 'Kernel Name',
            row ->> 'GPU Start Time (ns)', row ->> 'GPU Duration (ns)',
            row ->> 'API Call Start (ns)', row ->> 'Grid X', row ->> 'Input Shapes' FROM launches)"
check "... the ops of the detail report, with calls and CPU time" ask 0 "
    SELECT count(*) FROM (
        SELECT o.row ->> 'id', o.row ->> 'name', coalesce(o.row ->> 'direction', ''), count(*),
            sum(i.row ->> 'end' - (i.row ->> 'start')), coalesce(o.row ->> 'stack', '')
            FROM instances i JOIN ops o ON o.row ->> 'op' = i.row ->> 'op' GROUP BY 1
        EXCEPT
        SELECT row ->> 'Op ID', row ->> 'Op Name', row ->> 'Direction', json_extract(row, '\$.\"No. Calls\"'),
            row ->> 'Total CPU Time (ns)', row ->> 'Stack Trace' FROM details)"
check "one that is there" run 1 "$DLPROF_TUI" --dump_model_data --base_name="my run" \
    --output_path="$work/m" "$run"
check "... is left alone" said "my_run_model_data.json: exists already"
check "alone, by one thread" run 0 "$DLPROF_TUI" --dump_model_data true --output_path="$work/one" \
    --threads=1 "$run"
check "... the same bytes" cmp "$model" "$work/one/dlprof_model_data.json"
check "... and no rows" test ! -e "$work/one/dlprof_summary.csv"
check "a graph that was captured whole" sh -c "cat '$SOURCE_DIR/tests/golden/tables.sql' \
    '$SOURCE_DIR/tests/golden/graph_whole/profile.sql' | sqlite3 -bail '$work/graph.sqlite'"
check "... is written as one" run 0 "$DLPROF_TUI" --dump_model_data --output_path="$work/graph" \
    "$work/graph.sqlite"
check "... with its call" sh -c "sqlite3 :memory: \"SELECT count(*) FROM
    json_each(readfile('$work/graph/dlprof_model_data.json'), '\\\$.graphs')
    WHERE value ->> 'call' IS NOT NULL\" | grep -q '^[1-9]'"

# --- the database -------------------------------------------------------------------------------

database=$work/d.sqlite
check "--dldb" run 0 "$DLPROF_TUI" --dldb="$database" --iter_start=1 --iter_stop=3 "$run"
check "... is told" said "^dlprof-tui: $database written"
check "... is sound" test "$(sqlite3 "$database" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok
check "... is of these iterations" test "$(sqlite3 "$database" 'SELECT profiled_iterations, iter_start, iter_stop
    FROM view_performance_summary')" = "3|1|3"
check "... has all kernels" test "$(sqlite3 "$database" 'SELECT count(*) FROM read_only_kernels')" = \
    "$(sqlite3 "$run" 'SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL')"
check "... is read again" run 0 "$DLPROF_TUI" --reports=all --output_path="$work/again" "$database"
check "... with the same reports" diff -r -x '*.json' "$work/reports" "$work/again"
check "one that is there" run 1 "$DLPROF_TUI" --dldb="$database" "$run"
check "... is left alone" said "d.sqlite: exists already; nothing was written"
check "... unless it may be replaced" run 0 "$DLPROF_TUI" --force --dldb "$database" --reports=summary \
    --output_path="$work/with" "$run"
check "... beside reports" test -s "$work/with/dlprof_summary.csv"
check "... now of all iterations" test "$(sqlite3 "$database" 'SELECT profiled_iterations FROM
    view_performance_summary')" = 5
check "no folder for it" run 1 "$DLPROF_TUI" --dldb="$work/none/d.sqlite" "$run"
check "... is told" said "none/d.sqlite: cannot write here"
check "a comparison" run 2 "$DLPROF_TUI" --dldb="$work/c.sqlite" --baseline="$run" "$run"
check "... has none" test ! -e "$work/c.sqlite"
check "the profile itself" run 2 "$DLPROF_TUI" --force --dldb="$work/./run.sqlite" "$run"
check "... is not replaced" said "run.sqlite is the profile that is read"
check "... nor one of several" run 2 "$DLPROF_TUI" --force --dldb="$database" "$run" "$database"
check "... which is still there" run 0 "$DLPROF_TUI" --print=summary "$run"
check "one that is there is told of before anything is read" run 1 "$DLPROF_TUI" --dldb="$database" \
    "$work/nosuch.sqlite"
check "... in these words" said "d.sqlite: exists already; nothing was written"
check "simple mode" run 0 "$DLPROF_TUI" --mode=simple --dldb="$work/simple.sqlite" "$run"
check "... has one, too" run 0 "$DLPROF_TUI" --print=summary --formats=csv "$work/simple.sqlite"
mv "$work/out" "$work/simple.csv"
check "... with the same figures" run 0 "$DLPROF_TUI" --mode=simple --print=summary --formats=csv "$run"
check "... all of them" cmp "$work/out" "$work/simple.csv"
check "a name that SQLite takes for more" run 0 env -C "$work" "$DLPROF_TUI" --dldb="file:a?mode=ro" "$run"
check "... is a name" test -s "$work/file:a?mode=ro"
odd=$work/$(printf '\033[31m')
check "a folder that would colour the terminal" run 0 "$DLPROF_TUI" --reports=summary --output_path="$odd" "$run"
check "... is named without" sh -c "! grep -q '$(printf '\033')' '$work/err' && grep -q '31m' '$work/err'"
check "nothing is left beside" test "$(find "$work" -name 'd.sqlite?*' | wc -l)" = 0

finish
