// SPDX-License-Identifier: Apache-2.0
// --help and --list, printed from the tables that the program uses.
#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"
#include "base/embedded.h"
#include "cli/cli.h"
#include "model/rules/rules.h"
#include "model/rules/rules_formulas.h"
#include "ui/state/view.h"
#include "ui/term/action.h"

// Prints a field; tabs and newlines, which would break the table, become blanks.
static void print_field(FILE *file, const char *text, char end)
{
    for (; text && *text; text++)
        fputc(strchr("\t\n", *text) ? ' ' : *text, file);
    fputc(end, file);
}

static void list_reports(FILE *file)
{
    fputs("report\ttitle\tdlprof_file\tdoc\n", file);
    for (size_t i = 0; i < report_count; i++) {
        print_field(file, reports[i]->name, '\t');
        print_field(file, reports[i]->title, '\t');
        print_field(file, reports[i]->file, '\t');
        print_field(file, reports[i]->doc, '\n');
    }
}

static void list_columns(FILE *file)
{
    fputs("report\tcolumn\ttitle\tunit\tdoc\n", file);
    for (size_t i = 0; i < report_count; i++)
        for (size_t c = 0; c < reports[i]->column_count; c++) {
            const struct column *column = &reports[i]->columns[c];
            // Numbered slots are described once.
            if (c > 0 && column->flags & column[-1].flags & COLUMN_RANK_SLOT)
                continue;
            print_field(file, reports[i]->name, '\t');
            print_field(file, column->key, '\t');
            print_field(file, column->title, '\t');
            print_field(file, unit_names[column->unit], '\t');
            print_field(file, column->doc, '\n');
        }
}

static void list_views(FILE *file)
{
    fputs("view\ttitle\tdoc\n", file);
    for (size_t i = 0; i < view_count; i++) {
        print_field(file, views[i]->name, '\t');
        print_field(file, views[i]->title, '\t');
        print_field(file, views[i]->doc, '\n');
    }
}

static void list_actions(FILE *file)
{
    char doc[ACTION_DOC_SIZE];
    fputs("action\tkeys\tgroup\targument\tdoc\n", file);
    for (size_t i = ACTION_NONE + 1; i < action_count; i++) {
        print_field(file, actions[i].name, '\t');
        print_field(file, actions[i].keys, '\t');
        print_field(file, actions[i].group, '\t');
        print_field(file, actions[i].argument, '\t');
        print_field(file, action_doc((enum action)i, doc), '\n');
    }
}

static void list_detectors(FILE *file)
{
    fputs("detector\ttitle\tsource\tdoc\n", file);
    for (size_t i = 0; i < detector_count; i++) {
        print_field(file, detectors[i]->id, '\t');
        print_field(file, detectors[i]->title, '\t');
        print_field(file, detector_source(detectors[i]), '\t');
        print_field(file, detectors[i]->doc, '\n');
    }
}

static void list_formats(FILE *file)
{
    fputs("format\textension\tdoc\n", file);
    for (size_t i = 0; i < export_format_count; i++) {
        print_field(file, export_formats[i]->name, '\t');
        print_field(file, export_formats[i]->extension, '\t');
        print_field(file, export_formats[i]->doc, '\n');
    }
}

static void list_options(FILE *file)
{
    fputs("option\tshort\tother\tvalue\tdefault\tdoc\n", file);
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        const char letter[2] = {option->letter, 0};
        if (option->flags & OPTION_HIDDEN)
            continue;
        print_field(file, option->name, '\t');
        print_field(file, letter, '\t');
        print_field(file, option->other, '\t');
        print_field(file, option->value, '\t');
        print_field(file, option->fallback, '\t');
        print_field(file, option->doc, '\n');
    }
}

// Prints the ops of a formula: "mm _int_mm".
static void print_ops(FILE *file, const struct formula_row *row)
{
    for (size_t i = 0; i < row->op_count; i++)
        fprintf(file, "%s%s", i ? " " : "", row->ops[i]);
    fputc('\t', file);
}

