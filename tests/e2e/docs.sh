#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the documents against the program: README's pictures, commands and tour on the demo
# profile, and that the manual names everything that the program's tables list; and the map of the rooms against the
# code.
# shellcheck disable=SC2016 # quoted for other programs to expand
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
export XDG_CONFIG_HOME=$work/config
unset NO_COLOR

demo=$work/demo.sqlite
readme=$SOURCE_DIR/README.md
"$DLPROF_GEN" demo "$demo" >/dev/null || exit 1
cp "$demo" "$work/run.sqlite"
"$DLPROF_GEN" demo "$work/before.sqlite" --steps=4 >/dev/null || exit 1
cp "$work/before.sqlite" "$work/after.sqlite"
"$DLPROF_GEN" healthy "$work/rank.sqlite" --processes=2 --steps=4 --split=1 >/dev/null || exit 1
rm "$work/rank.sqlite" # keeps the files of its ranks
for rank in 0 1; do mv "$work/rank.rank$rank.sqlite" "$work/rank$rank.sqlite"; done
mkdir -p "$work/log/run1"
for seed in 1 2; do
    "$DLPROF_GEN" kineto "$work/log/run1/worker$seed.pt.trace.json" --kernels=500 --seed=$seed >/dev/null ||
        exit 1
done

# --- README: the pictures -----------------------------------------------------------------------

mkdir "$work/pictures"
DEMO=$demo bash "$SOURCE_DIR/docs/picture.sh" "$work/pictures" >"$work/said" 2>&1
for picture in "$work"/pictures/*.svg; do
    name=${picture##*/}
    check "README has a picture $name" grep -qF "(docs/$name)" "$readme"
    check "... which is what the program shows (./dev docs renews it)" \
        cmp "$SOURCE_DIR/docs/$name" "$picture"
done
check "README: four pictures at least" test "$(grep -o '(docs/[a-z]*\.svg)' "$readme" | wc -l)" -ge 4

# --- README: its commands -----------------------------------------------------------------------

