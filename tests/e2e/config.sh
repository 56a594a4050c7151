#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the user's configuration, keys.yaml and config.yaml. It applies on the screen; output for
# programs and scripts uses it only if the files are named.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
unset NO_COLOR
export XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state
own=$work/config/dlprof-tui
mkdir -p "$own"
tiny=$work/tiny.sqlite
"$DLPROF_GEN" tiny "$tiny" >/dev/null || exit 1

# keys KEY...: runs the keys with the keymap and keeps the screen.
keys() {
    printf '%s\n' "$@" >"$work/in"
    run 0 "$DLPROF_TUI" "--keys=$own/keys.yaml" "--script=$work/in" --size=120x30 --dump "$tiny"
}
# Runs the program under script(1) until its output contains TEXT, then presses Q. Waiting for the
# keys in the footer would not do, as they already appear in the first frame, which may show a
# partial profile.
# shellcheck disable=SC2094 # the file is read while it grows
on_terminal() { # TEXT
    : >"$work/out"
    { until_true 30 grep -q "$1" "$work/out"; printf Q; } |
        TERM=xterm-256color timeout 60 script -qfec "$DLPROF_TUI '$tiny'" /dev/null >"$work/out" 2>"$work/err"
}

# --- keys ---------------------------------------------------------------------------------------

cat >"$own/keys.yaml" <<'YAML'
# keys of one's own
detail: C-o
help: [C-y, F1]
per-step: []
YAML
check "keys of one's own" keys 3 C-o
check "... do it" said "Calls"
check "... and stand in the hints" said "C-y all keys"
check "... the former one does nothing" keys 3 d
check "... and says so" said "d means nothing here"
check "no key at all" keys 3 '#'
check "... the command still works" keys 3 ':per-step'
check "... and does it" said "in total"
check "help names them" keys C-y '/' 'text columns explained' Enter
check "... as they are" said "^ C-y F1 .*columns explained"
check "the manual names those of the program" grep -q "? F1  (:help)" "$BUILD_DIR/man/dlprof-tui-keys.7"
printf '3\nC-o\n' >"$work/in"
check "scripts know nothing of them unless asked" run 0 "$DLPROF_TUI" "--script=$work/in" \
    --size=100x30 --dump "$tiny"
check "... here not" said "C-o means nothing here"

printf 'theme: n\n' >"$own/keys.yaml"
check "a clash" keys
check "... names both, file and line" said \
    "keys.yaml:1:1: n is the key of 'next-match', too: 'theme' keeps T"
printf 'theme: n\nfoo: x\n' >"$own/keys.yaml"
check "two mistakes" keys
check "... say how many more" said "and 1 more"
printf 'theme: [n\n' >"$own/keys.yaml"
check "no YAML, of a file that was named" run 2 "$DLPROF_TUI" "--keys=$own/keys.yaml" --dump "$tiny"
check "... with its place" said "keys.yaml:2:1"
check "a file that is not there" run 1 "$DLPROF_TUI" --keys="$work/none" --dump "$tiny"
check "... is named" said "$work/none: No such file"

# --- options ------------------------------------------------------------------------------------

rm "$own/keys.yaml"
cat >"$own/config.yaml" <<'YAML'
ascii: true
view: kernels
names: short
YAML
check "options of one's own" run 0 "$DLPROF_TUI" "--config=$own/config.yaml" --dump "$tiny"
check "... hold" said "kernels by short name"
check "... all of them" sh -c "! LC_ALL=C grep -q '[^ -~]' '$work/out'"
check "what is typed wins" run 0 "$DLPROF_TUI" "--config=$own/config.yaml" --names=full --dump "$tiny"
check "... over the file" said "kernels by full name"
check "scripts know nothing of it unless asked" run 0 "$DLPROF_TUI" --dump "$tiny"
check "... nor does what is printed" sh -c "! grep -q 'short name' '$work/out'"
for line in 'thme: dark' 'print: kernels' 'theme: [a]' 'ascii: maybe' 'names: long'; do
    printf '# one\n%s\n' "$line" >"$own/config.yaml"
    check "$line" run 2 "$DLPROF_TUI" "--config=$own/config.yaml" --dump "$tiny"
    check "... with its place" said "config.yaml:2:"
done
printf 'thme: dark\n' >"$own/config.yaml"
check "a slip" run 2 "$DLPROF_TUI" "--config=$own/config.yaml" --dump "$tiny"
check "... names the nearest" said "did you mean theme"
check "... is no matter to others" run 0 "$DLPROF_TUI" --print=kernels "$tiny"

# --- in a terminal ------------------------------------------------------------------------------

if command -v script >/dev/null; then
    check "a slip, in a terminal" sh -c "! TERM=xterm-256color script -qec \"$DLPROF_TUI '$tiny'\" /dev/null \
        >'$work/out' 2>&1 </dev/null"
    check "... too" said "did you mean theme"
    check "... is no matter to --help" sh -c "TERM=xterm-256color script -qec '$DLPROF_TUI --help' /dev/null \
        >'$work/out' 2>&1 </dev/null"
    check "... which is there" said "--theme"
    printf 'view: kernels\nascii: true\n' >"$own/config.yaml"
    check "options hold in a terminal" on_terminal "kernels by"
    check "... the view" said "kernels by"
    check "... and ASCII" sh -c "! grep -q '▾' '$work/out'"
else
    echo "skip script(1) is not here"
fi
# Hostile values of XDG variables do no harm.
for value in "" relative "/$(printf 'x%.0s' {1..5000})" $'/\033[2J' /dev/null; do
    check "XDG_CONFIG_HOME='${value:0:12}'" env XDG_CONFIG_HOME="$value" XDG_STATE_HOME="$value" \
        timeout 60 "$DLPROF_TUI" --dump "$tiny" >"$work/out"
done
finish
