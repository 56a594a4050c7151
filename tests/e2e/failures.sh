#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks failures from outside: a full disk behind standard output, a reader that exits, Ctrl-C, and
# files and folders without permission. Also checks that the input is never written to.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

chmod 755 "$work" # for other users
tiny=$work/tiny.sqlite
"$DLPROF_GEN" tiny "$tiny" >/dev/null || exit 1
one_message() { test "$(wc -l <"$work/err")" = 1 && said "$1"; }

# to FILE STATUS COMMAND...: sends standard output to FILE and errors to $work/err.
to() {
    local file=$1 want=$2 got=0
    shift 2
    timeout 60 "$@" >"$file" 2>"$work/err" </dev/null || got=$?
    : >"$work/out"
    [ "$got" = "$want" ] || { echo "# exit status $got instead of $want: $*"; return 1; }
}

# --- A full disk behind standard output ---------------------------------------------------------

for options in --print=kernels "--print=ops --formats=json" --print=report --list=columns --help \
    --version "--man=$SOURCE_DIR/man/dlprof-tui-reports.7.in" --dump; do
    read -ra words <<<"$options"
    check "${words[0]%%/*} to a full disk: status 1" to /dev/full 1 "$DLPROF_TUI" "${words[@]}" "$tiny"
    check "... with one message" one_message "No space left"
done

# --- A reader that exits early ------------------------------------------------------------------

"$DLPROF_GEN" serving "$work/many.sqlite" >/dev/null || exit 1
for options in --print=launches "--print=launches --formats=csv" --list=columns \
    "--man=$SOURCE_DIR/man/dlprof-tui-reports.7.in"; do
    read -ra words <<<"$options"
    "$DLPROF_TUI" "${words[@]}" "$work/many.sqlite" 2>"$work/err" | head -1 >"$work/out"
    status=${PIPESTATUS[0]}
    check "${words[*]%%/*} | head -1: status 0" test "$status" = 0
    check "... a line" test "$(wc -l <"$work/out")" = 1
    check "... and silent" test ! -s "$work/err"
done

# --- Ctrl-C while loading -----------------------------------------------------------------------

"$DLPROF_GEN" scale "$work/large.sqlite" --kernels=2e5 >/dev/null || exit 1 # takes a second to read
is_reading() { readlink "/proc/$1/fd/"* 2>/dev/null | grep -q large.sqlite; }
for options in --print=kernels "--reports=all -v quiet --output_path=$work/none"; do
    read -ra words <<<"$options"
    check "Ctrl-C while loading, ${words[0]}: status 130" \
        interrupted is_reading "$DLPROF_TUI" --threads=1 "${words[@]}" "$work/large.sqlite"
    check "... nothing on standard output" test ! -s "$work/out"
done
check "... and no files" test ! -e "$work/none"

# Ctrl-C while the program waits for a pager to read ends it silently, as it does other programs.
mkfifo "$work/pager"
exec 9<>"$work/pager"
env --default-signal=INT timeout -s KILL 30 "$DLPROF_TUI" --print=launches "$work/many.sqlite" \
    >"$work/pager" 2>"$work/err" </dev/null &
program=$!
head -c 1 <&9 >/dev/null # the program has begun to write
sleep 0.1
kill -INT "$program"
status=0
wait "$program" || status=$?
exec 9<&-
check "Ctrl-C while a pager waits: status 130" test "$status" = 130
check "... and silent" test ! -s "$work/err"

# --- A signal at any moment of --reports --------------------------------------------------------

now() { date +%s%N; }
began=$(now)
run 0 "$DLPROF_TUI" --reports=all --output_path="$work/whole" "$work/many.sqlite"
whole_ms=$((($(now) - began) / 1000000))

