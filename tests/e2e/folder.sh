#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks folders opened as profiles: which files are opened, which runs are found, how one is chosen
# on the screen, and hostile names, links, pipes and permissions.
# shellcheck disable=SC2317 # functions are called through others
# shellcheck disable=SC2016 # quoted for awk
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
export XDG_CONFIG_HOME=$work/config
unset NO_COLOR
cd "$work" || exit 1
chmod 755 "$work" # for other users

trace() { "$DLPROF_GEN" kineto "$1" --kernels=300 --seed="$2" >/dev/null || exit 1; }
kernels() { "$DLPROF_TUI" --print=kernels --formats=csv "$@"; }
# same FOLDER FILES...: checks that opening the folder equals opening the files.
same() {
    local folder=$1
    shift
    kernels "$folder" >folder.csv && kernels "$@" >files.csv && cmp folder.csv files.csv &&
        test "$(wc -l <folder.csv)" -gt 1
}
one_message() { test "$(grep -c '^dlprof-tui: ' err)" = 1 && grep -qF -- "$1" err; }
fails_with() { # STATUS WORDS ARGUMENTS...
    local status=$1 words=$2
    shift 2
    run "$status" "$DLPROF_TUI" --print=kernels "$@" && one_message "$words" && test ! -s out
}

mkdir -p log/run1 log/run2 log/mixed
for rank in 0 1; do
    trace "log/run1/host_$rank.1700000000$rank.pt.trace.json" $((rank + 1))
    trace "log/run2/host_$rank.1700000000$rank.pt.trace.json" $((rank + 3))