# commands SECTION: prints the command lines of its sh block without comments.
commands() {
    awk -v section="## $1" '
        /^## / { inside = $0 == section }
        inside && /^```/ { code = /^```sh$/; next }
        inside && code { sub(/ +#.*/, ""); print }
    ' "$readme"
}

printf '2\nEnter\n' >"$work/keys.txt"
mkdir "$work/bin"
ln -s "$DLPROF_TUI" "$work/bin/dlprof-tui"
printf '#!/bin/sh\ncat >/dev/null\n' >"$work/bin/jq" # jq need not be installed
# A job of two tasks.
printf '#!/bin/sh\nshift 2\nfor SLURM_PROCID in 0 1; do export SLURM_PROCID; "$@" || exit; done\n' \
    >"$work/bin/srun"
# A stand-in for PyProf's parser that prints one kernel.
cat >"$work/bin/python" <<'PARSER'
#!/bin/sh
echo "{'kShortName': 'gemm', 'kDuration': 5, 'marker': [], 'seqMarker': [], 'op': ['mm'], 'tid': 1}"
PARSER
chmod +x "$work/bin/jq" "$work/bin/srun" "$work/bin/python"
ran=0
while IFS= read -r line; do
    ran=$((ran + 1))
    check "README: ${line%% | jq*}" bash -o pipefail -c \
        'cd "$1" && PATH="$1/bin:$PATH" && eval "${2%% ...}" >said 2>&1' \
        bash "$work" "$line"
done < <(commands "Without the screen")
check "README: as many commands as it has" test "$ran" -ge 5

# Each `./dev` of the README exists.
bash "$SOURCE_DIR/dev" help >"$work/dev.help"
while read -r name; do
    check "README: ./dev $name" grep -q "^  $name " "$work/dev.help"
done < <(grep -o '\./dev [a-z]*' "$readme" | awk '{ print $2 }' | sort -u)

# Each file or folder that the README names exists.
while read -r path; do
    check "README: $path" test -e "$SOURCE_DIR/$path"
done < <(grep -oE '`(src|docs|rules|tests|man|themes)/[a-z_./]*`' "$readme" | tr -d '`' |
    grep -vE '_x\.c$' | sort -u)

# --- The map: docs/design.md and docs/rooms.svg ---------------------------------------------------

map=$SOURCE_DIR/docs/design.md
while read -r room; do
    check "docs/design.md names the room $room" grep -qF "\`$room\`" "$map"
    check "docs/rooms.svg shows the room $room (./dev docs renews it)" \
        grep -qF ">$room</text>" "$SOURCE_DIR/docs/rooms.svg"
done < <(sed -n 's/^add_room(\([a-z_/]*\).*/\1/p' "$SOURCE_DIR/cmake/rooms.cmake")

# Each answer of "Where is ...?" names a file below src/ and functions or tables in it.
answers=0
while IFS='|' read -r _ question file names _; do
    file=$(tr -d '\` ' <<<"$file")
    while read -r name; do
        answers=$((answers + 1))
        check "docs/design.md:$question$file has $name" grep -qw "$name" "$SOURCE_DIR/src/$file"
    done < <(grep -oE '[A-Za-z_]+' <<<"$names")
done < <(sed -n '/^## Where is/,/^## [^W]/p' "$map" | grep -E '^\|.*\.[chy]')
check "docs/design.md: its answers are found" test "$answers" -ge 25

# Each source file that a document names exists; paths are relative to src/ or, in screen.md, src/ui/.
while read -r path; do
    found=
    for folder in "" src src/ui; do [ ! -e "$SOURCE_DIR/$folder/$path" ] || found=1; done
    check "docs: $path" test -n "$found"
done < <(cat "$SOURCE_DIR"/docs/*.md | grep -oE '`[a-z_]+/[a-z_0-9/]+\.(c|h|yaml|py|sh|cmake|script)`' |
    tr -d '`' | sort -u)

# Each document that another one names exists.
while read -r path; do
    check "docs: $path" test -e "$SOURCE_DIR/docs/$path"
done < <(cat "$SOURCE_DIR"/docs/*.md | grep -oE '\]\([a-z_./]+' | cut -c 3- | sort -u)

# --- README and manual: user keymaps ------------------------------------------------------------

# shellcheck disable=SC2317 # check calls it
own_keys() { # TEXT: checks that the keymap is valid and no key of it is already used
    printf '%s\n' "$1" >"$work/keys.yaml"
    "$DLPROF_TUI" --keys="$work/keys.yaml" --script=/dev/null --dump "$demo" >"$work/said" 2>&1 &&
        [ -n "$1" ] && ! grep -q 'keys\.yaml' "$work/said"
}
check "README: keys of one's own" own_keys "$(sed -n 's/.*`keys\.yaml` keys of your own (`\([^`]*\)`.*/\1/p' "$readme")"
check "the manual: keys of one's own" own_keys "$(sed 's/\\-/-/g' "$SOURCE_DIR/man/dlprof-tui-keys.7.in" |
    sed -n '/^\.SH OWN KEYS/,/^\.fi/p' | grep '^[a-z]*: ')"

# --- README: the tour ---------------------------------------------------------------------------

# tour WHAT EXPECTED KEY...: after these keys, all in one session, the screen must show EXPECTED.
wanted=()
tour() {
    wanted+=("$1" "$2")
    shift 2
    printf '%s\n' "$@" dump
}

rows=30
{
    tour "1, the summary" '^▶1 +[0-9.]+ ms' 1
    tour "K explains" '┌─ the GPU waits for the data loader' K
    tour "2, the tree" '\[2 Tree\]' Esc 2
    tour "/layers finds the equal layers, one row" '▸ layers\.\* x24' g / 'text layers' Enter
    tour "o shows them apart" 'layers\.[0-9]+ ' o
    tour "... and together" '▸ layers\.\* x24' o
    tour "Enter goes from a layer to its kernels" 'layers\.\*.* › Kernels' Enter
    tour "... again to their single launches" '› Single launches' Enter
    tour "Esc comes back" '^ step N › .*layers\.\* x24 ' Esc Esc
    tour ", the row as a box of the flame view" '▶layers\.\* x24 ' ,
    tour "... Enter makes it fill the width" '^▶layers\.\* x24 ' Enter
    tour "... Backspace goes back" '^│step N ' Backspace
    tour "... , leads to its row" '\[2 Tree\]' ,
    tour "3, the kernels" '[0-9]+ kernels by family' 3
    tour "> chooses the sort column" 'calls▾' '>'
    tour "< too" ' GPU▾' '<'
    tour "I turns it round" ' GPU▴' I
    tour "the filter nvjet" 'filter: \[nvjet\] +[1-9][0-9]* of' I "\\" 'text nvjet' Enter
    tour "the filter tc:no" 'filter: \[tc:no\] +[1-9][0-9]* of' Esc "\\" 'text tc:no' Enter
    tour "the filter gpu>10ms" 'filter: \[gpu>10ms\] +[1-9][0-9]* of' Esc "\\" 'text gpu>10ms' Enter
    tour "v: short names" 'kernels by short name' Esc v
    tour "v: full names" 'kernels by full name' v
    tour "4, the iterations" '\[4 Iter\]' v 4
    tour "Space takes a step out" 'set 1-22 = 22 of 24' Space
    tour "... and in" 'set 0-22 = 23 of 24' Space
    tour "i takes a set: every view follows" 'set 3-16,18-22 = 19 of 24' i 'text 3-22,!17' Enter 3
    tour "a takes all" 'all 24|24 iterations' 4 a
    tour "5, expert" '1 +[0-9.]+ ms .*data loader' 5
    tour "... Enter opens the rows that prove it" '› Idle by cause' Enter
    tour "... of another finding: the op's kernels" '› FP32.* › Kernels .*3 of' Esc j j Enter
    tour "6, the timeline" '\[6 Time\].*' 6
    tour "l, +, z: what is chosen, in words" 'launched [0-9.]+ .s before by cuda' l + z
    tour "w follows the line to its launch" '── CUDA call ──' w
    tour "t: a kernel's place, of several the longest" 'the longest of [0-9,]+ launches; t goes back' 3 t
    tour "... and back" '\[3 Kern\]' t
    tour "0, trust" 'rows of CUPTI_ACTIVITY_KIND_KERNEL +[0-9,]+ ok' 0
    tour "ma keeps a place" 'bookmark a: Trust' m a
    tour "... 'a comes back to it" '\[0 Trust\]' 3 "'" a
    tour "... Esc returns" '\[3 Kern\]' Esc
    tour "C-w opens another view" '── \[GPUs\]' C-w 7
    tour "... Tab goes round" '── \[Kernels\]' Tab
    tour "? shows all keys" 'keys, commands, figures' '?'
    tour "s saves the view" 'saved kernels.csv' Esc 3 s C-u 'text kernels.csv' Enter
    tour "P writes one page" 'saved page.md' P C-u 'text page.md' Enter
} >"$work/tour"
(cd "$work" && "$DLPROF_TUI" --script=tour --size="100x$rows" demo.sqlite) >"$work/screens" 2>&1 ||
    not_ok "the tour ends well"
for ((i = 0; i < ${#wanted[@]} / 2; i++)); do
    tail -n "+$((i * rows + 1))" "$work/screens" | head -n "$rows" >"$work/screen"
    if grep -qE -- "${wanted[2 * i + 1]}" "$work/screen"; then
        ok "tour: ${wanted[2 * i]}"
    else
        not_ok "tour: ${wanted[2 * i]}: no '${wanted[2 * i + 1]}'"
        sed 's/^/# /' "$work/screen"
    fi
done
check "the saved table has rows" grep -q '^nvjet' "$work/kernels.csv"
check "the page is Markdown" grep -q '^# ' "$work/page.md"

# --- The manual ---------------------------------------------------------------------------------

if ! command -v mandoc >/dev/null; then
    echo "skip the manual: mandoc is not here"
    finish
fi

# Each page as people read it, in 80 columns, and in lines as wide as mandoc allows.
pages=()
mkdir "$work/man"
for page in "$BUILD_DIR"/man/*.[17]; do
    name=${page##*/}
    pages+=("$name")
    check "$name: mandoc has no warning" test -z "$(mandoc -T lint -W warning "$page" 2>&1)"
    mandoc -T ascii -O width=80 "$page" | sed $'s/.\b//g' >"$work/man/$name" # without overstriking
    mandoc -T ascii -O width=900 "$page" | sed $'s/.\b//g' >"$work/man/$name.wide"
done
check "there is a page for each template" test "${pages[*]}" = "$(cd "$SOURCE_DIR/man" && echo *.in | sed 's/\.in//g')"

check "dlprof-tui(1) has no more than 500 lines" test "$(wc -l <"$work/man/dlprof-tui.1")" -le 500
check "... its sections stand in the order in which a person needs them" test \
    "$(sed -n 's/^\.SH //p' "$BUILD_DIR/man/dlprof-tui.1" | tr '\n' ' ')" = "NAME SYNOPSIS EXAMPLES DESCRIPTION \
OPENING FILES CAPTURE CHOOSING STEPS VIEWS OPTIONS FILES ENVIRONMENT EXIT STATUS SEE ALSO "

# Each table of the program is in one page.
marks=0
while read -r mark; do
    marks=$((marks + 1))
    check "the table $mark is in one page" test \
        "$(cat "$SOURCE_DIR"/man/*.in | grep -cx "$mark")" = 1
done < <(grep -oE '@[A-Z]+@' "$SOURCE_DIR/src/cli/cli_man.c" | grep -vE '@(NAME|LISTS)@' | sort -u)
check "there are tables" test "$marks" -ge 8
check "no page has a table that the program lacks" fails grep -E '^@' "$BUILD_DIR"/man/*.[17]

# shellcheck disable=SC2317 # check calls it
section() { grep -qx "\.SH $2" "$BUILD_DIR/man/$1"; } # PAGE NAME
# References: the pages exist, and so do the sections that are named with a page or alone.
references=0
while IFS=: read -r from to; do
    references=$((references + 1))
    check "$from names the page $to" test -f "$BUILD_DIR/man/$(sed -E 's/\(([17])\)/.\1/' <<<"$to")"
done < <(cd "$work/man" && grep -oE 'dlprof-tui[-a-z]*\([17]\)' -- *.wide | sort -u
    cd "$SOURCE_DIR" && grep -HoE 'dlprof-tui[-a-z]*\([17]\)' README.md docs/*.md | sort -u)
while IFS=: read -r from words; do
    references=$((references + 1))
    page=$(sed -E 's/.* in (.*)\(([17])\)/\1.\2/' <<<"$words")
    check "$from: $words" section "$page" "${words% in *}"
done < <(cd "$work/man" && grep -oE '[A-Z]+( [A-Z]+)* in dlprof-tui[-a-z]*\([17]\)' -- *.wide | sort -u)
while IFS=: read -r from words; do
    references=$((references + 1))
    check "$from: $words" section "${from%.wide}" "${words#* }"
done < <(cd "$work/man" && grep -oE '[Ss]ee [A-Z]{2,}( [A-Z]+)*( in dlprof)?' -- *.wide | grep -v ' in dlprof' | sort -u)
check "there are references" test "$references" -ge 30
for page in "${pages[@]}"; do
    [ "$page" = dlprof-tui.1 ] || check "dlprof-tui(1) names $page" \
        grep -qF "$(sed -E 's/\.([17])$/(\1)/' <<<"$page")" "$work/man/dlprof-tui.1.wide"
done

# named LIST COLUMN PAGE [PREFIX]: checks that the page has each name of a list.
named() {
    local missing
    "$DLPROF_TUI" "--list=$1" | tail -n +2 | cut -f "$2" | sort -u >"$work/names"
    check "there are $1" test -s "$work/names"
    missing=$(
        while IFS= read -r name; do
            grep -qF -- "${4:-}$name" "$work/man/$3.wide" || echo "$name"
        done <"$work/names"
    )
    check "$3 names all $1${missing:+, but not: $missing}" test -z "$missing"
}
named options 1 dlprof-tui.1 --
named views 1 dlprof-tui.1
named views 3 dlprof-tui.1
named reports 1 dlprof-tui-reports.7
named columns 3 dlprof-tui-reports.7
named formats 1 dlprof-tui-reports.7
named actions 6 dlprof-tui-keys.7
named detectors 1 dlprof-tui-detectors.7
named formulas 1 dlprof-tui-formulas.7

# Each scheme of breakdowns that the source defines has a section with its categories.
schemes=0
while read -r file; do
    name=$(sed -n '/^const struct breakdown_scheme [a-z_]* = {/,/^}/s/.*\.name = "\([^"]*\)".*/\1/p' "$file")
    schemes=$((schemes + 1))
    figures=$BUILD_DIR/man/dlprof-tui-figures.7
    check "the manual has the breakdown $name" grep -qx "\.SS \"$name\"" "$figures"
    check "the manual has categories of the breakdown $name" \
        test "$(sed -n "/^\.SS \"$name\"/,/^\.S[HS] [^\"]/p" "$figures" | grep -c '^\.TP')" -gt 4
done < <(grep -rlE '^const struct breakdown_scheme [a-z_]+ = \{' "$SOURCE_DIR/src" --include='*.c')
check "there are schemes of breakdowns" test "$schemes" -ge 3
finish
