# SPDX-License-Identifier: Apache-2.0
# What the scripts here share. Each check prints one line; any "not ok" fails the script.

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

# run STATUS COMMAND...: output in $work/out and $work/err; true when it exits with STATUS.
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

said() { grep -q -- "$1" "$work/out" "$work/err"; }

finish() { exit "$failed"; }
