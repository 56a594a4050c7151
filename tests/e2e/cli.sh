#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the command line: options in all spellings, lists, reports and exit statuses.
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

tiny=$work/tiny.sqlite
"$DLPROF_GEN" tiny "$tiny" >/dev/null || exit 1
"$DLPROF_GEN" dlprof "$work/dlprof.sqlite" --steps=4 >/dev/null || exit 1

check "help" run 0 "$DLPROF_TUI" --help
check "... ends no line with a blank" fails grep -q ' $' "$work/out"
check "a page" run 0 "$DLPROF_TUI" --print=detail "$tiny"
check "... does neither" fails grep -q ' $' "$work/out"
check "... beside what does not go together" run 0 "$DLPROF_TUI" --dry-run --iter_start=3 --iter_stop=2 --help
"$DLPROF_GEN" ddp "$work/plain.sqlite" --markers=plain --steps=2 >/dev/null
check "a roofline without shapes" run 0 "$DLPROF_TUI" --print=roofline "$work/plain.sqlite"
check "... says what records them" said '^no shapes: record emit_nvtx(record_shapes=True)$'
check "MFU without shapes" run 0 "$DLPROF_TUI" --print=mfu "$work/plain.sqlite"
check "... says what would tell it" said '^no MFU: FLOPs of 0% of their time are known (--flops-per-step)$'
"$DLPROF_GEN" none "$work/none.sqlite" >/dev/null
check "MFU by stated FLOPs without steps" run 0 "$DLPROF_TUI" --print=mfu --flops-per-step=1e12 "$work/none.sqlite"
check "... says that there are none" said '^no MFU: nothing marks the steps that FLOPs were stated of$'
check "version" run 0 "$DLPROF_TUI" --version
check "no profile is wrong usage" run 2 "$DLPROF_TUI" --print=summary
check "unknown option is wrong usage" run 2 "$DLPROF_TUI" --prnt=summary "$tiny"
check "... and the nearest is suggested" said "did you mean --print"
check "unknown report is wrong usage" run 2 "$DLPROF_TUI" --print=kernel_s "$tiny"
check "... and the nearest is suggested" said "did you mean kernels"
check "an empty list is wrong usage" run 2 "$DLPROF_TUI" --reports= "$tiny"
check "... not a screen or a page" test ! -s "$work/out"
check "an empty list of formats, too" run 2 "$DLPROF_TUI" --print=kernels --formats=, "$tiny"
# OPTION|expected words of the message
while IFS='|' read -r option words; do
    check "$option is wrong usage" run 2 "$DLPROF_TUI" "$option" "$tiny"
    check "... and says why" said "$words"
done <<'MISTAKES'
-%|no option -%
--iter_start=2x|not a whole number: 2x
--baseline-gpu=-1|not a whole number: -1
--reports=kernels_x|no report is named kernels_x
--reports=kernels|not one of DLProf's reports; --print=kernels
--formats=cvs|did you mean csv
--formats=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|too long
--mode=pytorhc|did you mean pytorch
--list=repots|did you mean reports
--no-adoption=perhaps|perhaps
--threads=none|none
--flops-per-step=6*N|character 3: nothing has this name
--flops-per-step=1-2|not a number above 0: 1-2
--items-per-step=12288|not UNIT:NUMBER, such as tokens:12288: 12288
--items-per-step=tokens:|a number, a name or a bracket
MISTAKES
check "an option without its value" run 2 "$DLPROF_TUI" --print
check "... says how" said "needs a value: --print="
check "half a size" run 2 "$DLPROF_TUI" --size=80 --dump "$tiny"
check "... is none" said "'80' is no size"
check "a script that is not there" run 1 "$DLPROF_TUI" --script="$work/no.keys" --dump "$tiny"
check "... is named" said "no.keys: No such file"
check "a base name with a folder" run 2 "$DLPROF_TUI" --reports=all --base_name=a/b \
    --output_path="$work" "$tiny"
check "... is none" said "must be a file name"
check "a baseline's process that is not there" run 2 "$DLPROF_TUI" --baseline-process=7 \
    --print=costs "$tiny"
check "... is named" said "no process 7"
check "a baseline cut by what it has not" run 2 "$DLPROF_TUI" "--baseline=$work/dlprof.sqlite" \
    --key_op=nosuch --print=costs "$tiny"
