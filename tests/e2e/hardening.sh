#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the protections requested from compiler and linker are in the program, and in a
# release build by either compiler.
# shellcheck disable=SC2317,SC2016 # functions are called through check; $ belongs to assembler text
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
command -v objdump >/dev/null || { echo "skip: no binutils"; exit 77; }

has() { readelf "$1" -W "$2" | grep -qE "$3"; }
lacks() { ! has "$@"; }
calls() { objdump -d --no-show-raw-insn "$1" | grep -qE "$2"; }
knows() { echo 'int main(void) { return 0; }' | "$1" "$2" -xc -c -o /dev/null - 2>/dev/null; }
begins_with() { objdump -d --no-show-raw-insn --disassemble=main "$1" | grep -A1 '<main>:' | grep -q "$2"; }

# linked NAME PROGRAM: checks the protections by the linker.
linked() {
    check "$1: at a place that nobody knows" has -h "$2" 'Type: *DYN'
    check "$1: the stack is not executed" has -l "$2" 'GNU_STACK.* RW '
    check "$1: addresses of functions are read-only" has -l "$2" GNU_RELRO
    check "$1: ... all of them" has -d "$2" 'FLAGS.*NOW'
    check "$1: its code is not changed" lacks -d "$2" TEXTREL
    check "$1: libraries from the system's folders only" lacks -d "$2" 'RPATH|RUNPATH'
    check "$1: guards on the stack" has --dyn-syms "$2" '__stack_chk_fail'
}
linked "the program" "$DLPROF_TUI"

for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || { echo "skip $compiler: not here"; continue; }
    if ! cmake -S "$SOURCE_DIR/tests/hardening" -B "$work/$compiler" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_COMPILER="$compiler" >"$work/log" 2>&1 || ! cmake --build "$work/$compiler" >>"$work/log" 2>&1; then
        tail "$work/log"
        not_ok "$compiler: a program is built"
        continue
    fi
    program=$work/$compiler/hardening
    linked "$compiler" "$program"
    check "$compiler: copies know how much room there is" has --dyn-syms "$program" '__strcpy_chk'
    run 134 sh -c '"$0" "$(head -c 70000 /dev/zero | tr "\0" x)"' "$program"
    check "$compiler: ... and end where there is too little" said "buffer overflow detected"
    if knows "$compiler" -fstack-clash-protection; then
        # The pattern names an x86 register; other machines have a probe too, which is not checked.
        [ "$(uname -m)" != x86_64 ] || check "$compiler: large frames touch every page" \
            calls "$program" 'sub +\$0x1000,%rsp'
    fi
    if knows "$compiler" -fcf-protection; then
        check "$compiler: calls by address go to where functions begin" begins_with "$program" endbr64
    fi
done
finish
