#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The documents against the program: README's picture, commands and tour on the demo profile, and
# that the manual names all that the program's tables list.
# shellcheck disable=SC2016 # what stands in single quotes is for others to expand
set -u
work= # made by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
export XDG_CONFIG_HOME=$work/config
unset NO_COLOR

demo=$work/demo.sqlite
readme=$SOURCE_DIR/README.md
"$DLPROF_GEN" demo "$demo" >/dev/null || exit 1
cp "$demo" "$work/run.sqlite"

# --- README: the picture --------------------------------------------------------------------------

cp "$readme" "$work/README.md"
DEMO=$demo bash "$SOURCE_DIR/docs/picture.sh" "$work/README.md"
check "README: the picture is what the program shows (./dev docs renews it)" \
    diff -u "$readme" "$work/README.md"
check "... and there is one" grep -q "^ demo.sqlite .*H100" "$work/README.md"

# --- README: its commands ------------------------------------------------------------------------

# commands SECTION: the command lines of its sh block, without comments.
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
printf '#!/bin/sh\ncat >/dev/null\n' >"$work/bin/jq" # whether it is installed is not the question
chmod +x "$work/bin/jq"
ran=0
while IFS= read -r line; do
    ran=$((ran + 1))
    check "README: ${line%% | jq*}" sh -c \
        'cd "$1" && PATH="$1/bin:$PATH" && eval "${2%% ...}" >said 2>&1' \
        sh "$work" "$line"
done < <(commands "Without the screen")
check "README: as many commands as it has" test "$ran" -ge 5

# Each `./dev` of the README exists.
bash "$SOURCE_DIR/dev" help >"$work/dev.help"
while read -r name; do
    check "README: ./dev $name" grep -q "^  $name " "$work/dev.help"
done < <(grep -o '\./dev [a-z]*' "$readme" | awk '{ print $2 }' | sort -u)

# Each file or folder of the README exists.
while read -r path; do
    check "README: $path" test -e "$SOURCE_DIR/$path"
done < <(grep -oE '`(src|docs|rules|tests|man|themes)/[a-z_./]*`' "$readme" | tr -d '`' |
    grep -vE '_x\.c$' | sort -u)

# --- README: the tour ----------------------------------------------------------------------------

# tour WHAT EXPECTED KEY...: the screen after the keys shows EXPECTED.
tour() {
    local what=$1 expected=$2
    shift 2
    printf '%s\n' "$@" >"$work/tour"
    (cd "$work" && "$DLPROF_TUI" --script=tour --size=100x30 --dump demo.sqlite) >"$work/screen" \
        2>&1
    if grep -qE -- "$expected" "$work/screen"; then
        ok "tour: $what"
    else
        not_ok "tour: $what: no '$expected'"
        sed 's/^/# /' "$work/screen"
    fi
}

tour "1, the summary" '^▶1 +[0-9.]+ ms' 1
tour "K explains" 'Tensor Core' 1 K
tour "2, the tree: the equal layers are one row" '▸ layers\.\* x24' 2 g / 'text layers' Enter
tour "o shows them apart" 'layers\.0' 2 o g E
tour "Enter goes from a layer to its kernels" '› Kernels' 2 g j j j Enter
tour "... again to their single launches" 'Single launches' 2 g j j j Enter Enter
tour "Esc comes back" 'step N › backward ' 2 g j j j Enter Enter Esc Esc
tour "3, the kernels" '[0-9]+ kernels by family' 3
tour "the filter gemm" 'filter: gemm +[0-9]+ of' 3 "\\" 'text gemm' Enter
tour "the filter tc:no" 'filter: tc:no +[0-9]+ of' 3 "\\" 'text tc:no' Enter
tour "the filter gpu>10ms" 'filter: gpu>10ms +[1-9][0-9]* of' 3 "\\" 'text gpu>10ms' Enter
tour "< and > choose the sort column" 'calls▾' 3 '>'
tour "I turns it round" 'GPU▴' 3 I
tour "v: short names" 'kernels by short name' 3 v
tour "4, the iterations" '4 Iter' 4
tour "i takes a set: every view follows" 'set 3-16,18-22 = 19 of 24' 4 i 'text 3-22,!17' Enter 3
tour "a takes all" 'all 24|24 iterations' 4 a
tour "Space takes a step out" 'set 1-22 = 22 of 24' 4 Space
tour "5, expert" 'data loader' 5
tour "... Enter opens the rows that prove it" '4 Iter\]' 5 Enter
tour "... of the next finding: the op's kernels" 'Expert › FP32.* › Kernels .*3 of' 5 j Enter
tour "0, trust" 'ows read|rows' 0
tour "? shows all keys" 'all keys|Help' '?'
tour "s saves the view" 'saved kernels.csv' 3 s C-u 'text kernels.csv' Enter
check "... a file with rows" grep -q '^Kernel Name,' "$work/kernels.csv"
tour "P writes one page" 'saved page.md|page.md' P C-u 'text page.md' Enter
check "... of Markdown" grep -q '^# ' "$work/page.md"

# --- The manual ----------------------------------------------------------------------------------

if command -v mandoc >/dev/null; then
    mandoc -T ascii -O width=900 "$BUILD_DIR/dlprof-tui.1" 2>/dev/null | col -bx >"$work/man"
else
    sed 's/\\-/-/g; s/\\&//g; s/\\e/\\/g' "$BUILD_DIR/dlprof-tui.1" >"$work/man"
fi
# named LIST COLUMN [PREFIX]: each name of a list is in the manual.
named() {
    local missing
    missing=$("$DLPROF_TUI" "--list=$1" | tail -n +2 | cut -f "$2" | sort -u |
        while IFS= read -r name; do
            grep -qF -- "${3:-}$name" "$work/man" || echo "$name"
        done)
    check "the manual names all $1${missing:+, but not: $missing}" test -z "$missing"
}
named options 1 --
named reports 1
named columns 3
named views 3
named actions 6
named detectors 1
named formats 1
finish