check "one file named twice is wrong usage" run 2 "$DLPROF_TUI" --print=summary "$tiny" "$tiny"
check "iter_stop before iter_start" run 2 "$DLPROF_TUI" --iter_start=3 --iter_stop=2 "$tiny"
check "an iteration that does not exist" run 2 "$DLPROF_TUI" --print=kernels --iter_start=999 "$tiny"
check "... is named, and what there is" said "iter_start: no iteration 999; there are 2, 0 to 1"
check "a last one that does not exist" run 2 "$DLPROF_TUI" --print=kernels --iter_stop=2 "$tiny"
check "... is no end of the file" said "iter_stop: no iteration 2; there are 2, 0 to 1"
check "one bound right, one wrong" run 2 "$DLPROF_TUI" --print=kernels --iter_start=0 --iter_stop=9 "$tiny"
check "... the wrong one is named" said "iter_stop: no iteration 9"
check "no files for iterations that are not there" run 2 "$DLPROF_TUI" --reports=all --iter_stop=99 \
    --output_path="$work/none" "$tiny"
check "... not even the folder" test ! -e "$work/none"
check "on the screen too" run 2 "$DLPROF_TUI" --dump --iter_stop=99 "$tiny"
check "DLProf's summary of some of its iterations" run 0 "$DLPROF_TUI" --print=summary --formats=csv \
    --iter_start=1 --iter_stop=2 "$work/dlprof.sqlite"
check "... is of these" said '^Aggregated Iterations,2$'
check "the whole span" run 0 "$DLPROF_TUI" --print=kernels --iter_start=0 --iter_stop=1 "$tiny"

for what in reports columns views actions detectors formats options modes themes; do
    check "--list=$what" run 0 "$DLPROF_TUI" "--list=$what"
    check "--list=$what has rows of one width" \
        awk -F'\t' 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR < 2 }' "$work/out"
done

run 0 "$DLPROF_TUI" --list=reports
cp "$work/out" "$work/reports"
while IFS=$'\t' read -r name _; do
    for profile in "$tiny" "$work/dlprof.sqlite"; do
        check "--print=$name of ${profile##*/}" run 0 "$DLPROF_TUI" "--print=$name" "$profile"
        check "... as csv" run 0 "$DLPROF_TUI" "--print=$name" --formats=csv "$profile"
        check "... as json" run 0 "$DLPROF_TUI" "--print=$name" --formats json "$profile"
    done
done < <(tail -n +2 "$work/reports")

check "without a terminal the summary is printed" run 0 "$DLPROF_TUI" "$tiny"
check "... as text" said "Wall"

# DLProf's files: all spellings, existing files are kept, and the bytes equal those of --print.
check "reports" run 0 "$DLPROF_TUI" --reports=all --formats=csv,json \
    --output_path="$work/out.d/deep" "$work/dlprof.sqlite"
