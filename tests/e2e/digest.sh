#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks --digest: the file is written once and completely, opens like a profile, and is refused
# with advice where it does not apply. (ranks.sh opens 64 digests at once.)
# shellcheck disable=SC2016,SC2317 # variables of the program; functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config

"$DLPROF_GEN" healthy "$work/job.sqlite" --steps=4 --processes=2 --split=2 >"$work/truth"
"$DLPROF_GEN" tiny "$work/one.sqlite" >"$work/truth"
print() { run 0 "$DLPROF_TUI" "--print=$1" --formats=tsv "${@:2}"; }
# same REPORT FILE OTHER: checks that both files give the same report.
same() {
    print "$1" "$2" && mv "$work/out" "$work/first" && print "$1" "$3" && cmp "$work/first" "$work/out"
}

check "a digest is written" run 0 "$DLPROF_TUI" --digest="$work/one.dlp" "$work/one.sqlite"
check "... and said" said 'one.dlp written'
check "... nothing is printed" test ! -s "$work/out"
smaller() { [ $(($(stat -c %s "$1") * 5)) -lt "$(stat -c %s "$2")" ]; }
check "... much smaller" smaller "$work/one.dlp" "$work/one.sqlite"
for report in summary kernels layers launches api ranges iterations devices expert costs; do
    check "$report of it" same "$report" "$work/one.sqlite" "$work/one.dlp"
done
check "DLProf's reports of it" run 0 "$DLPROF_TUI" --reports=all --output_path="$work/reports" "$work/one.dlp"
check "... are there" test -s "$work/reports/dlprof_detailed.csv"
check "the screen of it" run 0 "$DLPROF_TUI" --dump "$work/one.dlp"
check "... names it" said 'one.dlp'
check "a digest of a digest" run 0 "$DLPROF_TUI" --digest="$work/again.dlp" "$work/one.dlp"
check "... is the same" cmp "$work/one.dlp" "$work/again.dlp"
check "a comparison with it" run 0 "$DLPROF_TUI" --print=costs --baseline="$work/one.dlp" "$work/one.sqlite"

cp "$work/one.dlp" "$work/before"
check "one that is there" run 1 "$DLPROF_TUI" --digest="$work/one.dlp" "$work/job.rank0.sqlite"
check "... is named" said 'one.dlp: exists already; not overwritten (--force'
check "... and left as it is" cmp "$work/before" "$work/one.dlp"
check "unless by force" run 0 "$DLPROF_TUI" --force --verbosity=quiet --digest="$work/one.dlp" "$work/job.rank0.sqlite"
check "... then in silence" test ! -s "$work/err"
changed() { ! cmp -s "$work/before" "$work/one.dlp"; }
check "... it is another" changed
check "the profile itself" run 2 "$DLPROF_TUI" --force --digest="$work/job.rank0.sqlite" "$work/job.rank0.sqlite"
check "is never replaced" said "job.rank0.sqlite is the profile that is read"
check "a database of DLProf" run 0 "$DLPROF_TUI" --verbosity=quiet --dldb="$work/d.sqlite" "$work/job.rank0.sqlite"
check "has none" run 2 "$DLPROF_TUI" --digest="$work/d.dlp" "$work/d.sqlite"
check "which is told" said "d.sqlite has no digest: a database of DLProf is opened as it is"
check "a folder that is not there" run 1 "$DLPROF_TUI" --digest="$work/none/x.dlp" "$work/one.sqlite"
check "a profile that is none" run 1 "$DLPROF_TUI" --digest="$work/x.dlp" "$work/truth"
check "... leaves nothing" test ! -e "$work/x.dlp"
check "several profiles" run 2 "$DLPROF_TUI" --digest="$work/x.dlp" "$work"/job.rank?.sqlite
check "... one for each" said 'write one for each'
check "a report beside it" run 2 "$DLPROF_TUI" --digest="$work/x.dlp" --print=summary "$work/one.sqlite"
nothing_left() { ! compgen -G "$work/*.dlp.*" >"$work/left"; }
check "no draft is left" nothing_left

printf '\x02' | dd of="$work/before" bs=1 seek=8 conv=notrunc status=none
check "one of a later version" run 1 "$DLPROF_TUI" --print=summary "$work/before"
check "... says so" said 'a later dlprof-tui'
head -c 5000 "$work/again.dlp" >"$work/cut.dlp"
check "one that is cut off" run 1 "$DLPROF_TUI" --print=summary "$work/cut.dlp"
check "... says so" said 'cut.dlp is a damaged digest: it is cut off'
check "... among others, too" run 1 "$DLPROF_TUI" --print=summary "$work/one.dlp" "$work/cut.dlp"

# Each task of a job writes its own digest with the same command line.
for rank in 0 1; do
    SLURM_PROCID=$rank check "rank $rank" run 0 "$DLPROF_TUI" \
        --digest="$work"/'job.rank%q{SLURM_PROCID}.dlp' "$work"/'job.rank%q{SLURM_PROCID}.sqlite'
done
check "both files" print ranks "$work"/job.rank?.sqlite
mv "$work/out" "$work/first"
check "both digests" print ranks "$work"/job.rank?.dlp
check "... say the same" cmp "$work/first" "$work/out"
check "one of each" print ranks "$work/job.rank0.dlp" "$work/job.rank1.sqlite"
check "... says the same" cmp "$work/first" "$work/out"
check "no such variable" run 2 env -u NOBODY "$DLPROF_TUI" --digest="$work"/'%q{NOBODY}.dlp' "$work/one.sqlite"
check "... is named" said 'the environment has no NOBODY'
finish
