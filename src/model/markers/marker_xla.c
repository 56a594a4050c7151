// SPDX-License-Identifier: Apache-2.0
// XLA, and thus JAX: the ranges that its GPU executable pushes in the domain TSL.
//
//     XlaModule:#prefix=jit(step)/jit(main),hlo_module=jit_step,program_id=9#
//     Thunk:#name=transpose(jvp(Net))/layers_3/dot_general,hlo_op=gemm_fusion_dot.5#
//     Thunk:#hlo_op=fusion.3,hlo_module=jit_step#
//
// An XlaModule range is a whole program; it encloses a Thunk range for each of its ops.
//
// `name` is the op_name of the program's source if the compiler kept it: its scopes joined by
// slashes. Based on XLA's source code; not verified with a real capture.
#include "model/markers/marker_dialects.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool span_begins(const char *text, size_t length, const char *prefix)
{
    return length >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

// Returns the length of an instruction's name without its unique suffixes: `fusion` of
// `fusion.3.remat2`.
static size_t base_length(const char *name, size_t length)
{
    for (;;) {
        const char *dot = memrchr(name, '.', length);
        if (!dot || dot == name)
            return length;
        const char *tail = dot + 1;
        size_t size = (size_t)(name + length - tail), digits = 0;
        while (digits < size && isdigit((unsigned char)tail[digits]))
            digits++;
        if (digits < size && !span_begins(tail, size, "remat") && !span_begins(tail, size, "clone"))
            return length;
        length = (size_t)(dot - name);
    }
}

// Returns whether an instruction only runs others, which have ranges inside its range.
static bool is_control(const char *type, size_t length)
{
    static const char *const types[] = {"while", "call", "conditional", "command_buffer",
                                        "command-buffer"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i]) == length && memcmp(types[i], type, length) == 0)
            return true;
    return false;
}

// Copies the scopes of an op_name to `out`, each followed by a slash, and returns their length.
// Arguments, as in `dot_general[precision=None]`, are not copied, nor is the program at the
// beginning, `jit(step)/jit(main)`, which the enclosing range names.
static size_t copy_scopes(const struct text_span *name, char *out)
{
    size_t used = 0;
    bool has_scope = false; // a scope that is kept has been seen
    for (size_t i = 0, end; i < name->length; i = end + 1) {
        const char *scope = name->text + i;
        int depth = 0;
        size_t length = 0; // bytes of this part to keep
        for (end = i; end < name->length && (depth > 0 || name->text[end] != '/'); end++) {
            char c = name->text[end];
            depth += c == '[';
            if (depth == 0 && length == end - i)
                length++;
            depth -= c == ']' && depth > 0;
        }
        bool is_program = span_begins(scope, length, "jit(") || span_begins(scope, length, "pjit(");
        has_scope |= !is_program;
        if (!length || !has_scope)
            continue;
        memcpy(out + used, scope, length);
        out[used + length] = '/';
        used += length + 1;
    }
    return used;
}

static void set_thunk(const struct marker_text *text, struct marker *marker,
                      const struct text_span *op)
{
    struct text_span name = {"", 0};
    marker_annotation(text, "name", &name);
    char *title = ARENA_ARRAY(text->arena, char, name.length + op->length + 2);
    size_t scopes = copy_scopes(&name, title);
    if (scopes)
        marker->path = marker_intern(text, title, scopes - 1);
    // JAX expresses backward as the transpose of a derivative.
    marker->is_backward = memmem(title, scopes, "transpose(jvp(", 14) != NULL;
    memcpy(title + scopes, op->text, op->length);
    marker->title = marker_intern(text, title, scopes + op->length);
    size_t type = base_length(op->text, op->length);
    marker->type = marker_intern(text, op->text, type);
    marker->kind = is_control(op->text, type) ? MARKER_PLAIN : MARKER_OP;
    marker->dialect = DIALECT_XLA;
}

// Fills the marker of a program. Its number is not part of the title, since it changes with each
// compilation.
static void set_module(const struct marker_text *text, struct marker *marker,
                       const struct text_span *module)
{
    char *title = arena_format(text->arena, "XlaModule %.*s",
                               (int)(module->length < 200 ? module->length : 200), module->text);
    marker->title = strings_intern_text(text->strings, title);
    marker->type = strings_intern_text(text->strings, "XlaModule");
    marker->dialect = DIALECT_XLA;
}

bool marker_xla(const struct marker_text *text, struct marker *marker)
{
    struct text_span value;
    if (strcasecmp(text->domain, "TSL") != 0)
        return false;
    if (marker_text_begins(text, "Thunk:#") && marker_annotation(text, "hlo_op", &value) &&
        value.length)
        set_thunk(text, marker, &value);
    else if (marker_text_begins(text, "XlaModule:#") &&
             marker_annotation(text, "hlo_module", &value) && value.length)
        set_module(text, marker, &value);
    else
        return false;
    return true;
}