check "... and says what was written" said "16 files written"
check "eight files in two formats" test "$(find "$work/out.d/deep" -type f | wc -l)" = 16
sum=$(cat "$work"/out.d/deep/* | cksum)
check "no overwriting without --force" run 1 "$DLPROF_TUI" --reports=all --formats=csv,json \
    --output_path="$work/out.d/deep" "$work/dlprof.sqlite"
check "... and nothing is touched" test "$(cat "$work"/out.d/deep/* | cksum)" = "$sum"
rm "$work/out.d/deep/dlprof_kernel.csv"
check "one file that exists stops all" run 1 "$DLPROF_TUI" --reports=all \
    --output_path="$work/out.d/deep" "$work/dlprof.sqlite"
check "... the missing one is not written" test ! -e "$work/out.d/deep/dlprof_kernel.csv"
check "--force" run 0 "$DLPROF_TUI" --force true --reports all --file_formats csv,json \
    --output_path "$work/out.d/deep" "$work/dlprof.sqlite"
check "... gives the same bytes" test "$(cat "$work"/out.d/deep/* | cksum)" = "$sum"
check "list of words ended by --" run 0 "$DLPROF_TUI" --output_path="$work/words" \
    --reports summary kernel -- "$tiny"
check "... writes those" test "$(find "$work/words" -type f | wc -l)" = 2
check "--database" run 0 "$DLPROF_TUI" --reports=summary --output_path="$work/db" \
    --profile_name="my run" --database="$tiny"
check "... says of one file what is so" said "1 file written to"
check "... blanks of the name become _" test -s "$work/db/my_run_summary.csv"
check "... and the summary names the run" grep -q "^Profile Name,my run$" "$work/db/my_run_summary.csv"
for pair in summary:summary detail:detailed iteration:iteration kernel:kernel \
    tensor:tensor_core op_type:op_type group_node:group_op expert_systems:expert_systems; do
    run 0 "$DLPROF_TUI" "--print=${pair%:*}" --formats=csv "$work/dlprof.sqlite"
    check "--print=${pair%:*} gives the bytes of its file" \
        cmp -s "$work/out" "$work/out.d/deep/dlprof_${pair#*:}.csv"
done
check "quiet" run 0 "$DLPROF_TUI" --reports=all --verbosity=quiet --detailed_mode=false \
    --mode=tensorflow2 --output_path="$work/quiet" "$tiny"
check "... says nothing" test ! -s "$work/err"
check "a mode of which there is no marker" run 0 "$DLPROF_TUI" --reports=summary -f \
    --mode=tensorflow2 --output_path="$work/quiet" "$tiny"
check "... is told, to the end" said '^dlprof-tui: TensorFlow 2: asked for, but no TensorFlow .*; ops from .* range'
check "... also with its other facts, uncut" run 0 "$DLPROF_TUI" --print=trust --mode=tensorflow2 "$tiny"
check "... as one line" grep -qE "^mode +TensorFlow 2: asked for, but no [^~]* range" "$work/out"
# Text output says what it covers; files for programs do not.
check "totals" run 0 "$DLPROF_TUI" --print=kernels "$tiny"
check "... of which steps and GPUs" grep -q "^totals of tiny.sqlite, all 2 iterations by .*, 1 GPU$" "$work/out"
check "a set" run 0 "$DLPROF_TUI" --print=iterations --iters=1 "$tiny"
check "... is said" grep -q "^tiny.sqlite, set 1 = 1 of 2 iterations by .*, 1 GPU$" "$work/out"
check "a table for programs" run 0 "$DLPROF_TUI" --print=kernels --formats=csv "$tiny"
check "... begins with its columns" test "$(grep -c "^totals of" "$work/out")" = 0
# Comparison with a baseline.
"$DLPROF_GEN" tiny "$work/before.sqlite" --without=item >/dev/null || exit 1
check "--baseline compares" run 0 "$DLPROF_TUI" "--baseline=$work/before.sqlite" --print=kernels "$tiny"
check "... says what" grep -q "^A: before.sqlite, .*; B: tiny.sqlite, " "$work/out"
check "... and how the step changed" grep -q "^step .* -> .* (+.*%)" "$work/out"
check "a report that has no comparison" run 2 "$DLPROF_TUI" "--baseline=$work/before.sqlite" \
    --print=trust "$tiny"
check "... says which have" said "trust cannot be compared.*kernels"
comparable=" $(sed -n 's/.*these can: \([a-z_, ]*\).*/\1/p' "$work/err" | tr -d ,) "
"$DLPROF_GEN" memory "$work/memory.sqlite" >/dev/null && "$DLPROF_GEN" chains "$work/chains.sqlite" >/dev/null ||
    exit 1
printf '[{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 30, "args": {"Call stack": "model.py(7): forward;train.py(3): main"}},
    {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 12, "args": {"Device Type": 0, "Device Id": -1,
    "Bytes": 64, "Addr": 4096, "Total Allocated": 64, "Total Reserved": 128}}]' >"$work/stacks.json"
"$DLPROF_TUI" --list=reports | tail -n +2 | cut -f1 >"$work/reports"
while read -r report; do
    case $report in
    allocations | gpu_memory) a=$work/memory.sqlite b=$a ;;
    source) a=$work/chains.sqlite b=$a ;;
    operator_stacks | op_memory | memory_peaks) a=$work/stacks.json b=$a ;;
    *) a=$work/before.sqlite b=$tiny ;;
    esac
    compare=("$DLPROF_TUI" "--baseline=$a" "--print=$report" --formats=csv "$b")
    case $comparable in
    *" $report "*)
        check "... $report" run 0 "${compare[@]}"
        check "... has rows" test "$(wc -l <"$work/out")" -gt 1
        ;;
    *) check "... not $report" run 2 "${compare[@]}" ;;
    esac
    [ "$report" != gpu_memory ] ||
        check "... peaks of one GPU's memory" grep -q "^Memory,GPU,A: Peak" "$work/out"
done <"$work/reports"
check "JSON keys of a comparison say what figures are of" run 0 "$DLPROF_TUI" --formats=json \
    "--baseline=$work/before.sqlite" --print=kernels "$tiny"
check "... each of the sums" said '"gpu_total_delta_per_step_and_gpu"'
check "all is all on both sides" run 0 "$DLPROF_TUI" --iters=all --baseline-iters=all \
    --fail-if='step>+1us' --fail-if='step<-1us' "$tiny"
