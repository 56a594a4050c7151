// SPDX-License-Identifier: Apache-2.0
// Converts the arguments of a marker to numbers, and writes PyProf's text of the parameters of a
// run.
#include "model/rules/formula_params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text_buffer.h"
#include "model/markers/marker_dialects.h"

// ---- arguments as numbers ----------------------------------------------------------------------

// Reads the numbers of "(2, 2)", "[1]" or "3", at most FORMULA_RANK.
static uint32_t read_numbers(const char *text, double *numbers)
{
    // Skipping to these avoids strtod()'s scan over blanks at each position.
    static const char begins[] = "+-.0123456789";
    uint32_t count = 0;
    for (text += strcspn(text, begins); *text && count < FORMULA_RANK;
         text += strcspn(text, begins)) {
        char *end;
        double number = strtod(text, &end);
        if (end > text && isfinite(number))
            numbers[count++] = number;
        text = end > text ? end : text + 1;
    }
    return count;
}

static void read_tensor(struct formula_case *c, const struct marker_argument *argument,
                        struct formula_value *value)
{
    double *numbers = ARENA_ARRAY(c->arena, double, argument->rank + 1U);
    const struct data_type *type = data_type_find(profile_text(c->profile, argument->dtype));
    for (uint32_t i = 0; i < argument->rank; i++)
        numbers[i] = (double)argument->dims[i];
    value->is_there = value->is_tensor = true;
    value->count = argument->rank;
    value->numbers = numbers;
    value->item_bytes = type ? type->bytes : (double)NAN;
}

static void read_value(struct formula_case *c, const struct marker_argument *argument,
                       struct formula_value *value)
{
    const char *type = profile_text(c->profile, argument->type);
    const char *text = profile_text(c->profile, argument->value);
    bool has_text = *text != '\0',
         is_word = strcmp(text, "True") == 0 || strcmp(text, "False") == 0;
    // PyTorch's traces write this type and may leave the value out.
    bool is_any = strcmp(type, "Scalar") == 0;
    bool is_bool = strcmp(type, "bool") == 0 || (is_any && is_word);
    bool is_number =
        is_bool || strcmp(type, "int") == 0 || strcmp(type, "float") == 0 || (is_any && has_text);
    bool is_list = strcmp(type, "tuple") == 0 || strcmp(type, "list") == 0 ||
                   (strcmp(type, "ScalarList") == 0 && has_text);
    value->text = text;
    if (!*type || strcmp(type, "NoneType") == 0)
        return;
    value->is_there = true;
    value->item_bytes = is_bool ? 1 : 4;
    if (!is_number && !is_list)
        return;
    double *numbers = ARENA_ARRAY(c->arena, double, FORMULA_RANK);
    value->numbers = numbers;
    value->is_scalar = is_number;
    value->count = 1;
    if (is_bool)
        numbers[0] = strcmp(text, "True") == 0;
    else
        value->count = read_numbers(text, numbers);
    if (is_number && value->count != 1) { // "nan"
        value->count = 1;
        numbers[0] = (double)NAN;
    }
}

static uint32_t argument_count(const struct marker *marker)
{
    return marker && marker->arguments ? marker->argument_count : 0;
}

void formula_case_read(struct formula_case *c)
{
    c->value_count = argument_count(c->question->marker);
    c->backward_count = argument_count(c->question->backward);
    uint32_t count = c->value_count + c->backward_count;
    struct marker_argument *arguments =
        ARENA_ARRAY(c->arena, struct marker_argument, (size_t)count + 1);
    if (c->value_count)
        memcpy(arguments, c->question->marker->arguments, c->value_count * sizeof *arguments);
    if (c->backward_count)
        memcpy(arguments + c->value_count, c->question->backward->arguments,
               c->backward_count * sizeof *arguments);
    c->arguments = arguments;
    c->values = ARENA_ARRAY(c->arena, struct formula_value, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct formula_value *value = &c->values[i];
        *value = (struct formula_value){.item_bytes = (double)NAN};
        if (c->arguments[i].is_tensor)
            read_tensor(c, &c->arguments[i], value);
        else
            read_value(c, &c->arguments[i], value);
    }
    c->scope.all = c->values;
    // A list that was cut off may lack arguments: nothing is derived from it.
    c->scope.all_count = c->value_count < ARGUMENT_LIMIT ? c->value_count : 0;
}

