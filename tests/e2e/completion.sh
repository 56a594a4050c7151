#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the completions that --completion prints: bash's is executed, and those of zsh and fish are
# parsed by the shell if it is installed.
# shellcheck disable=SC2016,SC2317 # quoted for other programs; functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

for shell in bash zsh fish; do
    check "--completion=$shell" run 0 "$DLPROF_TUI" "--completion=$shell"
    cp "$work/out" "$work/$shell"
    # Every option, and every word that a value may have.
    while IFS=$'\t' read -r option _; do
        check "... names $option" grep -qE -- "(--|-l )$option\b" "$work/$shell"
    done < <("$DLPROF_TUI" --list=options | tail -n +2)
    for list in reports views modes themes formats; do
        missing=
        while IFS=$'\t' read -r word _; do
            grep -qw -- "$word" "$work/$shell" || missing="$missing $word"
        done < <("$DLPROF_TUI" "--list=$list" | tail -n +2)
        check "... names all $list${missing:+, but not:$missing}" test -z "$missing"
    done
done
check "another shell is wrong usage" run 2 "$DLPROF_TUI" --completion=csh
check "... and the nearest is suggested" said "did you mean zsh"

# --- bash ---------------------------------------------------------------------------------------

# complete_words WORD...: prints what bash offers for the last word, split as readline does.
complete_words() {
    bash --norc --noprofile -c '
        . "$1"; shift
        COMP_WORDS=(dlprof-tui "$@") COMP_CWORD=$#
        _dlprof_tui
        printf "%s\n" "${COMPREPLY[@]}"
    ' bash "$work/bash" "$@"
}
# offers EXPECTED WORD...: checks what bash offers for the last word.
offers() {
    local expected=$1 got
    shift
    got=$(complete_words "$@" | tr '\n' ' ')
    [ "${got% }" = "$expected" ] || { echo "# $* offers '$got', not '$expected'"; return 1; }
}
cd "$work" || exit 1
mkdir folder
touch run.sqlite "run with blanks.sqlite"
check "bash: an option" offers "--print=" --pri
check "bash: options that begin alike" offers "--base_name= --baseline= --baseline-iters= \
--baseline-gpu= --baseline-process=" --base
check "bash: a value after =" offers "kernel kernels kernel_ops kernel_sequences" --print = kernel
check "bash: a value after a blank" offers "kernel kernels kernel_ops kernel_sequences" --print kernel
check "bash: nothing typed yet of it" offers "auto never always" --color =
check "bash: a theme" offers "high-contrast" --theme = h
check "bash: a view" offers "kernels kernel kernel_ops kernel_sequences" --view = kern
check "bash: a mode" offers "tensorflow1 tensorflow2 tensorrt" --mode = tens
check "bash: the short form" offers "pytorch" -m py
check "bash: another spelling" offers "csv" --file_formats = c
check "bash: the second word of a list" offers "summary,kernel" --reports = summary,ker
check "bash: a format" offers "text tsv" --formats = t
check "bash: a file" offers "run with blanks.sqlite run.sqlite" run
check "bash: a file of an option" offers "run with blanks.sqlite run.sqlite" --baseline = run
check "bash: a folder" offers "folder" --rules = f
check "bash: what has no words" offers "" --iters = 3
check "bash: readline hands over one word" offers "kernel kernels kernel_ops kernel_sequences" --print=kernel

# --- zsh and fish -------------------------------------------------------------------------------

for shell in zsh fish; do
    if command -v "$shell" >/dev/null; then
        check "$shell reads it" "$shell" -n "$work/$shell"
    else
        echo "skip $shell is not here"
    fi
done
finish