static void list_formulas(FILE *file)
{
    struct arena *arena = arena_new(0);
    const struct formula_rules *rules = rules_formulas(rules_get());
    fputs("formula\top\tflops\tbytes\tbackward_flops\tbackward_bytes\tnames\tsource\n", file);
    for (size_t i = 0; arena && i < rules->row_count; i++) {
        const struct formula_row *row = &rules->rows[i];
        print_field(file, row->name, '\t');
        print_ops(file, row);
        for (int phase = 0; phase < FORMULA_PHASES; phase++)
            for (int bytes = 0; bytes < 2; bytes++)
                print_field(file, formula_row_text(row, (enum formula_phase)phase, bytes, arena),
                            '\t');
        print_field(file, formula_row_names(row, arena), '\t');
        print_field(file, row->source, '\n');
    }
    arena_free(arena);
}

static void list_modes(FILE *file)
{
    fputs("mode\n", file);
    for (size_t i = 0; i < MODE_COUNT; i++)
        print_field(file, mode_names[i], '\n');
}

static void list_themes(FILE *file)
{
    fputs("theme\n", file);
    for (size_t i = 0; i < embedded_file_count; i++) {
        const char *name = embedded_files[i].name;
        if (strncmp(name, "themes/", 7) == 0)
            fprintf(file, "%.*s\n", (int)strcspn(name + 7, "."), name + 7);
    }
}

static const struct cli_listing {
    const char *name;
    void (*print)(FILE *file);
} lists[] = {
    {"reports", list_reports},   {"columns", list_columns},     {"views", list_views},
    {"actions", list_actions},   {"detectors", list_detectors}, {"formats", list_formats},
    {"options", list_options},   {"modes", list_modes},         {"themes", list_themes},
    {"formulas", list_formulas},
};

const char *cli_list_word(size_t i)
{
    return i < sizeof lists / sizeof *lists ? lists[i].name : NULL;
}

bool cli_print_list(const char *what, FILE *file, struct error *error)
{
    size_t count = sizeof lists / sizeof *lists;
    if (!rules_ready(error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(lists[i].name, what) == 0) {
            lists[i].print(file);
            return true;
        }
    return cli_unknown_word("--list: nothing is named ", "", what, cli_list_word, count, error);
}

// Prints text in indented lines of at most 79 columns.
static void print_wrapped(FILE *file, const char *text, int indent)
{
    int column = indent;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column + word > 79 && column > indent) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(file, "%s%.*s", column > indent ? " " : "", word, text);
        column += word + 1;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

void cli_print_help(FILE *file)
{
    fputs("dlprof-tui: where the time of a deep-learning GPU profile goes, in a terminal\n\n"
          "  dlprof-tui [options] nsys_profile.sqlite          explore it\n"
          "  dlprof-tui [options] rank*.sqlite                 the ranks of one job together\n"
          "  dlprof-tui [options] -- python train.py           capture it with nsys, then that\n"
          "  dlprof-tui --print=REPORT PROFILE                 one report on standard output\n"
          "  dlprof-tui --reports=all --output_path=DIR PROFILE  DLProf's CSV files\n\n"
          "Options (a long one takes its value after = or a blank):\n",
          file);
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        if (option->flags & OPTION_HIDDEN)
            continue;
        int width = option->letter ? fprintf(file, "  -%c, --%s", option->letter, option->name)
                                   : fprintf(file, "      --%s", option->name);
        if (option->value)
            width += fprintf(file, "=%s", option->value);
        if (width > 29) {
            fputc('\n', file);
            width = 0;
        }
        fprintf(file, "%*s", 30 - width, "");
        print_wrapped(file, option->doc, 30);
    }
    fputs(
        "\nIn the program, ? shows every key. Exit status: 0 done, 1 the data or the file system\n"
        "failed, 2 wrong usage, 3 a condition of --fail-if holds, 130 cancelled; that of a "
        "program\n"
        "that was captured and failed. More: man dlprof-tui\n",
        file);
}
