#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks printing as PyProf does: its options, selected columns, and the layout of its lines.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

tiny=$work/tiny.sqlite
"$DLPROF_GEN" tiny "$tiny" >/dev/null || exit 1

# Started here and checked at the end: the program waits for half a minute on a pipe without a
# writer.
mkfifo "$work/still" && exec 6<>"$work/still" || exit 1
run_still() { timeout 50 "$DLPROF_TUI" --print=pyprof <&6 >/dev/null 2>"$work/idle"; }
run_still &
idle=$!

same() { # FILE OPTION...: checks that the output has the same bytes
    local file=$1
    shift
    run 0 "$DLPROF_TUI" "$@" "$tiny" && cmp "$file" "$work/out"
}
first_line() { [ "$(head -n 1 "$work/out")" = "$1" ]; }
one_length() { awk -v "n=$1" 'length($0) != n { exit 1 }' "$work/out"; }

# ---- columns of any report
check "columns of a report" run 0 "$DLPROF_TUI" --print=pyprof --columns=sil,idx,kernel --formats=csv "$tiny"
check "... in the order asked for" first_line "Sil(ns),Idx,Kernel"
cp "$work/out" "$work/columns"
check "... by the letter" same "$work/columns" --print=pyprof -c sil,idx,kernel --formats=csv
check "... that PyProf's report needs no name for" same "$work/columns" -csil,idx,kernel --formats=csv
check "... for people" run 0 "$DLPROF_TUI" --print=kernels -c gpu_total,calls "$tiny"
check "... of DLProf's reports" run 0 "$DLPROF_TUI" --print=kernel -c gpu_total,kernel --formats=csv "$tiny"
check "... are a plain table" first_line "Total GPU Time (ns),Kernel Name"
check "... as objects" run 0 "$DLPROF_TUI" --print=kernel -c gpu_total,kernel --formats=json "$tiny"
check "... with these keys alone" awk '/"/ && !/"gpu_total"|"kernel"/ { exit 1 }' "$work/out"
check "a comparison has columns, too" run 0 "$DLPROF_TUI" "--baseline-iters=0" --iters=1 --print=costs -c place,time_delta "$tiny"
# OPTIONS|expected words of the message
while IFS='|' read -r options words; do
    read -ra list <<<"$options"
    check "$options is wrong usage" run 2 "$DLPROF_TUI" "${list[@]}" "$tiny"
    check "... and says why" said "$words"
done <<'MISTAKES'
-c kernle|has the key kernle; did you mean kernel?
-c idx,idx|idx is there twice
-c ,|the list is empty
-c idx --reports=all|of --print, and of nothing beside it
--csv -w 120|exclude each other
--csv --formats=tsv|--csv is --formats=pyprof-csv, not tsv
-w 120 --formats=csv|--width is --formats=pyprof-columns, not csv
-w 0|more than 0
-w x|not a whole number
-w 54|need 55 at least
-w 43 -c idx,op,sil,grid,kernel|need 44 at least
MISTAKES

# ---- formats of PyProf
check "in quotes" run 0 "$DLPROF_TUI" --csv -c idx,dir,kernel,sil "$tiny"
check "... with PyProf's titles" first_line '"Idx","Direction","Kernel","Sil(ns)"'
cp "$work/out" "$work/quoted"
check "... by the name of the format" same "$work/quoted" --print=pyprof --formats=pyprof-csv -c idx,dir,kernel,sil
check "PyProf's own columns" run 0 "$DLPROF_TUI" --csv "$tiny"
check "... are these" said '^"Idx","Direction","Sub","Module","Op","Kernel",.*"Sil(ns)"$'
check "columns of fixed widths" run 0 "$DLPROF_TUI" -w 100 -c idx,dir,sub,mod,op,kernel,sil "$tiny"
check "... have a blank behind each" one_length 107
check "... as wide as they must be" run 0 "$DLPROF_TUI" --width=55 -c idx,dir,sub,mod,op,kernel,sil "$tiny"
check "... leave a blank of the kernel" one_length 62
check "... of the usual width" run 0 "$DLPROF_TUI" --print=pyprof --formats=pyprof-columns -c idx,kernel "$tiny"
check "... that is 150" one_length 152
check "blanks between" run 0 "$DLPROF_TUI" --print=pyprof --formats=pyprof-space -c idx,dir,altseq,sil "$tiny"
check "... and as many words in each line" awk 'NF != 4 { exit 1 }' "$work/out"
check "other reports, too" run 0 "$DLPROF_TUI" --print=devices --formats=pyprof-columns "$tiny"

