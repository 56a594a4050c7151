#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks captures: the nsys command line, the program that it runs, and the result. A stand-in for
# nsys records its arguments, runs the program and writes a prepared profile.
# shellcheck disable=SC2016,SC2317 # quoted for other programs; functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

"$DLPROF_GEN" dlprof "$work/fixture.sqlite" --steps=4 >/dev/null || exit 1
mkdir "$work/bin" "$work/here"
cat >"$work/bin/nsys" <<'NSYS'
#!/bin/bash
# $STAND_IN/help holds the options that this version knows, $STAND_IN/mood what fails.
if [ "${2-}" = --help ]; then
    cat "$STAND_IN/help"
    exit 0
fi
printf '%s\n' "$@" >"$STAND_IN/$1"
mood=$(cat "$STAND_IN/mood" 2>/dev/null)
while [ "$1" != -o ]; do shift; done
base=$2
shift 2
if [[ $base = *.sqlite ]]; then # export
    [ "${EXPORT-}" = none ] || cp "$STAND_IN/fixture.sqlite" "$base"
    exit 0
fi
[ "$mood" != fails ] || { echo "the target cannot be profiled" >&2; exit 4; }
[ "$mood" != is_ended ] || exec "$@"
trap : INT # waits for the program instead of ending
"$@"
status=$?
case $mood in
nothing) ;;
late) printf '\x1c\0\0\0NVIDIA Tegra Profiler Report\0' >"$base.qdrep" ;;
*) cp "$STAND_IN/fixture.sqlite" "$base.sqlite" ;;
esac
exit "$status"
NSYS
cat >"$work/bin/train" <<'TRAIN'
#!/bin/sh
# The program to capture.
echo "epoch 1 of: $*"
echo ran >>"$STAND_IN/runs"
case $1 in
read) read -r line && echo "read: $line" ;;
wait) echo $$ >"$STAND_IN/child"; exec sleep 50 ;;
[0-9]*) exit "$1" ;;
esac
exit 0
TRAIN
chmod +x "$work/bin/nsys" "$work/bin/train"
export STAND_IN=$work HOME=$work/home XDG_CACHE_HOME=$work/cache
plain_path=$PATH
PATH=$work/bin:$PATH
cd "$work/here" || exit 1

knows() { printf '  %s=<value>\n' "$@" >"$work/help"; }
mood() { printf '%s' "$1" >"$work/mood"; }
clean() { rm -rf "$work/here"/* "$work/runs" "$work/child" "$work/profile" "$work/export" "$work/mood"; }
asked() { [ "$(tr '\n' ' ' <"$work/profile")" = "profile $* " ] || { tr '\n' ' ' <"$work/profile"; echo "# not: $*"; return 1; }; }
has_run() { [ -e "$work/runs" ]; }
plan() { # EXPECTED OPTION...: checks the command line without its beginning
    local expected=$1
    shift
    run 0 "$DLPROF_TUI" --dry-run "$@" || return 1
    [ "$(cat "$work/out")" = "nsys profile $expected" ] || { sed 's/^/# /' "$work/out"; return 1; }
}

# --- the command line ---------------------------------------------------------------------------

usual="-t cuda,nvtx -s none"
shown="--show-output=true --export=sqlite"
knows --export
check "the line" plan "$usual $shown -o ./nsys_profile train 8" -- train 8
check "... without --" plan "$usual $shown -o ./nsys_profile train 8" train 8
check "... nothing is run" test ! -e "$work/runs" -a ! -e "$work/profile"
check "words as a shell reads them" plan "$usual $shown -o ./nsys_profile train 'a b' '' 'it'\\''s' '\$x'" \
    train "a b" "" "it's" '$x'
check "what stands behind the program is its own" plan \
    "$usual $shown -o ./nsys_profile train --print=nothing -f --help" train --print=nothing -f --help
for option in --nsys_opts --nsys_options; do
    check "$option" plan "-t osrt '--env-var=A=1 2' $shown -o ./nsys_profile train" \
        "$option" "-t osrt '--env-var=A=1 2'" train
done
check "options that are named there are not repeated" plan \
    "-e --show-output=false --export=json -y 9 --force-overwrite=true -o ./nsys_profile train" \
    --nsys_options="-e --show-output=false --export=json -y 9" -y 3 --force train
check "none" plan "$shown -o ./nsys_profile train" --nsys_options= train
check "an open quote" run 2 "$DLPROF_TUI" --nsys_options="-t 'cuda" --dry-run train
check "... is told" said "a quote ' is not closed"
check "an output of one's own" run 2 "$DLPROF_TUI" --nsys_options="-o x" --dry-run train
check "... has an option" said "nsys_base_name"
for option in --nsys_base_name --nsys_base_output_filename; do
    check "$option" plan "$usual $shown -o out/my_run train" "$option=my run" --output_path=out train
done
check "... is no path" run 2 "$DLPROF_TUI" --nsys_base_name=a/b --dry-run train
check "--delay and --duration" plan "$usual $shown --delay=5 --duration=7 -o ./nsys_profile train" \
    --delay=5 --duration 7 train
check "-y and -d" plan "$usual $shown --delay=5 --duration=7 -o ./nsys_profile train" -y 5 -d 7 train
check "no delay" plan "$usual $shown -o ./nsys_profile train" -y 0 train
check "no duration" run 2 "$DLPROF_TUI" --duration=0 --dry-run train
for level in quiet minimal; do
    check "-v $level hides what nsys prints" plan \
        "$usual --show-output=false --export=sqlite -o ./nsys_profile train" -v "$level" train
done
check "--force" plan "$usual $shown --force-overwrite=true -o ./nsys_profile train" -f true train
# --markers: the marker module is inserted after the interpreter and its options.
printf '#!/bin/sh\nexit 0\n' >"$work/bin/python3"
chmod +x "$work/bin/python3"
marks() { # EXPECTED WORD...: checks the end of the command line, with the file by its name
    local expected=$1
    shift
    run 0 "$DLPROF_TUI" --dry-run --markers -- "$@" || return 1
    [ "$(sed 's/.* -o [^ ]* //; s,[^ ]*/\(dlprof_tui_markers\),\1,' "$work/out")" = "$expected" ] ||
        { sed 's/^/# /' "$work/out"; return 1; }
}
marked="dlprof_tui_markers.py --sink=nvtx"
check "--markers" marks "python3 $marked train.py 8" python3 train.py 8
check "... behind options" marks "python3 -u -X dev -Werror $marked train.py -u" \
    python3 -u -X dev -Werror train.py -u
