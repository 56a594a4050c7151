// SPDX-License-Identifier: Apache-2.0
// Draws the lines above and below the view: title, tabs, scope, messages, footer.
#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/place/selection_text.h"
#include "analysis/steps/step_sets.h"
#include "analysis/trust/trust.h"
#include "base/sums.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/open/run_folder.h"
#include "model/ops/ops.h"
#include "model/profile/ranks.h"
#include "ui/actions/app_panes.h"
#include "ui/actions/candidates.h"
#include "ui/app/hints.h"
#include "ui/app/input.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/rows/cache.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/comparing.h"
#include "ui/state/findings.h"
#include "ui/state/messages.h"
#include "ui/state/mouse.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/steps.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"

// In a smaller window only a message is drawn.
enum { LEAST_WIDTH = 30, LEAST_HEIGHT = 8 };

// Returns the number of processes that sent work to a GPU; workers of data loaders are not counted.
static uint32_t process_count(const struct profile *profile)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < profile->process_count; p++)
        count += profile->processes[p].gpus != PROCESS_NO_GPU;
    return count ? count : profile->process_count;
}

// Returns "4 x H100": the most frequent name of the GPUs that ran work.
static const char *devices_text(const struct profile *profile, bool is_wide, struct arena *arena)
{
    uint32_t used = 0, first = ROW_NONE;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (!profile->devices[d].has_work)
            continue;
        first = first == ROW_NONE ? d : first;
        used++;
    }
    if (used == 0)
        return "no GPU work";
    const char *name = profile_text(profile, profile->devices[first].name);
    if (strncmp(name, "NVIDIA ", 7) == 0)
        name += 7;
    size_t length = is_wide ? strlen(name) : strcspn(name, " ");
    // "Tesla T4" and "GeForce RTX 3090" need their second word.
    if (!is_wide && (strncmp(name, "Tesla ", 6) == 0 || strncmp(name, "GeForce ", 8) == 0 ||
                     strncmp(name, "Quadro ", 7) == 0 || strncmp(name, "RTX ", 4) == 0)) {
        const char *rest = name + length + 1;
        name = strncmp(name, "RTX ", 4) == 0 ? name : rest;
        length = strlen(name);
    }
    char count[FORMAT_SIZE];
    if (*name == 0)
        return arena_format(arena, "%s", format_counted(count, used, "GPU"));
    return arena_format(arena, "%u × %.*s", used, (int)length, name);
}

// Trust is unknown until the profile is complete.
static const char *trust_text(const struct app *app, struct arena *arena)
{
    if (app->profile->stage != STAGE_READY)
        return "partial: loading";
    struct selection selection = host_selection(app);
    const struct trust_checks *checks = trust_checks_of(app->profile, &selection, arena);
    const char *mark = app->canvas->ascii ? "ok" : "✓";
    if (checks->doubts)
        return arena_format(arena, "trust: %zu ‼ see 0", checks->doubts);
    return checks->counts[TRUST_OK] == checks->count
               ? arena_format(arena, "trust: all %s", mark)
               : arena_format(arena, "trust: %zu/%zu %s", checks->counts[TRUST_OK], checks->count,
                              mark);
}

// Returns the length of the meaningful part of a version: "2022.1.3.3" of "2022.1.3.3-1c7b5f7", all
// of "dlprof-tui v0.1.0".
static int version_length(const char *version)
{
    // Longer versions are cut, so that the other texts of the title have room.
    enum { MAX_VERSION = 24 };
    size_t length = strcspn(version, "0123456789");
    length += strcspn(version + length, "-");
    return length < MAX_VERSION ? (int)length : MAX_VERSION;
}

// Names the run if there are several: the files of all runs may have equal names.
static const char *name_text(const struct app *app, struct arena *arena)
{
    const struct app_options *options = app->options;
    char count[FORMAT_SIZE];
    if (!options->path)
        return "";
    if (!options->runs || options->run >= options->runs->count)
        return profile_files_text(app->profile, options->path, arena);
    const struct folder_run *run = &options->runs->items[options->run];
    return arena_format(arena, "%s (%s)", text_safe(arena, run->name, strlen(run->name), true),
                        format_counted(count, run->count, "file"));
}

