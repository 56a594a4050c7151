#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compares the program's figures with what the generator knows about the profile it wrote (--truth):
# calls and time of every kernel, Tensor Core and communication time, rows read, and the extent of
# each step. Then with what tests/truth makes of the raw rows: of the same profiles, those of
# tests/golden and two of the corpus; ./dev soak does that with the whole corpus.
# shellcheck disable=SC2016,SC2317 # the programs are awk's; functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

profile=$work/profile.sqlite
truth=$work/truth
report() { run 0 "$DLPROF_TUI" "--print=$1" --iters=all --names=full --formats=tsv "$profile"; }
# compare PROGRAM: runs awk over the truth, then the current report; col[] is the column with a
# title.
compare() {
    awk -F'\t' "
        function differs(what, expected, found) {
            print \"# \" what \": \" expected \" in truth, not \" found; wrong = 1 }
        NR != FNR && FNR == 1 { for (i = 1; i <= NF; i++) col[\$i] = i; next }
        $1" "$truth" "$work/out"
}

kernels='
    NR == FNR && $1 == "kernel" { calls[$5] += $2; ns[$5] += $3; left[$5] }
    NR == FNR && $1 == "class" { class[$2] = $4 }
    NR == FNR || $col["Kind"] != "kernel" { next }
    { name = $col["Full Name"]; time = $col["Total GPU Time (ns)"]; rows++; delete left[name]
      if (calls[name] != $col["Calls"]) differs("calls of " name, calls[name] + 0, $col["Calls"])
      if (ns[name] != time) differs("ns of " name, ns[name] + 0, time)
      if ($col["Uses TC"] == "yes") tensor += time
      if ($col["Class"] == "comm") comm += time }
    END { for (name in left) differs(name, calls[name] " calls", "there")
          if (tensor + 0 != class["tensor"]) differs("Tensor Core ns", class["tensor"], tensor + 0)
          if (comm + 0 != class["comm"]) differs("communication ns", class["comm"], comm + 0)
          exit wrong || !rows }'
read_rows='
    NR == FNR && $1 == "rows" { count[$2] = $3 }
    NR == FNR || $col["Fact"] !~ /^rows of / { next }
    { table = substr($col["Fact"], 9); rows++
      if (count[table] != $col["Value"]) differs("rows of " table, count[table], $col["Value"]) }
    END { exit wrong || rows < 5 }'
# By the clock of the host: a step begins with the first of its ranks, and its period is the mean
# over the ranks, as steps follow each other directly. A cut step ends where the capture cuts it.
steps='
    NR == FNR && $1 == "step" { first = !($4 in kernels); kernels[$4] += $9; steps += first
                                if (first || $5 < start[$4]) start[$4] = $5
                                period[$4] += $6 - $5; ranks[$4]++ }
    NR == FNR { next }
    { n = $col["Iteration"]; rows++
      if (start[n] != $col["Start (ns)"]) differs("start of " n, start[n], $col["Start (ns)"])
      mean = ranks[n] ? int(period[n] / ranks[n]) : 0
      if (mean != $col["Host Period (ns)"] && $col["Cut"] != "yes")
          differs("length of " n, mean, $col["Host Period (ns)"])
      if (kernels[n] != $col["Kernels"]) differs("kernels of " n, kernels[n], $col["Kernels"]) }
    END { if (rows != steps) differs("steps", steps, rows)
          exit wrong || !rows }'

# check_truth REPORTS SCENARIO [OPTION...]: compares the reports of a generated profile.
check_truth() {
    local reports=$1 name=$2
    shift
    "$DLPROF_GEN" "$1" "$profile" --force --truth "${@:2}" >"$truth" || exit 1
    check "$name: --print=kernels" report kernels
    check "... is the truth" compare "$kernels"
    check "$name: --print=trust" report trust
    check "... is the truth" compare "$read_rows"
    check "... and what the raw rows add up to" raw_rows "$profile"
    [ "$reports" = all ] || return 0
    check "$name: --print=iterations" report iterations
    check "... is the truth" compare "$steps"
}
raw_rows() { # PROFILE...
    python3 -B "$SOURCE_DIR/tests/truth/recompute.py" "$DLPROF_TUI" "$@" >"$work/rows" || {
        sed 's/^/# /' "$work/rows"
        return 1
    }
}
check_truth all demo --steps=4
check_truth all ddp --steps=3
check_truth all graphs-node
check_truth all layer
check_truth all startend
check_truth some dlprof # this and the following have no step ranges
check_truth some none
check_truth some serving

mkdir "$work/golden"
for folder in "$SOURCE_DIR"/tests/golden/*/; do
    name=$(basename "$folder") tables=$folder/tables.sql
    [ -f "$tables" ] || tables=$SOURCE_DIR/tests/golden/tables.sql
    cat "$tables" "$folder/profile.sql" | sqlite3 "$work/golden/$name.sqlite" || exit 1
done
check "tests/golden: what the raw rows add up to" raw_rows "$work/golden"
printf '#!/bin/bash\n"%s" "$@" | sed '\''s/"gpu_total": 1/"gpu_total": 2/'\''\n' "$DLPROF_TUI" >"$work/lying"
chmod +x "$work/lying"
check "a program with a wrong figure is found" \
    run 1 python3 -B "$SOURCE_DIR/tests/truth/recompute.py" "$work/lying" "$work/golden/overlap.sqlite"
check "... and which it is" said 'DIFFERS.*overlap'

corpus=${DLPROF_CORPUS:-$SOURCE_DIR/../shared/corpus}
for profile in kineto/dlrm_8rank nsys/gindachen_h100_2gpu_2026.2.1; do
    if [ -d "$corpus/$profile" ]; then
        check "$profile: what the raw rows add up to" raw_rows "$corpus/$profile"
    else
        echo "skip $profile: no corpus at $corpus"
    fi
done
finish