// ---- the text ----------------------------------------------------------------------------------

static void add_number(struct text_buffer *text, double number)
{
    if (isnan(number))
        text_buffer_add(text, "na");
    else if (number == floor(number) && fabs(number) < 1e15)
        text_buffer_add(text, "%lld", (long long)number); // faster than "%.15g"
    else
        text_buffer_add(text, "%.15g", number);
}

// "(32,10)", "(7,)"
static void add_tuple(struct text_buffer *text, const struct formula_value *value, uint32_t count)
{
    text_buffer_add(text, "(");
    for (uint32_t i = 0; i < count; i++) {
        text_buffer_add(text, "%s", i ? "," : "");
        add_number(text, value->numbers[i]);
    }
    text_buffer_add(text, count == 1 ? ",)" : ")");
}

static const char *type_word(const struct formula_case *c, int argument)
{
    const struct marker_argument *row = &c->arguments[argument];
    const char *type = profile_text(c->profile, row->is_tensor ? row->dtype : row->type);
    for (size_t i = 0; !*type && c->row && i < c->row->argument_count; i++)
        if (c->bound[i] == argument && c->row->arguments[i].type)
            // The row's type for this argument, such as an index, differs from the op's.
            type = c->row->arguments[i].type;
    if (!*type)
        return c->type ? c->type->name : "";
    if (!row->is_tensor && strcmp(type, "float") == 0)
        return "fp32";
    const struct data_type *found = data_type_find(type);
    return found ? found->name : type;
}

static void add_shape(struct text_buffer *text, const struct formula_case *c, int argument)
{
    if (argument < 0)
        return;
    const struct formula_value *value = &c->values[argument];
    text_buffer_add(text, "%s[", text->length ? ";" : "");
    for (uint32_t i = 0; value->is_tensor && i < value->count; i++) {
        text_buffer_add(text, "%s", i ? "," : "");
        add_number(text, value->numbers[i]);
    }
    text_buffer_add(text, "]%s", type_word(c, argument));
}

static void add_shapes(struct text_buffer *text, const struct formula_case *c, bool has_numbers)
{
    for (uint32_t i = 0; i < c->value_count; i++) {
        const struct formula_value *value = &c->values[i];
        bool is_keyword = c->arguments[i].name != STRING_NONE;
        if (value->is_tensor || (has_numbers && value->is_scalar && !is_keyword))
            add_shape(text, c, (int)i);
    }
}

static void add_sizes(struct text_buffer *text, const struct formula_case *c)
{
    bool is_first = true;
    text_buffer_add(text, "[");
    for (uint32_t i = 0; i < c->value_count; i++) {
        const struct formula_value *value = &c->values[i];
        if (!value->is_there || value->is_tensor || !value->count || value->item_bytes == 1 ||
            (!is_first && !value->is_scalar))
            break;
        for (uint32_t n = 0; n < value->count; n++, is_first = false) {
            text_buffer_add(text, "%s", is_first ? "" : ",");
            add_number(text, value->numbers[n]);
        }
        if (!value->is_scalar)
            break;
    }
    text_buffer_add(text, "]");
}

// "T=[(3,5),(7,)],['float32','int64']"
static void add_other(struct text_buffer *text, const struct formula_case *c)
{
    bool is_first = true;
    text_buffer_add(text, "T=[");
    for (uint32_t i = 0; i < c->value_count; i++) {
        if (!c->values[i].is_tensor)
            continue;
        text_buffer_add(text, "%s", is_first ? "" : ",");
        add_tuple(text, &c->values[i], c->values[i].count);
        is_first = false;
    }
    text_buffer_add(text, "],[");
    is_first = true;
    for (uint32_t i = 0; i < c->value_count; i++) {
        if (!c->values[i].is_tensor)
            continue;
        const char *type = profile_text(c->profile, c->arguments[i].dtype);
        text_buffer_add(text, "%s'%s'", is_first ? "" : ",", type);
        is_first = false;
    }
    text_buffer_add(text, "]");
}