check "two steps of one file" run 0 "$DLPROF_TUI" --baseline-iters=0 --iters=1 --print=costs "$tiny"
check "a GPU that is not there" run 2 "$DLPROF_TUI" --baseline-gpu=7 --print=costs "$tiny"
check "a set that is not there" run 2 "$DLPROF_TUI" --baseline-iters=9 --print=costs "$tiny"
check "a baseline that is not there" run 1 "$DLPROF_TUI" --baseline="$work/none" "$tiny"
check "... is named" said "baseline: .*none"
check "DLProf's files are of one profile" run 2 "$DLPROF_TUI" "--baseline=$work/before.sqlite" \
    --reports=all "$tiny"
check "a condition that holds is status 3" run 3 "$DLPROF_TUI" "--baseline=$work/before.sqlite" \
    --fail-if='step>+0.5%' "$tiny"
check "... which one, and by how much" said "^dlprof-tui: step .* -> .* (+.* %): fails step>+0.5%"
check "... and nothing else" test ! -s "$work/out"
check "one that does not" run 0 "$DLPROF_TUI" "--baseline=$work/before.sqlite" \
    --fail-if='step>+5s' "$tiny"
check "... is said, too" said "passes step>+5s"
check "one of several" run 3 "$DLPROF_TUI" --fail-if='step>9s' --fail-if='idle>1ns' "$tiny"
check "quiet: only what fails" run 3 "$DLPROF_TUI" -v quiet --fail-if='step>9s' --fail-if='idle>1ns' "$tiny"
check "... is one line" test "$(wc -l <"$work/err")" = 1
conditions=()
for ((i = 0; i < 70; i++)); do conditions+=("--fail-if=step>9s"); done
check "seventy conditions, of which the last holds" run 3 "$DLPROF_TUI" "${conditions[@]}" --fail-if='idle>1ns' "$tiny"
check "a report and a condition" run 3 "$DLPROF_TUI" --print=kernels --fail-if='idle>1ns' "$tiny"
check "... the report is there" grep -q "kernels by" "$work/out"
check "a difference to nothing is no pass" run 2 "$DLPROF_TUI" --fail-if='step>+5%' "$tiny"
check "a kernel that nobody has is no pass" run 1 "$DLPROF_TUI" --fail-if='kernel:x>1ms' "$tiny"
check "no condition" run 2 "$DLPROF_TUI" --fail-if='step>5%' "$tiny"

