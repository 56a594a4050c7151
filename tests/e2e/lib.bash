# SPDX-License-Identifier: Apache-2.0
# Helpers shared by the scripts of tests/. Each check prints one line; any "not ok" fails the
# script.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

ok() { echo "ok $*"; }
not_ok() {
    echo "not ok $*"
    failed=1
}

# check NAME COMMAND...: the command must succeed.
check() {
    local name=$1
    shift
    if "$@"; then ok "$name"; else not_ok "$name"; fi
}

# run STATUS COMMAND...: keeps the output in $work/out and $work/err. True if the command exits with
# STATUS.
run() {
    local want=$1 got=0
    shift
    timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
    if [ "$got" != "$want" ]; then
        echo "# exit status $got instead of $want: $*"
        sed 's/^/# /' "$work/err" | head -20
        return 1
    fi
}

# until_true SECONDS COMMAND...: repeats the command until it succeeds. False if it never does in
# this time.
until_true() {
    local tries=$(($1 * 50))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.02
    done
}

# interrupted WHEN COMMAND...: sends SIGINT as soon as WHEN, which gets the process id, succeeds.
# Keeps the output in $work/out and $work/err. True if the command exits with status 130.
interrupted() {
    local when=$1 program status=0
    shift
    "$@" >"$work/out" 2>"$work/err" </dev/null &
    program=$!
    until_true 30 "$when" "$program" || echo "# never came so far: $*"
    kill -INT "$program"
    wait "$program" || status=$?
    [ "$status" = 130 ] || { echo "# exit status $status instead of 130: $*"; return 1; }
}

fails() { ! "$@"; }

said() { grep -q -- "$1" "$work/out" "$work/err"; }

# --- A tmux terminal with a socket of its own ---------------------------------------------------

socket=dlprof-test-$$
in_tmux() { tmux -L "$socket" "$@"; }
end_tmux() { # for use in a trap
    in_tmux kill-server 2>/dev/null
    rm -rf "$work"
}
screen() { in_tmux capture-pane -p; }
type_keys() { in_tmux send-keys "$@"; }
shows() { screen | grep -qF -- "$1"; }
shows_not() { ! shows "$1"; }
start() { # COMMAND: types it into the shell
    type_keys -l "clear; $*"
    type_keys Enter
}
expect() { # NAME TEXT: waits until the screen shows TEXT
    if until_true 60 shows "$2"; then
        ok "$1"
    else
        not_ok "$1: the screen never shows '$2'"
        screen | sed 's/^/# /'
    fi
}

finish() { exit "$failed"; }
