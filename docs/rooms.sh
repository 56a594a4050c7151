#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Draws docs/rooms.svg, the arrows between the rooms, from what the build links.
#
#     docs/rooms.sh BUILD [SVG]
#
# BUILD is a configured build folder. CMake writes its targets as a graph; the rooms of
# cmake/rooms.cmake are kept, an arrow that follows from others is left out (tred), and an arrow
# points from a room to one that it stands on, so that the lowest room is at the bottom. Boxes have
# sizes of their own and the order is that of rooms.cmake: the layout does not depend on fonts.
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[ -f "${1:?a configured build folder}/CMakeCache.txt" ] ||
    { printf '%s: not configured: %s\n' "$0" "$1" >&2; exit 1; }
build=$(cd "$1" && pwd)
svg=${2:-$source_dir/docs/rooms.svg}
work=$(mktemp -d)
# CMake reads these options from the source or the build folder only.
options=$build/CMakeGraphVizOptions.cmake
trap 'rm -rf "$work" "$options"' EXIT

cat >"$options" <<'OPTIONS'
set(GRAPHVIZ_EXECUTABLES FALSE)
set(GRAPHVIZ_EXTERNAL_LIBS FALSE)
set(GRAPHVIZ_INTERFACE_LIBS FALSE)
set(GRAPHVIZ_GENERATE_PER_TARGET FALSE)
set(GRAPHVIZ_GENERATE_DEPENDERS FALSE)
OPTIONS
cmake --graphviz="$work/targets.dot" "$build" >"$work/cmake.log" 2>&1 ||
    { cat "$work/cmake.log" >&2; exit 1; }

# The rooms in their order, then CMake's nodes ("node3" [ label = "model_ops" ...]) and edges.
sed -n 's/^add_room(\([a-z_/]*\).*/\1/p' "$source_dir/cmake/rooms.cmake" >"$work/rooms"
awk '
    FNR == NR {
        name = $1
        gsub("/", "_", name)
        position[name] = ++count
        label[count] = $1
        next
    }
    match($0, /"node[0-9]+" \[ label = "[^"]+"/) {
        split($0, part, "\"")
        sub(/\\n.*/, "", part[4]) # an alias follows the name
        target[part[2]] = part[4]
        next
    }
    match($0, /"node[0-9]+" -> "node[0-9]+"/) {
        split($0, part, "\"")
        from[++edges] = part[2]
        to[edges] = part[4]
    }
    END {
        print "digraph rooms {"
        print "graph [ranksep=0.35, nodesep=0.2, bgcolor=white]"
        print "node [shape=box, style=filled, fixedsize=true, height=0.3, fontname=Helvetica, fontsize=12]"
        print "edge [color=\"#555555\", arrowsize=0.6]"
        fill["base"] = "#eeeeee"; fill["model"] = "#dcecff"; fill["analysis"] = "#e0f5dc"
        fill["ui"] = "#fff0d0"; fill["cli"] = "#f9dede"
        for (i = 1; i <= count; i++) {
            floor = label[i]
            sub("/.*", "", floor)
            color = floor in fill ? fill[floor] : "#ffffff"
            printf "\"%s\" [width=%.2f, fillcolor=\"%s\"]\n", label[i], 0.35 + 0.088 * length(label[i]), color
        }
        for (i = 1; i <= edges; i++) {
            a = position[target[from[i]]]
            b = position[target[to[i]]]
            if (a && b && a != b) wanted[a, b] = 1
        }
        for (a = 1; a <= count; a++)
            for (b = count; b >= 1; b--)
                if ((a, b) in wanted) printf "\"%s\" -> \"%s\"\n", label[a], label[b]
        print "}"
    }' "$work/rooms" "$work/targets.dot" >"$work/rooms.dot"

tred "$work/rooms.dot" >"$work/reduced.dot"
dot -Tsvg "$work/reduced.dot" >"$work/rooms.svg"
# The comments name the version of Graphviz.
sed -e '/^<!--.*-->$/d' -e '/^<!--/,/-->$/d' "$work/rooms.svg" >"$work/clean.svg"
mv "$work/clean.svg" "$svg"
