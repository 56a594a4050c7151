#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Adding a column is one row in one file: this plants one in a copy of the sources, builds it, and
# finds it in the list, the man page, CSV, JSON, the filter and the sort, with nothing else touched.
set -u
work= # made by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

tiny=$work/tiny.sqlite
"$DLPROF_GEN" tiny "$tiny" >/dev/null || exit 1
mkdir -p "$work/tree/tests"
cp -r "$SOURCE_DIR"/{CMakeLists.txt,cmake,src,themes,rules,man,docs,LICENSE,NOTICE} "$work/tree/"
: >"$work/tree/tests/CMakeLists.txt"
sed -i '/^static const struct column columns\[\] = {/a\
    {"planted", "Planted Time (ns)", "planted", UNIT_NS, get_gpu, "Planted by a test.", 0},' \
    "$work/tree/src/analysis/report_ops.c"
build() {
    cmake -S "$work/tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DBUILD_TESTING=OFF \
        -DDLPROF_SANITIZE= && cmake --build "$work/build" --target dlprof-tui
}
if ! build >"$work/log" 2>&1; then
    tail -20 "$work/log"
    not_ok "the tree with one more column builds"
    finish
fi
ok "the tree with one more column builds"
program=$work/build/dlprof-tui

check "list" run 0 "$program" --list=columns
check "... has it" said "^ops	planted	Planted Time (ns)"
check "man" run 0 "$program" --man="$SOURCE_DIR/man/dlprof-tui.1.in"
check "... has it" said "Planted by a test"
check "CSV" run 0 "$program" --print=ops --formats=csv "$tiny"
check "... has it" said "Planted Time (ns)"
check "JSON" run 0 "$program" --print=ops --formats=json "$tiny"
check "... has it" said '"planted"'
printf '%s\n' ":view ops" ":sort -planted" ":filter planted>0ns" >"$work/keys"
check "sort and filter" run 0 "$program" --script="$work/keys" --size=160x30 --dump "$tiny"
check "... the screen has it" said "planted"
finish
