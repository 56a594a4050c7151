// SPDX-License-Identifier: Apache-2.0
// Tab in the prompt: completes the word before the cursor to the common prefix of all candidates
// that begin with it. Candidates are the names of commands, or come from the `completion_source` of
// the command's argument.
#include "ui/app/completion.h"

#include <dirent.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/detectors/expert.h"
#include "analysis/steps/step_sets.h"
#include "base/text/text.h"
#include "model/open/run_folder.h"
#include "model/profile/ranks.h"
#include "ui/app/input.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/session/bookmarks.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/splits.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/theme.h"

struct completion {
    const char *word; // as typed; candidates begin with it
    size_t length;
    size_t count;      // number of candidates
    char shared[1000]; // common prefix of all candidates
    char list[300];    // candidates to show, as many as fit
    bool is_folder;    // a candidate is a folder, after which a path continues
};

struct completion_source {
    void (*add)(struct app *app, struct completion *completion);
    const char *breaks; // characters after which a word begins; NULL: the argument is one word
    const char *before; // characters that may precede a name: "-" of a sort
};

// Shortens the common prefix to the part that `name` begins with, in whole UTF-8 characters.
static void shared_shorten(struct completion *completion, const char *name)
{
    size_t same = 0;
    while (name[same] && name[same] == completion->shared[same])
        same++;
    while (same > 0 && ((unsigned char)completion->shared[same] & 0xc0) == 0x80)
        same--;
    completion->shared[same] = 0;
}

static void completion_add(struct completion *completion, const char *name)
{
    if (strncmp(name, completion->word, completion->length) != 0 ||
        strlen(name) >= sizeof completion->shared)
        return;
    if (completion->count++ == 0)
        snprintf(completion->shared, sizeof completion->shared, "%s", name);
    else
        shared_shorten(completion, name);
    size_t used = strlen(completion->list);
    snprintf(completion->list + used, sizeof completion->list - used, "%s  ", name);
}

// ---- sources -----------------------------------------------------------------------------------

static void add_views(struct app *app, struct completion *completion)
{
    (void)app;
    for (size_t i = 0; i < view_name_count(); i++)
        completion_add(completion, view_name(i));
}
const struct completion_source complete_views = {.add = add_views};

static void add_themes(struct app *app, struct completion *completion)
{
    const char *const *themes;
    size_t count = theme_list(app->canvas->frame, &themes);
    for (size_t i = 0; i < count; i++)
        completion_add(completion, themes[i]);
}
const struct completion_source complete_themes = {.add = add_themes};

static void add_columns(struct app *app, struct completion *completion)
{
    const struct view *view = host_top_view(app);
    for (unsigned c = 0; view && view->report && c < view->report->column_count; c++)
        if (table_column_exists(&view->table, c))
            completion_add(completion, view->table.report->columns[c].key);
}
const struct completion_source complete_columns = {.add = add_columns};
const struct completion_source complete_sorts = {.add = add_columns, .before = "-+"};
const struct completion_source complete_terms = {.add = add_columns, .breaks = " ", .before = "!"};

static void add_sets(struct app *app, struct completion *completion)
{
    completion_add(completion, "all");
    for (enum step_set_word i = 0; i < STEP_SET_WORD_COUNT; i++)
        if (step_set_word_applies(app->scope->split, i))
            completion_add(completion, step_set_words[i]);
}
const struct completion_source complete_sets = {.add = add_sets, .breaks = ", ", .before = "!"};

static void add_kinds(struct app *app, struct completion *completion)
{
    completion_add(completion, "all");
    for (enum step_set_word i = STEP_SET_KINDS; i < STEP_SET_WORD_COUNT; i++)
        if (step_set_word_applies(app->scope->split, i))
            completion_add(completion, step_set_words[i]);
}
const struct completion_source complete_kinds = {.add = add_kinds};

