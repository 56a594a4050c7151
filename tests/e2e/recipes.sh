#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Does each recipe of CONTRIBUTING.md in a copy of the tree, and counts the files that it touches and the
# objects that are compiled again. The result is built and asked for what was added.
# shellcheck disable=SC2317,SC1003 # functions are called through check; a line ends in a backslash
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

# The copy has the layout of the checkout, so that ccache knows its objects.
copy=$BUILD_DIR/recipes/tree
build=$copy/build/plain
mkdir -p "$copy"
git -C "$SOURCE_DIR" rev-parse >/dev/null 2>&1 || { echo "skip recipes: no git checkout"; exit 77; }
(cd "$SOURCE_DIR" && git ls-files -z cmake src tests/CMakeLists.txt tests/bench tests/gen rules themes man docs python CMakeLists.txt \
    CMakePresets.json LICENSE NOTICE README.md | xargs -0 cp -u --parents --preserve=timestamps -t "$copy") || exit 1
# What has moved, or was left by a recipe that broke off, goes.
(cd "$copy" && find src -type f | while read -r path; do
    if [ ! -e "$SOURCE_DIR/$path" ]; then rm -f "$path"
    elif ! cmp -s "$SOURCE_DIR/$path" "$path"; then cp -p "$SOURCE_DIR/$path" "$path"
    fi
done; find src -type d -empty -delete)
command -v ccache >/dev/null && export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$copy CCACHE_NOHASHDIR=1 \
    CCACHE_DIR="${CCACHE_DIR:-${HOME:-/tmp}/.cache/ccache}" # ctest has no XDG_CACHE_HOME
make_it() { cmake --build "$build" --target dlprof-tui >"$work/build.log" 2>&1 || { tail -20 "$work/build.log"; return 1; }; }
(cd "$copy" && cmake --preset plain -DBUILD_TESTING=OFF >"$work/configure.log" 2>&1) || { cat "$work/configure.log"; exit 1; }
check "a copy of the tree builds" make_it || finish
"$DLPROF_GEN" tiny "$work/tiny.sqlite" >/dev/null || exit 1

files=0 objects=0
# new PATH: a new file of the copy, from standard input.
new() { cat >"$copy/src/$1" && files=$((files + 1)) && echo "$1" >>"$work/touched"; }
# line PATH AFTER LINE: adds LINE behind the first line of PATH that contains AFTER.
line() {
    python3 - "$copy/src/$1" "$2" "$3" <<'PY' && files=$((files + 1)) && echo "$1" >>"$work/touched"
import sys
path, after, line = sys.argv[1:]
lines = open(path).read().split("\n")
at = next(i for i, text in enumerate(lines) if after in text)
open(path, "w").write("\n".join(lines[:at + 1] + [line] + lines[at + 1:]))
PY
}
# recipe NAME FILES OBJECTS COMMAND...: at most so many files were touched and objects compiled; then COMMAND.
recipe() {
    local name=$1 most_files=$2 most_objects=$3
    shift 3
    (cd "$copy" && cmake --preset plain -DBUILD_TESTING=OFF >/dev/null 2>&1)
    if make_it; then
        objects=$(grep -c 'Building C object' "$work/build.log")
        echo "# $name: $files files, $objects objects"
        check "$name: at most $most_files files" test "$files" -le "$most_files"
        check "$name: at most $most_objects objects" test "$objects" -le "$most_objects"
        check "$name works" "$@"
    else
        not_ok "$name builds"
    fi
    # As it was; with new times, so that it is compiled again.
    while read -r path; do
        if [ -e "$SOURCE_DIR/src/$path" ]; then cp "$SOURCE_DIR/src/$path" "$copy/src/$path"; else rm -rf "$copy/src/${path:?}"; fi
    done <"$work/touched"
    rm -f "$work/touched"
    files=0
    make_it || not_ok "$name: the copy builds again"
}
shows_in_list() { "$build/dlprof-tui" "--list=$1" | grep -q "$2"; } # LIST PATTERN

# --- the recipes -----------------------------------------------------------------------------------

line analysis/reports/report_ops.c 'static const struct column columns[] = {' \
    '{"planted", "Planted Time (ns)", "planted", UNIT_NS, get_gpu, "Planted by a test.", 0},'
column_is_there() {
    shows_in_list columns '^ops	planted' &&
        "$build/dlprof-tui" --print=ops --formats=csv "$work/tiny.sqlite" | grep -q 'Planted Time (ns)' &&
        "$build/dlprof-tui" --print=ops --formats=json "$work/tiny.sqlite" | grep -q '"planted"' &&
        printf ':view ops\n:sort -planted\n:filter planted>0ns\n' >"$work/keys" &&
        "$build/dlprof-tui" --script="$work/keys" --size=160x30 --dump "$work/tiny.sqlite" | grep -q planted &&
        "$build/dlprof-tui" --man="$SOURCE_DIR/man/dlprof-tui-reports.7.in" | grep -q 'Planted by a test'
}
recipe "a column" 1 3 column_is_there

sed 's/report_candidates/report_planted/; s/"candidates"/"planted"/' \
    "$copy/src/analysis/reports/report_candidates.c" >"$work/planted.c"
new analysis/reports/report_planted.c <"$work/planted.c"
line analysis/reports/report_list.c '    X(candidates)' '    X(planted) \'
report_is_there() {
    shows_in_list reports '^planted' && "$build/dlprof-tui" --print=planted "$work/tiny.sqlite" >/dev/null &&
        printf ':view planted\n' >"$work/keys" &&
        "$build/dlprof-tui" --script="$work/keys" --dump "$work/tiny.sqlite" | grep -q 'candidates; taken'
}
recipe "a report" 2 3 report_is_there

