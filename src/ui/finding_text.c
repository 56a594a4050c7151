// SPDX-License-Identifier: Apache-2.0
#include "ui/finding_text.h"

#include <string.h>

#include "base/format.h"
#include "base/text.h"

// Returns how many lines it takes, of which those are drawn that the area has.
static int part_draw(struct canvas *canvas, struct area area, const char *head, const char *text)
{
    enum { HEAD = 9 };
    if (!text || !*text || area.width < HEAD + 10)
        return 0;
    if (area.height > 0)
        canvas_text_in(canvas, area.x, area.y, HEAD, STYLE_HEADER, head);
    struct area body = {area.x + HEAD, area.y, area.width - HEAD, area.height};
    return canvas_wrap_from(canvas, body, 0, STYLE_TEXT,
                            text_safe(canvas->frame, text, strlen(text), true));
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

// What the rows are of, as far as the line of the scope does not say it: "   (GPU 2)".
static const char *evidence_scope(const struct app *app, const struct finding *finding,
                                  struct arena *arena)
{
    struct selection scope = app_selection(app);
    const char *whole = selection_text(app->profile, &scope, arena);
    const char *text = selection_text(app->profile, &finding->evidence, arena);
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
    return arena_format(arena, "Enter opens the rows: %s%s", class ? class->title : finding->opens,
                        evidence_scope(app, finding, arena));
}

int finding_lines(const struct app *app, struct canvas *canvas, struct area area,
                  const struct finding *finding)
{
    const char *flag = finding->flag && *finding->flag
                           ? arena_format(canvas->frame,
                                          "capture again with %s   (R: the whole "
                                          "line)",
                                          finding->flag)
                           : NULL;
    const struct {
        const char *head, *text;
    } parts[] = {{"What", finding->problem},
                 {"Why", finding->why},
                 {"Do", finding->recommendation},
                 {"Bound", bound_text(finding, canvas)},
                 {"Where", expert_where(finding, canvas->frame)},
                 {"Capture", flag},
                 {"Proof", opens_text(app, finding, canvas->frame)}};
    int height = area.height;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int used = part_draw(canvas, area, parts[i].head, parts[i].text);
        area.y += used;
        area.height -= used;
    }
    return height - area.height;
}

void finding_draw(const struct app *app, struct canvas *canvas, struct area area,
                  const struct finding *finding)
{
    canvas_rule(
        canvas, 0, area.y, canvas->width,
        arena_format(canvas->frame, "%s   %s", finding->detector->id, finding->detector->title));
    area.y++;
    area.height--;
    finding_lines(app, canvas, area, finding);
}

const char *finding_enters(const struct finding *finding)
{
    return finding->opens ? "the rows that prove it" : NULL;
}