check "... of a module" marks "python3 $marked -m train 8" python3 -m train 8
marks_a_file() { grep -o '[^ ]*/dlprof_tui_markers.py' "$work/out" | xargs test -f; }
check "... is a file that is there" marks_a_file
for words in "train 8" "python3" "python3 -c pass" "python3 -" "python3 -u"; do
    # shellcheck disable=SC2086 # split into words
    check "... not of $words" run 2 "$DLPROF_TUI" --dry-run --markers -- $words
done
knows --export --pytorch autograd-nvtx
no_pytorch() { run 0 "$DLPROF_TUI" --dry-run --markers -- python3 train.py && ! grep -q pytorch "$work/out"; }
check "... instead of nsys's own" no_pytorch
knows --export
check "a range of the program" plan \
    "$usual $shown --capture-range=cudaProfilerApi --capture-range-end=stop -o ./nsys_profile train" \
    --nsys_profile_range=true train
knows --export --stop-on-range-end
check "... of an older nsys" plan "$usual $shown --capture-range=cudaProfilerApi \
--stop-on-range-end=true --kill=none -o ./nsys_profile train" --nsys_profile_range train
knows --export --capture-range-end --stop-on-range-end
check "... of one that still knows both" plan \
    "$usual $shown --capture-range=cudaProfilerApi --capture-range-end=stop -o ./nsys_profile train" \
    --nsys_profile_range train
knows --export-path
check "an nsys that cannot export" plan "$usual --show-output=true -o ./nsys_profile train" train
knows --export --pytorch
printf '      autograd-nvtx, autograd-shapes-nvtx\n' >>"$work/help"
marked="$usual --pytorch=autograd-shapes-nvtx $shown -o ./nsys_profile train"
check "one that marks PyTorch's ops" plan "$marked" train
check "... in PyTorch's mode" plan "$marked" --mode=pytorch train
check "... not in another" plan "$usual $shown -o ./nsys_profile train" -m tensorflow2 train
check "... nor with options of one's own" plan "-t cuda $shown -o ./nsys_profile train" \
    --nsys_opts="-t cuda" train
printf -- '--export= --pytorch= autograd-nvtx' >"$work/help"
check "... without shapes" plan "$usual --pytorch=autograd-nvtx $shown -o ./nsys_profile train" train
check "no program" run 2 "$DLPROF_TUI" --dry-run
check "... is told" said "no program is to be run"
check "... nor beside a profile" run 2 "$DLPROF_TUI" --dry-run "--database=$work/fixture.sqlite" train

