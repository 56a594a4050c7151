// SPDX-License-Identifier: Apache-2.0
// Some tables have rows that are sentences, too long for a column. The sentence under the cursor is
// shown in full below such a table.
#include "base/text/text.h"
#include "ui/actions/table_view.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/widgets/list.h"

struct area view_cut_sentence(const struct view *view, struct area *area)
{
    // Lines of the sentence with its rule; minimum lines that remain for the table.
    enum { LINES = 3, MIN_LIST = 8 };
    bool is_meant = view->class->sentence && !view->table.has_detail;
    int height = is_meant && area->height >= MIN_LIST + LINES ? LINES : 0;
    area->height -= height;
    return (struct area){area->x, area->y + area->height, area->width, height};
}

void view_draw_sentence(struct view *view, struct canvas *canvas, struct area area)
{
    struct view_legend sentence;
    char key[KEY_NAME_SIZE];
    if (area.height == 0 || !view->class->sentence(view, &sentence))
        return;
    const char *enter_text = view->class->enters(view);
    struct area rule = {area.x, area.y, area.width, 1};
    struct area text = {area.x + 1, area.y + 1, area.width - 2, area.height - 1};
    canvas_rule(canvas, rule.x, rule.y, rule.width, sentence.head);
    if (enter_text)
        scroll_hint_draw(
            canvas, rule,
            arena_format(canvas->frame, "%s %s", action_first_key(ACTION_ENTER, key), enter_text));
    canvas_wrap(canvas, text, STYLE_TEXT,
                text_display_units(canvas->frame, sentence.text, canvas->ascii));
}
