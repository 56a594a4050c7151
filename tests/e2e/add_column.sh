#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks that adding a column takes one row in one file: the build plants a row in a copy of the
# source (tests/CMakeLists.txt), and the column must appear in the list, the man page, CSV, JSON,
# the filter and the sort.
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

tiny=$work/tiny.sqlite
"$DLPROF_GEN" tiny "$tiny" >/dev/null || exit 1
program=$BUILD_DIR/tests/planted_column

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
