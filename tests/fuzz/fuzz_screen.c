// SPDX-License-Identifier: Apache-2.0
// Keys, `:` commands with arbitrary arguments, mouse and screen sizes on the profile of a seed;
// for some inputs also a session of the resulting state.
//
// The first byte chooses the profile. Then follow steps: a byte for the kind, others as its data.
//
// Aims at: ui/*/action_lookup.c ui/*/app_columns* ui/*/app_commands* ui/*/app_flame* ui/*/app_input* ui/*/app_mouse* ui/*/app_panes*
// Aims at: ui/*/app_scope* ui/*/app_sets* ui/*/app_split.c ui/*/app_splits* ui/*/app_steps* ui/*/app_table* ui/*/app_timeline*
// Aims at: ui/*/app_trail* ui/*/app_undo* ui/*/bookmarks* ui/*/completion* ui/*/flame_move* ui/*/key.c ui/*/line_edit* ui/*/list*
// Aims at: ui/*/overlay* ui/*/panes* ui/*/prompt* ui/*/table.c ui/*/table_filter* ui/*/table_keep* ui/*/table_marks*
// Aims at: ui/*/table_match* ui/*/table_order* ui/*/table_place* ui/*/table_search* ui/*/table_tree* ui/*/timeline_enter*
// Aims at: ui/*/timeline_link* ui/*/timeline_mouse* ui/*/timeline_move* ui/*/timeline_search*
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile_screen.h"
#include "profile_seed.h"
#include "ui/app/app_life.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_state.h"
#include "ui/state/mouse.h"
#include "ui/state/requests.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MOST = 40 };

struct input {
    const uint8_t *at, *end;
};

static unsigned take(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

// Reads a length and as many bytes of the input.
static void take_text(struct input *input, char text[256])
{
    size_t length = take(input), left = (size_t)(input->end - input->at);
    length = length < left ? length : left;
    memcpy(text, input->at, length);
    text[length] = 0;
    input->at += length;
}

// Reads a meaningful argument, a name that the program knows, or arbitrary text.
static void take_argument(struct input *input, const struct app *app, char text[256])
{
    unsigned kind = take(input), which = take(input);
    const struct report *report = host_top_view(app)->report;
    switch (kind % 9) {
    case 0:
        *text = 0;
        break;
    case 1:
        snprintf(text, 256, "%s", view_name(which % view_name_count()));
        break;
    case 2:
    case 3:
        if (report && report->column_count) {
            static const char *const after[] = {"", " hide", " 7", " first", " 200", " show"};
            snprintf(text, 256, "%s%s", report->columns[which % report->column_count].key,
                     kind % 9 == 3 ? after[take(input) % 6] : "");
            break;
        }
        // fall through
    case 4:
        snprintf(text, 256, "%d", (int)(int8_t)which);
        break;
    case 5:
        snprintf(text, 256, "%s", which % 2 ? "on" : "off");
        break;
    case 6:
        snprintf(text, 256, "%s", seed_whole_path());
        break;
    default:
        take_text(input, text);
    }
}

static void take_command(struct input *input, const struct app *app, char line[400])
{
    char argument[256];
    enum action action = (enum action)(take(input) % action_count);
    take_argument(input, app, argument);
    snprintf(line, 400, "%s %s", actions[action].name, argument);
}

static void press_action(struct app *app, enum action action)
{
    uint32_t key;
    if (!action_key(action, 0, &key))
        key = KEY_ENTER_PRESSED;
    screen_key(app, key);
}

// Types a command or a prefix of one into the open prompt, or after `:`, and then completes it,
// accepts it or leaves it.
static void type_command(struct input *input, struct app *app)
{
    static const uint32_t ends[] = {KEY_TABULATOR, KEY_ENTER_PRESSED, KEY_CURSOR_UP, KEY_BACK_TAB,
                                    KEY_CURSOR_LEFT};
    char line[400];
    take_command(input, app, line);
    unsigned cut = take(input), end = take(input);
    if (app->prompt->kind == PROMPT_NONE)
        press_action(app, ACTION_COMMAND);
    if (cut % 2)
        line[cut / 2 < strlen(line) ? cut / 2 : strlen(line)] = 0;
    screen_type(app, line);
    if (end % 8 < sizeof ends / sizeof *ends)
        screen_key(app, ends[end % 8]);
}

static uint32_t take_mouse(struct input *input)
{
    return KEY_WHEEL_UP + take(input) % (KEY_DROP - KEY_WHEEL_UP + 1);
}

// Clicks one of the places that the last frame declared clickable.
static void press_zone(struct input *input, struct app *app)
{
    unsigned which = take(input);
    uint32_t key = take_mouse(input);
    screen_settle(app);
    if (app->mouse->zone_count == 0)
        return;
    const struct zone *zone = &app->mouse->zones[which % app->mouse->zone_count];
    screen_mouse(app, key, zone->x, zone->y);
}

// Bytes from 128 on are named keys and letters beyond ASCII.
static uint32_t take_key(struct input *input)
{
    uint32_t byte = take(input), special = KEY_SPECIAL + byte % 128;
    if (byte < 128)
        return byte;
    return special > KEY_F12 || key_is_mouse(special) ? 0x4E00 + byte : special;
}

static void step(struct input *input, struct app *app)
{
    char text[256], line[400];
    uint32_t key = 0;
    int x; // read before y, to fix the order of evaluation
    switch (take(input) % 12) {
    case 0:
    case 1:
    case 2: // a key with a meaning
        press_action(app, (enum action)(take(input) % action_count));
        break;
    case 3:
        screen_key(app, KEY_ENTER_PRESSED);
        break;
    case 4:
    case 5:
        take_command(input, app, line);
        screen_command(app, line);
        break;
    case 6: // a line of any kind, or the same typed into the open prompt
        take_text(input, text);
        if (app->prompt->kind == PROMPT_NONE)
            screen_command(app, text);
        else
            screen_type(app, text);
        break;
    case 7:
        key = take_mouse(input);
        x = (int)take(input);
        screen_mouse(app, key, x, (int)take(input) % 80);
        break;
    case 8:
        x = 1 + (int)take(input);
        screen_resize(app, x, 1 + (int)take(input) % 80);
        break;
    case 9:
        type_command(input, app);
        break;
    case 10:
        press_zone(input, app);
        break;
    default:
        screen_key(app, take_key(input));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct input input = {data, data + size};
    struct app *app = screen_open(seed_profile(take(&input)), 100, 30);
    for (int i = 0; i < STEPS_MOST && input.at < input.end && !app->requests->is_done; i++)
        step(&input, app);
    if (!app->requests->is_done && seed_goes_on(size))
        screen_check_session(app);
    app_free(app);
    return 0;
}
