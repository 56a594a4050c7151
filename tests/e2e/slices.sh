#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The slices of `./dev soak`: each part is in exactly one slice, and everything that CI leaves out
# is a part.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # made by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
cd "$SOURCE_DIR" || exit 1

./dev soak --list | sort >"$work/whole"
check "a soak has items" test "$(wc -l <"$work/whole")" -gt 100
{
    for file in tests/unit/test_*.c; do printf '%s\n' {long,threads,valgrind}" $(basename "$file" .c)"; done
    for file in tests/e2e/*.sh; do echo "long e2e_$(basename "$file" .sh)"; done
    for file in tests/fuzz/fuzz_*.c; do echo "fuzz $(basename "$file" .c)"; done
    for file in $(find src -name '*.c' -exec dirname {} + | sort -u); do echo "tidy $file"; done
} >"$work/wanted"
check "all that CI leaves out" test -z "$(sort "$work/wanted" | comm -23 - "$work/whole")"
for slices in 3 12; do
    for ((i = 1; i <= slices; i++)); do ./dev soak --list --slice="$i/$slices" 10; done | sort >"$work/union"
    check "$slices slices are the whole" cmp "$work/whole" "$work/union"
done
check "slice 0 of 3 is refused" run 1 ./dev soak --list --slice=0/3
check "slice 4 of 3 is refused" run 1 ./dev soak --list --slice=4/3
finish
