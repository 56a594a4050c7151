// SPDX-License-Identifier: Apache-2.0
// Replaces placeholders in texts: "{undo}" by the current key of the action `undo`, or its command.
#include <stdio.h>
#include <string.h>

#include "ui/term/action.h"

// If the text begins with a placeholder, returns its action and sets *length to its length;
// otherwise returns ACTION_NONE.
static enum action placeholder(const char *text, size_t *length)
{
    char name[32];
    const char *end = *text == '{' ? strchr(text, '}') : NULL;
    *length = end ? (size_t)(end - text) + 1 : 0;
    if (!end || *length - 2 >= sizeof name)
        return ACTION_NONE;
    memcpy(name, text + 1, *length - 2);
    name[*length - 2] = 0;
    return action_find(name);
}

struct text_sink {
    char *out;
    size_t size, length; // length of the whole text, including the part that did not fit
};

static void put(struct text_sink *sink, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++, sink->length++)
        if (sink->length + 1 < sink->size)
            sink->out[sink->length] = bytes[i];
}

static void put_key_or_command(struct text_sink *sink, enum action action, const char *percent)
{
    char name[KEY_NAME_SIZE];
    const char *key = action_first_key(action, name);
    if (strcmp(key, "%") == 0)
        key = percent;
    if (!*key)
        put(sink, ":", 1);
    put(sink, *key ? key : actions[action].name, strlen(*key ? key : actions[action].name));
}

// Writes the text with its placeholders replaced, cut to `size` bytes. Returns the full length.
// `percent` is written for the key %: "%%" in a printf format.
static size_t fill(char *out, size_t size, const char *text, const char *percent)
{
    struct text_sink sink = {out, size, 0};
    while (*text) {
        size_t length;
        enum action action = placeholder(text, &length);
        if (action != ACTION_NONE)
            put_key_or_command(&sink, action, percent);
        else
            put(&sink, text, length = 1);
        text += length;
    }
    if (size > 0)
        out[sink.length < size ? sink.length : size - 1] = 0;
    return sink.length;
}

const char *action_text(const char *text, struct arena *arena)
{
    size_t size = fill(NULL, 0, text, "%") + 1;
    char *out = arena_alloc(arena, size, 1);
    fill(out, size, text, "%");
    return out;
}

const char *action_format(char *out, size_t size, const char *format)
{
    fill(out, size, format, "%%");
    return out;
}

const char *action_doc(enum action action, char out[ACTION_DOC_SIZE])
{
    fill(out, ACTION_DOC_SIZE, actions[action].doc, "%");
    return out;
}
