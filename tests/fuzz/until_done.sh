#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# until_done.sh FUZZER MINUTES: runs a fuzzer until MINUTES of its CPU time have found no new edge in the
# target code, which its "Aims at:" lines name (by default all of src/).
#
# The build is optimised and without sanitizers, which allows several times as many inputs; the inputs
# kept are replayed with sanitizers (`./dev soak` starts from them). Nothing is inlined or unrolled, so
# that each edge of the source counts once. A restart continues with the inputs found before.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

name=$1 quiet=$(($2 * 60)) source=tests/fuzz/fuzz_$1.c
[ -f "$source" ] || { echo "fuzz: no fuzzer is called $name" >&2; exit 1; }
folder=build/aim/$name found=build/fuzz/work/fuzz_$name/found
mkdir -p "$folder" "$found"

read -r -a aims <<<"$(sed -n 's,^// Aims at: ,,p' "$source" | xargs)"
printf 'src:*/src/%s\n' "${aims[@]:-*}" >"$folder/aims"
echo 'fun:*' >>"$folder/aims"
once="-gline-tables-only -fno-inline -fno-unroll-loops -fno-vectorize -fno-slp-vectorize"
# No compiler cache: it does not notice changes of the allowlist.
cmake -S . -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang \
    -DBUILD_TESTING=OFF -DDLPROF_FUZZ=ON -DCMAKE_C_COMPILER_LAUNCHER= \
    -DCMAKE_C_FLAGS="-DFUZZ_AIMS -fsanitize-coverage-allowlist=$PWD/$folder/aims $once" >"$folder/configure.log"
cmake --build "$folder/build" --target "fuzz_$name" >"$folder/build.log" ||
    { cat "$folder/build.log" >&2; exit 1; }

options=()
[ ! -f "tests/fuzz/$name.dict" ] || options+=("-dict=tests/fuzz/$name.dict")
[ ! -d "tests/fuzz/corpus/$name" ] || options+=("tests/fuzz/corpus/$name")
# Edges count once, not by how often they are reached: otherwise most inputs kept only repeat others.
"$folder/build/tests/fuzz_$name" -use_counters=0 -seed=$((RANDOM * 32768 + RANDOM + 1)) -len_control=0 -entropic=0 \
    -timeout=60 -rss_limit_mb=4096 -detect_leaks=0 -artifact_prefix="$folder/" \
    "$found" "${options[@]}" >/dev/null 2>"$folder/log" &
fuzzer=$!
trap 'kill -INT $fuzzer 2>/dev/null || true' EXIT
ticks=$(getconf CLK_TCK)

# Prints the latest numbers of inputs and edges in the log.
figures() { awk '/cov: / { runs = substr($1, 2); edges = $4 } END { print runs + 0, edges + 0 }' "$folder/log"; }

edges=0 last=0 shown=0
while sleep 2 && stat=$(cat "/proc/$fuzzer/stat" 2>/dev/null); do
    read -r -a fields <<<"${stat##*) }"
    [ "${fields[0]}" != Z ] || break
    cpu=$(((fields[11] + fields[12]) / ticks))
    read -r runs now <<<"$(figures)"
    if [ "$now" -gt "$edges" ]; then edges=$now last=$cpu; fi
    if [ $((cpu - shown)) -ge 60 ]; then
        shown=$cpu
        echo "$name: $runs inputs, $edges edges, $cpu s of CPU time, $((cpu - last)) s since the last new edge"
    fi
    if [ $((cpu - last)) -ge "$quiet" ]; then
        echo "$name: done. $runs inputs, $edges edges, $cpu s of CPU time, none new in the last $((cpu - last)) s"
        exit
    fi
done
tail -5 "$folder/log" >&2
echo "$name: it stopped by itself; what it stopped at is in $folder" >&2
exit 1