static void title_draw(struct app *app)
{
    struct canvas *canvas = app->canvas;
    const struct profile *profile = app->profile;
    struct arena *arena = canvas->frame;
    bool is_wide = canvas->width >= 140;
    canvas_fill(canvas, (struct area){0, 0, canvas->width, 1}, STYLE_TITLE, ' ');
    const char *trust = trust_text(app, arena);
    int trust_width = canvas_width(trust);
    const struct capture *capture = &profile->capture;
    uint32_t processes = process_count(profile);
    char count[FORMAT_SIZE];
    const char *text = arena_format(arena, "%s · %s", devices_text(profile, is_wide, arena),
                                    format_counted(count, processes, "proc"));
    if (capture->framework && *capture->framework)
        text = arena_format(arena, "%s · %s", text, capture->framework);
    if (is_wide && capture->cuda && *capture->cuda)
        text = arena_format(arena, "%s · CUDA %s", text, capture->cuda);
    if (is_wide && capture->driver && *capture->driver)
        text = arena_format(arena, "%s · driver %s", text, capture->driver);
    if (profile->source_count && profile->sources[0].version && *profile->sources[0].version)
        text =
            arena_format(arena, "%s · %s %.*s", text, profile->sources[0].format,
                         version_length(profile->sources[0].version), profile->sources[0].version);
    if (is_wide && capture->started && *capture->started)
        text = arena_format(arena, "%s · captured %s", text, capture->started);
    if (is_wide && profile->source_count) {
        char bytes[FORMAT_SIZE];
        int64_t all = 0;
        for (uint32_t s = 0; s < profile->source_count; s++)
            all = add_saturating(all, profile->sources[s].bytes);
        text = arena_format(arena, "%s · %s", text, format_bytes(bytes, all));
    }
    int room = canvas->width - trust_width - 4;
    const char *name = name_text(app, arena);
    int name_width = canvas_width(name);
    int text_width = canvas_width(text);
    int name_least = profile->file_window ? 44 : 24; // the part of the file must stay readable
    int name_room = room - text_width - 3 > name_least ? room - text_width - 3 : name_least;
    name_width = name_width < name_room ? name_width : name_room;
    canvas_fit(canvas, 1, 0, name_width, STYLE_TITLE, FIT_MIDDLE, name);
    if (room - name_width - 3 > 8)
        canvas_fit(canvas, name_width + 4, 0, room - name_width - 3, STYLE_TITLE, FIT_LEFT, text);
    for (int x = 1; x < 1 + name_width; x++)
        canvas->cells[x].style = STYLE_TITLE;
    if (canvas->width > 40)
        canvas_text_in(canvas, canvas->width - trust_width - 1, 0, trust_width, STYLE_TITLE, trust);
}

// Returns the view with a digit that has `class` as another face of it; `class` itself if there is
// none.
static const struct view_class *tab_of(const struct app *app, const struct view_class *class)
{
    for (size_t i = 0; i < view_count && !class->digit; i++)
        if (views[i]->digit && view_class_face(app, views[i]) == class)
            return views[i];
    return class;
}

static void tabs_draw(struct app *app, int y)
{
    struct canvas *canvas = app->canvas;
    const struct view *top = host_front_view(app);
    const struct view_class *active = tab_of(app, top->class);
    // In a drill-down the tab of the view where it began is active.
    for (size_t i = app->places->depth; i-- > 0 && !active->digit;)
        active = tab_of(app, app->places->trail[i]->class);
    if (app->is_live) // keeps the count up to date even if no view asks for findings
        host_findings(app);
    size_t findings =
        app->findings->is_known ? expert_count(&app->findings->list, SEVERITY_WARNING) : 0;
    bool is_long = canvas->width >= 130, is_bare = canvas->width < 70;
    int x = 0;
    for (size_t i = 0; i < view_count; i++) {
        const struct view_class *class = views[i];
        if (!class->digit)
            continue;
        const char *name = is_bare && class != active ? "" : is_long ? class->title : class->tab;
        char count[24] = "";
        if (strcmp(class->name, "expert") == 0 && host_findings_pending(app) && !is_bare)
            snprintf(count, sizeof count, "·...");
        else if (strcmp(class->name, "expert") == 0 && findings && !is_bare)
            snprintf(count, sizeof count, "·%zu", findings);
        const char *text =
            arena_format(canvas->frame, "%c%s%s%s", class->digit, *name ? " " : "", name, count);
        int width = canvas_width(text);
        if (x + width + 2 > canvas->width)
            break;
        canvas_text(canvas, x + 1, y, class == active ? STYLE_TAB_ACTIVE : STYLE_TAB, text);
        app_add_zone(app, x, y, width + 2, (uint32_t) class->digit);
        if (class == active) {
            canvas_put(canvas, x, y, STYLE_TAB_ACTIVE, '[');
            canvas_put(canvas, x + width + 1, y, STYLE_TAB_ACTIVE, ']');
        }
        x += width + 1 + is_long;
    }
    int end = canvas->width;
    if (app->places->panes.count > 1 && app->places->panes.shown[0].width == 0 &&
        end - x > 6) { // one of several
        end -= 4;
        canvas_format(canvas, end, y, 4, STYLE_STRONG, "%u/%u", app->places->panes.focus + 1,
                      app->places->panes.count);
    }
    if (!top->class->digit && end - x > 6)
        canvas_fit(canvas, x + 1, y, end - x - 2, STYLE_TAB_ACTIVE, FIT_LEFT,
                   arena_format(canvas->frame, "› %s", top->class->title));
}

