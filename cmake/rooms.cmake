# SPDX-License-Identifier: Apache-2.0
# The rooms of src/, lowest first. ON lists the rooms that a room depends on directly.

# --- base: knows nothing of profiles -----------------------------------------------------------

add_room(base EXTRA ${PROJECT_BINARY_DIR}/embedded.c ON Threads::Threads PRIVATE zlib libm)
add_room(base/text ON base PRIVATE pcre2 libm)
add_room(base/parse ON base/text PRIVATE yaml zlib libm)

# --- model: a profile as columns, and what reads one --------------------------------------------

add_room(model/profile ON base/text)
add_room(model/markers ON model/profile base/parse)
add_room(model/rules ON model/markers PRIVATE libm)
add_room(model/ops ON model/rules)
add_room(model/derive ON model/ops)
add_room(model/steps ON model/ops PRIVATE libm)
add_room(model/sqlite ON model/profile sqlite3)
add_room(model/nsys ON model/sqlite model/derive)
add_room(model/nvprof ON model/nsys)
add_room(model/dldb ON model/nsys model/steps)
add_room(model/dict ON model/derive)
add_room(model/kineto ON model/derive)
add_room(model/digest ON model/derive)
set(formats model/digest model/nsys model/nvprof model/dldb model/dict model/kineto)

# Any other folder of src/model is the room of an input format and stands on model/derive.
file(GLOB folders CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src src/model/*)
foreach(room IN LISTS folders)
    string(REPLACE "/" "_" name ${room})
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room} AND NOT TARGET ${name} AND NOT room STREQUAL "model/open")
        add_room(${room} ON model/derive)
        list(APPEND formats ${room})
    endif()
endforeach()

# The formats are linked and not seen: one more of them compiles loader.c alone.
list(TRANSFORM formats REPLACE "/" "_")
list(TRANSFORM formats REPLACE "(.+)" "$<LINK_ONLY:\\1>")
add_room(model/open ON model/derive PRIVATE model_digest ${formats})

# --- analysis: from a profile and a selection to rows -------------------------------------------

add_room(analysis/report ON model/steps PRIVATE libm)
add_room(analysis/breakdown ON analysis/report PRIVATE libm)
add_room(analysis/trust ON analysis/report)
add_room(analysis/sums ON analysis/breakdown)
add_room(analysis/tree_sums ON analysis/sums)
add_room(analysis/steps ON analysis/breakdown PRIVATE libm)
add_room(analysis/op_runs ON analysis/sums)
add_room(analysis/memory ON analysis/report)
add_room(analysis/idle ON analysis/sums analysis/steps)
add_room(analysis/plugin ON analysis/idle)
add_room(analysis/timeline ON analysis/breakdown analysis/memory)
add_room(analysis/detect ON analysis/plugin analysis/op_runs analysis/memory analysis/tree_sums PRIVATE libm)
add_room(analysis/place ON analysis/idle analysis/memory)
add_room(analysis/detectors/dlprof ON analysis/detect)
add_room(analysis/detectors ON analysis/detectors/dlprof analysis/place PRIVATE libm)
add_room(analysis/reports/dlprof ON analysis/detectors)
add_room(analysis/reports/plugin ON analysis/detectors)
add_room(analysis/reports ON analysis/reports/dlprof analysis/reports/plugin analysis/trust PRIVATE libm)
add_room(analysis/compare ON analysis/reports PRIVATE libm)
add_room(analysis/export ON analysis/reports model/dldb PRIVATE sqlite3 libm)

# --- ui and cli: the user interface -------------------------------------------------------------

set(action_ids ${PROJECT_BINARY_DIR}/generated/ui/term/action_ids.h)
action_ids(${action_ids} ${PROJECT_SOURCE_DIR}/src/ui/app/action_list.c)
add_room(ui/term EXTRA ${action_ids} ON base/parse PRIVATE ncursesw)
target_include_directories(ui_term PUBLIC ${PROJECT_BINARY_DIR}/generated)
add_room(ui/widgets ON ui/term analysis/breakdown)
add_room(ui/table ON ui/widgets analysis/compare analysis/export)
add_room(ui/rows ON analysis/report)
add_room(ui/state HEADERS ui/host.h ON ui/rows ui/table analysis/timeline model/open)
add_room(ui/overlay ON ui/state)
add_room(ui/actions ON ui/overlay)
add_room(ui/views ON ui/actions PRIVATE libm)
add_room(ui/flame ON ui/actions)
add_room(ui/timeline ON ui/actions)
add_room(ui/session ON ui/actions)
add_room(ui/app ON ui/views ui/flame ui/timeline ui/session)

add_room(cli ON ui/app model/nsys model/digest)
