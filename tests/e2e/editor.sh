#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks `e`, which opens the source line of a row in an editor: the command is run as words and
# never by a shell, and only regular files are opened, whatever names the capture holds.
# shellcheck disable=SC2317,SC2016 # functions are called through check; names are literal
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

# File names that a capture may hold, each with a row of its own; `away` is not on this machine.
names=(-x +5 'a b.py' ';touch harmed' "it's.py" '$(touch harmed)' pipe folder away plain.py)
cat "$SOURCE_DIR/tests/golden/tables.sql" - >"$work/sql" <<'E2'
ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN callchainId INTEGER;
CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER);
INSERT INTO StringIds VALUES (900, 'step'), (901, 'cudaStreamSynchronize_v3020');
E2
for i in "${!names[@]}"; do
    quoted=${names[i]//\'/\'\'}
    cat >>"$work/sql" <<E2
INSERT INTO StringIds VALUES ($((1000 + i)), '$quoted:$((i + 1))');
INSERT INTO CUDA_CALLCHAINS VALUES ($((i + 1)), 900, $((1000 + i)), 0);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId, callchainId)
    VALUES ($((i * 100)), $((i * 100 + 50 + i)), 281474976710657, $((i + 1)), 901, $((i + 1)));
E2
done
profile=$work/profile.sqlite
sqlite3 -bail "$profile" <"$work/sql" || exit 1

mkdir "$work/here" && cd "$work/here" || exit 1
for i in 0 1 2 3 4 5 9; do echo "line" >"./${names[i]}"; done
printf 'one\n%.0s' {1..9} >plain.py
printf 'evil \033[31m\there\n' >>plain.py
mkfifo pipe
mkdir folder
cat >"$work/editor" <<E2
#!/bin/sh
for word; do printf '[%s]' "\$word"; done >"$work/argv"
E2
chmod +x "$work/editor"

# edit NAME: presses `e` on the row with that file name; the editor writes its arguments to
# $work/argv.
edit() {
    local i
    for i in "${!names[@]}"; do [ "${names[i]}" = "$1" ] && break; done
    rm -f "$work/argv"
    printf ':view source\n:filter number:%s\ne\n' "$((i + 1))" >"$work/in"
    run 0 env -u VISUAL "$DLPROF_TUI" --size=100x24 --script="$work/in" --dump "$profile"
}
gets() { # NAME WORDS
    EDITOR="$work/editor  --wait" edit "$1" && [ "$(cat "$work/argv")" = "[--wait]$2" ] &&
        [ ! -e harmed ]
}
refuses() { # NAME
    EDITOR=$work/editor edit "$1" && [ ! -e "$work/argv" ] && said "is not on this machine"
}

check "a file and its line" gets plain.py '[+10][plain.py]'
check "a name that begins with a minus" gets -x '[+1][./-x]'
check "a name that begins with a plus" gets +5 '[+2][./+5]'
check "a name with a blank is one word" gets 'a b.py' '[+3][a b.py]'
check "a semicolon is no shell's" gets ';touch harmed' '[+4][;touch harmed]'
check "a quote is no shell's" gets "it's.py" "[+5][it's.py]"
check "a command substitution is none" gets '$(touch harmed)' '[+6][$(touch harmed)]'
check "a pipe is not opened" refuses pipe
check "a folder is not opened" refuses folder
check "a file that is missing is not opened" refuses away

visual_wins() {
    rm -f "$work/argv"
    printf ':view source\n:filter number:10\ne\n' >"$work/in"
    run 0 env EDITOR=false VISUAL="$work/editor" "$DLPROF_TUI" --size=100x24 \
        --script="$work/in" --dump "$profile" && [ "$(cat "$work/argv")" = "[+10][plain.py]" ]
}
check "VISUAL comes before EDITOR" visual_wins

shown() { # NUMBER TEXT
    printf ':view source\n:filter number:%s\n' "$1" >"$work/in"
    run 0 "$DLPROF_TUI" --size=100x24 --script="$work/in" --dump "$profile" && said "$2"
}
check "the file's text is shown, control characters too" shown 10 '10▶ evil ^\[\[31m *here'
check "a file that has become shorter" shown 3 'has 1 line now and no line 3'
check "a pipe is not read" shown 7 'not on this machine'

# A row of many calls opens the line with most of their time.
leading() {
    rm -f "$work/argv"
    printf ':view api\n:search cudaStreamSynchronize\ne\n' >"$work/in"
    run 0 env EDITOR="$work/editor" "$DLPROF_TUI" --size=100x24 --script="$work/in" --dump \
        "$profile" && [ "$(cat "$work/argv")" = "[+10][plain.py]" ]
}
check "a row of many calls leads to the line with most of their time" leading

failing() {
    printf ':view source\n:filter number:10\ne\n' >"$work/in"
    run 0 env EDITOR=false "$DLPROF_TUI" --size=100x24 --script="$work/in" --dump "$profile"
    said "false ended with an error"
}
check "an editor that fails is told" failing

below() {
    mkdir -p elsewhere && mv plain.py elsewhere/ && rm -f "$work/argv"
    printf ':view source\n:filter number:10\n:source-root elsewhere\ne\n' >"$work/in"
    run 0 env EDITOR="$work/editor" "$DLPROF_TUI" --size=100x24 --script="$work/in" --dump \
        "$profile" && [ "$(cat "$work/argv")" = "[+10][elsewhere/plain.py]" ]
}
check ":source-root says where the program is" below

not_there() {
    printf ':view source\n:filter number:5\ne\n' >"$work/in"
    run 0 env -u VISUAL EDITOR=/nowhere/editor "$DLPROF_TUI" --size=100x24 --script="$work/in" \
        --dump "$profile"
    said "no program that can be started"
}
check "an editor that is not there is told" not_there
finish
