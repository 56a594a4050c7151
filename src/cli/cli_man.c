// SPDX-License-Identifier: Apache-2.0
// Man pages: templates with hand-written prose, whose @NAME@ lines are replaced by lists from the
// program's tables.
#include <errno.h>
#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/plugin/plugin_steps.h"
#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"
#include "cli/cli.h"
#include "model/rules/rules.h"
#include "model/rules/rules_formulas.h"
#include "ui/state/view.h"
#include "ui/term/action.h"

// Escapes roff commands and breaks lines at blanks, at most 78 bytes each.
static void print_roff(FILE *file, const char *text)
{
    int column = 0;
    while (*text) {
        int word = (int)strcspn(text, " \n");
        if (column && column + word > 76) {
            fputc('\n', file);
            column = 0;
        } else if (column) {
            fputc(' ', file);
        }
        if (!column && strchr(".'", *text))
            fputs("\\&", file);
        for (int i = 0; i < word; i++) {
            if (text[i] == '\\')
                column += fprintf(file, "\\e");
            else if (text[i] == '-')
                column += fprintf(file, "\\-");
            else
                column += fprintf(file, "%c", text[i]);
        }
        column++;
        text += word;
        text += strspn(text, " \n");
    }
}

static void print_item(FILE *file, const char *term, const char *note, const char *doc)
{
    fputs(".TP\n.B ", file);
    fputc('"', file);
    for (const char *c = term; *c; c++) // a quote inside a quoted argument is doubled
        fputs(*c == '"' ? "\"\"" : *c == '\\' ? "\\e" : *c == '-' ? "\\-" : (char[2]){*c, 0}, file);
    fputs("\"\n", file);
    if (note && *note) {
        print_roff(file, note);
        fputs("\n.br\n", file);
    }
    print_roff(file, doc);
    fputc('\n', file);
}

static void man_option(FILE *file, const struct cli_option *option)
{
    char term[160], doc[800];
    // Every switch without a word about it is off.
    const char *fallback =
        option->fallback && strcmp(option->fallback, "false") != 0 ? option->fallback : NULL;
    snprintf(term, sizeof term, "%s%c%s--%s%s%s%s%s", option->letter ? "-" : "",
             option->letter ? option->letter : ' ', option->letter ? ", " : "", option->name,
             option->value ? "=" : "", option->value ? option->value : "",
             option->other ? ", --" : "", option->other ? option->other : "");
    snprintf(doc, sizeof doc, "%s%s%s%s", option->doc, fallback ? " Default: " : "",
             fallback ? fallback : "", fallback ? "." : "");
    print_item(file, term + (term[0] == ' '), "", doc);
}

// One group below the other, without blank lines between options.
static void man_options(FILE *file)
{
    for (int group = 0; group < OPTION_GROUP_COUNT; group++) {
        fprintf(file, ".SS \"%s\"\n.PD 0\n", cli_option_groups[group]);
        for (size_t i = 0; i < cli_option_count; i++)
            if ((int)cli_options[i].group == group && !(cli_options[i].flags & OPTION_HIDDEN))
                man_option(file, &cli_options[i]);
        fputs(".PD\n", file);
    }
}

static void man_keys(FILE *file)
{
    const char *group = "";
    for (size_t i = ACTION_NONE + 1; i < action_count; i++) {
        const struct action_row *action = &actions[i];
        char term[160], doc[ACTION_DOC_SIZE];
        if (strcmp(action->group, group) != 0)
            fprintf(file, ".SS \"%s\"\n", action->group);
        group = action->group;
        snprintf(term, sizeof term, "%s  (:%s%s%s)", action->keys, action->name,
                 action->argument ? " " : "", action->argument ? action->argument : "");
        print_item(file, term, "", action_doc((enum action)i, doc));
    }
}

// A line for each view: its name and, beside it, what it shows.
static void man_views(FILE *file)
{
    fputs(".PD 0\n", file);
    for (size_t i = 0; i < view_count; i++) {
        fprintf(file, ".TP 18\n.B %s\n", views[i]->name);
        print_roff(file, views[i]->doc);
        fputc('\n', file);
    }
    fputs(".PD\n", file);
}

static void man_columns(FILE *file)
{
    for (size_t i = 0; i < report_count; i++) {
        fprintf(file, ".SS \"%s\"\n", reports[i]->name);
        print_roff(file, reports[i]->doc);
        fputc('\n', file);
        for (size_t c = 0; c < reports[i]->column_count; c++) {
            const struct column *column = &reports[i]->columns[c];
            // Numbered slots are described once.
            if (c > 0 && column->flags & column[-1].flags & COLUMN_RANK_SLOT)
                continue;
            char term[160];
            snprintf(term, sizeof term, "%s (%s)", column->title, column->key);
            print_item(file, term, "", column->doc);
        }
    }
}

static void man_detectors(FILE *file)
{
    for (size_t i = 0; i < detector_count; i++)
        print_item(file, detectors[i]->id, detectors[i]->title, detectors[i]->doc);
}

static void man_formats(FILE *file)
{
    for (size_t i = 0; i < export_format_count; i++)
        print_item(file, export_formats[i]->name, "", export_formats[i]->doc);
}

static void man_breakdowns(FILE *file)
{
    const struct breakdown_scheme *const schemes[] = {&breakdown_gpu, &breakdown_dlprof,
                                                      &breakdown_plugin};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        fprintf(file, ".SS \"%s\"\n", schemes[s]->name);
        print_roff(file, schemes[s]->doc);
        fputc('\n', file);
        for (size_t c = 0; c < schemes[s]->count; c++)
            print_item(file, schemes[s]->categories[c].title, "", schemes[s]->categories[c].doc);
    }
}

static void man_formulas(FILE *file)
{
    struct arena *arena = arena_new(0);
    const struct formula_rules *rules = rules_formulas(rules_get());
    for (size_t i = 0; arena && i < rules->row_count; i++) {
        const struct formula_row *row = &rules->rows[i];
        const char *ops = "";
        for (size_t op = 0; op < row->op_count; op++)
            ops = arena_format(arena, "%s%s%s", ops, op ? ", " : "", row->ops[op]);
        print_item(file, row->name, ops, formula_row_doc(row, arena));
    }
    arena_free(arena);
}

static const struct man_insert {
    const char *mark;
    void (*print)(FILE *file);
} inserts[] = {
    {"@OPTIONS@\n", man_options},       {"@KEYS@\n", man_keys},
    {"@VIEWS@\n", man_views},           {"@COLUMNS@\n", man_columns},
    {"@DETECTORS@\n", man_detectors},   {"@FORMATS@\n", man_formats},
    {"@BREAKDOWNS@\n", man_breakdowns}, {"@FORMULAS@\n", man_formulas},
};

bool cli_print_man(const char *path, FILE *file, struct error *error)
{
    if (!rules_ready(error))
        return false;
    FILE *template = fopen(path, "r");
    if (!template)
        return error_set(error, ERROR_IO, "%s: %s", path, strerror(errno));
    char line[4096];
    while (fgets(line, sizeof line, template)) {
        const struct man_insert *insert = NULL;
        for (size_t i = 0; i < sizeof inserts / sizeof *inserts; i++)
            if (strcmp(line, inserts[i].mark) == 0)
                insert = &inserts[i];
        if (insert)
            insert->print(file);
        else
            fputs(line, file);
    }
    bool done = !ferror(template);
    if (!done)
        error_set(error, ERROR_IO, "%s: %s", path, strerror(errno));
    fclose(template);
    return done;
}