# --- what counts as a program -------------------------------------------------------------------

knows --export
printf '#!/bin/sh\necho ran >>"$STAND_IN/runs"\n' >"$work/here/script.sh"
check "a file that may not be executed is opened, not run" run 1 "$DLPROF_TUI" script.sh
check "... and is no profile" said "script.sh is no profile: it is a text file"
check "... behind -- as well" run 1 "$DLPROF_TUI" -- script.sh
check "... with words of its own it is refused" run 2 "$DLPROF_TUI" -- script.sh 1
check "... with a hint" said 'as in `python script.sh`'
check "a program that is not there" run 2 "$DLPROF_TUI" -- nosuch 1
check "... is named" said "there is no program nosuch"
check "... without --" run 2 "$DLPROF_TUI" nosuch 1
check "... is named" said "nosuch is neither a file nor a program"
check "none of it was run" test ! -e "$work/runs"
chmod +x script.sh
check "a file that may" plan "$usual $shown -o ./nsys_profile ./script.sh 1" ./script.sh 1
check "... in the present folder" plan "$usual $shown -o ./nsys_profile ./script.sh 1" script.sh 1
cp "$work/fixture.sqlite" "$work/here/run.sqlite"
chmod +x run.sqlite
check "a profile is opened even where it might be executed" run 0 "$DLPROF_TUI" --print=kernels run.sqlite
mkdir train
check "a folder with a program's name is none, with words behind it" \
    plan "$usual $shown -o ./nsys_profile train 1" train 1
check "... or behind --" plan "$usual $shown -o ./nsys_profile train" -- train
check "... by itself it is a folder of profiles" run 1 "$DLPROF_TUI" --print=kernels train
check "... that holds none" said "holds a profile"
check "a profile and a program" run 2 "$DLPROF_TUI" run.sqlite -- train 1
check "... is too much" said "run.sqlite is a profile, and train a program"
cp run.sqlite ./-odd.sqlite
check "a profile whose name begins with a dash" run 0 "$DLPROF_TUI" --print=kernels -- -odd.sqlite
check "--database and a program" run 0 "$DLPROF_TUI" --database=run.sqlite --print=kernels train 1
check "... says that it is not run" said "the program is not run"
check "... and does not run it" test ! -e "$work/runs"
unused() { test "$(grep -c "$1" "$work/err")" = 1; }
check "... nor uses what is of capturing" run 0 "$DLPROF_TUI" --nsys_opts="-t cuda" --delay=3 \
    --database=run.sqlite --print=kernels train 1
check "... once" unused "the program is not run, --nsys_options, --delay not used$"
check "options of capturing beside a profile" run 0 "$DLPROF_TUI" --duration=2 --duration=3 \
    --nsys_base_name=x --nsys_profile_range --print=kernels run.sqlite
check "... are not used" unused \
    "nothing is captured, --duration, --nsys_base_name, --nsys_profile_range not used$"
check "... in silence where that is asked for" run 0 "$DLPROF_TUI" -v minimal --delay=3 \
    --print=kernels run.sqlite
check "... of it" test ! -s "$work/err"
check "reports as words, then a program" plan "$usual $shown -o ./nsys_profile train 1" \
    --reports summary kernel -- train 1

# --- a successful run ---------------------------------------------------------------------------

clean
check "a program is captured" run 0 "$DLPROF_TUI" -- train 0 "a b"
check "... by this line" asked "$usual $shown -o ./nsys_profile train 0 a b"
check "... is told, with the time" grep -qE \
    "^\[DLProf-[0-9:]{8}\] RUNNING: nsys profile $usual $shown -o ./nsys_profile train 0 'a b'$" "$work/err"
