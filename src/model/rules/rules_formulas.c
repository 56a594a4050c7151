// SPDX-License-Identifier: Apache-2.0 Reads the rows of rules/formulas.yaml and formats them for
// help and manual. A row is a formula; it takes the keys that it lacks from the row that its key
// `like` names.
#include "model/rules/rules_formulas.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_ROWS = 2000,
    MAX_OPS = 500, // per row
    MAX_PIECES = 64,
    MAX_LEVELS = 8, // length of a chain of `like`
};

static const char *const built_in_numbers[FORMULA_BUILT_IN] = {
    [NUMBER_SIZE] = "s",
    [NUMBER_TYPED] = "typed",
    [NUMBER_BACKWARD] = "backward",
    [NUMBER_KERNELS] = "kernels",
    [NUMBER_RANKS] = "ranks",
    [NUMBER_CAUSAL] = "causal_kernel",
    [NUMBER_FORWARD_PART] = "forward_part",
    [NUMBER_UNKNOWN] = "unknown",
};

struct formula_rules_reader {
    struct arena *arena;
    struct formula_rules *rules;
    struct error *error;
    size_t role_capacity, row_capacity, op_capacity;
    const struct yaml_node *trees[2]; // the user's own or NULL, and the built-in one
    // The row that is being read.
    struct formula_row *row;
    const struct yaml_node *nodes[MAX_LEVELS]; // the row, the one named by its `like`, and so on
    size_t level_count;
    const char *numbers[FORMULA_BUILT_IN + FORMULA_NAMES], *values[FORMULA_NAMES];
    struct formula_names names;
};

// ---- texts, expressions, params ----------------------------------------------------------------

static bool read_word(const struct formula_rules_reader *reader, const struct yaml_node *node,
                      const char **text)
{
    if (node->kind != YAML_SCALAR || !*node->text)
        return yaml_fail(node, reader->error, "a text is expected");
    *text = node->text;
    return true;
}

static bool read_words(struct formula_rules_reader *reader, const struct yaml_node *node,
                       const char ***words, size_t *count)
{
    if (node->kind != YAML_SEQUENCE || node->child_count > MAX_OPS)
        return yaml_fail(node, reader->error, "a list of at most %d names is expected", MAX_OPS);
    *words = ARENA_ARRAY(reader->arena, const char *, node->child_count);
    *count = node->child_count;
    for (size_t i = 0; i < node->child_count; i++)
        if (!read_word(reader, &node->children[i], &(*words)[i]))
            return false;
    return true;
}

static bool read_formula(struct formula_rules_reader *reader, const struct yaml_node *node,
                         const char *text, const struct formula_expression **formula)
{
    struct error why = {0};
    *formula = formula_parse(reader->arena, text, &reader->names, &why);
    if (*formula)
        return true;
    return yaml_fail(node, reader->error, "%s: %s", text, why.message);
}

static bool read_expression(struct formula_rules_reader *reader, const struct yaml_node *node,
                            const struct formula_expression **formula, const char **text)
{
    const char *word = "";
    if (!node)
        return true;
    if (!read_word(reader, node, &word))
        return false;
    *text = word;
    return read_formula(reader, node, word, formula);
}

