#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs what docs/scripting.md shows: its commands with jq on a generated profile, and the statuses
# of --fail-if.
# shellcheck disable=SC2016 # quoted for other programs to expand
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
page=$SOURCE_DIR/docs/scripting.md

"$DLPROF_GEN" demo "$work/run.sqlite" --steps=6 >/dev/null || exit 1
"$DLPROF_GEN" demo "$work/before.sqlite" --steps=4 >/dev/null || exit 1
cp "$work/run.sqlite" "$work/after.sqlite"
mkdir "$work/bin"
ln -s "$DLPROF_TUI" "$work/bin/dlprof-tui"
PATH=$work/bin:$PATH
cd "$work" || exit 1

# block HEADING: prints the sh blocks of that section, a command per line.
block() {
    awk -v heading="## $1" '
        /^## / { inside = $0 == heading }
        inside && /^```/ { code = /^```sh$/; next }
        inside && code { printf "%s%s", $0, /\|$/ ? " " : "\n" } # a pipe goes on
    ' "$page"
}

# --- Ten commands with jq -----------------------------------------------------------------------

# Each prints rows without an empty or unknown field, which a renamed column would leave.
if command -v jq >/dev/null; then
    ran=0
    while IFS= read -r line; do
        ran=$((ran + 1))
        check "$line" bash -o pipefail -c 'eval "$1" >out 2>err </dev/null && test ! -s err' bash "$line"
        check "... prints something" test -s out
        check "... every field is known" fails grep -qP '^$|^\t|\t\t|\t$|null|(^|,),|,$' out
    done < <(block "Ten commands with jq")
    check "there are ten" test "$ran" = 10
else
    echo "skip the ten commands of docs/scripting.md: jq is not here"
fi

# --- --fail-if ----------------------------------------------------------------------------------

while IFS= read -r line; do
    check "$line" bash -c 'eval "${1%%#*}" >out 2>err </dev/null; test $? = "${1##*status }"' bash "$line"
done < <(block "Limits for CI" | grep '# status ')
check "there are conditions" test "$(block "Limits for CI" | grep -c '# status ')" -ge 6

# --- Exit statuses ------------------------------------------------------------------------------

while IFS= read -r line; do
    check "$line" bash -c 'eval "${1%%#*}" >out 2>err </dev/null; test $? = "${1##*status }"' bash "$line"
    case $line in *"# status 0") continue ;; esac
    check "... nothing on standard output" test ! -s out
    check "... and the reason on standard error" test -s err
done < <(block "Exit status" | grep '# status ')
finish