done
gzip log/run2/*.json
trace log/mixed/host_0.pt.trace.json 5
"$DLPROF_GEN" healthy log/mixed/rank1.sqlite --steps=4 >/dev/null || exit 1
echo 'not a profile' >log/mixed/notes.txt
echo '{"lr": 0.1}' >log/mixed/settings.json
: >log/mixed/empty.sqlite

# --- Which files of a folder are opened ---------------------------------------------------------

check "a folder of traces is its traces" same log/run1 log/run1/*.json
check "... also with a slash behind it" same log/run1/ log/run1/*.json
check "... and as the one where one is" bash -c "cd log/run1 && '$DLPROF_TUI' --print=kernels --formats=csv . |
    cmp - '$work/folder.csv'"
check "a folder of compressed traces" same log/run2 log/run2/*.gz
check "a trace and a capture, beside what is no profile" \
    same log/mixed log/mixed/host_0.pt.trace.json log/mixed/rank1.sqlite
check "a folder together with files" same log/run1 log/run1/host_0* log/run1/host_1*
kernels log/run1 log/run2/host_0* >both.csv
kernels log/run1/* log/run2/host_0* >files.csv
check "... of another one" cmp both.csv files.csv
gzip -k log/run1/host_0*.json
touch log/run1/host_1.17000000001.nsys-rep
check "what says the same again is passed over" same log/run1 log/run1/*.json
rm log/run1/*.gz log/run1/*.nsys-rep
mkdir log/run9
gzip -c log/run1/host_1*.json >log/run9/host_1.json.gz
: >log/run9/host_1.json
check "... not beside one that is no profile" same log/run9 log/run9/host_1.json.gz
rm -r log/run9

# A trace with so much before its events that the start of the file does not show its format, and
# other JSON that is as long or mentions events later.
mkdir late other
many() { for i in $(seq 600); do printf '"env%d": {"traceEvents": "not here", "value": "%0*d"},' "$i" 40 "$i"; done; }
trace late.json 7
{ printf '{' && many && tail -c +2 late.json; } >late/host_0.pt.trace.json
{ printf '{' && many && echo '"last": 0}'; } >other/long.json
echo '{"schemaVersion": 2, "layers": []}' >other/manifest.json
cp other/*.json late/
check "a trace whose events come late is one of the folder" same late late/host_0*
check "... and has them" test "$(tail -n +2 folder.csv)" = "$(kernels late.json | tail -n +2)"
check "other JSON is none, however long" fails_with 1 "neither it nor one in it holds a profile" other

# --- Compared with a folder ---------------------------------------------------------------------

compared() { "$DLPROF_TUI" --print=kernels --formats=csv "--baseline=$1" log/run2; }
compared log/run1/ >with_folder.csv
check "a folder is a baseline" test "$(wc -l <with_folder.csv)" -gt 1
mkdir alone && cp log/run1/host_0* alone/
compared alone >folder.csv && compared alone/host_0* >files.csv
check "... of one file as that file" cmp folder.csv files.csv
check "of several runs none is taken as baseline" \
    fails_with 2 "log holds 3 runs; name the one to be opened" --baseline=log log/run2
check "an empty folder is no baseline" \
    fails_with 1 "neither it nor one in it holds a profile" --baseline=other log/run2
echo ":baseline log/run1" >script
check "... on the screen too" run 0 "$DLPROF_TUI" --size=100x30 --script=script --dump log/run2
check "... which says what it is compared with" grep -q 'run1' out

# --- Other files in the folder ------------------------------------------------------------------

odd=$'log/odd\n\033[31mname \xff'
mkdir "$odd"
trace "$odd/"$'a b\n\033]0;title\a.pt.trace.json' 6
check "a folder with a name made to do harm" test "$(kernels "$odd" | wc -l)" -gt 1
mkfifo log/run1/pipe log/run1/pipe.pt.trace.json
ln -s nowhere log/run1/broken.pt.trace.json
mkdir log/run1/folder.pt.trace.json
check "pipes, broken links and folders are passed over" same log/run1 log/run1/host*.json
mkdir linked
ln -s "$work"/log/run1/host_0* "$work"/log/run1/host_1* linked/
check "links to traces are traces" same linked log/run1/host*.json
ln -s log/run1 link
check "a link to a folder is that folder" same link log/run1/host*.json
mkdir empty
check "an empty folder: status 1" fails_with 1 "neither it nor one in it holds a profile" empty
check "a folder that is not there" fails_with 1 "No such file" nosuch/

# --- Windows of one worker ----------------------------------------------------------------------

mkdir spans
for span in 1 2 3; do
    for worker in 0 1; do
        "$DLPROF_GEN" kineto made.json --kernels=1500 --steps=3 --seed=$((span * 2 + worker)) --force >/dev/null ||
            exit 1
        sed -e "s/1712345678000000000/$((1712345678000000000 + span * 10000000000))/" \
            -e "s/ProfilerStep#\([0-9]\)/ProfilerStep#$span\1/" made.json \
            >"spans/host_$worker.$((1712345678000 + span * 10000)).pt.trace.json"
    done
done
figures() { "$DLPROF_TUI" --print="$1" --formats=csv --iters=all "${@:2}"; }
figures distributed spans | cut -d, -f1 | grep '^rank' | sort -u >workers
check "files of a worker are one worker" test "$(cat workers)" = $'rank 0\nrank 1'
figures iterations spans >steps
check "... with the steps of all its windows" \
    test "$(tail -n +2 steps | cut -c1 | uniq -c | tr -s ' ' | cut -d' ' -f3 | tr -d '\n')" = 123
steps=$(($(wc -l <steps) / 3))
check "... none of which lasts until the next window" \
    awk -F, 'NR > 1 && ($3 > 1e9 || $4 > 1e9) { exit 1 }' steps
for report in kernels ops ranges api operators; do
    "$DLPROF_TUI" --print="$report" --formats=csv --iters="20-$((20 + steps - 1))" spans/host_0* >joined.csv
    figures "$report" spans/host_0.1712345698000* >alone.csv
    check "$report of one window are those of its file" cmp joined.csv alone.csv
done
check "... which has some" test "$(wc -l <alone.csv)" -gt 1
check "a stream is one along time" test "$(figures streams spans/host_0* | wc -l)" = 2
"$DLPROF_TUI" --print=trust spans/host_0* >trust
check "that they were captured one behind the other is no warning" \
    fails grep -q 'another time\|wall clock of the machine' trust
"$DLPROF_TUI" --print=devices --formats=csv spans >gpus
check "nor is it time in which GPUs are idle" \
    test "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "Busy (%)") c = i }
        NR > 1 { print ($c > 90) }' gpus | sort -u)" = 1
mkdir twins
cp spans/host_0.1712345688000* twins/host_0.1.pt.trace.json
"$DLPROF_GEN" kineto twins/host_0.2.pt.trace.json --kernels=1500 --steps=3 --seed=99 >/dev/null
sed -i 's/1712345678000000000/1712345688000100000/' twins/host_0.2*
check "windows that lie over each other are two processes" \
    test "$(figures streams twins | wc -l)" = 3

# --- Runs ---------------------------------------------------------------------------------------

mkdir -p log/deep/a/b log/.hidden log/none
cp log/run1/host_0*.json log/deep/a/b/
cp log/run1/host_0*.json log/.hidden/
ln -s .. log/deep/back
ln -s ../run1 log/none/again
check "several runs: status 2, and they are listed" fails_with 2 "log holds 5 runs" log
check "... with their files" grep -qx ' *[0-9]  log/run2  (2 files)' err
check "... each once, however many links lead there" test "$(grep -c ' log/' err)" = 5
check "... those in folders of folders" grep -q 'log/deep/a/b  (1 file)' err
check "... and nothing that the terminal would obey" fails grep -q "$(printf '[\033\a]')" err
check "... nor break a line" test "$(grep -c '^ *[0-9]' err)" = 5
check "beside a file one is to be named" fails_with 2 "name the one" log log/run1/host_0*.json
check "a script chooses none" \
    run 2 "$DLPROF_TUI" --script=/dev/null --dump log
mkdir outer
cp -r log/run2 outer/only
check "the only run of a folder is opened" same outer log/run2/*.gz

as_user=()
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if ! "${as_user[@]}" "$DLPROF_TUI" --version >/dev/null 2>&1; then
    echo "skip as another user: the program cannot be run as nobody here"
else
    mkdir closed half
    chmod 0 closed
    check "a folder without permission: status 1" \
        run 1 "${as_user[@]}" "$DLPROF_TUI" --print=kernels closed
    check "... with the reason" one_message "closed: Permission denied"
    cp log/run1/host*.json half/
    chmod 0 half/host_1*
    check "a trace without permission is not passed over" \
        run 1 "${as_user[@]}" "$DLPROF_TUI" --print=kernels half
    check "... with the reason" one_message "pt.trace.json: Permission denied"
    mkdir -p some/open some/shut
    chmod 0 some/shut
    check "a folder of one that is empty and one without permission" \
        run 1 "${as_user[@]}" "$DLPROF_TUI" --print=kernels some
    check "... says so" one_message "holds a profile; 1 folder cannot be read"
    chmod 755 closed some/shut
fi

mkdir crowd
(cd crowd && seq 65600 | xargs touch)
check "more files than one opens" run 1 "$DLPROF_TUI" --print=kernels crowd
check "... is said" one_message "holds more than 65536 files"
mkdir -p crowds/a && mv crowd crowds/b && trace crowds/a/host_1.pt.trace.json 1
check "a folder of too much beside a run" run 0 "$DLPROF_TUI" --print=kernels crowds
rm -rf crowds

# --- On the screen ------------------------------------------------------------------------------

if ! command -v tmux >/dev/null; then
    echo "skip the screen: tmux is not here"
    finish
fi
trap end_tmux EXIT
touch -d '2026-01-02 03:04' log/*/* log/deep/a/b/* "$odd"/*
mkdir log/run3
echo '{"traceEvents": [' >log/run3/host_0.pt.trace.json
touch -d '2026-01-02 03:05' log/run3/*
in_tmux -f /dev/null new-session -d -x 80 -y 24 \
    "env XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config PS1='prompt> ' \
    TZ=UTC LC_ALL=C.UTF-8 bash --norc --noprofile"
until_true 60 shows "prompt>" || exit 1

start "$DLPROF_TUI log; echo ended \$?"
expect "a list of the runs" "log: 6 runs"
expect "... what of them there is" "2026-01-02 03:05 kineto"
expect "... and how to choose" "Enter opens it"
type_keys -l "/run1"
type_keys Enter
expect "... files of the one under the cursor" "host_1.17000000001.pt.trace.json"
type_keys Enter
expect "the run is opened" "run1 (2 files)"
expect "... with the hint of the first time" "the first time"
type_keys 3
expect "... and looked at" "[3 Kern]"
type_keys -l ":run"
type_keys Enter
expect "another one can be chosen" "log: 6 runs"
type_keys Escape
expect "... or not" "[3 Kern]"
type_keys -l ":run run2"
type_keys Enter
expect "another run by its name" "run2 (2 files)"
expect "... in the same view" "[3 Kern]"
type_keys -l ":run"
type_keys Enter
expect "again the list" "log: 6 runs"
type_keys -l "/run3"
type_keys Enter Enter
expect "one that cannot be opened leads back, with the reason" "holds no event of a PyTorch"
type_keys -l "q"
expect "q leaves" "ended 0"
for locale in C.UTF-8 C; do
    in_tmux resize-window -x 200 -y 50
    start "LC_ALL=$locale NO_COLOR=1 $DLPROF_TUI log; echo left \$?"
    expect "200x50, $locale" "log: 6 runs"
    expect "... names made to do harm are shown" 'odd ^[[31mname \xFF'
    type_keys C-c
    expect "C-c leaves" "left 0"
done
finish