sed 's/detect_device_copies/detect_planted/; s/DETECTOR_DECLARE(device_copies)/DETECTOR_DECLARE(planted)/
     s/\.id = "device_copies"/.id = "planted"/; s/&detect_device_copies/\&detect_planted/' \
    "$copy/src/analysis/detectors/detect_device_copies.c" >"$work/planted.c"
new analysis/detectors/detect_planted.c <"$work/planted.c"
line analysis/detectors/detector_list.c '    X(fp64)' '    X(planted) \'
recipe "a detector" 2 3 shows_in_list detectors '^planted'

new analysis/export/export_planted.c <<'C'
// SPDX-License-Identifier: Apache-2.0
// A format planted by a test: the number of rows.
#include "analysis/export/export_shared.h"

static bool planted_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    (void)arena;
    return fprintf(file, "%zu rows\n", export_row_count(table)) > 0;
}

const struct export_format export_planted = {
    .name = "planted", .extension = "planted", .doc = "Planted by a test.", .write = planted_write};
C
line analysis/export/export_list.c '    X(json)' '    X(planted) \'
format_is_there() {
    shows_in_list formats '^planted' &&
        "$build/dlprof-tui" --print=ops --formats=planted "$work/tiny.sqlite" | grep -q '^[0-9]* rows$'
}
recipe "an export format" 2 3 format_is_there

new ui/views/view_planted.c <<'C'
// SPDX-License-Identifier: Apache-2.0
// A view planted by a test: launches under another name.
#include "ui/actions/table_view.h"

const struct view_class view_planted = {
    .name = "planted", .title = "Planted", .report = "launches", TABLE_VIEW, .doc = "Planted by a test"};
C
line ui/app/view_list.c '    X(flame)' '    X(planted) \'
view_is_there() {
    shows_in_list views '^planted' && printf ':view planted\n' >"$work/keys" &&
        "$build/dlprof-tui" --script="$work/keys" --size=160x30 --dump "$work/tiny.sqlite" | grep -q Planted
}
recipe "a view" 2 3 view_is_there

new model/markers/marker_planted.c <<'C'
// SPDX-License-Identifier: Apache-2.0
// A dialect planted by a test: "planted NAME" is an op.
#include <string.h>

#include "model/markers/marker_dialects.h"

bool marker_planted(const struct marker_text *text, struct marker *marker)
{
    if (!marker_text_begins(text, "planted "))
        return false;
    marker->kind = MARKER_OP;
    marker->title = marker_intern(text, text->text + strlen("planted "), text->length - strlen("planted "));
    return true;
}
C
line model/markers/markers.c '    X(library)' '    X(planted) \'
prints() { "$build/dlprof-tui" "--print=$1" "$work/tiny.sqlite" | grep -q optimizer; }
# A range of the profile gets the text.
cp "$work/tiny.sqlite" "$work/text.sqlite"
sqlite3 "$work/text.sqlite" "UPDATE StringIds SET value = 'planted rose' WHERE value = 'optimizer.step'" 2>/dev/null
sqlite3 "$work/text.sqlite" "UPDATE NVTX_EVENTS SET text = 'planted rose' WHERE text = 'optimizer.step'" 2>/dev/null
dialect_is_read() {
    "$build/dlprof-tui" --print=ops "$work/text.sqlite" | grep -q '^ *rose ' &&
        "$DLPROF_TUI" --print=ops "$work/text.sqlite" | grep -q '^ *planted rose '
}
recipe "a dialect" 2 3 dialect_is_read

mkdir -p "$copy/src/model/planted"
new model/planted/load_planted.c <<'C'
// SPDX-License-Identifier: Apache-2.0
// A format planted by a test: a file that begins with "PLANTED" and is always refused.
#include <string.h>

#include "model/profile/loader.h"

static int probe(const char *path, const unsigned char *head, size_t size, struct error *error)
{
    (void)path;
    (void)error;
    return size >= 7 && memcmp(head, "PLANTED", 7) == 0 ? 100 : 0;
}

static bool load(const struct load_request *request, struct profile *profile, struct error *error)
{
    (void)profile;
    return error_set(error, ERROR_DATA, "%s: planted", request->path);
}

const struct loader planted_loader = {
    .name = "planted", .doc = "Planted by a test", .probe = probe, .load = load, .no_digest_reason = "planted"};
C
line model/open/loader.c '    X(dict_loader)' '    X(planted_loader) \'
echo model/planted >>"$work/touched"
echo PLANTED >"$work/planted"
format_opens() { "$build/dlprof-tui" "$work/planted" 2>&1 </dev/null | grep -q 'planted: planted'; }
recipe "an input format" 2 3 format_opens

line ui/app/action_list.c '.run = app_quit_now},' \
    '    {.name = "planted", .keys = "", .scope = ALL, .group = PROGRAM,
        .doc = "planted by a test", .run = app_help},'
recipe "an action" 1 3 shows_in_list actions '^planted'

# The row is part of a struct: whoever uses a selection is compiled again.
line analysis/report/selection.h '#define SELECTION_FIELDS(X)' '    X(uint32_t, planted, ROW_NONE, SAME) \'
recipe "a field of the selection" 1 400 prints ops
finish