// Returns which steps are left out and why, in the longest form that fits into `room`; "" if none
// fits.
static const char *left_out_steps_text(struct app *app, const struct selection *selection, int room)
{
    // A view of its own set of steps, such as the tree of step 17, omits none.
    if (selection->iterations != app->scope->iterations)
        return "";
    for (enum omitted_steps_form form = 0; form < OMITTED_STEPS_FORMS; form++) {
        const char *out = app_out_text(app, form, app->canvas->frame);
        const char *text = out ? arena_format(app->canvas->frame, "; out: %s", out) : "";
        if (canvas_width(text) <= room)
            return text;
    }
    const char *count =
        arena_format(app->canvas->frame, "; %u out",
                     selection->split->count - selection_iteration_count(selection));
    return canvas_width(count) <= room ? count : "";
}

static void scope_draw(struct app *app, int y)
{
    struct canvas *canvas = app->canvas;
    struct selection selection = view_selection(host_top_view(app));
    const char *text = selection_text(app->profile, &selection, canvas->frame);
    int room = canvas->width - 2;
    if (app->profile->stage != STAGE_READY) {
        text = "partial: what has been read so far; steps are not known yet";
    } else {
        const char *out = left_out_steps_text(app, &selection, room - canvas_width(text));
        bool is_all = app->profile->device_count > 1 && selection.device == ROW_NONE &&
                      selection.process == ROW_NONE;
        int used = canvas_width(text) + canvas_width(out);
        // "All GPUs" is the default and is dropped first.
        const char *gpus = is_all && used + 10 <= room ? ", all GPUs" : "";
        text = arena_format(canvas->frame, "%s%s%s", text, gpus, out);
    }
    const struct view *top = host_top_view(app);
    if (top->report != top->base || (view_is(top, "summary") && host_is_comparing(app))) {
        // Shows both sides of a comparison, each in its half. Side B is the profile on screen.
        const char *baseline_text = app_baseline_text(app, canvas->frame);
        text = arena_format(canvas->frame, "B: %s", text);
        int half = (room - 3) / 2, right = canvas_width(text);
        int left = right < half ? room - 3 - right : half;
        left = canvas_width(baseline_text) < left ? canvas_width(baseline_text) : left;
        canvas_fit(canvas, 1, y, left, STYLE_SCOPE, FIT_LEFT, baseline_text);
        canvas_fit(canvas, 1 + left + 3, y, room - left - 3, STYLE_SCOPE, FIT_LEFT, text);
        return;
    }
    canvas_fit(canvas, 1, y, room, STYLE_SCOPE, FIT_MIDDLE, text);
}

// Draws the F-keys of actions that have a label and apply to the view.
static void footer_draw(struct app *app, int y)
{
    struct canvas *canvas = app->canvas;
    const struct view_class *class = host_top_view(app)->class;
    int x = 1, total = 0, gap = 2;
    const char *flip = class->flip_label;
    if (class->flip)
        view_flip(host_top_view(app), &flip);
    for (int pass = 0; pass < 2; pass++) { // measures, then draws
        for (uint32_t f = KEY_F1; f <= KEY_F12; f++) {
            enum action action = action_of_key(f, view_kinds(host_top_view(app)));
            char name[KEY_NAME_SIZE];
            if (action == ACTION_NONE || !actions[action].label ||
                (action == ACTION_FLIP && !class->flip_label) ||
                (actions[action].applies && !actions[action].applies(host_top_view(app))))
                continue;
            const char *label = action == ACTION_FLIP ? flip : actions[action].label;
            const char *key = key_text(f, name);
            int need = canvas_width(key) + 1 + canvas_width(label);
            total += pass == 0 ? need + gap : 0;
            if (pass == 0 || x + need > canvas->width)
                continue;
            app_add_zone(app, x, y, need, f);
            x += canvas_text(canvas, x, y, STYLE_KEY, key) + 1;
            x += canvas_text(canvas, x, y, STYLE_LABEL, label) + gap;
        }
        gap = total > canvas->width ? 1 : 2;
    }
}

