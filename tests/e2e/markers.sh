#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the markers for PyTorch: what they record of networks and what the program derives from it.
# shellcheck disable=SC2016,SC2317 # the programs are awk's; functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

export PYTHONPATH=$SOURCE_DIR/python PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
here=$SOURCE_DIR/tests/python

# A Python with PyTorch: the one on the PATH, or the system's.
python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import torch.overrides; torch.overrides.TorchFunctionMode' 2>/dev/null &&
        python=$candidate && break
done
if [ -z "$python" ]; then
    echo "skip: no Python with PyTorch 1.13 or later (python3-torch)"
    exit 77
fi

# Prints one line per test case of unittest.
cases() {
    "$python" -W ignore "$here/test_markers.py" -v >"$work/cases" 2>&1
    sed -n 's/^\(test_[a-z_0-9]*\) (__main__\.\([A-Za-z]*\).*[. ]ok$/ok \2: \1/p
            s/^\(test_[a-z_0-9]*\) (__main__\.\([A-Za-z]*\).*skipped.*/skip \2: \1/p
            s/^\(FAIL\|ERROR\): \(test_[a-z_0-9]*\) .*/not ok \2/p' "$work/cases"
    grep -q '^OK' "$work/cases" || { grep -v '\.\.\. ok$' "$work/cases" | tail -n 40 | sed 's/^/# /'; failed=1; }
}
cases

# --- networks, from the script to the reports ---------------------------------------------------

marks() { # SCRIPT: runs it with markers; its output must not change
    run 0 "$python" -m dlprof_tui_markers --log="$work/log" "$here/$1.py" || return 1
    cp "$work/out" "$work/losses.marked"
    run 0 "$python" "$here/$1.py" && cmp "$work/out" "$work/losses.marked"
}
plays() { run 0 "$DLPROF_GEN" log "$work/profile.sqlite" --log="$work/log" --force; }
report() { run 0 "$DLPROF_TUI" "--print=$1" --iters=all --formats=tsv "$work/profile.sqlite"; }
# table PROGRAM: runs awk over a report; col[] is the column with a title.
table() {
    awk -F'\t' "
        NR == 1 { for (i = 1; i <= NF; i++) col[\$i] = i; next }
        $1" "$work/out"
}
# Each kernel of the network has its layer and direction, and each op its line, sizes and types.
kernels_are_told() { # SCRIPT LAYER...
    local script=$1
    shift
    report pyprof && table '
        function miss(what) { print "# no " what ": " $0; wrong = 1 }
        { layer = $col["Layer"]; direction = $col["Direction"]; op = $col["Op"] }
        $col["Trace"] !~ /'"$script"'\.py:[0-9]/ { miss("line of the script") }
        direction !~ /^(fprop|bprop|optim)$/ { miss("direction") }
        op == "" || op == "na" { miss("op") }
        op !~ /^(randn|arange|ones|zeros|randperm|tensor|random_)$/ && $col["Params"] !~ /[0-9]/ { miss("sizes") }
        layer != "" && $col["Params"] !~ /(fp|float)32|int64/ { miss("data type") }
        { seen[layer " " direction]++ }
        END {
            n = split("'"$*"'", layers, " ")
            for (i = 1; i <= n; i++)
                for (d = 1; d <= 2; d++) {
                    key = layers[i] (d == 1 ? " fprop" : " bprop")
                    if (!seen[key]) { print "# nothing of " key; wrong = 1 }
                }
            exit wrong || !NR
        }'
}
ops_are_told() {
    report detail && table '
        function miss(what) { print "# no " what ": " $0; wrong = 1 }
        $col["Op Type"] ~ /^(randn|arange|tensor|unassociated)/ { next }
        $col["Direction"] !~ /^[fb]prop$/ { miss("direction") }
        $col["Data Type"] == "" && $col["Op Type"] !~ /^(ones|zeros|randperm)$/ { miss("data type") }
        $col["Stack Trace"] !~ /\.py:[0-9]/ { miss("stack") }
        END { exit wrong || NR < 10 }'
}

check "LeNet trains as without markers" marks lenet
check "... its log is a profile" plays
check "... every kernel has layer, line, sizes, type and direction" \
    kernels_are_told lenet LeNet:features.0 LeNet:features.1 LeNet:features.2 LeNet:fc
check "... every op of DLProf's report" ops_are_told
steps() { [ "$("$DLPROF_TUI" --print=iterations --formats=tsv "$work/profile.sqlite" | wc -l)" -ge "$1" ]; }
check "... steps" steps 4
check "a transformer trains as without markers" marks transformer
check "... its log is a profile" plays
check "... every kernel has layer, line, sizes, type and direction" \
    kernels_are_told transformer Model:embedding Model:layers.0.linear1 \
    Model:layers.1.self_attn Model:layers.1.norm2 Model:head
check "... every op of DLProf's report" ops_are_told

# --- DLProf's own markers of a network ----------------------------------------------------------

capture=$SOURCE_DIR/../shared/corpus/dlprof/w_Relu/nsys_profile.sqlite
same_as_dlprof() {
    (cd "$here" && run 0 "$python" -m dlprof_tui_markers --log="$work/log" dummy_network.py) &&
        "$python" "$here/same_as_dlprof.py" "$capture" "$work/log"
}
if [ -f "$capture" ]; then
    check "ops of dummy_network are those of DLProf" same_as_dlprof
else
    echo "skip: no corpus, so no markers of DLProf"
fi

# --- on a GPU: mixed precision, compile, DDP, FSDP, CUDA graphs ---------------------------------

if "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
    "$python" "$here/on_gpu.py" "$work/traces" || failed=1
    layers() {
        run 0 "$DLPROF_TUI" --print=pyprof --iters=all --formats=tsv "$1" &&
            table '{ seen += $col["Layer"] != "" } END { exit !seen }'
    }
    for trace in "$work"/traces/*.json.gz; do
        check "kernels of ${trace##*/} have layers" layers "$trace"
    done
else
    echo "skip: no GPU, so no compile, DDP, FSDP or CUDA graphs"
fi

finish