static int find_argument(const struct formula_rules_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->names.value_count; i++)
        if (strcmp(reader->row->arguments[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const struct {
    const char *word;
    enum piece_kind kind;
    bool takes; // takes an argument; optional for {type}
} piece_words[] = {
    {"type", PIECE_TYPE, true},      {"shape", PIECE_SHAPE, true},
    {"shapes", PIECE_SHAPES, false}, {"tensors", PIECE_TENSORS, false},
    {"tuple", PIECE_TUPLE, true},    {"leading", PIECE_LEADING, true},
    {"word", PIECE_WORD, true},      {"made", PIECE_MADE, false},
    {"other", PIECE_OTHER, false},   {"part", PIECE_PART, false},
};

// Reads the text between braces.
static bool read_piece(struct formula_rules_reader *reader, const struct yaml_node *node,
                       char *text, struct formula_piece *piece)
{
    char *blank = strchr(text, ' ');
    size_t length = blank ? (size_t)(blank - text) : strlen(text);
    piece->argument = -1;
    for (size_t i = 0; i < sizeof piece_words / sizeof *piece_words; i++) {
        const char *word = piece_words[i].word;
        if (strlen(word) != length || memcmp(word, text, length) != 0)
            continue;
        piece->kind = piece_words[i].kind;
        if (piece->kind == PIECE_PART) {
            piece->text = blank ? blank + 1 : "";
            return *piece->text || yaml_fail(node, reader->error, "{part}: words are expected");
        }
        if (blank)
            piece->argument = find_argument(reader, blank + 1);
        bool needs = piece_words[i].takes && (blank || piece->kind != PIECE_TYPE);
        if (needs != (piece->argument >= 0) || (blank && !needs))
            return yaml_fail(node, reader->error, "{%s}: an argument's name is expected", text);
        return true;
    }
    piece->kind = PIECE_NUMBER;
    return read_formula(reader, node, text, &piece->number);
}

static bool read_params(struct formula_rules_reader *reader, const struct yaml_node *node,
                        struct formula_part *part)
{
    const char *text = "";
    if (!node)
        return true;
    if (!read_word(reader, node, &text))
        return false;
    part->params = ARENA_ARRAY(reader->arena, struct formula_piece, MAX_PIECES);
    while (*text) {
        if (part->piece_count == MAX_PIECES)
            return yaml_fail(node, reader->error, "more than %d places", MAX_PIECES);
        struct formula_piece *piece = &part->params[part->piece_count++];
        size_t length = strcspn(text, "{");
        if (length > 0) {
            piece->text = arena_copy(reader->arena, text, length);
            text += length;
            continue;
        }
        const char *end = strchr(text, '}');
        if (!end)
            return yaml_fail(node, reader->error, "a closing brace is missing");
        char *inner = arena_copy(reader->arena, text + 1, (size_t)(end - text) - 1);
        if (!read_piece(reader, node, inner, piece))
            return false;
        text = end + 1;
    }
    return true;
}

// ---- rows that refer to others -----------------------------------------------------------------

// Finds the row called `name`: for a built-in row one before it; for a user's row one before it in
// the user's file, then any built-in one.
static const struct yaml_node *find_like(const struct formula_rules_reader *reader,
                                         const struct yaml_node *node, const char *name)
{
    const struct yaml_node *found = NULL;
    for (size_t t = 0; t < sizeof reader->trees / sizeof *reader->trees && !found; t++) {
        const struct yaml_node *rows =
            reader->trees[t] ? yaml_get(reader->trees[t], "formulas") : NULL;
        size_t count = rows && rows->kind == YAML_SEQUENCE ? rows->child_count : 0, i;
        for (i = 0; i < count && &rows->children[i] != node; i++) {
            const struct yaml_node *row = &rows->children[i];
            const struct yaml_node *own = row->kind == YAML_MAPPING ? yaml_get(row, "name") : NULL;
            if (own && own->kind == YAML_SCALAR && strcmp(own->text, name) == 0)
                found = row;
        }
        bool is_users = t == 0, is_before = i < count;
        if (is_users && !is_before) // `node` is a built-in row
            found = NULL;
    }
    return found;
}

static bool read_likes(struct formula_rules_reader *reader, const struct yaml_node *node)
{
    const struct yaml_node *like;
    reader->nodes[0] = node;
    for (reader->level_count = 1; (like = yaml_get(node, "like")); reader->level_count++) {
        const char *name = "";
        if (!read_word(reader, like, &name))
            return false;
        if (reader->level_count == MAX_LEVELS)
            return yaml_fail(like, reader->error, "at most %d rows are like each other",
                             MAX_LEVELS);
        node = find_like(reader, node, name);
        if (!node)
            return yaml_fail(like, reader->error, "no row before this is called \"%s\"", name);
        reader->nodes[reader->level_count] = node;
    }
    return true;
}

// Returns the value of a key in the row, or in the first row of its `like` chain that has the key.
static const struct yaml_node *row_get(const struct formula_rules_reader *reader, const char *key)
{
    const struct yaml_node *found = NULL;
    for (size_t i = 0; i < reader->level_count && !found; i++)
        found = yaml_get(reader->nodes[i], key);
    return found;
}

// ---- parts -------------------------------------------------------------------------------------

static bool read_role(struct formula_rules_reader *reader, const struct yaml_node *part,
                      const char *key, int *role)
{
    const struct yaml_node *node = yaml_get(part, key);
    const char *word = "";
    *role = ROLE_ANY;
    if (!node)
        return true;
    if (!read_word(reader, node, &word))
        return false;
    for (size_t i = 0; i < reader->rules->role_count; i++)
        if (strcmp(reader->rules->roles[i].name, word) == 0)
            *role = (int)i;
    return *role >= 0 || yaml_fail(node, reader->error, "no kernels are called \"%s\"", word);
}

static bool read_yes(struct formula_rules_reader *reader, const struct yaml_node *node,
                     bool *is_set)
{
    const char *word = "";
    if (!node)
        return true;
    if (!read_word(reader, node, &word))
        return false;
    *is_set = strcmp(word, "yes") == 0;
    return *is_set || yaml_fail(node, reader->error, "only \"yes\" is known");
}

static bool read_part_figures(struct formula_rules_reader *reader, const struct yaml_node *node,
                              struct formula_part *part)
{
    return read_expression(reader, yaml_get(node, "flops"), &part->flops, &part->flops_text) &&
           read_expression(reader, yaml_get(node, "bytes"), &part->bytes, &part->bytes_text) &&
           read_expression(reader, yaml_get(node, "causal_flops"), &part->causal_flops,
                           &part->causal_text) &&
           read_expression(reader, yaml_get(node, "model_flops"), &part->model_flops,
                           &part->model_text) &&
           read_expression(reader, yaml_get(node, "split"), &part->split, &part->split_text) &&
           read_yes(reader, yaml_get(node, "beside"), &part->is_side_work) &&
           read_role(reader, node, "kernels", &part->role) &&
           read_role(reader, node, "or", &part->other_role);
}

static bool read_part(struct formula_rules_reader *reader, const struct yaml_node *node,
                      const struct yaml_node *params, struct formula_part *part)
{
    const char *const keys[] = {"kernels",      "or",          "flops", "bytes",
                                "causal_flops", "model_flops", "split", "params",
                                "op",           "beside",      NULL};
    if (node->kind != YAML_MAPPING)
        return yaml_fail(node, reader->error, "\"flops\" and \"bytes\" are expected");
    if (!yaml_only(node, keys, reader->error))
        return false;
    const struct yaml_node *own = yaml_get(node, "params"), *op = yaml_get(node, "op");
    if (op && !read_word(reader, op, &part->op))
        return false;
    return read_part_figures(reader, node, part) && read_params(reader, own ? own : params, part);
}

// Reads a mapping, or a list of mappings.
static bool read_parts(struct formula_rules_reader *reader, const struct yaml_node *node,
                       enum formula_phase phase)
{
    const struct yaml_node *params = row_get(reader, "params");
    bool is_list = node->kind == YAML_SEQUENCE;
    size_t count = is_list ? node->child_count : 1;
    // An empty list overrides the backward of the `like` row.
    if (count == 0 && phase == PHASE_BACKWARD)
        return true;
    if (count == 0 || count > FORMULA_PARTS)
        return yaml_fail(node, reader->error, "1 to %d parts are expected", FORMULA_PARTS);
    struct formula_part *parts = ARENA_ARRAY(reader->arena, struct formula_part, count);
    reader->row->parts[phase] = parts;
    reader->row->part_count[phase] = count;
    for (size_t i = 0; i < count; i++)
        if (!read_part(reader, is_list ? &node->children[i] : node, params, &parts[i]))
            return false;
    return true;
}

// ---- rows --------------------------------------------------------------------------------------

// Reads "x|input|self:int64".
static bool read_argument(struct formula_rules_reader *reader, const struct yaml_node *node,
                          struct formula_argument *argument)
{
    const char *text = "";
    if (!read_word(reader, node, &text))
        return false;
    char *copy = arena_text(reader->arena, text), *colon = strchr(copy, ':');
    if (colon) {
        *colon = '\0';
        argument->type = colon + 1;
    }
    size_t keywords = 0;
    argument->name = copy;
    for (char *bar = strchr(copy, '|'); bar; bar = strchr(bar + 1, '|')) {
        if (keywords == FORMULA_KEYWORDS)
            return yaml_fail(node, reader->error, "at most %d other names are expected",
                             FORMULA_KEYWORDS);
        *bar = '\0';
        argument->keywords[keywords++] = bar + 1;
    }
    return true;
}

static bool read_arguments(struct formula_rules_reader *reader, const struct yaml_node *node,
                           size_t *count)
{
    struct formula_row *row = reader->row;
    if (!node)
        return true;
    size_t before = reader->names.value_count;
    if (node->kind != YAML_SEQUENCE || node->child_count > FORMULA_NAMES - before)
        return yaml_fail(node, reader->error, "at most %d arguments are expected", FORMULA_NAMES);
    for (; *count < node->child_count; ++*count) {
        struct formula_argument *argument = &row->arguments[before + *count];
        if (!read_argument(reader, &node->children[*count], argument))
            return false;
        reader->values[reader->names.value_count++] = argument->name;
    }
    return true;
}

struct let_list { // names and their definitions, in evaluation order
    const struct yaml_node *items[FORMULA_NAMES];
    size_t count;
};

static size_t let_find(const struct let_list *let, const char *name)
{
    size_t at = 0;
    while (at < let->count && strcmp(let->items[at]->key, name) != 0)
        at++;
    return at;
}

// Returns the position at which to insert a new name of `node`: before the first of the later names
// of `node` that the list has already.
static size_t let_place(const struct let_list *let, const struct yaml_node *node, size_t child)
{
    size_t at = let->count;
    while (++child < node->child_count && at == let->count)
        at = let_find(let, node->children[child].key);
    return at;
}

// Adds the names of `node`, or replaces their definitions. Returns false if there are too many.
static bool let_take(struct let_list *let, const struct yaml_node *node)
{
    for (size_t i = 0; i < node->child_count; i++) {
        size_t at = let_find(let, node->children[i].key);
        if (at == let->count) {
            if (let->count == FORMULA_NAMES)
                return false;
            at = let_place(let, node, i);
            memmove(&let->items[at + 1], &let->items[at], (let->count++ - at) * sizeof *let->items);
        }
        let->items[at] = &node->children[i];
    }
    return true;
}

static bool read_numbers(struct formula_rules_reader *reader)
{
    struct formula_row *row = reader->row;
    struct let_list let = {.count = 0};
    for (size_t level = reader->level_count; level-- > 0;) {
        const struct yaml_node *node = yaml_get(reader->nodes[level], "let");
        if (node && (node->kind != YAML_MAPPING || !let_take(&let, node)))
            return yaml_fail(node, reader->error, "at most %d names are expected", FORMULA_NAMES);
    }
    row->numbers = ARENA_ARRAY(reader->arena, const struct formula_expression *, let.count);
    row->number_names = ARENA_ARRAY(reader->arena, const char *, let.count);
    row->number_texts = ARENA_ARRAY(reader->arena, const char *, let.count);
    for (size_t i = 0; i < let.count; i++) {
        const char *text = "";
        if (!read_word(reader, let.items[i], &text) ||
            !read_formula(reader, let.items[i], text, &row->numbers[i]))
            return false;
        reader->numbers[reader->names.number_count++] = let.items[i]->key;
        row->number_names[i] = let.items[i]->key;
        row->number_texts[i] = text;
        row->number_count++;
    }
    return true;
}

static bool read_type(struct formula_rules_reader *reader, const struct yaml_node *node)
{
    const char *word = "";
    reader->row->type = -1;
    if (!node)
        return true;
    if (!read_word(reader, node, &word))
        return false;
    reader->row->type = find_argument(reader, word);
    return reader->row->type >= 0 ||
           yaml_fail(node, reader->error, "no argument is called \"%s\"", word);
}

static bool add_ops(struct formula_rules_reader *reader)
{
    struct formula_rules *rules = reader->rules;
    const struct formula_row *row = reader->row;
    for (size_t i = 0; i < row->op_count; i++)
        ARENA_PUSH(reader->arena, rules->ops, rules->op_count, reader->op_capacity) =
            (struct formula_op){row->ops[i], (uint32_t)(row - rules->rows)};
    return true;
}

static bool read_row_head(struct formula_rules_reader *reader, const struct yaml_node *node,
                          const struct yaml_node *modules)
{
    const char *const keys[] = {"name", "like",     "ops",    "modules", "args",   "backward_args",
                                "let",  "when",     "guess",  "type",    "params", "forward",
                                "rest", "backward", "source", "within",  NULL};
    struct formula_row *row = reader->row;
    if (node->kind != YAML_MAPPING)
        return yaml_fail(node, reader->error, "a row with \"name\" is expected");
    if (!yaml_only(node, keys, reader->error) || !read_likes(reader, node))
        return false;
    const struct yaml_node *name = yaml_get(node, "name"), *ops = yaml_get(node, "ops");
    const struct yaml_node *source = row_get(reader, "source"), *own = row_get(reader, "modules");
    const struct yaml_node *within = row_get(reader, "within");
    if (!name || !ops)
        return yaml_fail(node, reader->error, "a row needs \"name\" and \"ops\"");
    row->source = "";
    if (source && !read_word(reader, source, &row->source))
        return false;
    if (own)
        modules = own;
    return read_word(reader, name, &row->name) &&
           read_words(reader, ops, &row->ops, &row->op_count) &&
           (!within || read_words(reader, within, &row->within, &row->within_count)) &&
           (!modules || read_words(reader, modules, &row->modules, &row->module_count));
}

static bool read_row(struct formula_rules_reader *reader, const struct yaml_node *node,
                     const struct yaml_node *modules)
{
    if (!read_row_head(reader, node, modules))
        return false;
    memcpy(reader->numbers, built_in_numbers, sizeof built_in_numbers);
    reader->names = (struct formula_names){reader->numbers, FORMULA_BUILT_IN, reader->values, 0};
    const struct yaml_node *forward = row_get(reader, "forward");
    const struct yaml_node *backward = row_get(reader, "backward");
    if (!forward)
        return yaml_fail(node, reader->error, "a row needs \"forward\"");
    reader->row->arguments = ARENA_ARRAY(reader->arena, struct formula_argument, FORMULA_NAMES);
    return read_arguments(reader, row_get(reader, "args"), &reader->row->argument_count) &&
           read_arguments(reader, row_get(reader, "backward_args"), &reader->row->backward_count) &&
           read_numbers(reader) &&
           read_expression(reader, row_get(reader, "when"), &reader->row->when,
                           &reader->row->when_text) &&
           read_type(reader, row_get(reader, "type")) &&
           read_yes(reader, row_get(reader, "guess"), &reader->row->is_guess) &&
           read_parts(reader, forward, PHASE_FORWARD) &&
           (!backward || read_parts(reader, backward, PHASE_BACKWARD)) &&
           read_params(reader, row_get(reader, "rest"), &reader->row->rest) && add_ops(reader);
}

static bool read_rows(struct formula_rules_reader *reader, const struct yaml_node *root)
{
    struct formula_rules *rules = reader->rules;
    const struct yaml_node *rows = yaml_get(root, "formulas"), *modules = yaml_get(root, "modules");
    if (!rows)
        return true;
    if (rows->kind != YAML_SEQUENCE || rows->child_count > MAX_ROWS)
        return yaml_fail(rows, reader->error, "a list of at most %d rows is expected", MAX_ROWS);
    for (size_t i = 0; i < rows->child_count; i++) {
        reader->row =
            &ARENA_PUSH(reader->arena, rules->rows, rules->row_count, reader->row_capacity);
        *reader->row = (struct formula_row){.type = -1};
        if (!read_row(reader, &rows->children[i], modules))
            return false;
    }
    return true;
}

// ---- kernels -----------------------------------------------------------------------------------

// Records the bits of roles that the program itself refers to.
static void note_role(struct formula_rules *rules, const char *name, uint32_t bit)
{
    const struct {
        const char *name;
        uint32_t *bits;
    } known_roles[] = {{"helper", &rules->helper},
                       {"causal", &rules->causal},
                       {"not_causal", &rules->not_causal},
                       {"gemm", &rules->product},
                       {"conv", &rules->product},
                       {"gemm", &rules->model},
                       {"conv", &rules->model},
                       {"attention", &rules->model},
                       {"dgrad", &rules->model},
                       {"wgrad", &rules->model},
                       {"gemm_nn", &rules->model},
                       {"gemm_nt", &rules->model},
                       {"rnn", &rules->model},
                       {"conv", &rules->conv},
                       {"dgrad", &rules->dgrad},
                       {"wgrad", &rules->wgrad},
                       {"closing", &rules->closing},
                       {"aside", &rules->aside},
                       {"columns", &rules->columns},
                       {"gemm", &rules->tried},
                       {"conv", &rules->tried},
                       {"attention", &rules->tried},
                       {"dgrad", &rules->tried},
                       {"wgrad", &rules->tried},
                       {"gemm_nn", &rules->tried},
                       {"gemm_nt", &rules->tried}};
    for (size_t i = 0; i < sizeof known_roles / sizeof *known_roles; i++)
        if (strcmp(known_roles[i].name, name) == 0)
            *known_roles[i].bits |= bit;
    rules->convolution = rules->conv | rules->dgrad | rules->wgrad;
}

static bool read_one_role(struct formula_rules_reader *reader, const struct yaml_node *node)
{
    struct formula_rules *rules = reader->rules;
    const char *match = "";
    if (!read_word(reader, node, &match))
        return false;
    if (rules->role_count == FORMULA_ROLES)
        return yaml_fail(node, reader->error, "more than %d kinds of kernels", FORMULA_ROLES);
    struct formula_role *role =
        &ARENA_PUSH(reader->arena, rules->roles, rules->role_count, reader->role_capacity);
    *role = (struct formula_role){.name = node->key};
    note_role(rules, node->key, 1U << (rules->role_count - 1));
    struct error why = {0};
    role->match = pattern_new(match, PATTERN_EXACT, &why);
    return role->match || yaml_fail_for(node, reader->error, &why);
}

static bool has_role(const struct formula_rules *rules, const char *name)
{
    for (size_t i = 0; i < rules->role_count; i++)
        if (strcmp(rules->roles[i].name, name) == 0)
            return true;
    return false;
}

static bool read_roles(struct formula_rules_reader *reader, const struct yaml_node *root)
{
    const char *const keys[] = {"modules", "kernels", "formulas", NULL};
    if (root->kind != YAML_MAPPING)
        return yaml_fail(root, reader->error, "a mapping is expected");
    if (!yaml_only(root, keys, reader->error))
        return false;
    const struct yaml_node *kernels = yaml_get(root, "kernels");
    if (!kernels)
        return true;
    if (kernels->kind != YAML_MAPPING)
        return yaml_fail(kernels, reader->error, "names of kinds and their patterns are expected");
    for (size_t i = 0; i < kernels->child_count; i++)
        // The user's definition takes precedence.
        if (!has_role(reader->rules, kernels->children[i].key) &&
            !read_one_role(reader, &kernels->children[i]))
            return false;
    return true;
}

// ---- all files ---------------------------------------------------------------------------------

static int compare_ops(const void *a, const void *b)
{
    const struct formula_op *x = a, *y = b;
    int order = strcmp(x->op, y->op);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

bool formula_rules_read(struct formula_rules **result, struct arena *arena,
                        const struct yaml_node *own, const struct yaml_node *built_in,
                        struct error *error)
{
    struct formula_rules *rules = *result = ARENA_NEW(arena, struct formula_rules);
    struct formula_rules_reader reader = {
        .arena = arena, .rules = rules, .error = error, .trees = {own, built_in}};
    if ((own && !read_roles(&reader, own)) || !read_roles(&reader, built_in) ||
        (own && !read_rows(&reader, own)) || !read_rows(&reader, built_in))
        return false;
    if (rules->op_count > 0)
        qsort(rules->ops, rules->op_count, sizeof *rules->ops, compare_ops);
    return true;
}

void formula_rules_free(struct formula_rules *rules)
{
    for (size_t i = 0; rules && i < rules->role_count; i++)
        pattern_free(rules->roles[i].match);
    if (rules)
        rules->role_count = 0;
}

// Returns the definition of `text` if it is the name of a number, else `text` itself.
static const char *spelled_out(const struct formula_row *row, const char *text)
{
    for (size_t i = 0; i < row->number_count; i++)
        if (strcmp(row->number_names[i], text) == 0)
            return row->number_texts[i];
    return text;
}

const char *formula_row_text(const struct formula_row *row, enum formula_phase phase, bool of_bytes,
                             struct arena *arena)
{
    const char *text = "";
    for (size_t p = 0; p < row->part_count[phase]; p++) {
        const struct formula_part *part = &row->parts[phase][p];
        const char *figure = of_bytes ? part->bytes_text : part->flops_text;
        const char *between = !*text ? "" : part->is_side_work ? ", beside it " : " + ";
        text = arena_format(arena, "%s%s%s", text, between,
                            figure ? spelled_out(row, figure) : "unknown");
    }
    return text;
}

const char *formula_row_names(const struct formula_row *row, struct arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < row->number_count; i++)
        text = arena_format(arena, "%s%s%s = %s", text, *text ? ", " : "", row->number_names[i],
                            row->number_texts[i]);
    return text;
}

static const char *phase_text(const struct formula_row *row, enum formula_phase phase,
                              struct arena *arena)
{
    return arena_format(arena, "%s FLOPs, %s bytes", formula_row_text(row, phase, false, arena),
                        formula_row_text(row, phase, true, arena));
}

const char *formula_row_doc(const struct formula_row *row, struct arena *arena)
{
    const char *text = phase_text(row, PHASE_FORWARD, arena),
               *names = formula_row_names(row, arena);
    if (row->part_count[PHASE_BACKWARD])
        text =
            arena_format(arena, "%s. Backward: %s", text, phase_text(row, PHASE_BACKWARD, arena));
    if (*names)
        text = arena_format(arena, "%s, where %s", text, names);
    return arena_format(arena, "%s. %s.", text, row->source);
}

size_t formula_rules_find(const struct formula_rules *rules, const char *op, size_t *count)
{
    size_t first = 0, end = rules->op_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (strcmp(rules->ops[middle].op, op) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    *count = 0;
    while (first + *count < rules->op_count && strcmp(rules->ops[first + *count].op, op) == 0)
        ++*count;
    return first;
}
