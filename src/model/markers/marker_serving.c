// SPDX-License-Identifier: Apache-2.0
// Steps of inference servers, whose ranges say what is in the batch. Each text is one pass of the
// model; a table has their forms.
//
// The numbers differ in each step and are not part of the title, but a step without prefill differs
// from one with it: a number becomes N, and 0 remains. Ranges inside a step, as vLLM's layer-wise
// ones, have dialects of their own (marker_module_dict.c). vLLM's long form and SGLang's are
// verified with captures, the others follow the sources of the frameworks.
#include "model/markers/marker_dialects.h"

#include <string.h>

// In a form a letter after @ stands for a number: of the step (i), of requests in prefill (a) and
// decode (b), of all (r), of tokens in prefill (t), decode (u) and both (k), of anything (_).
// @* stands for anything without ) or ], which may be nothing, and @~ for a list of words and
// numbers up to the last bracket (step_content.h), which also name the kind if the form does not.
static const struct serving_form {
    const char *form;
    const char *family; // the name of the steps of a server, whatever they do
    enum step_kind kind;
} forms[] = {
    // vLLM: 2026, with details, until 2025
    {"execute_context_@a(@t@*)_generation_@b(@u@*)", "execute", 0},
    {"execute_@k_context_@a(sq@t@*)_generation_@b(sq@u@*)", "execute", 0},
    {"execute_@k_context_@a(@t@*)_generation_@b(@u@*)", "execute", 0},
    {"execute_new_@a_cached_@b", "execute", 0},
    // xDiT: height and width of an image
    {"execute_diffusion_@__@_x@_", "execute_diffusion", 0},
    // SGLang and ATOM
    {"step[@~]", "step[...]", 0},
    {"prefill[@~]", "prefill[...], decode[...]", STEP_PREFILL},
    {"decode[@~]", "prefill[...], decode[...]", STEP_DECODE},
    {"mixed[@~]", "prefill[...], decode[...]", STEP_MIXED},
    // TensorRT-LLM, and its encoder's requests
    {"[Executor] _forward_step @i: @a ctx reqs, @t ctx tokens, @b gen reqs",
     "[Executor] _forward_step", 0},
    {"[Executor] _forward_step @i: @a ctx reqs, @b gen reqs", "[Executor] _forward_step", 0},
    {"[Executor] _forward_step: @a ctx reqs, @b gen reqs", "[Executor] _forward_step", 0},
    {"[Executor] _forward_step: @r mm reqs", "[Executor] _forward_step", 0},
    {"[Executor] _forward_step @i", "[Executor] _forward_step", 0},
};

enum { MAX_LENGTH = 400 };

struct serving_text { // a text as one of the forms
    char title[MAX_LENGTH];
    size_t used;
    int64_t number[128]; // by letter of the form
    bool has_letter[128];
    const char *list; // what @~ stands for; NULL: nothing
    size_t list_length;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Copies `length` bytes to the title, with N for each number that is not 0.
static void add_to_title(struct serving_text *found, const char *text, size_t length)
{
    for (size_t i = 0, end; i < length; i = end) {
        bool is_zero = true;
        for (end = i; end < length && is_digit(text[end]); end++)
            is_zero = is_zero && text[end] == '0';
        found->title[found->used++] = end == i ? text[i] : is_zero ? '0' : 'N';
        end += end == i;
    }
}

static size_t number_end(const char *text, size_t length, size_t at)
{
    while (at < length && is_digit(text[at]))
        at++;
    return at;
}

static bool match_form(const char *text, size_t length, const char *form,
                       struct serving_text *found)
{
    size_t i = 0;
    if (!length || *text != *form)
        return false;
    found->used = 0;
    found->list = NULL;
    memset(found->has_letter, 0, sizeof found->has_letter);
    for (; *form; form++) {
        if (*form != '@') {
            if (i == length || text[i] != *form)
                return false;
            found->title[found->used++] = text[i++];
            continue;
        }
        size_t from = i;
        unsigned char letter = (unsigned char)*++form;
        if (letter == '~')
            i = length - (length > i); // the last bracket must be the last character
        else if (letter == '*')
            while (i < length && text[i] != ')' && text[i] != ']')
                i++;
        else if ((i = number_end(text, length, i)) == from)
            return false;
        if (letter == '~') {
            found->list = text + from;
            found->list_length = i - from;
        }
        found->has_letter[letter] = true;
        found->number[letter] = step_number_value(text + from, i - from);
        if (letter == 'i') // step 0 is a step like all others
            found->title[found->used++] = 'N';
        else
            add_to_title(found, text + from, i - from);
    }
    return i == length;
}

// Returns the number of a letter, 0 if the form lacks it.
static int64_t number_of(const struct serving_text *found, unsigned char letter)
{
    return found->has_letter[letter] ? found->number[letter] : 0;
}

static int64_t sum(int64_t a, int64_t b)
{
    return a == UNKNOWN || b == UNKNOWN ? UNKNOWN : a + b;
}

static struct step_content content_of(const struct serving_form *form,
                                      const struct serving_text *found)
{
    struct step_content content = step_content_none;
    if (found->list)
        content = step_content_read(found->list, found->list_length);
    if (form->kind)
        content.kind = form->kind;
    int64_t prefill = number_of(found, 'a'), decode = number_of(found, 'b');
    int64_t *figures = content.figures;
    if (found->has_letter['a']) {
        content.kind = prefill && decode ? STEP_MIXED
                       : prefill         ? STEP_PREFILL
                       : decode          ? STEP_DECODE
                                         : STEP_IDLE;
        figures[STEP_REQUESTS] = sum(prefill, decode);
        figures[STEP_PREFILLS] = prefill;
    }
    if (found->has_letter['r'])
        figures[STEP_REQUESTS] = found->number['r'];
    if (found->has_letter['t'])
        figures[STEP_PREFILL_TOKENS] = found->number['t'];
    if (found->has_letter['u'])
        figures[STEP_TOKENS] = sum(number_of(found, 't'), found->number['u']);
    return content;
}

bool marker_serving(const struct marker_text *text, struct marker *marker)
{
    struct serving_text found;
    if (text->length > MAX_LENGTH)
        return false;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!match_form(text->text, text->length, forms[i].form, &found))
            continue;
        struct step_content content = content_of(&forms[i], &found);
        if (found.list && !step_content_says(&content)) // `step[3]` may be anything
            return false;
        marker->kind = MARKER_STEP;
        marker->dialect = DIALECT_SERVING;
        marker->title = marker_intern(text, found.title, found.used);
        marker->type = strings_intern_text(text->strings, forms[i].family);
        marker->number = found.has_letter['i'] ? found.number['i'] : UNKNOWN;
        if (step_content_says(&content)) {
            struct step_content *said = ARENA_NEW(text->arena, struct step_content);
            *said = content;
            marker->content = said;
        }
        return true;
    }
    return false;
}