# ---- lines written by PyProf itself, in the columns that agree in both
layout() { # CASE: compares the lines, except rows whose kernel name PyProf lost
    local folder=$1 lost
    lost=$(awk -F'","' '$6 == "" { print NR "d" }' "$folder/expected.default.csv")
    printed() { run 0 "$DLPROF_TUI" --iters=all -c idx,kernel,sil "$@" "$folder"/input.* && sed "$lost" "$work/out"; }
    cut -c1-8,51-98,147- "$folder/expected.w150.txt" | sed "$lost" >"$work/width"
    awk '{ print $1, $3, $NF }' "$folder/expected.space.txt" | sed "$lost" >"$work/space"
    awk -F'","' '{ print $1 "\",\"" $6 "\",\"" $NF }' "$folder/expected.default.csv" | sed "$lost" >"$work/quotes"
    printed -w 64 | cmp "$work/width" - && printed --csv | cmp "$work/quotes" - &&
        printed --print=pyprof --formats=pyprof-space | cmp "$work/space" -
}
corpus=${DLPROF_CORPUS:-$SOURCE_DIR/../shared/corpus}/pyprof
if [ -d "$corpus" ]; then
    for folder in "$corpus"/gen_*/; do
        check "lines as PyProf wrote them: ${folder#"$corpus"/}" layout "${folder%/}"
    done
else
    echo "# skipped: no PyProf output at $corpus"
fi