# ended_at MS SIGNAL: the exit status is that of the signal, or 0 if it came too late, and each file
# is complete.
ended_at() {
    local status=0 program file pause
    rm -rf "$work/part"
    env --default-signal=INT,QUIT "$DLPROF_TUI" --reports=all --output_path="$work/part" \
        "$work/many.sqlite" >"$work/out" 2>"$work/err" </dev/null &
    program=$!
    printf -v pause '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
    sleep "$pause"
    kill -"$2" "$program" 2>/dev/null
    wait "$program" 2>/dev/null || status=$?
    [ "$status" = 0 ] || [ "$status" = $((128 + $(kill -l "$2"))) ] ||
        { echo "# exit status $status after $1 ms, $2"; return 1; }
    for file in "$work"/part/*; do
        [ ! -e "$file" ] || cmp -s "$file" "$work/whole/$(basename "$file")" ||
            { echo "# a part of a file after $1 ms, $2: $file"; return 1; }
    done
}
signals=(INT TERM HUP QUIT)
for turn in {1..12}; do
    check "a signal in turn $turn leaves whole files only" \
        ended_at $((RANDOM % (whole_ms + 50))) "${signals[turn % 4]}"
done 2>/dev/null

# --- Missing permissions ------------------------------------------------------------------------

as_user=() # runs as another user than root; the counts of ./dev coverage go elsewhere
mkdir -m 777 "$work/counts"
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups
    env "GCOV_PREFIX=$work/counts")
if ! "${as_user[@]}" "$DLPROF_TUI" --version >/dev/null 2>&1; then
    echo "skip as another user: the program cannot be run as nobody here"
else
    cp "$tiny" "$work/secret.sqlite"
    chmod 0 "$work/secret.sqlite"
    check "no permission: status 1" run 1 "${as_user[@]}" "$DLPROF_TUI" --print=kernels "$work/secret.sqlite"
    check "... one message" one_message "secret.sqlite: Permission denied"
    check "... nothing on standard output" test ! -s "$work/out"
    mkdir "$work/closed"
    cp "$tiny" "$work/closed/tiny.sqlite"
    chmod 444 "$work/closed/tiny.sqlite"
    chmod 555 "$work/closed"
    check "a profile in a folder that cannot be written opens" \
        run 0 "${as_user[@]}" "$DLPROF_TUI" --print=kernels --formats=csv "$work/closed/tiny.sqlite"
    cp "$work/out" "$work/theirs"
    run 0 "$DLPROF_TUI" --print=kernels --formats=csv "$tiny"
    check "... with the same rows" cmp "$work/out" "$work/theirs"
    check "reports into such a folder: status 1" \
        run 1 "${as_user[@]}" "$DLPROF_TUI" --reports=all --output_path="$work/closed" "$tiny"
    check "... one message" one_message "dlprof_summary.csv: cannot write here: Permission denied"
    check "reports below such a folder: status 1" \
        run 1 "${as_user[@]}" "$DLPROF_TUI" --reports=all --output_path="$work/closed/new/deep" "$tiny"
    check "... one message" one_message "closed/new: cannot make this folder: Permission denied"
    check "... and nothing new in it" test "$(ls -A "$work/closed")" = tiny.sqlite
    chmod 755 "$work/closed"
fi

# A real full disk, if one can be mounted for this process alone.
mkdir "$work/small"
cat >"$work/on_small" <<'SCRIPT'
mount -t tmpfs -o size=12k tmpfs "$1" || exit 77
"$2" --reports=all --output_path="$1" "$3"
status=$?
ls -A "$1" >"$4"
exit $status
SCRIPT
if unshare -m sh -c "mount -t tmpfs tmpfs '$work/small'" 2>/dev/null; then
    check "reports on a full disk: status 1" \
        run 1 unshare -m sh "$work/on_small" "$work/small" "$DLPROF_TUI" "$tiny" "$work/listing"
    check "... one message" one_message "writing failed: No space left on device"
    check "... and no drafts" sh -c "! grep -v 'csv\$' '$work/listing'"
else
    echo "skip a full disk: none can be mounted here"
fi

# Files saved from the screen while no file may grow: an error is shown and no file remains. The
# screen itself goes through a pipe, which is not limited.
mkdir "$work/saving"
save_fails() { # FILE COMMAND
    printf ':view kernels\n:%s %s\n' "$2" "$work/saving/$1" >"$work/keys"
    (ulimit -f 0 && "$DLPROF_TUI" --script="$work/keys" --size=100x30 "$tiny" 2>&1 </dev/null; echo "$?") |
        cat >"$work/out"
    [ "$(tail -n 1 "$work/out")" = 1 ] && said "$1: writing failed: File too large" &&
        [ -z "$(ls -A "$work/saving")" ]
}
for file in "rows.csv save" "rows.json save" "rows.md save" "screen.svg save" "page.md page" \
    "back.session session" "text.txt copy"; do
    # shellcheck disable=SC2086 # two words
    check "$file: a message and no draft" save_fails $file
done

# --- Out of memory ------------------------------------------------------------------------------

# in_memory KB: with this much address space a report is complete, or there is a message and status
# 1.
in_memory() {
    local status=0
    (ulimit -v "$1" && exec timeout 60 "$DLPROF_TUI" --print=kernels "$tiny") >"$work/out" \
        2>"$work/err" </dev/null || status=$?
    [ "$status" = 0 ] || { [ "$status" = 1 ] && one_message "out of memory"; }
}
limits=0
for kb in {6000..20000..500}; do # with less the dynamic loader itself fails, as under sanitizers
    (ulimit -v "$kb" && "$DLPROF_TUI" --version) >/dev/null 2>&1 || continue
    limits=$((limits + 1))
    check "$kb kB of address space" in_memory "$kb"
done
[ $limits -gt 0 ] || echo "skip memory that ends: none of these limits lets the program begin"

# --- Nothing is written to the input or its folder ----------------------------------------------

mkdir "$work/input"
cp "$tiny" "$work/input/"
listing() { find "$work/input" -printf '%p %s %T@ %C@ %m\n' | sort; find "$work/input" -type f -exec cksum {} +; }
before=$(listing)
home=$work/home
mkdir "$home"
run 0 "$DLPROF_TUI" --list=reports
mapfile -t reports < <(tail -n +2 "$work/out" | cut -f1)
cd "$work/input" || exit 1
for report in "${reports[@]}"; do
    HOME=$home run 0 "$DLPROF_TUI" --print="$report" tiny.sqlite || not_ok "--print=$report"
done
printf '%s\n' :view\ {ops,kernels,iterations,expert,trust,memory,api,devices} :filter\ gemm >"$work/keys"
check "the screen, all views" run 0 env HOME="$home" "$DLPROF_TUI" --script="$work/keys" \
    --size=100x30 --dump tiny.sqlite
check "reports written elsewhere" run 0 env HOME="$home" "$DLPROF_TUI" --reports=all \
    --output_path="$work/elsewhere" tiny.sqlite
cd "$work" || exit 1
check "nothing is written to or beside the input" test "$(listing)" = "$before"
check "... nor home" test -z "$(ls -A "$home")"
finish
