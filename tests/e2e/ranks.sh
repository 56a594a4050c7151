#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks 64 ranks on 8 machines whose clocks differ by up to 50 ms: their files open as one profile,
# the clock offsets are found, and a slow rank is named if and only if there is one. Further
# checks select a part of the ranks.
# shellcheck disable=SC2016,SC2317 # the programs are awk's; functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config

# job NAME OPTION...: writes the files of its ranks to $work/NAME.rank*.sqlite and the truth to
# $work/NAME.tsv.
job() {
    local name=$1
    shift
    "$DLPROF_GEN" healthy "$work/$name.sqlite" --steps=8 "$@" >"$work/$name.tsv" &&
        rm "$work/$name.sqlite"
}
print() { run 0 "$DLPROF_TUI" "--print=$1" --formats=tsv "${@:2}"; }

check "64 ranks are made" job slow --processes=64 --split=8 --problem=straggler
check "their trust report" print trust "$work"/slow.rank*.sqlite
clocks='
    NR == FNR { ahead[$2] = $3; next }
    $1 == "clock" && match($2, /^rank [0-9]+ on host [0-9]+/) {
        split(substr($2, RSTART, RLENGTH), word, " "); rank = word[2]; ranks++
        off = $3 + ahead[rank]
        if (off > 5000 || off < -5000) { print "# rank " rank ": " off " ns off"; wrong = 1 }
        if (word[5] != int(rank / 8) + 1) { print "# rank " rank ": host " word[5]; wrong = 1 } }
    END { if (ranks != 64) print "# " ranks " ranks"; exit wrong || ranks != 64 }'
check "clocks are found within 5 us" awk -F'\t' "$clocks" "$work/slow.tsv" "$work/out"
check "the findings" print expert "$work"/slow.rank*.sqlite
check "the slow GPU is named" said 'wait for GPU 2: equal kernels take'
check "... with who and where it is" said 'GPU 2 (rank 2, host 1)'
check "... with its cost" awk -F'\t' '$6 ~ /wait for GPU 2/ { found = $3 > 0 && $4 > 0 } END { exit !found }' \
    "$work/out"
check "by place, too" print ranks "$work"/slow.rank*.sqlite
check "... it is the slowest" awk -F'\t' 'NR > 1 && $1 == "step N" { found = $3 } END { exit found != 2 }' \
    "$work/out"
check "... and its column the first of 16" awk -F'\t' \
    'NR == 1 { for (c = 4; c < 20; c++) ranks += $c ~ /^Rank [0-9]+ \(ns\)$/
               exit $4 != "Rank 2 (ns)" || $5 != "Rank 0 (ns)" || ranks != 16 || $20 ~ /Rank|Each/ }' "$work/out"
cp "$work/out" "$work/by_place"
check "by step" print iterations "$work"/slow.rank*.sqlite
check "... it is the slowest in each" awk -F'\t' '
    NR == 1 { for (c = 1; c <= NF; c++) if ($c == "Slowest") at = c }
    NR > 1 { steps++; wrong += $at != 2 } END { exit wrong || steps != 8 }' "$work/out"

# The same with digests: each rank writes one next to its file, and the screen shows all of them.
digests() {
    for file in "$work"/slow.rank*.sqlite; do
        run 0 "$DLPROF_TUI" --digest="${file%.sqlite}.dlp" "$file" || return 1
    done
}
check "64 digests" digests
rm "$work"/slow.rank*.sqlite
check "... by place" print ranks "$work"/slow.rank*.dlp
check "... say the same" cmp "$work/by_place" "$work/out"
check "... on one screen" run 0 "$DLPROF_TUI" --dump "$work"/slow.rank*.dlp
check "... all of them" said 'and 63 more'
rm "$work"/slow.rank*.dlp

nobody() { ! said 'wait for GPU'; }
# A soak takes all ranks, other runs a quarter, with the same number of ranks per machine.
twins=${DLPROF_SOAK:+64}
check "their healthy twin, slow in its first steps only" job twin --processes="${twins:-16}" --split="$((${twins:-16} / 8))" --problem=straggler:twin
check "its findings" print expert "$work"/twin.rank*.sqlite
check "... nobody is slow" nobody
rm "$work"/twin.rank*.sqlite

check "a healthy job" job well --processes=8 --split=2
check "its findings" print expert "$work"/well.rank*.sqlite
check "nobody is slow" nobody

check "one GPU's file" run 0 "$DLPROF_TUI" --print=ranks "$work/well.rank0.sqlite"
check "... says that there is none beside it" said 'none to compare it with'
check "a file that is none" run 1 "$DLPROF_TUI" --print=trust "$work/well.rank0.sqlite" "$work/well.tsv"
check "... is named" said 'well.tsv'
check "one named twice" run 2 "$DLPROF_TUI" --print=trust "$work/well.rank0.sqlite" \
    "$work/../${work##*/}/well.rank0.sqlite"