check "... prints what it prints" said "epoch 1 of: 0 a b"
check "... before the summary of its profile" sh -c "sed -n '/^epoch 1/,\$p' '$work/out' | grep -q Wall"
check "... which stays" test -s nsys_profile.sqlite
check "... with DLProf's database of it" said "^dlprof-tui: ./dlprof_dldb.sqlite written"
check "... that opens" sh -c "'$DLPROF_TUI' --print=detail dlprof_dldb.sqlite | grep -q addcdiv_"
rm "$work/runs"
check "a second time" run 1 "$DLPROF_TUI" -- train 0
check "... is refused" said "dlprof_dldb.sqlite: exists already"
rm dlprof_dldb.sqlite
check "... for either of them" run 1 "$DLPROF_TUI" -- train 0
check "... which is told" said "nsys_profile.sqlite: exists already; nothing was run"
check "... before it runs" test ! -e "$work/runs"
check "... unless it may be replaced" run 0 "$DLPROF_TUI" --force -- train 0
long=$(printf 'word %.0s' {1..200})
check "a long line" run 0 "$DLPROF_TUI" -f -- train 0 "$long"
check "... is told to its end" grep -q "RUNNING: .* train 0 '$long'\$" "$work/err"
check "another name" run 0 "$DLPROF_TUI" --nsys_base_name=second --base_name=second -- train 0
check "... also of its database" test -s second_dldb.sqlite
check "input goes to the program" sh -c "echo words | '$DLPROF_TUI' -f train read 2>&1 | grep -q '^read: words'"
clean
check "simple mode" run 0 "$DLPROF_TUI" --mode=simple -- train 0
check "... leaves a database, too" test -s dlprof_dldb.sqlite
clean
check "a digest of it" run 0 "$DLPROF_TUI" --digest=run.dlp -- train 0
check "... lies beside them" test -s run.dlp -a -s dlprof_dldb.sqlite -a -s nsys_profile.sqlite
rm run.dlp
clean
check "one name for nsys's file and the database" run 2 "$DLPROF_TUI" --nsys_base_name=dlprof_dldb -- train 0
check "... is told" said "dlprof_dldb.sqlite would be nsys's file and DLProf's database"
check "... before it runs" test ! -e "$work/runs"
clean
check "reports of it" run 0 "$DLPROF_TUI" --reports=all --output_path=deep/out train 0
check "... are made" test "$(find deep/out -name 'dlprof_*.csv' | wc -l)" = 8
check "... beside its profile" test -s deep/out/nsys_profile.sqlite
check "... and its database" test -s deep/out/dlprof_dldb.sqlite
check "... and told, all in one place" sh -c "sed -n '/RUNNING/,/^epoch 1/p;/Expert Systems/p' '$work/out' |
    tail -n 1 | grep -q Expert"
rm -r deep/out/nsys_profile.sqlite deep/out/dlprof_dldb.sqlite "$work/runs"
check "reports that are there" run 1 "$DLPROF_TUI" --reports=summary --output_path=deep/out train 0
check "... are told of before the run" test ! -e "$work/runs"
clean
check "-v quiet" run 0 "$DLPROF_TUI" -v quiet --reports=summary train 0
check "... says nothing" test ! -s "$work/err"
rm dlprof_dldb.sqlite
check "a database of another name" run 0 "$DLPROF_TUI" -f --dldb=mine.sqlite train 0
check "... is the only one" test -s mine.sqlite -a ! -e dlprof_dldb.sqlite
check "a profile that is there leaves none" run 0 "$DLPROF_TUI" --print=detail --base_name=other nsys_profile.sqlite
check "... beside it" test ! -e other_dldb.sqlite
check "the model of it" run 0 "$DLPROF_TUI" -f --dump_model_data train 0
check "... is written" test -s dlprof_model_data.json
check "the screen of it" run 0 "$DLPROF_TUI" -f --dump --view=kernels train 0
check "... shows it" said "nsys_profile.sqlite"
check "compared with one before" run 0 "$DLPROF_TUI" -f --baseline="$work/fixture.sqlite" --print=costs train 0

# An nsys that writes only a report.
clean
knows --none
mood late
check "an nsys that does not export while it profiles" run 0 "$DLPROF_TUI" --print=kernels train 0
check "... is asked afterwards" grep -qxF ./nsys_profile.qdrep "$work/export"
check "... and its export stays" test -s nsys_profile.sqlite
clean
mood late
check "... or leaves none" run 1 env EXPORT=none "$DLPROF_TUI" --print=kernels train 0
check "... which is told" said "nsys export ended with status 0 and left no ./nsys_profile.sqlite"

# --- failures -----------------------------------------------------------------------------------

knows --export
clean
check "the program's status is the status" run 7 "$DLPROF_TUI" --reports=all -- train 7
check "... what was captured is named" said \
    "^dlprof-tui: train ended with status 7; what was captured until then: dlprof-tui ./nsys_profile.sqlite$"