static void add_leading(struct text_buffer *text, const struct formula_value *value)
{
    if (value->count == 2)
        add_number(text, value->numbers[0]);
    else if (value->count > 2)
        add_tuple(text, value, value->count - 1);
    else
        text_buffer_add(text, "1");
}

// Adds word number `part` (from 1) of "layer recur".
static void add_part(struct text_buffer *text, const char *words, uint32_t part)
{
    for (; part > 1 && *words; part--) {
        words += strcspn(words, " ");
        words += *words == ' ';
    }
    size_t length = part ? strcspn(words, " ") : 0;
    if (length > 0)
        text_buffer_add(text, "%.*s", (int)length, words);
    else
        text_buffer_add(text, "na");
}

static void add_piece(struct text_buffer *text, const struct formula_case *c,
                      const struct formula_piece *piece)
{
    int argument = piece->argument >= 0 ? c->bound[piece->argument] : -1;
    const struct formula_value *value = argument >= 0 ? &c->values[argument] : NULL;
    switch (piece->kind) {
    case PIECE_TEXT:
        text_buffer_add(text, "%s", piece->text);
        break;
    case PIECE_NUMBER:
        add_number(text, formula_evaluate(piece->number, &c->scope));
        break;
    case PIECE_TYPE:
        text_buffer_add(text, "%s",
                        argument >= 0 ? type_word(c, argument)
                        : c->type     ? c->type->name
                                      : "");
        break;
    case PIECE_SHAPE:
        add_shape(text, c, argument);
        break;
    case PIECE_SHAPES:
    case PIECE_TENSORS:
        add_shapes(text, c, piece->kind == PIECE_SHAPES);
        break;
    case PIECE_TUPLE:
        if (value && value->is_tensor)
            add_tuple(text, value, value->count);
        else
            text_buffer_add(text, "(1,)");
        break;
    case PIECE_LEADING:
        if (value)
            add_leading(text, value);
        break;
    case PIECE_WORD:
        text_buffer_add(text, "%s", value && value->text ? value->text : "");
        break;
    case PIECE_MADE:
        add_sizes(text, c);
        break;
    case PIECE_OTHER:
        add_other(text, c);
        break;
    case PIECE_PART:
        add_part(text, piece->text, c->question->forward_part);
        break;
    }
}

const char *formula_params(const struct formula_case *c, const struct formula_part *part)
{
    struct text_buffer text = {.length = 0};
    bool is_dict = c->question->marker && c->question->marker->dialect == DIALECT_DLPROF;
    if (!is_dict && c->value_count == 0)
        text_buffer_add(&text, "na=na,");
    else if (is_dict && (!part || part->piece_count == 0))
        add_other(&text, c);
    else if (!part || part->piece_count == 0)
        add_shapes(&text, c, false);
    for (size_t i = 0; part && c->value_count > 0 && i < part->piece_count; i++)
        add_piece(&text, c, &part->params[i]);
    return arena_copy(c->arena, text.bytes, text.length);
}

const char *formula_params_common(struct arena *arena, const char *a, const char *b)
{
    struct text_buffer text = {.length = 0};
    while (*a && *b) {
        size_t length = strcspn(a, ","), other = strcspn(b, ",");
        if (length == other && memcmp(a, b, length) == 0)
            text_buffer_add(&text, "%.*s,", (int)length, a);
        else
            text_buffer_add(&text, "%.*s=na,", (int)strcspn(a, "=,"), a);
        a += length + (a[length] == ',');
        b += other + (b[other] == ',');
    }
    return arena_copy(arena, text.bytes, text.length);
}