# Saving from a script never replaces an existing file unless --force is given.
for command in ":save saved.csv" ":save saved.svg" ":page saved.md" ":session saved.session" ":copy saved.tsv"; do
    file=$work/${command##* }
    printf '%s\n' 3 "$command" >"$work/keys"
    # shellcheck disable=SC2317 # check calls it
    saves() { (cd "$work" && run "$1" "$DLPROF_TUI" --script="$work/keys" --dump "${@:2}" "$tiny"); }
    check "$command" saves 0
    check "... is there" test -s "$file"
    cp "$file" "$work/former"
    printf '%s\n' 2 :all "$command" >"$work/keys" # another view
    check "... again" saves 1
    check "... is refused" said "${file##*/}.* exists already"
    check "... and left alone" cmp "$work/former" "$file"
    printf 'x' >>"$file"
    check "... with --force" saves 0 --force
    check "... is written anew" sh -c "! tail -c 1 '$file' | grep -q x"
done

# A file being read is never replaced, even with --force and in any spelling of its path.
mkdir "$work/read" "$work/elsewhere" && "$DLPROF_GEN" tiny "$work/read/a.csv" >/dev/null || exit 1
cp "$work/dlprof.sqlite" "$work/read/b.csv"
ln -s ../read/a.csv "$work/elsewhere/symlink.csv"
ln "$work/read/a.csv" "$work/elsewhere/hard.csv"
ln -s read "$work/folder"
md5sum "$work"/read/* >"$work/sums"
# Files to read | command that writes; both below $work.
while IFS='|' read -r what command; do
    printf '%s\n' 3 "$command" >"$work/keys"
    # shellcheck disable=SC2086 # split into words
    check "$command" run 2 env -C "$work" "$DLPROF_TUI" --script="$work/keys" --dump --force $what
    check "... is what is read" said "${command##* } is the .* that is read: it is not replaced"
    check "... and left alone" md5sum --quiet -c "$work/sums"
done <<SAVES
read/a.csv|:save read/a.csv
read/a.csv|:save ./read/../folder/a.csv
read/a.csv|:save $work/read/a.csv
read/a.csv|:save elsewhere/symlink.csv
read/a.csv|:save elsewhere/hard.csv
read/a.csv|:page read/a.csv
read/a.csv|:copy read/a.csv
elsewhere/symlink.csv|:save read/a.csv
read/a.csv read/b.csv|:save read/b.csv
--baseline=read/b.csv read/a.csv|:save folder/b.csv
SAVES
printf '%s\n' 3 ":baseline read/b.csv" ":save folder/b.csv" >"$work/keys"
check "a baseline taken on the screen" run 2 env -C "$work" "$DLPROF_TUI" --script="$work/keys" \
    --dump --force read/a.csv
check "... is read, too" said "folder/b.csv is the baseline that is read"
printf '%s\n' ":session folder/a.csv" >"$work/keys"
check "a session over it" run 1 env -C "$work" "$DLPROF_TUI" --script="$work/keys" --dump --force \
    read/a.csv
check "... is refused" said "folder/a.csv exists and is no session"
check "a database over the baseline" run 2 env -C "$work" "$DLPROF_TUI" --force --fail-if='step>+99%' \
    --baseline=read/b.csv --digest=folder/b.csv read/a.csv
check "all of it is left alone" md5sum --quiet -c "$work/sums"

check "rules that are not there" run 1 "$DLPROF_TUI" --rules="$work/none" --print=kernels "$tiny"
check "... are named" said "--rules: $work/none: No such file"
check "a file of rules is no folder of them" run 1 "$DLPROF_TUI" \
    --rules="$SOURCE_DIR/rules/kernels.yaml" --print=kernels "$tiny"
mkdir -p "$work/own" "$work/config/dlprof-tui/rules"
printf 'dataloader:\n  shear: 0.5\n' >"$work/own/expert.yaml"
check "an unknown key of rules" run 2 "$DLPROF_TUI" --rules="$work/own" --print=expert "$tiny"
check "... is named with its place" said "$work/own/expert.yaml:2:3: unknown threshold \"dataloader.shear\""
cp "$work/own/expert.yaml" "$work/config/dlprof-tui/rules/"
check "rules of the configuration" run 2 env XDG_CONFIG_HOME="$work/config" "$DLPROF_TUI" \
    --print=expert "$tiny"
check "... are read" said "$work/config/dlprof-tui/rules/expert.yaml:2:3:"
check "... unless others are named" run 0 env XDG_CONFIG_HOME="$work/config" "$DLPROF_TUI" \
    --rules="$SOURCE_DIR/rules" --print=expert "$tiny"
check "a folder of rules" run 0 "$DLPROF_TUI" --rules="$SOURCE_DIR/rules" --print=kernels "$tiny"
check "a verbosity that does not exist" run 2 "$DLPROF_TUI" -v loud "$tiny"
check "a folder that cannot be made" run 1 "$DLPROF_TUI" --reports=summary \
    --output_path="$tiny/x" "$tiny"
# Names of ten megabytes, of a kernel and of two ranges, work like others.
cp "$tiny" "$work/long.sqlite" && sqlite3 -bail "$work/long.sqlite" <<'LONG' || exit 1
UPDATE StringIds SET value = replace(hex(zeroblob(5000000)), '00', 'a<')
    WHERE id IN (SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1);
UPDATE NVTX_EVENTS SET text = 'layer:' || replace(hex(zeroblob(5000000)), '00', 'b.')
    WHERE rowid IN (SELECT rowid FROM NVTX_EVENTS WHERE eventType IN (59, 60) LIMIT 2 OFFSET 3);
LONG
check "a long name, as people read it" run 0 "$DLPROF_TUI" --print=kernels "$work/long.sqlite"
check "... cut" test "$(wc -c <"$work/out")" -lt 100000
check "a long name, for programs" run 0 "$DLPROF_TUI" --print=kernels --names=full --formats=csv \
    "$work/long.sqlite"
check "... whole" test "$(wc -c <"$work/out")" -gt 10000000
"$DLPROF_GEN" none "$work/two.sqlite" --processes=2 >/dev/null || exit 1
check "two GPUs without steps" run 0 "$DLPROF_TUI" --dump "$work/two.sqlite"
check "... have no step that figures are shares of" said "Where GPU time goes, per GPU, % of the time"
check "a long name on the screen" run 0 "$DLPROF_TUI" --dump --view=tree --size=120x40 \
    "$work/long.sqlite"
rm "$work/long.sqlite"

finish
