#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks reports of Nsight Systems (.nsys-rep): an nsys on the PATH exports them into the cache,
# here a stand-in that records its arguments and copies a profile.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

fixture=$work/fixture.sqlite
"$DLPROF_GEN" tiny "$fixture" >/dev/null || exit 1
mkdir "$work/bin" "$work/in" "$work/nowhere"
cat >"$work/bin/nsys" <<'NSYS'
#!/bin/bash
echo "$*" >>"$STAND_IN/arguments"
if [ "$2" = --help ]; then
    echo "  --include-json=<true|false>"
    exit 0
fi
case $(cat "$STAND_IN/mood" 2>/dev/null) in
fails)
    echo "FATAL: the report is of a newer version"
    exit 1
    ;;
empty) exit 0 ;;
hangs)
    echo $$ >"$STAND_IN/child"
    sleep 50 &
    wait
    ;;
esac
for ((i = 1; i < $#; i++)); do
    if [ "${!i}" = -o ]; then
        i=$((i + 1))
        cp "$STAND_IN/fixture.sqlite" "${!i}"
    fi
done
NSYS
chmod +x "$work/bin/nsys"
export STAND_IN=$work HOME=$work/home XDG_CACHE_HOME=$work/cache
plain_path=$PATH
with_nsys=$work/bin:$PATH

# A report of nsys begins with a length and these words; the rest is not read here.
make_report() { # FILE TEXT
    printf '\x1c\x00\x00\x00NVIDIA Tegra Profiler Report\x00%s' "$2" >"$1"
}
exports() { grep -c -- '--type sqlite' "$work/arguments" 2>/dev/null; }
beside() { find "$work/in" -mindepth 1 -exec cksum {} + | sort; }
before=
# by_hand COMMAND...: checks that nothing else changed the folder, then changes it.
by_hand() {
    test "$(beside)" = "$before" || not_ok "something was written beside the reports before: $*"
    "$@"
    before=$(beside)
}
drafts() { find "$work/cache" -type f ! -name '*-*.sqlite' -o -name '*.log' -o -name '*.*.sqlite'; }

report=$work/in/run.nsys-rep
by_hand make_report "$report" one
PATH=$with_nsys
check "a report opens through nsys" run 0 "$DLPROF_TUI" --print=kernels --formats=csv "$report"
cp "$work/out" "$work/first"
run 0 "$DLPROF_TUI" --print=kernels --formats=csv "$fixture"
check "... as the same rows" cmp "$work/out" "$work/first"
check "nsys is asked for SQLite of this report" \
    grep -q -- "^export --type sqlite .*-o $work/cache/dlprof-tui/.*--include-json=true $report\$" \
    "$work/arguments"
check "one export" test "$(exports)" = 1
run 0 "$DLPROF_TUI" --print=trust "$report"
check "the report's own name is shown" said "run.nsys-rep"
check "a second time the cache is used" test "$(exports)" = 1
cached=$(find "$work/cache/dlprof-tui" -name '*.sqlite')
truncate -s 9G "$work/cache/dlprof-tui/1-1.sqlite" "$work/cache/dlprof-tui/2-2.sqlite"
truncate -s 17G "$work/cache/dlprof-tui/4-4.sqlite"
touch -d '1 day ago' "$work/cache/dlprof-tui/1-1.sqlite"
touch -d '2 days ago' "$work/cache/dlprof-tui/2-2.sqlite"
touch -d '3 days ago' "$cached" "$work/cache/dlprof-tui/3-3.sqlite"
check "of a cache that is too large" run 0 "$DLPROF_TUI" --print=trust "$report"
check "... what was opened longest ago goes" \
    test "$(find "$work/cache/dlprof-tui" -name '?-?.sqlite' | wc -l)" = 1
check "... but not what somebody may be reading" test -e "$work/cache/dlprof-tui/4-4.sqlite"
check "... nor what is opened" test -e "$cached"
rm "$work/cache/dlprof-tui/4-4.sqlite"
touch "$work/cache/dlprof-tui/1-1.sqlite" "$work/cache/dlprof-tui/2-2.sqlite"
truncate -s 10G "$work/cache/dlprof-tui/1-1.sqlite" "$work/cache/dlprof-tui/2-2.sqlite"
touch -d '1 day ago' "$work/cache/dlprof-tui/1-1.sqlite"
touch -d '2 days ago' "$work/cache/dlprof-tui/2-2.sqlite"
check "of a cache that is a little too large" run 0 "$DLPROF_TUI" --print=trust "$report"
check "... only as much as needed" test -e "$work/cache/dlprof-tui/1-1.sqlite"
check "... what was opened longest ago" test ! -e "$work/cache/dlprof-tui/2-2.sqlite"
rm "$work/cache/dlprof-tui/1-1.sqlite"
PATH=$plain_path
check "... also where nsys is not" run 0 "$DLPROF_TUI" --print=kernels "$report"
PATH=$with_nsys
by_hand cp "$report" "$work/in/odd name; touch x.qdrep"
check "the name does not matter, nor what is in it" \
    run 0 "$DLPROF_TUI" --print=kernels "$work/in/odd name; touch x.qdrep"
by_hand make_report "$report" two
count=$(exports)
check "another report under that name" run 0 "$DLPROF_TUI" --print=kernels "$report"
check "... is exported" test "$(exports)" = $((count + 1))

# A session opens its profile only if no program has to be run for it.
session=$work/in/known.session
by_hand tee "$session" >/dev/null <<<"# dlprof-tui session 1
# profile $report"
check "a session of a report that was exported" run 0 "$DLPROF_TUI" --dump --session="$session"
by_hand make_report "$work/in/new.nsys-rep" new
by_hand tee "$work/in/new.session" >/dev/null <<<"# dlprof-tui session 1
# profile $work/in/new.nsys-rep"
count=$(exports)
check "a session of another one" run 1 "$DLPROF_TUI" --dump --session="$work/in/new.session"
check "... says why" said "a session runs no program"
check "... and runs nothing" test "$(exports)" = "$count"

# A SQLite file with that suffix is opened as SQLite.
by_hand cp "$fixture" "$work/in/renamed.nsys-rep"
count=$(exports)
check "SQLite named .nsys-rep opens" run 0 "$DLPROF_TUI" --print=kernels "$work/in/renamed.nsys-rep"
check "... without nsys" test "$(exports)" = "$count"

# nsys is missing, fails, or writes nothing.
by_hand make_report "$work/in/three.nsys-rep" three
if PATH=$plain_path command -v nsys >/dev/null; then
    echo "skip nsys is not on the PATH: it is, on this machine"
else
    PATH=$plain_path
    check "without nsys: status 1" run 1 "$DLPROF_TUI" --print=kernels "$work/in/three.nsys-rep"
    check "... names the file" said "three.nsys-rep"
    check "... and says how" said "nsys export --type=sqlite"
    PATH=$with_nsys
fi
echo fails >"$work/mood"
check "nsys fails: status 1" run 1 "$DLPROF_TUI" --print=kernels "$work/in/three.nsys-rep"
check "... with its words" said "of a newer version"
check "... and no drafts" test -z "$(drafts)"
echo empty >"$work/mood"
check "nsys leaves nothing: status 1" run 1 "$DLPROF_TUI" --print=kernels "$work/in/three.nsys-rep"

# Ctrl-C while nsys works.
echo hangs >"$work/mood"
nsys_works() { [ -s "$work/child" ]; }
nsys_is_gone() { ! kill -0 "$(cat "$work/child")" 2>/dev/null; }
check "Ctrl-C: status 130" \
    interrupted nsys_works "$DLPROF_TUI" --print=kernels "$work/in/three.nsys-rep"
# A shell starts background commands with SIGINT ignored, so the signal must reach the sleep through
# its process group.
check "... and nsys is gone" until_true 2 nsys_is_gone
check "... and no drafts" test -z "$(drafts)"
rm "$work/mood"
check "afterwards it opens" run 0 "$DLPROF_TUI" --print=kernels "$work/in/three.nsys-rep"
check "nothing is written beside the reports" test "$(beside)" = "$before"
check "nothing is written home where a cache is named" test ! -e "$work/home"
unset XDG_CACHE_HOME
check "otherwise the cache is in .cache" run 0 "$DLPROF_TUI" --print=kernels "$report"
check "... there" test -d "$work/home/.cache/dlprof-tui"

finish
