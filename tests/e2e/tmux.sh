#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks a session in tmux, with a real terminal and a shell with job control: drilling down and
# back, timeline, filter, copy, save, suspend and resume, every signal, and cancelling a load. Waits
# for expected text and never for a fixed time.
# shellcheck disable=SC2317 # functions are called through others
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
if ! command -v tmux >/dev/null; then
    echo "skip tmux is not here"
    exit 77
fi

# The sanitizer must not handle a signal before the program does.
export ASAN_OPTIONS=handle_segv=0
trap end_tmux EXIT
"$DLPROF_GEN" demo "$work/demo.sqlite" --steps=4 >/dev/null || exit 1
"$DLPROF_GEN" scale "$work/large.sqlite" --kernels=300000 >/dev/null || exit 1

in_tmux -f /dev/null new-session -d -x 80 -y 24 \
    "cd $work && env XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config PS1='prompt> ' \
    LC_ALL=C.UTF-8 bash --norc --noprofile"
# Prints the state of the terminal: cursor visible, alternate screen, mouse.
flags() { in_tmux display-message -p '#{cursor_flag} #{alternate_on} #{mouse_any_flag}'; }
flags_are() { test "$(flags)" = "$1"; }
until_true 60 shows "prompt>" || exit 1
start "stty -a > before"
until_true 60 test -s "$work/before"

start "$DLPROF_TUI demo.sqlite"
expect "the hint of the first run" "the first time"
type_keys Escape
expect "the summary" "What to change"
type_keys 2
expect "the op tree" "[2 Tree]"
type_keys g
type_keys -l "/layers"
type_keys Enter
expect "a search finds the layers in their folded parents" "▸ layers.*"
type_keys Escape
type_keys Enter
expect "Enter on a layer: its kernels" "› Kernels"
type_keys Enter
expect "Enter on a kernel: single launches" "Single launches"
check "the mouse is the program's, the cursor hidden" flags_are "0 1 1"
type_keys Enter
expect "Enter on a launch: all there is to see of it" "Queue Delay"
type_keys Escape
until_true 60 shows_not "Queue Delay"
type_keys Escape
until_true 60 shows_not "Single launches"
type_keys Escape
expect "Esc comes back to the tree" "[2 Tree]"
expect "... to the same row" "› layers.* x24"
type_keys 6
expect "the timeline" "[6 Time]"
type_keys 3
expect "the kernel table" "[3 Kern]"
type_keys -l "\\gemm"
expect "the filter works as one types" "filter: [gemm]"
type_keys Enter
type_keys s
expect "a name is proposed" ".csv"
type_keys C-u
type_keys -l "table.csv"
type_keys Enter
expect "saved" "saved"
check "the file holds the rows shown" grep -q gemm "$work/table.csv"
check "... and only those" sh -c "! grep -q nvjet '$work/table.csv'"
sum=$(cksum <"$work/table.csv")
type_keys s
type_keys C-u
type_keys -l "table.csv"
type_keys Enter
expect "an existing file is asked about" "verwrite"
type_keys n
until_true 60 shows_not "verwrite"
check "... and left alone" test "$(cksum <"$work/table.csv")" = "$sum"

type_keys C-z
expect "Ctrl-Z gives the shell" "Stopped"
start "stty -a > stopped; echo betw''een" # the quotes keep the typed line from matching
expect "... a sane one" "between"
check "... with the terminal as it was" until_true 60 cmp -s "$work/before" "$work/stopped"
type_keys -l "fg"
type_keys Enter
expect "fg comes back to the same screen" "filter: [gemm]"
type_keys v
expect "... that takes keys" "names"

in_tmux set-option -s set-clipboard on
type_keys y
expect "a copy goes to tmux" "OSC 52, tmux"
copied() { in_tmux show-buffer 2>/dev/null | grep -q gemm; }
check "... which takes it" until_true 20 copied