static void add_names(struct app *app, struct completion *completion)
{
    (void)app;
    for (size_t i = 0; i < NAME_FORM_COUNT; i++)
        completion_add(completion, name_form_names[i]);
}
const struct completion_source complete_names = {.add = add_names};

static void add_scopes(struct app *app, struct completion *completion)
{
    const struct profile *profile = app->profile;
    char scope[PROCESS_LABEL_SIZE];
    for (uint32_t g = 0; g < profile->group_count; g++)
        completion_add(completion, profile->groups[g].label);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        snprintf(scope, sizeof scope, "gpu %" PRId64, device_number(profile, d));
        if (profile->devices[d].has_work)
            completion_add(completion, scope);
    }
    for (uint32_t p = 0; p < profile->process_count; p++) {
        process_label(profile, p, scope);
        if (profile->processes[p].gpus != PROCESS_NO_GPU)
            completion_add(completion, scope);
    }
    for (uint32_t d = 0; d < profile->recorded_domain_count; d++)
        completion_add(completion,
                       arena_format(app->canvas->frame, "domain %s", profile->recorded_domains[d]));
}
const struct completion_source complete_scopes = {.add = add_scopes};

static void add_runs(struct app *app, struct completion *completion)
{
    const struct run_list *runs = app->options->runs;
    for (size_t i = 0; runs && i < runs->count; i++)
        completion_add(completion, runs->items[i].name);
}
const struct completion_source complete_runs = {.add = add_runs};

static void add_splits(struct app *app, struct completion *completion)
{
    for (size_t i = 0; i < SPLIT_WORDS; i++)
        completion_add(completion, split_words[i]);
    for (size_t i = 0; i < app->splits->count; i++) {
        bool is_word = false;
        for (size_t w = 0; w < SPLIT_WORDS; w++)
            is_word |= strcmp(app->splits->entries[i].name, split_words[w]) == 0;
        if (!is_word)
            completion_add(completion, app->splits->entries[i].name);
    }
    for (size_t i = 0; i < app->candidates->found.count; i++)
        completion_add(completion, app->candidates->found.items[i].key);
}
const struct completion_source complete_splits = {.add = add_splits};

static void add_findings(struct app *app, struct completion *completion)
{
    const struct finding_list *findings = host_findings(app);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].opens)
            completion_add(completion, findings->items[i].id);
}
const struct completion_source complete_findings = {.add = add_findings};

static void add_bookmarks(struct app *app, struct completion *completion)
{
    for (size_t i = 0; i < MAX_BOOKMARKS; i++)
        if (app->bookmarks[i].text)
            completion_add(completion, (char[]){bookmark_names[i], 0});
}
const struct completion_source complete_bookmarks = {.add = add_bookmarks};