check "... and not reported" test ! -e dlprof_summary.csv -a ! -e dlprof_dldb.sqlite
clean
mood fails
check "nsys fails" run 4 "$DLPROF_TUI" --reports=all -- train 0
check "... in its words" said "the target cannot be profiled"
check "... and nothing is there" said "nsys left no profile"
clean
mood nothing
check "nsys leaves nothing" run 1 "$DLPROF_TUI" --print=kernels train 0
check "... which is told" said "nsys left no profile: there is no new ./nsys_profile.sqlite"
cp "$work/fixture.sqlite" nsys_profile.sqlite
check "... a former one is not taken for it" run 1 "$DLPROF_TUI" --force --print=kernels train 0
ln -sf "$work/fixture.sqlite" nsys_profile.sqlite
check "... nor one that a link leads to" run 1 "$DLPROF_TUI" --force --print=kernels train 0
clean
check "what --duration ends has ended well" run 0 "$DLPROF_TUI" --duration=3 --print=kernels train 143
check "... nothing else that was ended" run 143 "$DLPROF_TUI" -f --print=kernels train 143
clean
mkdir "$work/odd" && printf 'no program\n' >"$work/odd/nsys" && chmod +x "$work/odd/nsys"
check "an nsys that is no program" run 1 env PATH="$work/odd:$PATH" "$DLPROF_TUI" train 0
check "... is told" said "odd/nsys: Exec format error"
clean
touch file
check "no folder for it" run 1 "$DLPROF_TUI" --output_path=file/x train 0
check "... is told before it runs" test ! -e "$work/runs"
for option in baseline session script keys rules; do
    check "--$option that is not there" run 1 "$DLPROF_TUI" "--$option=$work/nosuch" --dump train 0
    check "... is told before it runs" test ! -e "$work/runs"
done
PATH=$plain_path
if command -v nsys >/dev/null; then
    echo "skip nsys is not on the PATH: it is, on this machine"
else
    PATH=$work/train.only:$plain_path
    mkdir "$work/train.only" && cp "$work/bin/train" "$work/train.only/"
    check "without nsys" run 1 "$DLPROF_TUI" -- train 0
    check "... nothing is run" test ! -e "$work/runs"
    check "... and where to get it is told" said "nsight-systems-cli"
    check "... the line can be had" plan "$usual $shown -o ./nsys_profile train 0" -- train 0
    check "... with a word about it" said "for any version of it"
    check "--doctor says so" run 0 "$DLPROF_TUI" --doctor
    check "... too" said "nothing can be captured"
fi
PATH=$work/bin:$plain_path

# --- signals ------------------------------------------------------------------------------------

works() { [ -s "$work/child" ]; }
is_gone() { ! kill -0 "$(cat "$work/child")" 2>/dev/null; }
# signalled STATUS SIGNAL GROUP [OPTION...]: sends the signal while the program runs and checks the
# exit status. GROUP is "-" for the whole process group, as a terminal does, else empty.
signalled() {
    local program status=0
    set -m # a process group of its own, in which SIGINT is not ignored
    "$DLPROF_TUI" --reports=all "${@:4}" -- train wait >"$work/out" 2>"$work/err" </dev/null &
    program=$!
    set +m
    until_true 30 works || echo "# never came so far"
    kill "-$2" -- "$3$program"
    wait "$program" || status=$?
    [ "$status" = "$1" ] || { echo "# exit status $status"; cat "$work/err"; return 1; }
}
clean
check "Ctrl-C" signalled 130 INT -
check "... ends the program" until_true 5 is_gone
check "... nsys wrote what there was, which is named" said \
    "train ended with status 130; what was captured until then: dlprof-tui ./nsys_profile.sqlite"
check "... and not reported" test ! -e dlprof_summary.csv
clean
mood is_ended
check "SIGTERM to this program alone" signalled 143 TERM ""
check "... is handed on" until_true 5 is_gone
clean
mood is_ended
check "... is no end by --duration" signalled 143 TERM "" --duration=99
check "... and said so" said "train ended with status 143"

# On a terminal the output of the program appears first, then the screen; Ctrl-C goes to the
# program.
clean
# shellcheck disable=SC2094 # the file is read while it grows
on_terminal() { # KEYS WHEN ARGUMENTS
    : >"$work/typed"
    { until_true 60 grep -q "$2" "$work/typed"; printf '%b' "$1"; } |
        TERM=xterm-256color timeout 60 script -qefc "'$DLPROF_TUI' $3" /dev/null >"$work/typed" 2>"$work/err"
}
check "on a terminal" on_terminal Q F10 "train 0"
check "... what the program prints comes first" sh -c \
    "tr -d '\r' <'$work/typed' | sed '/nsys_profile.sqlite, /q' | grep -q '^epoch 1 of: 0'"
clean
status=0
on_terminal '\003' 'epoch 1' "train wait" || status=$?
check "Ctrl-C on a terminal" test "$status" = 130
check "... ends the program" until_true 5 is_gone
check "... and opens no screen" sh -c "! grep -q F10 '$work/typed'"

finish
