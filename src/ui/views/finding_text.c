// SPDX-License-Identifier: Apache-2.0
// Draws the full text of a finding: parts with a head, wrapped.
#include "ui/views/finding_text.h"

#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/place/selection_text.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/widgets/list.h"

// Draws a part from line `at` of the area on (negative: above it), clipped to the area. Returns the
// number of its lines.
static int part_draw(struct canvas *canvas, struct area area, int at, const char *head,
                     const char *text)
{
    // Width of the head at the left of a part.
    enum { HEAD = 9 };
    if (!text || !*text || area.width < HEAD + 10)
        return 0;
    if (at >= 0 && at < area.height)
        canvas_text_in(canvas, area.x, area.y + at, HEAD, STYLE_HEADER, head);
    int above = at < 0 ? -at : 0;
    struct area body = {area.x + HEAD, area.y + at + above, area.width - HEAD,
                        area.height - at - above};
    return canvas_wrap_from(canvas, body, above, STYLE_TEXT,
                            text_display_units(canvas->frame,
                                               text_safe(canvas->frame, text, strlen(text), true),
                                               canvas->ascii));
}

static const char *bound_text(const struct finding *finding, struct canvas *canvas)
{
    char time[FORMAT_SIZE], percent[FORMAT_SIZE];
    if (finding->gain_ns == UNKNOWN || finding->gain_ns <= 0)
        return NULL;
    return arena_format(canvas->frame,
                        "at most %s (%s %%)%s%s; no other finding counts "
                        "this time",
                        format_duration(time, finding->gain_ns, canvas->ascii),
                        format_percent(percent, finding->share), finding->certainty ? ", " : "",
                        certainty_names[finding->certainty]);
}

// Returns the selection of the rows, as far as it differs from the scope: "   (GPU 2)".
static const char *evidence_scope(const struct app *app, const struct finding *finding,
                                  struct arena *arena)
{
    struct selection scope = host_selection(app);
    const char *whole = selection_text(host_profile(app), &scope, arena);
    const char *text = selection_text(host_profile(app), &finding->evidence, arena);
    size_t length = strlen(whole);
    if (strncmp(text, whole, length) == 0 && (text[length] == 0 || text[length] == ','))
        text += length + strspn(text + length, ", ");
    return *text ? arena_format(arena, "   (%s)", text) : "";
}

static const char *opens_text(const struct app *app, const struct finding *finding,
                              struct arena *arena)
{
    const struct view_class *class = finding->opens ? view_class_find(finding->opens) : NULL;
    if (!finding->opens)
        return NULL;
    return arena_format(arena, "%s opens the rows: %s%s", action_text("{enter}", arena),
                        class ? class->title : finding->opens, evidence_scope(app, finding, arena));
}

int finding_lines(const struct app *app, struct canvas *canvas, struct area area, int top,
                  const struct finding *finding)
{
    const char *flag =
        finding->flag && *finding->flag
            ? arena_format(canvas->frame, "capture again with %s   (%s: the whole line)",
                           finding->flag, action_text("{capture-line}", canvas->frame))
            : NULL;
    const struct {
        const char *head, *text;
    } parts[] = {{"What", finding->problem},
                 {"Why", finding->why},
                 {"Do", finding->recommendation},
                 {"Bound", bound_text(finding, canvas)},
                 {"Where", expert_place_text(finding, canvas->frame)},
                 {"Capture", flag},
                 {"Proof", opens_text(app, finding, canvas->frame)}};
    int at = -top;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        at += part_draw(canvas, area, at, parts[i].head, parts[i].text);
    return at + top;
}

// Returns the id of a finding, with the source line if known, else the path in the op tree, and
// with the title if there is room.
static const char *head_text(const struct finding *finding, int room, struct arena *arena)
{
    const char *where = finding->source ? finding->source : finding->place;
    const char *head = where ? arena_format(arena, "%s · %s", finding->detector->id, where)
                             : finding->detector->id;
    const char *full = arena_format(arena, "%s   %s", head, finding->detector->title);
    return !where || canvas_width(full) <= room ? full : head;
}

void finding_draw(const struct app *app, struct canvas *canvas, struct area area,
                  const struct finding *finding, int *top)
{
    struct area rule = {0, area.y, canvas->width, 1}, none = {area.x, area.y, area.width, 0};
    area.y++;
    area.height--;
    int lines = finding_lines(app, canvas, none, 0, finding);
    int max_top = lines > area.height ? lines - area.height : 0;
    *top = *top < max_top ? *top : max_top;
    const char *hint = scroll_hint_text(*top > 0, max_top - *top, canvas->frame);
    int room = rule.width - 5 - (*hint ? canvas_width(hint) + 3 : 0);
    canvas_rule(canvas, rule.x, rule.y, rule.width, NULL);
    canvas_rule(canvas, rule.x, rule.y, room + 5, head_text(finding, room, canvas->frame));
    scroll_hint_draw(canvas, rule, hint);
    finding_lines(app, canvas, area, *top, finding);
}

const char *finding_enters(const struct finding *finding)
{
    return finding->opens ? "the rows that prove it" : NULL;
}
