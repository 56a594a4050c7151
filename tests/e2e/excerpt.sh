#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks reading a part of a file: the screen shows only that part and says so, a session keeps it,
# and an impossible part is refused with advice.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config

profile=$work/run.sqlite
tui() { run "$1" "$DLPROF_TUI" "${@:2}"; }
check "a profile" "$DLPROF_GEN" demo "$profile"

check "steps" tui 0 --print=iterations --steps=5-9 "$profile"
check "... are those aggregated" said 'part: steps 5-9, set 5-9 = 5 of 9 iterations'
check "... and those beside them are at its edges" said '^ 4 .* yes$'
check "the whole file" tui 0 --print=costs --formats=csv --iters=5-9 "$profile"
mv "$work/out" "$work/whole"
check "a part of it" tui 0 --print=costs --formats=csv --steps=5-9 "$profile"
check "... says the same of these steps" cmp "$work/whole" "$work/out"
check "some of what was read" tui 0 --print=iterations --steps=5-9 --iters=6-7 "$profile"
check "... is chosen" said 'part: steps 5-9, set 6-7'
check "a list of steps" tui 0 --print=iterations --steps=5,8-9 "$profile"
check "... is chosen as it stands" said 'part: steps 5-9, set 5,8-9'
check "a window" tui 0 --print=trust --window=3s..4.5s "$profile"
check "... is told" said 'a part of it was read, 3.000000 s to 4.500000 s'
check "a page" tui 0 --print=report --window=3s..4.5s "$profile"
check "... tells it" said '^- a part of it: 3.000000 s to 4.500000 s'
check "DLProf's reports" tui 0 --reports=all --output_path="$work/reports" --steps=5-9 "$profile"
check "... are of these steps" grep -q 'Start Iteration,5' "$work/reports/dlprof_summary.csv"
check "compared with the same steps" tui 0 --print=costs --baseline="$profile" --steps=5-9 "$profile"

part="part: steps 5-9 "
printf ':session %s\n' "$work/there.session" >"$work/keys"
check "a session" tui 0 --script="$work/keys" --steps=5-9 "$profile"
check "... names the part" grep -qx '# steps 5-9' "$work/there.session"
check "... and leads there" tui 0 --session="$work/there.session" --dump
check "... again" said "$part"
check "another part of the same session" tui 0 --session="$work/there.session" --dump --window=..3s
check "... is what the options say" said 'part: up to 3.000000 s'
check "a session of a window" tui 0 --script="$work/keys" --force --window=2s..3s "$profile"
check "... names it" grep -qx '# window 2000000000ns..3000000000ns' "$work/there.session"
check "... and leads there" tui 0 --session="$work/there.session" --dump
check "... again" said 'part: 2.000000 s to 3.000000 s'

check "ranks of a job" "$DLPROF_GEN" healthy "$work/job.sqlite" --steps=8 --processes=2 --split=2
rm "$work/job.sqlite"
check "the same steps of each" tui 0 --print=iterations --steps=3-5 "$work"/job.rank*.sqlite
check "... are read" said 'and 1 more, part: steps 3-5, set 3-5'
check "a window of each" tui 2 --print=trust --window=1s..2s "$work"/job.rank*.sqlite
check "... has no clock" said '--window is of one file'

refused() {
    local text=$1
    shift
    check "refused: $*" tui 2 --print=trust "$@"
    check "... $text" said "$text"
}
refused 'no step 30: its steps are 0-23' --steps=30-40 "$profile"
refused 'no GPU work, no call and no range in this part' --window=1000s.. "$profile"
refused '--window: no two times' --window=12s "$profile"
refused '--window: it ends before it begins' --window=2s..1s "$profile"
refused '--steps: no numbers of steps' --steps=steady "$profile"
refused 'exclude each other' --steps=3-4 --window=1s..2s "$profile"
refused 'goes by the ranges that number steps' --steps=3-4 --key_op=forward "$profile"

check "steps without numbers" "$DLPROF_GEN" loop "$work/loop.sqlite"
check "... are found in the whole file" tui 0 --print=trust --steps=1-2 "$work/loop.sqlite"
check "... which says so" said 'the whole file was read'
finish
