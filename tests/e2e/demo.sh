#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the figures on the first screen of the demo add up as a reader would expect: the parts
# of the bar give the step, their shares 100 %, the findings their total, and the layers the time
# that the GPU is busy.
# shellcheck disable=SC2016 # the programs are awk's
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
export XDG_CONFIG_HOME=$work/config
unset NO_COLOR

"$DLPROF_GEN" demo "$work/demo.sqlite" >/dev/null || exit 1
cd "$work" || exit 1
printf '1\n' >keys
"$DLPROF_TUI" --script=keys --size=100x60 --dump demo.sqlite >screen || exit 1

# ms NUMBER UNIT: milliseconds. close_to A B SLACK: true if they differ by at most SLACK.
functions='
    function ms(number, unit) { return number * (unit == "s" ? 1000 : unit == "ms" ? 1 : 0.001) }
    function close_to(a, b, slack) { return a - b <= slack && b - a <= slack }
    # parts LINE: adds each "NUMBER UNIT NUMBER%" of a line to `time` and `share`.
    function parts(line,   field) {
        while (match(line, /[0-9.]+ (s|ms|µs) +[0-9.]+%/)) {
            split(substr(line, RSTART, RLENGTH), field, / +/)
            time += ms(field[1], field[2])
            share += field[3] + 0
            line = substr(line, RSTART + RLENGTH)
        }
    }'

# Each of the five parts is rounded to three digits, so the sum may be off by half a unit of the
# last digit for each.
check "the parts of the bar make the mean step, their shares 100 %, the busy ones GPU busy" \
    awk "$functions"'
    / mean +[0-9.]+ (s|ms) median/ { mean = ms($1, $2); match($0, /GPU busy +[0-9.]+%/)
                                     busy = substr($0, RSTART + 8) + 0 }
    /Tensor Core +[0-9.]+ ms/ || /copies exposed +[0-9.]+ ms .*idle/ { parts($0) }
    /idle +[0-9.]+ ms/ { match($0, /idle +[0-9.]+ ms +[0-9.]+%/)
                         split(substr($0, RSTART, RLENGTH), idle, / +/) }
    END { print "# mean", mean, "parts", time, "shares", share, "busy", busy, "idle", idle[4] + 0
          exit !(mean > 0 && close_to(time, mean, 2) && close_to(share, 100, 0.3) &&
                 close_to(busy + idle[4], 100, 0.15)) }' screen

check "the findings add up to their total, which is less than the step" awk "$functions"'
    / mean +[0-9.]+ (s|ms) median/ { mean = ms($1, $2) }
    /What to change/ { match($0, /together [0-9.]+ m?s/)
                       split(substr($0, RSTART, RLENGTH), total, " "); inside = 1; next }
    inside && /^ *──/ { inside = 0 }
    inside && match($0, /^[▶ ]*[1-9] +[0-9.]+ (ms|µs) +[0-9.]+%/) {
        line = substr($0, RSTART, RLENGTH); sub(/^[▶ ]*[1-9] +/, "", line)
        split(line, field, / +/); sum += ms(field[1], field[2]); findings++ }
    END { print "# findings", findings, "sum", sum, "together", total[2], "mean", mean
          exit !(findings >= 5 && close_to(sum, ms(total[2], total[3]), 1) && sum < mean) }' screen

check "the layers add up to the time that the GPU is busy" awk "$functions"'
    /GPU busy/ { mean = ms($1, $2); match($0, /GPU busy +[0-9.]+%/)
                 percent = substr($0, RSTART + 8) + 0; busy = mean * percent / 100 }
    /Where GPU time goes/ { inside = 1; next }
    inside && /^ *──/ { inside = 0 }
    # Columns forward, backward, both, share: takes the last time before the share.
    inside && match($0, /[0-9.]+ (s|ms|µs|ns) +[0-9.]+%/) {
        split(substr($0, RSTART, RLENGTH), field, / +/); sum += ms(field[1], field[2])
        share += field[3] + 0; rows++ }
    END { print "# layers", rows, "sum", sum, "busy", busy, "shares", share
          exit !(rows >= 10 && close_to(sum, busy, 3) && close_to(share, percent, 1)) }' screen

"$DLPROF_TUI" --baseline-iters=8 --iters=5 --print=kernels demo.sqlite >compared || exit 1
check "work across the edges of steps that turns below nothing is no share of what it was" \
    awk '/^\(across step edges\)/ { found = $6 ~ /^-/ && $8 ~ /^-/ && $10 == "-" }
         END { exit !found }' compared
finish
