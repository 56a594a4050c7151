#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks --doctor: it finds each possible fault and gives advice, with and without a terminal.
# shellcheck disable=SC2016,SC2317 # sh expands variables; functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
unset NO_COLOR TMUX STY TERM_PROGRAM LC_CTYPE LANG
export XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache TERM=xterm-256color LC_ALL=C.UTF-8
own=$work/config/dlprof-tui
mkdir -p "$own" "$work/bin"
tiny=$work/tiny.sqlite
"$DLPROF_GEN" tiny "$tiny" >/dev/null || exit 1

# doctor STATUS [NAME=VALUE...] [OPTION...]: runs --doctor with environment variables and options.
doctor() {
    local want=$1
    shift
    local variables=()
    while [[ ${1:-} == [A-Z]*=* ]]; do variables+=("$1"); shift; done
    run "$want" env "${variables[@]}" "$DLPROF_TUI" --doctor "$@"
}

check "all is well" doctor 0 "$tiny"
for line in "ok     locale     C.UTF-8, UTF-8" "note   terminal   standard input and output are none" \
    "ok     colours    256, theme dark" "ok     mouse " "ok     clipboard  the terminal may take" \
    "ok     keys       no $own/keys.yaml" "ok     config     no $own/config.yaml" "ok     rules " \
    "ok     state      $work/state/dlprof-tui" "ok     cache      $work/cache/dlprof-tui" "ok     profile    $tiny: "; do
    check "... $line" said "^$line"
done
check "nothing was made" test ! -e "$work/state"
check "without a profile" doctor 0
check "... none is checked" sh -c "! grep -q ' profile ' '$work/out'"

check "a locale that is not there" doctor 0 LC_ALL=xx_YY.UTF-8
check "... is named" said "^note   locale     'xx_YY.UTF-8' is not installed here"
check "... with what to do" said "-> .*export LC_ALL=C.UTF-8"
check "no UTF-8" doctor 0 LC_ALL=C
check "... is said" said "^note   locale .*drawn in ASCII"
check "a terminal that nobody knows" doctor 0 TERM=nosuch
check "... is named" said "^note   terminal   TERM='nosuch' is not known here"
check "... with what to do" said "infocmp -x | ssh HOST tic -x -"
check "one that cannot draw" doctor 0 TERM=dumb
check "... is told" said "TERM='dumb' cannot draw a screen"
check "eight colours" doctor 0 TERM=linux
check "... are told" said "^note   colours    8 by terminfo"
check "... and that the console has no clipboard" said "^note   clipboard  the console has none"
check "NO_COLOR" doctor 0 NO_COLOR=1
check "... is told" said "^ok     colours    none: NO_COLOR is set"
check "--color=never" doctor 0 --color=never
check "... too" said "^ok     colours    none: --color=never"
check "--no-mouse" doctor 0 --no-mouse
check "... too" said "^ok     mouse      left to the terminal"
check "in tmux" doctor 0 TMUX=/tmp/x,1,0 TERM=tmux-256color
check "... what must be set there" said "-> set -g set-clipboard on"

printf 'theme: n\ndown: j\n' >"$own/keys.yaml"
check "a clash of keys" doctor 1
check "... is wrong" said "^WRONG  keys       keys.yaml:1:1: n is the key of 'next-match', too"
check "... the rest is taken" said "^ok     keys       $own/keys.yaml: 1 of its actions taken"
printf 'theme: [n\n' >"$own/keys.yaml"
check "no YAML" doctor 1
check "... with its place" said "^WRONG  keys .*keys.yaml:2:1"
rm "$own/keys.yaml"
printf 'thme: dark\n' >"$own/config.yaml"
check "an option that is none" doctor 1
check "... with its place" said "^WRONG  config .*config.yaml:1:1: no option thme; did you mean theme"
printf 'theme: nosuch\n' >"$own/config.yaml"
check "a theme that is none" doctor 1
check "... is named" said "^WRONG  config     no theme 'nosuch'"
rm "$own/config.yaml"
mkdir "$own/rules"
printf 'dataloader:\n  shear: 0.5\n' >"$own/rules/expert.yaml"
check "a mistake in the rules" doctor 1
check "... with its place" said "^WRONG  rules .*expert.yaml:2:3"
rm -r "$own/rules"
check "a folder of rules that is not there" doctor 1 --rules="$work/none"
check "... is wrong" said "^WRONG  rules      --rules: $work/none: No such file"
check "a state folder below a file" doctor 0 XDG_STATE_HOME="$tiny/x"
check "... is told" said "^note   state .*cannot be written: columns"
check "a cache folder below a file" doctor 0 XDG_CACHE_HOME="$tiny/x"
check "... is told" said "^note   cache .*cannot be written: .nsys-rep files cannot be opened"
check "no home at all" doctor 0 XDG_STATE_HOME= XDG_CONFIG_HOME= XDG_CACHE_HOME= HOME=
check "... is told" said "^note   state      no folder"

check "no nsys" doctor 0 PATH="$work/bin:/usr/bin:/bin"
printf '#!/bin/sh\n[ "$1" = --version ] && echo "NVIDIA Nsight Systems version 2025.1.3"\n' >"$work/bin/nsys"
chmod +x "$work/bin/nsys"
check "nsys on the PATH" doctor 0 PATH="$work/bin:$PATH"
check "... with its version" said "^ok     nsys       $work/bin/nsys: NVIDIA Nsight Systems version 2025.1.3"
printf '#!/bin/sh\nprintf "\\033]0;title\\a\\n"\n' >"$work/bin/nsys"
check "one that says commands" doctor 0 PATH="$work/bin:$PATH"
check "... is not obeyed" sh -c "! grep -q \"\$(printf '\\033')\" '$work/out'"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/nsys"
check "one that says nothing" doctor 0 PATH="$work/bin:$PATH"
check "... is told" said "^note   nsys .*does not tell its version"

check "a profile that is not there" doctor 1 "$work/none"
check "... is wrong" said "^WRONG  profile    $work/none: No such file"
printf 'no database' >"$work/text"
check "no profile" doctor 1 "$work/text"
check "... is wrong" said "^WRONG  profile .*text"
cp "$tiny" "$work/open.sqlite"
printf 'x' >"$work/open.sqlite-wal"
check "a journal beside it" doctor 1 "$work/open.sqlite"
check "... is named, and what to do" said "export the report again"
finish
