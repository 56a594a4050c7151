#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The rooms of src/: an include of a room above does not compile, no circle of rooms exists, and each room
# has a README and files of its own.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
cd "$SOURCE_DIR" || exit 1

# compile ROOM HEADER: compiles a file of ROOM that includes HEADER, with the room's own flags.
compile() {
    local command
    command=$(python3 - "$BUILD_DIR/compile_commands.json" "$SOURCE_DIR/src/$1/" <<'PY'
import json, os, shlex, sys
for entry in json.load(open(sys.argv[1])):
    if os.path.dirname(entry["file"]) + "/" == sys.argv[2]:
        words = shlex.split(entry["command"])
        keep = [w for w in words if w.startswith(("-I", "-D", "-std"))]
        print(shlex.join(["cc"] + keep + ["-fsyntax-only", "-x", "c", "-"]))
        break
PY
    )
    [ -n "$command" ] || { echo "# no file of $1 is compiled"; return 2; }
    (cd "$BUILD_DIR" && echo "#include \"$2\"" | eval "$command") 2>"$work/said"
}

# refused ROOM HEADER: the header exists, and ROOM does not find it.
refused() {
    [ -e "src/$2" ] || { echo "# no src/$2"; return 1; }
    compile "$1" "$2"
    [ $? = 1 ] && grep -q "No such file" "$work/said"
}

check "base sees itself" compile base base/arena.h
check "base is below base/text" refused base base/text/text.h
check "base/text is below base/parse" refused base/text base/parse/yaml.h
check "base is below the model" refused base/parse model/profile/profile.h
check "the model is below analysis" refused model/open analysis/report/report.h
check "model/profile is below model/ops" refused model/profile model/ops/ops.h
check "analysis is below the screen" refused analysis/export ui/term/canvas.h
check "analysis/sums is below analysis/tree_sums" refused analysis/sums analysis/tree_sums/tree_sums.h
check "ui/state is below ui/actions" refused ui/state ui/actions/table_view.h
check "analysis/report is below analysis/sums" refused analysis/report analysis/sums/op_metrics.h
check "the screen is below the command line" refused ui/app cli/cli.h
check "ui/term is below ui/table" refused ui/term ui/table/table.h
check "a view does not see the app" refused ui/views ui/app/app.h

# --- all rooms together -------------------------------------------------------------------------

python3 - >"$work/house" <<'PY'
import collections, os, re
rooms, arrows = {}, collections.defaultdict(set)
for folder, _, names in os.walk("src"):
    files = [n for n in names if n.endswith((".c", ".h"))]
    if files:
        rooms[folder[4:]] = files
for room, files in rooms.items():
    for name in files:
        for path in re.findall(r'^#include "([^"]+)"', open("src/%s/%s" % (room, name)).read(), re.M):
            other = os.path.dirname(path)
            if other != room and other in rooms:
                arrows[room].add(other)
done, path = set(), []
def visit(room):
    if room in path:
        print("circle", " -> ".join(path[path.index(room):] + [room]))
        return
    if room in done:
        return
    path.append(room)
    for other in sorted(arrows[room]):
        visit(other)
    path.pop()
    done.add(room)
declared = open("cmake/rooms.cmake").read()
for room in sorted(rooms):
    visit(room)
    if all("HEADERS %s/%s " % (room, name) in declared for name in rooms[room]):
        continue # headers that a room below lends its name to
    readme = "src/%s/README.md" % room
    lines = len(open(readme).readlines()) if os.path.exists(readme) else 0
    if not 0 < lines <= 25:
        print("readme", room, lines)
    if len(rooms[room]) > 42:
        print("crowded", room, len(rooms[room]))
    # A new folder of src/model is the room of an input format by itself.
    if "add_room(%s " % room not in declared and not room.startswith("model/"):
        print("undeclared", room)
for name in os.listdir("src"):
    if os.path.isfile("src/" + name) and name != "README.md":
        print("loose", name)
PY
for what in circle readme crowded undeclared loose; do
    grep "^$what" "$work/house" | sed 's/^/# /'
    check "no $what" fails grep -q "^$what" "$work/house"
done

python3 tests/e2e/room_symbols.py "$BUILD_DIR" >"$work/symbols"
check "symbols are looked at" grep -qE '^[0-9]{4,} symbols of [0-9]{2} rooms' "$work/symbols"
grep '^declared' "$work/symbols" | sed 's/^/# /'
check "a header declares what its own room defines" fails grep -q '^declared' "$work/symbols"
grep '^upward' "$work/symbols" | sed 's/^/# /'
check "no room uses a symbol of one that it does not stand on" fails grep -q '^upward' "$work/symbols"

python3 tests/e2e/file_circles.py "$BUILD_DIR" >"$work/circles"
check "files are looked at" test "$(wc -l <"$work/circles")" -gt 5
awk '$2 >= 15 { print "# circle of files:", $0 }' "$work/circles" | tee "$work/large"
check "no circle of 15 files in a room" test ! -s "$work/large"

# --- names --------------------------------------------------------------------------------------

# A tag that two files define means two things.
grep -rhoE '^(struct|enum|union) [a-z_0-9]+ *(\{.*)?$' src --include='*.[ch]' |
    sed 's/ *{.*$//' | sort | uniq -d >"$work/tags"
sed 's/^/# twice: /' "$work/tags"
check "tags of structs are unique over the tree" test ! -s "$work/tags"

# --- memory -------------------------------------------------------------------------------------

# The count comes first: arena_alloc(arena, sizeof *dict, _Alignof(struct dict)) is 8 of them.
# transposed FILE...: prints calls of arena_alloc() whose count is a size or whose size is none.
transposed() {
    grep -rPzo --include='*.[ch]' 'arena_alloc\([^,;]*,\s*(sizeof|_Alignof)[^;]*;|arena_alloc\([^;]*,\s*_Alignof[^;]*;' \
        "$@" | tr '\0' '\n'
}
mkdir "$work/planted"
echo 'struct dict *dict = arena_alloc(profile->arena, sizeof *dict, _Alignof(struct dict));' >"$work/planted/a.c"
check "a size in place of a count is found" test -n "$(transposed "$work/planted")"
transposed src tests | tee "$work/transposed" | sed 's/^/# /'
check "arena_alloc() gets a count, then a size" test ! -s "$work/transposed"

# --- what documents of the code point to --------------------------------------------------------

while read -r aim; do
    check "a fuzzer's aim: $aim" test -n "$(find src -path "src/$aim" -print -quit)"
done < <(grep -rh '^// Aims at: ' tests/fuzz | sed 's,^// Aims at: ,,' | tr ' ' '\n')
finish