// Returns false for names that cannot be typed, and for hidden files unless a dot was typed.
static bool is_typable(const char *name, const char *typed)
{
    if (name[0] == '.' && (typed[0] != '.' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
        return false;
    size_t length = strlen(name);
    for (size_t i = 0; i < length;) {
        uint32_t code;
        i += text_decode(name + i, length - i, &code);
        if (text_is_unsafe(code) || code == 0xfffd)
            return false;
    }
    return true;
}

static void add_files(struct app *app, struct completion *completion)
{
    enum { MAX_ENTRIES = 20000 }; // keeps the prompt responsive
    struct arena *arena = app->canvas->frame;
    const char *slash = strrchr(completion->word, '/');
    size_t length = slash ? (size_t)(slash - completion->word) + 1 : 0;
    const char *folder = arena_copy(arena, completion->word, length);
    DIR *directory = opendir(length ? folder : ".");
    const struct dirent *entry;
    for (int i = 0; directory && i < MAX_ENTRIES && (entry = readdir(directory)); i++) {
        char path[1000];
        struct stat status;
        if (!is_typable(entry->d_name, completion->word + length) ||
            snprintf(path, sizeof path, "%s%s", folder, entry->d_name) >= (int)sizeof path - 1)
            continue;
        if (strncmp(path, completion->word, completion->length) != 0)
            continue;
        bool is_directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
        if (is_directory)
            strcat(path, "/"); // fits: the size check left a byte
        completion->is_folder |= is_directory;
        completion_add(completion, path);
    }
    if (directory)
        closedir(directory);
}
const struct completion_source complete_files = {.add = add_files};

// ---- the prompt --------------------------------------------------------------------------------

// Adds the literal words of an argument, those in lower case: "off" of "FILE|off".
static void add_words(const struct action_row *row, struct completion *completion)
{
    for (const char *at = row->argument ? row->argument : ""; *at; at += *at == '|') {
        size_t length = strcspn(at, "|");
        char word[40];
        if (length < sizeof word && strspn(at, "abcdefghijklmnopqrstuvwxyz-") == length) {
            snprintf(word, sizeof word, "%.*s", (int)length, at);
            completion_add(completion, word);
        }
        at += length;
    }
}

static void add_commands(struct app *app, struct completion *completion)
{
    for (enum action a = 0; (size_t)a < action_count; a++)
        completion_add(completion, actions[a].name);
    if (completion->count == 0) // a view's name is a command, too
        add_views(app, completion);
}

// Puts the common prefix into the prompt, and lists the candidates if there are several.
static void completion_insert(struct prompt *prompt, const struct completion *completion,
                              const char *end)
{
    size_t shared = strlen(completion->shared);
    if (shared > completion->length)
        prompt_insert(prompt, completion->shared + completion->length, shared - completion->length);
    if (completion->count == 1 && !completion->is_folder)
        prompt_insert(prompt, end, strlen(end));
    if (completion->count > 1)
        snprintf(prompt->problem, sizeof prompt->problem, "%.190s", completion->list);
}

// Completes the text between `from`, where an argument begins, and the cursor.
static void argument_complete(struct app *app, const struct action_row *row, size_t from)
{
    const struct completion_source *source = row->complete;
    struct prompt *prompt = app->prompt;
    char word[PROMPT_SIZE];
    for (size_t i = from; source && source->breaks && i < prompt->at; i++)
        if (strchr(source->breaks, prompt->text[i]))
            from = i + 1;
    while (source && source->before && from < prompt->at && prompt->text[from] &&
           strchr(source->before, prompt->text[from]))
        from++;
    snprintf(word, sizeof word, "%.*s", (int)(prompt->at - from), prompt->text + from);
    struct completion completion = {.word = word, .length = strlen(word)};
    add_words(row, &completion);
    if (source)
        source->add(app, &completion);
    if (completion.count > 0)
        completion_insert(prompt, &completion, "");
}

void prompt_complete(struct app *app)
{
    struct prompt *prompt = app->prompt;
    enum action action = prompt_action(prompt);
    if (prompt->kind != PROMPT_COMMAND) {
        if (action != ACTION_NONE)
            argument_complete(app, &actions[action], 0);
        return;
    }
    size_t begin = strspn(prompt->text, " :"), length = strcspn(prompt->text + begin, " ");
    char word[PROMPT_SIZE];
    if (prompt->at > begin + length) {
        snprintf(word, sizeof word, "%.*s", (int)length, prompt->text + begin);
        action = command_action(word, NULL);
        size_t from = begin + length + strspn(prompt->text + begin + length, " ");
        if (action != ACTION_NONE && prompt->at >= from)
            argument_complete(app, &actions[action], from);
        return;
    }
    snprintf(word, sizeof word, "%.*s", prompt->at > begin ? (int)(prompt->at - begin) : 0,
             prompt->text + begin);
    struct completion completion = {.word = word, .length = strlen(word)};
    add_commands(app, &completion);
    action = completion.count == 1 ? action_find(completion.shared) : ACTION_NONE;
    if (completion.count > 0)
        completion_insert(prompt, &completion,
                          action != ACTION_NONE && actions[action].argument ? " " : "");
}