cp "$work/well.rank0.sqlite" "$work/again.sqlite"
check "one under two names" run 0 "$DLPROF_TUI" --print=trust "$work/well.rank0.sqlite" "$work/again.sqlite"
check "... counts once" said 'is left out: what it holds is in'
check "the doctor" run 0 "$DLPROF_TUI" --doctor "$work"/well.rank*.sqlite
check "... looks at all of them" said 'well.rank0.sqlite and 7 more: '
check "DLProf's reports of all" run 0 "$DLPROF_TUI" --reports=all --output_path="$work/reports" \
    "$work"/well.rank*.sqlite
check "... are there" test -s "$work/reports/dlprof_summary.csv"

check "another job" job other --processes=2 --split=1 --problem=fp32head
check "compared with it" run 0 "$DLPROF_TUI" --print=kernels --baseline="$work/other.rank0.sqlite" \
    "$work"/well.rank*.sqlite
check "... which ran other kernels" said ' gone'

# Exports before 2025 do not record which GPU a process calls 0.
check "an older job" job older --processes=4 --split=1 --schema=2024.2
check "its GPUs" print devices "$work"/older.rank*.sqlite
check "... are as many as its ranks" \
    awk -F'\t' 'NR > 1 && $6 == "yes" { used++ } END { exit used != 4 }' "$work/out"
check "its trust report" print trust "$work"/older.rank*.sqlite
check "... says why" said 'use the same device number'

printf ':scope rank 3\n:view kernels\n:session %s/place\n' "$work" >"$work/keys"
check "a script" run 0 "$DLPROF_TUI" --script="$work/keys" --size=100x20 --dump "$work"/well.rank*.sqlite
check "... the files in the title" said 'well.rank0.sqlite and 7 more'
check "... the rank in scope" said 'rank 3'
check "a session of them" run 0 "$DLPROF_TUI" --session="$work/place" --size=100x20 --dump
check "... opens them all" said 'well.rank0.sqlite and 7 more'
check "... where one was" said 'rank 3'

printf ':scope host 2\n:view kernels\n:session %s/host\n' "$work" >"$work/keys"
check "a host" run 0 "$DLPROF_TUI" --script="$work/keys" --size=100x20 --dump "$work"/well.rank*.sqlite
check "... in scope" said 'host 2'
check "a session of it" run 0 "$DLPROF_TUI" --session="$work/host" --size=100x20 --dump
check "... is there" said 'host 2'
printf ':scope host 9\n' >"$work/keys"
check "a host that is none" run 2 "$DLPROF_TUI" --script="$work/keys" --size=100x20 --dump "$work"/well.rank*.sqlite
check "... which there are" said 'no host 9; the hosts are 1, 2'
printf ':scope role pp 1\n' >"$work/keys"
check "a role that is none" run 2 "$DLPROF_TUI" --script="$work/keys" --size=100x20 --dump "$work"/well.rank*.sqlite
check "... where there are none" said 'no role pp 1: nothing in this profile tells roles apart'
cp "$work/well.rank0.sqlite" "$work/prefill0.sqlite"
cp "$work/well.rank1.sqlite" "$work/decode0.sqlite"
check "roles by names" print devices "$work/prefill0.sqlite" "$work/decode0.sqlite"
check "... are told" awk -F'\t' 'NR > 1 { role[$4]++ } END { exit role["prefill"] != 1 || role["decode"] != 1 }' "$work/out"
printf ':scope role pp 1\n' >"$work/keys"
check "a role beside those there are" run 2 "$DLPROF_TUI" --script="$work/keys" --size=100x20 --dump \
    "$work/prefill0.sqlite" "$work/decode0.sqlite"
check "... which are told" said 'no role pp 1; the roles are decode, prefill'

# Columns of ranks are addressed by name, and a session restores them.
printf ':view ranks\n:columns rank0 hide\n:sort -rank2\n:filter rank2>10ms\n:session %s/columns\n' "$work" >"$work/keys"
check "columns of ranks" run 0 "$DLPROF_TUI" --script="$work/keys" --size=120x20 --dump "$work"/well.rank*.sqlite
check "... by name" said 'slowest  rank 1  rank 2▾ rank 3'
check "... a filter of one" said '\[rank2>10ms\]'
check "a session of them" run 0 "$DLPROF_TUI" --session="$work/columns" --size=120x20 --dump
check "... has them so" said 'slowest  rank 1  rank 2▾ rank 3'
finish