# ---- as many lines as PyProf has, unless steps are selected
# PyProf omits kernels whose launch is not in the file.
as_many() { # CASE
    local folder=$1 golden=$1/expected.all.csv kernels
    [ ! -e "$folder/expected.tolerant.all.csv" ] || golden=$folder/expected.tolerant.all.csv
    rows=$(($(wc -l <"$golden") - 1))
    run 0 "$DLPROF_TUI" --csv -c tid "$folder"/input.* &&
        [ "$(sed 1d "$work/out" | grep -vc '^"-"$')" = "$rows" ] || return
    cp "$work/out" "$work/default"
    run 0 "$DLPROF_TUI" --csv -c tid --iters=all "$folder"/input.* && cmp "$work/default" "$work/out" || return
    kernels=$(($(wc -l <"$work/out") - 1))
    run 0 "$DLPROF_TUI" -w 55 -c idx,dir,sub,mod,op,kernel,sil "$folder"/input.* &&
        [ $(($(wc -l <"$work/out") - 1)) = "$kernels" ] &&
        run 0 "$DLPROF_TUI" --print=pyprof --formats=pyprof-space -c idx "$folder"/input.* &&
        [ $(($(wc -l <"$work/out") - 1)) = "$kernels" ]
}
lines_of() { run 0 "$DLPROF_TUI" --csv -c idx "$@" && sed 1d "$work/out" | wc -l; }
if [ -d "$corpus" ]; then
    for folder in "$corpus"/*/; do
        check "as many lines as PyProf wrote: ${folder#"$corpus"/}" as_many "${folder%/}"
    done
    lenet=$corpus/gen_lenet_pt14_sgd/input.sqlite
    check "all of a run of steps" test "$(lines_of "$lenet")" = 293
    check "... and of those that are chosen" test "$(lines_of --iters=steady "$lenet")" = 192
    check "... by a key, too" test "$(lines_of --key_op=/backward "$lenet")" = 192
    check "... or by their numbers" test "$(lines_of --iter_start=1 --iter_stop=1 "$lenet")" = 91
else
    echo "# skipped: no PyProf output to count the lines of at $corpus"
fi

# ---- output of PyProf's parser
mm="\"{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (8, 16), 'dtype': 'float16'}, "
mm+="{'name': '', 'type': 'tensor', 'shape': (16, 4), 'dtype': 'float16'}]}\""
dict() { # SHORT NS MARKERS NUMBERED SUB TID LONG
    echo "{'kShortName': '$1', 'kDuration': $2, 'layer': ['Net'], 'trace': ['train.py:7'], 'reprMarkers': []," \
        "'marker': [$3], 'seqMarker': [$4], 'seqId': [], 'subSeqId': $5, 'altSeqId': [], 'dir': 'fprop'," \
        "'mod': ['na'], 'op': ['mine'], 'tid': $6, 'device': 0, 'stream': 7, 'grid': (2, 1, 1)," \
        "'block': (64, 1, 1), 'kLongName': '$7'}"
}
{
    dict gemm 5000 "$mm" "'mm, seq = 3'" 0 11 'void gemm<float>(int)'
    dict splitKreduce_kernel 70 "$mm" "'mm, seq = 3'" 1 11 'void splitKreduce_kernel<float>(int)'
    dict elementwise_kernel 400 '' "'relu, seq = 4'" 0 11 'void at::native::elementwise_kernel<4>(int)'
    dict elementwise_kernel 300 '' '' 0 11 'void at::native::elementwise_kernel<4>(int)'
    dict gemm 6000 '' "'mm, seq = 0', 'MmBackward, seq = 3'" 0 12 'void gemm<float>(int)'
} >"$work/net.dict"
cat >"$work/want" <<'TABLE'
Idx SeqId Layer Trace Direction Sub Module Op Kernel Sil(ns)
1 3 Net train.py:7 fprop 0 torch mm gemm 5000
2 3 Net train.py:7 fprop 1 torch mm splitKreduce_kernel 70
3 4 Net train.py:7 fprop 0 na relu elementwise_kernel 400
4 - - - - 0 na mine elementwise_kernel 300
5 3 Net train.py:7 bprop 0 torch mm gemm 6000
TABLE
parsed() {
    run 0 "$DLPROF_TUI" --print=pyprof --formats=pyprof-space -c idx,seq,layer,trace,dir,sub,mod,op,kernel,sil "$@" &&
        diff -u "$work/want" "$work/out"
}
check "what PyProf's parser printed" parsed "$work/net.dict"
check "... has no times" run 0 "$DLPROF_TUI" --print=trust "$work/net.dict"
check "... as trust says" said "keeps how long kernels ran and not when"
check "... and opens on the screen" run 0 "$DLPROF_TUI" --dump --view=kernels "$work/net.dict"
printf 'p\ndump\n' >"$work/keys"
check "its process" run 0 "$DLPROF_TUI" --size=80x24 "--script=$work/keys" "$work/net.dict"
check "... has a number, and no name" said "process 0  GPU 0 *│"
# Figures that depend on times are unknown in any file and on any screen.
check "its calls" run 0 "$DLPROF_TUI" --print=api "$work/net.dict"
check "... are not told" said "Not known: PyProf's parser keeps how long kernels ran"
check "its time line" run 0 "$DLPROF_TUI" --dump --view=timeline "$work/net.dict"
check "... is none" said "Not known: PyProf's parser keeps how long kernels ran"
printf '6\ndump\n' >"$work/keys"
check "... where keys along it" run 0 "$DLPROF_TUI" --size=80x24 "--script=$work/keys" "$work/net.dict"
check "... are not named" fails said "zoom"
printf '4\nK\ndump\n' >"$work/keys"
check "its steps" run 0 "$DLPROF_TUI" --size=80x24 "--script=$work/keys" "$work/net.dict"
check "... are explained as work added up" said "A bar is the GPU work of a"
check "DLProf's files of it" run 0 "$DLPROF_TUI" --reports=all --output_path="$work/files" "$work/net.dict"
check "... know the kernels" grep -q '"gemm",.*,5000,5000.0,5000,5000,' "$work/files/dlprof_kernel.csv"
check "... and not its calls" grep -q ',5000,5000.0,5000,5000,,,,$' "$work/files/dlprof_kernel.csv"
check "... nor the wall clock" grep -qx 'Wall Clock Time (ns),' "$work/files/dlprof_summary.csv"
check "a database of DLProf of it" run 2 "$DLPROF_TUI" --dldb="$work/net_dldb.sqlite" "$work/net.dict"
check "... is none" said "a database of DLProf is made of times"
check "... and not begun" test ! -e "$work/net_dldb.sqlite"
check "a limit that rests on times" run 1 "$DLPROF_TUI" --fail-if='idle>1ms' "$work/net.dict"
check "... is not judged" said "is not known"
{
    cat "$work/net.dict"
    echo "no such table: CUPTI_ACTIVITY_KIND_KERNEL"
} >"$work/bad.dict"
check "another line in it" run 1 "$DLPROF_TUI" --print=pyprof "$work/bad.dict"
check "... is named" said "bad.dict:6:1: the line is no Python literal"

# FLOPs beyond 64 bits are unknown.
most=10000000000
echo "{'kShortName': 'gemm', 'kDuration': 1, 'marker': [\"{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': ($most, $most), 'dtype': 'float32'}, {'name': '', 'type': 'tensor', 'shape': ($most, 2), 'dtype': 'float32'}]}\"], 'op': ['mm'], 'tid': 1}" >"$work/huge.dict"
check "FLOPs beyond 64 bits" run 0 "$DLPROF_TUI" --print=pyprof --formats=csv -c op,flops,bytes "$work/huge.dict"
check "... are unknown" said "^mm,,$"

# Repeated runs of an op without training are not cut into steps, and no line is omitted.
op_dict() { # OP NUMBER LINE: prints a kernel of the op
    local shape="{'name': '', 'type': 'tensor', 'shape': (1, $2, 8, 8), 'dtype': 'float32'}"
    echo "{'kShortName': '$1', 'kDuration': $((1000 + $2)), 'layer': [], 'trace': ['bench.py:$3'], 'reprMarkers': [], \
'marker': [\"{'mod': 'F', 'op': '$1', 'args': [$shape]}\"], 'seqMarker': ['$1, seq = $2'], 'seqId': [$2], \
'subSeqId': 0, 'altSeqId': [], 'dir': 'fprop', 'mod': ['F'], 'op': ['$1'], 'tid': 1, 'device': 0, 'stream': 7, \
'grid': (1, 1, 1), 'block': (64, 1, 1), 'kLongName': 'void $1(int)'}"
}
several=(conv2d relu linear mm add mul exp conv_transpose2d)
for n in {1..35}; do op_dict conv_transpose2d "$n" 7; done >"$work/one_op.dict"
for n in {1..35}; do op_dict "op$n" "$n" 7; done >"$work/ops.dict"
for n in {1..35}; do for op in relu conv_transpose2d; do op_dict "$op" "$n" 7; done; done >"$work/two_ops.dict"
for n in {1..35}; do op_dict backward "$n" 7; done | sed 's/fprop/bprop/' >"$work/backward.dict"
for op in "${several[@]}"; do for n in {1..35}; do op_dict "$op" "$n" 7; done; done >"$work/each_op.dict"
for n in {1..35}; do for op in "${several[@]}"; do op_dict "$op" "$n" 7; done; done >"$work/steps.dict"
while read -r name kernels; do
    check "an op again and again: $name" test "$(lines_of "$work/$name.dict")" = "$kernels"
    check "... has no steps" run 0 "$DLPROF_TUI" --print=kernels "$work/$name.dict"
    check "... as is said" said "1 iteration: nothing marks steps"
done <<'AGAIN'
one_op 35
ops 35
two_ops 70
backward 35
each_op 280
AGAIN
check "several ops in turns" run 0 "$DLPROF_TUI" --print=kernels "$work/steps.dict"
check "... are steps" said "34 of 36 iterations by key op /conv_transpose2d (likely)"
check "... and all in PyProf's table" test "$(lines_of "$work/steps.dict")" = 280
check "... unless chosen" test "$(lines_of --iters=3-4 "$work/steps.dict")" = 16
check "ops of one line of the program" run 0 "$DLPROF_TUI" --print=detail -c name "$work/ops.dict"
check "... have names of their own" said "^/op35 *$"

# ---- from standard input
from_file() { "$DLPROF_TUI" --print=pyprof --formats=pyprof-space -c idx,kernel "$@" <"$work/net.dict" >"$work/out" 2>"$work/err"; }
# shellcheck disable=SC2002 # a pipe is intended, not a file behind <
from_pipe() { cat "$1" | "$DLPROF_TUI" --print=pyprof --formats=pyprof-space -c idx,kernel - >"$work/out" 2>"$work/err"; }
piped_refused() { ! from_pipe "$1" && said "$2"; }
run 0 "$DLPROF_TUI" --print=pyprof --formats=pyprof-space -c idx,kernel "$work/net.dict" && cp "$work/out" "$work/named"
check "a redirected input" from_file
check "... is the file" cmp "$work/named" "$work/out"
check "... by the name -" from_file -
check "... is the same" cmp "$work/named" "$work/out"
check "a pipe" from_pipe "$work/net.dict"
check "... is what comes through it" cmp "$work/named" "$work/out"
# shellcheck disable=SC2002
from_unnamed() { cat "$work/net.dict" | "$DLPROF_TUI" --print=pyprof --formats=pyprof-space -c idx,kernel "$@" >"$work/out" 2>"$work/err"; }
check "a pipe without -" from_unnamed
check "... is the same" cmp "$work/named" "$work/out"
check "... unless a file is named" from_unnamed "$tiny"
check "... that is read instead" fails cmp -s "$work/named" "$work/out"
nothing_piped() { printf '' | "$DLPROF_TUI" --print=pyprof >"$work/out" 2>"$work/err"; [ $? = 2 ]; }
check "one without - that is empty" nothing_piped
check "... is no profile" said "no profile given"
late_pipe() { { sleep 1.5; cat "$work/net.dict"; } | "$DLPROF_TUI" --print=pyprof --formats=pyprof-space -c idx,kernel >"$work/out" 2>"$work/err"; }
check "one without - that is late" late_pipe
check "... is waited for" cmp "$work/named" "$work/out"
check "... and that is said" said "waiting for one through standard input"
script_piped() { printf 'dump\n' | "$DLPROF_TUI" --size=80x24 --script=- "$@" >"$work/out" 2>"$work/err"; }
check "a script through a pipe" script_piped "$tiny"
check "... is no profile" fails script_piped
check "... and nothing else is asked for" said "no profile given"
asks_nothing() {
    local option
    for option in --list=views --help --version --doctor; do
        timeout 20 "$DLPROF_TUI" "$option" <&6 >"$work/out" 2>"$work/err" || return
    done
}
check "what needs no profile waits for no pipe" asks_nothing
check "an empty one" piped_refused /dev/null "it is empty"
check "another line in it" piped_refused "$work/bad.dict" "standard input:6:1: the line is no Python literal"
check "a database in it" piped_refused "$tiny" "name its file, or put it behind <"
unnamed_database() { ! "$DLPROF_TUI" --print=kernels <&5 >"$work/out" 2>"$work/err"; }
cp "$tiny" "$work/gone.sqlite" && exec 5<"$work/gone.sqlite" && rm "$work/gone.sqlite"
check "a database without a name" unnamed_database
check "... has no other either" said "name its file, or put it behind <"
exec 5<&-
# shellcheck disable=SC2002
piped() { cat "$work/net.dict" | "$DLPROF_TUI" "$@" - >"$work/out" 2>"$work/err"; }
check "a pipe has a title" piped --print=kernels
check "... on a page" said "totals of standard input, "
check "... as a file of the profile" piped --print=trust
check "... of that name" said "standard input (bytes): pyprof"
check "... on the screen" piped --dump
check "... not by a number" said "^ standard input  "
printf '0123NVIDIA Tegra Profiler Report' >"$work/report"
check "a report of nsys in it" piped_refused "$work/report" "standard input: nsys finds a report by its name"
check "a pipe beside a file" run 2 "$DLPROF_TUI" --print=pyprof - "$tiny"
check "a pipe that is the script, too" run 2 "$DLPROF_TUI" --script=- -
check "no input is no profile" run 2 "$DLPROF_TUI" --print=pyprof
check "nothing is left of it" test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'dlprof-tui.??????' -newer "$work/net.dict" 2>/dev/null)"
waited() { wait "$idle"; [ $? = 2 ]; }
check "a pipe without - that stays empty is not waited for" waited
check "... as is said" grep -q "nothing came through standard input for 30 s; - waits" "$work/idle"
exec 6<&-
authors=$corpus/lm_nvprof_17ed9e2/authors_apex_pyprof
own_columns() { # compares PyProf's table of these kernels, in the columns that agree in both
    run 0 "$DLPROF_TUI" --csv -c kernel,pyprof_dir,sil,pyprof_tc,device,stream,block,grid "$authors.dict" &&
        awk -F'","' -v OFS='","' 'NR > 1 { print $1, $4, $5, $6, $9, $10, $11, $12 }' "$authors.csv" |
        cmp - <(tail -n +2 "$work/out")
}
if [ -e "$authors.dict" ]; then
    check "PyProf's own table of such a file" own_columns
else
    echo "# skipped: no file of PyProf's parser at $authors.dict"
fi
finish
