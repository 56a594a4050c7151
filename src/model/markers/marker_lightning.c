// SPDX-License-Identifier: Apache-2.0
// PyTorch Lightning's PyTorchProfiler, which NeMo uses for training:
//
//     [pl][module]torch.nn.modules.linear.Linear: model.layers.3.mlp    a module's forward
//     [pl][profile]run_training_batch                                   a part of its loop
//
// Based on its source code; not verified with a real capture.
#include "model/markers/marker_dialects.h"

#include <string.h>

bool marker_lightning(const struct marker_text *text, struct marker *marker)
{
    static const char module[] = "[pl][module]", part[] = "[pl][profile]";
    if (marker_text_begins(text, part) && text->length >= sizeof part) {
        marker->dialect = DIALECT_LIGHTNING;
        marker->title =
            marker_intern(text, text->text + sizeof part - 1, text->length - (sizeof part - 1));
        return true;
    }
    if (!marker_text_begins(text, module))
        return false;
    const char *class = text->text + sizeof module - 1, *end = text->text + text->length;
    const char *colon = memmem(class, (size_t)(end - class), ": ", 2);
    if (!colon || colon == class || colon + 2 == end)
        return false;
    marker->dialect = DIALECT_LIGHTNING;
    marker->kind = MARKER_LAYER;
    marker->module = marker_intern(text, class, (size_t)(colon - class));
    marker->path = marker_intern(text, colon + 2, (size_t)(end - colon - 2));
    marker->title = marker->path;
    return true;
}