// Keys of a menu, a box or the candidates over the view. While one is open, the keys of the view do
// not work.
struct open_hint {
    const char *keys, *text; // NULL ends the list
};
enum { OPEN_HINTS = 5 };
static const struct open_hint candidates_hints[OPEN_HINTS] = {
    {"{enter}", "takes it"},
    {"{cancel}", "as before"},
    {"{down} {up}", "the run is cut anew"},
    {"1 2 3 4", "view above"}};
static const struct open_hint box_hints[OPEN_HINTS] = {{"{cancel}", "closes"},
                                                       {"{down} {up}", "scroll"}};
static const struct open_hint menu_hints[OPEN_HINTS] = {
    {"{enter}", "takes it"}, {"{cancel}", "closes"}, {"{down} {up}", "move"}};
static const struct open_hint staying_menu_hints[OPEN_HINTS] = {
    {"{mark}", "turns it"}, {"{enter}", "closes"}, {"{down} {up}", "move"}};

// Returns the hints of the menu, box or candidates over the view; NULL if none is open.
static const struct open_hint *hints_of_open(const struct app *app)
{
    if (app->box->is_open)
        return box_hints;
    if (app->menu->is_open)
        return app->menu->stays ? staying_menu_hints : menu_hints;
    return app->candidates->is_open ? candidates_hints : NULL;
}

static void open_hints_draw(struct canvas *canvas, int y, const struct open_hint *hints)
{
    int x = 1;
    for (; hints->keys; hints++) {
        const char *keys = action_text(hints->keys, canvas->frame);
        if (x + canvas_width(keys) + 1 + canvas_width(hints->text) >= canvas->width)
            break;
        x += canvas_text(canvas, x, y, STYLE_KEY, keys) + 1;
        x += canvas_text(canvas, x, y, STYLE_DIM, hints->text) + 3;
    }
}

static void status_draw(struct app *app, int y)
{
    struct canvas *canvas = app->canvas;
    if (app->prompt->kind != PROMPT_NONE)
        prompt_draw(app, canvas, y);
    else if (app->messages->text[0])
        canvas_fit(canvas, 1, y, canvas->width - 2,
                   app->messages->is_error ? STYLE_BAD : STYLE_WARNING, FIT_LEFT,
                   app->messages->text);
    else if (hints_of_open(app))
        open_hints_draw(canvas, y, hints_of_open(app));
    else if (app->messages->loading[0])
        canvas_fit(canvas, 1, y, canvas->width - 2, STYLE_GOOD, FIT_LEFT, app->messages->loading);
    else if (!host_top_view(app)->is_late) // hints depend on the rows of the view
        hints_draw(host_top_view(app), canvas, y);
}

static bool draw_body(void *context, struct error *error)
{
    struct app *app = context;
    struct canvas *canvas = app->canvas;
    (void)error;
    struct view *view = host_front_view(app);
    if (!view)
        return true;
    view_refresh_async(view);
    if (canvas->width < LEAST_WIDTH || canvas->height < LEAST_HEIGHT) {
        canvas_wrap(canvas, (struct area){0, 0, canvas->width, canvas->height}, STYLE_WARNING,
                    "The window is too small: 30x8 at least.");
        return true;
    }
    int above = app_lines_above(app);
    app_draw_views(app);
    title_draw(app);
    if (above > 1)
        tabs_draw(app, 1);
    if (above > 2)
        scope_draw(app, 2);
    status_draw(app, canvas->height - 2);
    footer_draw(app, canvas->height - 1);
    candidates_draw(app, canvas);
    if (app->menu->is_open)
        menu_draw(app, canvas);
    if (app->box->is_open)
        box_draw(app, canvas);
    return true;
}

void frame_draw(struct app *app)
{
    struct error error = {0};
    unsigned pane = app->places->panes.focus;
    canvas_clear(app->canvas);
    app->mouse->zone_count = 0;
    if (!arena_run(app->canvas->frame, draw_body, app, &error))
        canvas_wrap(app->canvas, (struct area){0, 0, app->canvas->width, app->canvas->height},
                    STYLE_BAD, error.message);
    app_focus_pane(app, pane); // also if drawing failed
    cache_end_frame(app->cache);
}
