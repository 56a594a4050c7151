// SPDX-License-Identifier: Apache-2.0
// FSDP's ranges, some of which contain the module: `FSDP::pre_forward (encoder.block.14.layer.1)`.
#include "model/markers/marker_dialects.h"

#include <string.h>

bool marker_fsdp(const struct marker_text *text, struct marker *marker)
{
    if (!marker_text_begins(text, "FSDP::") &&
        !marker_text_begins(text, "FullyShardedDataParallel."))
        return false;
    marker->dialect = DIALECT_FSDP;
    marker->kind = MARKER_PLAIN;
    const char *open = memchr(text->text, '(', text->length);
    if (!open || text->text[text->length - 1] != ')')
        return true;
    const char *path = open + 1;
    size_t length = (size_t)(text->text + text->length - 1 - path);
    size_t title = (size_t)(open - text->text);
    while (title && text->text[title - 1] == ' ')
        title--;
    if (!length || !title)
        return true;
    marker->kind = MARKER_LAYER;
    marker->path = marker_intern(text, path, length);
    marker->title = marker_intern(text, text->text, title);
    return true;
}