in_tmux resize-window -x 120 -y 40
expect "a larger window" "cut off by the capture"
in_tmux resize-window -x 20 -y 4
expect "a window that is too small says so" "small: 30x8"
in_tmux resize-window -x 80 -y 24
expect "... and comes back" "filter: [gemm]"
type_keys Q
expect "Q ends it" "prompt>"
start "echo status \$?; stty -a > after"
expect "... with status 0" "status 0"
check "... the terminal as it was" until_true 60 cmp -s "$work/before" "$work/after"

for signal in TERM HUP INT QUIT SEGV; do
    start "$DLPROF_TUI demo.sqlite; echo ended \$?"
    expect "opened, to be ended by $signal" "F10 Quit"
    kill "-$signal" "$(pgrep -n -x -f "$DLPROF_TUI demo.sqlite")"
    expect "$signal ends it" "ended 1"
    check "... cursor, screen and mouse are the shell's" until_true 20 flags_are "1 0 0"
    start "stty -a > after.$signal; echo writ''ten"
    expect "... which goes on" "written"
    check "... its modes, too" cmp -s "$work/before" "$work/after.$signal"
done

for key in C-c Escape; do
    start "$DLPROF_TUI large.sqlite; echo status \$?"
    until_true 60 shows "cancels"
    type_keys "$key"
    expect "$key while loading cancels" "status 130"
done
start "$DLPROF_TUI large.sqlite"
until_true 60 shows "cancels"
type_keys 4
expect "a key typed while nothing is there yet is done when there is" "[4 Iter"
type_keys Q
expect "... and Q ends it" "prompt>"
start "$DLPROF_TUI large.sqlite"
until_true 60 shows "cancels"
type_keys 2 /
until_true 60 shows "[2 Tree]"
type_keys -l "zerq"
type_keys BSpace
type_keys -l "o_grad"
type_keys Enter Enter
expect "so are those that are about rows, which come last" "under zero_grad"
type_keys Q
expect "... which ends as well" "prompt>"

# A baseline is loaded while the user goes on working.
start "$DLPROF_TUI demo.sqlite"
expect "opened, to be compared" "trust: "
type_keys -l ":baseline nosuch.sqlite"
type_keys Enter
expect "a baseline that is not there" "nosuch.sqlite: No such file"
type_keys -l ":baseline large.sqlite"
type_keys Enter
expect "one that is being loaded is said" ":baseline off cancels"
type_keys 3
expect "... and one goes on looking" "[3 Kern]"
expect "... until it is there" "A: large.sqlite"
type_keys -l ":baseline off"
type_keys Enter
until_true 60 shows_not "A: large.sqlite"
type_keys -l ":baseline large.sqlite"
type_keys Enter
expect "again" ":baseline off cancels"
type_keys -l ":baseline off"
type_keys Enter
check "... which that ends" until_true 60 shows_not ":baseline off cancels"
check "... and nothing is compared" shows_not "A: large.sqlite"
type_keys Q
expect "... and Q ends it" "prompt>"

# A profile on standard input leaves the keys to the terminal.
line="{'kShortName': 'gemm_of_a_pipe', 'kDuration': 4000, 'seqMarker': ['mm, seq = 1'], 'tid': 1}"
echo "$line" >"$work/net.dict"
for input in "<net.dict" "- <net.dict"; do
    start "$DLPROF_TUI $input"
    expect "a profile that is standard input: $input" "trust: "
    type_keys 3
    expect "... with keys of the terminal" "gemm_of_a_pipe"
    type_keys Q
    expect "... which end it" "prompt>"
done
start "cat net.dict | $DLPROF_TUI -"
expect "one from a pipe" "trust: "
type_keys 3
expect "... with keys of the terminal" "[3 Kern]"
type_keys Q
expect "... which end it" "prompt>"

check "nothing lies beside the profiles" \
    test "$(find "$work" -name '*.sqlite*' | wc -l)" = 2
finish
