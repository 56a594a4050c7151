#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks DLProf databases as ranks of one job: for the same run they give the same reports as the
# exports, whether all files are databases or one among exports.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config

exports=("$work"/run.rank{0,1,2,3}.sqlite)
databases=("$work"/run.rank{0,1,2,3}.dldb)
check "four ranks are made" run 0 "$DLPROF_GEN" healthy "$work/run.sqlite" --steps=4 --processes=4 \
    --markers=dlprof --split=2
make_databases() {
    for file in "${exports[@]}"; do
        run 0 "$DLPROF_TUI" -v quiet --dldb="${file%.sqlite}.dldb" "$file" || return 1
    done
}
check "a database of each" make_databases

# same REPORT FILE...: compares the report with that of the exports, with the same key op. Op IDs
# are removed, as each database numbers its own.
same() {
    local report=$1
    shift
    run 0 "$DLPROF_TUI" "--print=$report" --csv --key_op=/module/train/backward "${exports[@]}" &&
        sed 's/"[A-Z0-9_]*_[0-9]*",//' "$work/out" | sort >"$work/expected" &&
        run 0 "$DLPROF_TUI" "--print=$report" --csv "$@" &&
        sed 's/"[A-Z0-9_]*_[0-9]*",//' "$work/out" | sort | diff -u "$work/expected" - | head -20 &&
        [ "${PIPESTATUS[2]}" = 0 ]
}
# (The clock of a database is known from its collectives alone and may be a microsecond off for the
# first one.)
for report in detail kernel tensor op_type expert_systems; do
    check "$report of databases" same "$report" "${databases[@]}"
done
for report in detail kernel tensor op_type expert_systems; do
    check "$report of one among exports" same "$report" "${databases[0]}" "${exports[@]:1}"
done
# Counts the runs of linear layers by direction, FLOPs and bytes over all kernels; a backward has
# two products.
linears() {
    run 0 "$DLPROF_TUI" --print=pyprof --formats=tsv --iters=all -c op,dir,flops,bytes "$@" &&
        grep '^linear' "$work/out" | sort | uniq -c
}
same_linears() { linears "${exports[@]}" >"$work/expected" && linears "${databases[@]}" | diff -u "$work/expected" -; }
check "directions, and what a backward computes" same_linears
check "... as many as there are" grep -q "linear.bprop" "$work/expected"
check "who they are" run 0 "$DLPROF_TUI" --print=rank_times --formats=tsv "${databases[@]}"
check "... four ranks" test "$(tail -n +2 "$work/out" | cut -f2 | tr '\n' ' ')" = "0 1 2 3 "
check "clocks" run 0 "$DLPROF_TUI" --print=trust --formats=tsv "${databases[@]}"
check "... agree by what ends together" test "$(grep -c '^clock.*by collectives' "$work/out")" = 3
check "where each op's time goes by rank" run 0 "$DLPROF_TUI" --print=ranks --formats=tsv "${databases[@]}"
check "... every layer" said "Attention::forward"
check "of one among exports" run 0 "$DLPROF_TUI" --print=trust --formats=tsv "${databases[0]}" "${exports[@]:1}"
check "... whose ops are whose" said "PyTorch: as DLProf wrote into its database; files that are not DLProf's"
check "the same one twice" run 2 "$DLPROF_TUI" --print=summary "${databases[0]}" "${databases[0]}"
check "a digest of one" run 2 "$DLPROF_TUI" --digest="$work/x.dlp" "${databases[0]}"
check "... is refused" said "has no digest"
check "... and not written" test ! -e "$work/x.dlp"
check "simple mode has no ops of any" run 0 "$DLPROF_TUI" --mode=simple --print=ops --formats=tsv \
    "${databases[0]}" "${exports[@]:1}"
check "on the screen" run 0 "$DLPROF_TUI" --dump --view=ranks "${databases[@]}"
check "... all of them" said "and 3 more"
finish
