// SPDX-License-Identifier: Apache-2.0
// --doctor: checks machine, terminal, configuration and profile, and prints advice for each
// check. Changes nothing and needs no terminal.
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "base/xdg.h"
#include "cli/cli.h"
#include "model/nsys/nsys_program.h"
#include "model/open/open.h"
#include "model/profile/recorder.h"
#include "model/rules/rules.h"
#include "ui/app/keymap.h"
#include "ui/term/clipboard.h"
#include "ui/term/term.h"
#include "ui/term/theme.h"

enum check_level { LEVEL_OK, LEVEL_NOTE, LEVEL_WRONG };
static const char *const level_words[] = {"ok", "note", "WRONG"};

struct doctor {
    const struct cli *cli;
    FILE *file;
    struct arena *arena;
    const char *name; // name of the current check
    bool is_terminal, has_facts;
    struct term_facts facts;
    bool is_wrong;
};

// Prints a line, and advice below it. Texts may contain names from files, so they are made safe.
static void tell(struct doctor *doctor, enum check_level level, const char *advice,
                 const char *text)
{
    char *safe = text_safe(doctor->arena, text, strlen(text), true);
    fprintf(doctor->file, "%-6s %-10s %s\n", level_words[level], doctor->name, safe);
    if (advice)
        fprintf(doctor->file, "%18s-> %s\n", "",
                text_safe(doctor->arena, advice, strlen(advice), true));
    doctor->is_wrong |= level == LEVEL_WRONG;
}

#define TELL(doctor, level, advice, ...) \
    tell(doctor, level, advice, arena_format((doctor)->arena, __VA_ARGS__))

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

// ---- the terminal ------------------------------------------------------------------------------

static void check_locale(struct doctor *doctor)
{
    const char *locale = setlocale(LC_CTYPE, ""), *charset = nl_langinfo(CODESET);
    const char *asked = *variable("LC_ALL")     ? variable("LC_ALL")
                        : *variable("LC_CTYPE") ? variable("LC_CTYPE")
                                                : variable("LANG");
    if (!locale)
        TELL(doctor, LEVEL_NOTE, "`locale -a` lists those there are; export LC_ALL=C.UTF-8",
             "'%.60s' is not installed here: drawn in ASCII", asked);
    else if (strcmp(charset, "UTF-8") != 0)
        TELL(doctor, LEVEL_NOTE, "export LC_ALL=C.UTF-8 for lines, blocks and names as they are",
             "%s, of %s: drawn in ASCII", locale, charset);
    else
        TELL(doctor, LEVEL_OK, NULL, "%s, UTF-8%s", locale,
             doctor->cli->ascii ? "; --ascii: drawn in ASCII" : "");
}

static void check_terminal(struct doctor *doctor)
{
    const char *term = variable("TERM"), *multiplexer = *variable("TMUX")  ? ", in tmux"
                                                        : *variable("STY") ? ", in screen"
                                                                           : "";
    if (!doctor->is_terminal)
        TELL(doctor, LEVEL_NOTE, "run --doctor where you want to look at profiles",
             "standard input and output are none: what concerns it is by TERM='%.60s'", term);
    if (!doctor->has_facts)
        TELL(doctor, doctor->is_terminal ? LEVEL_WRONG : LEVEL_NOTE,
             "export TERM=xterm-256color, or bring its entry: infocmp -x | ssh HOST tic -x -",
             "TERM='%.60s' is not known here", term);
    else if (!doctor->facts.can_move_cursor)
        TELL(doctor, doctor->is_terminal ? LEVEL_WRONG : LEVEL_NOTE,
             "export TERM=xterm-256color; --print and --reports need no terminal",
             "TERM='%.60s' cannot draw a screen", term);
    else if (doctor->is_terminal)
        TELL(doctor, LEVEL_OK, NULL, "%.60s%s", term, multiplexer);
}

static void check_size(struct doctor *doctor)
{
    struct winsize size = {0};
    if (!doctor->is_terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return;
    bool is_tiny = size.ws_col < 30 || size.ws_row < 8;
    bool is_small = size.ws_col < 80 || size.ws_row < 24;
    TELL(doctor,
         is_tiny    ? LEVEL_WRONG
         : is_small ? LEVEL_NOTE
                    : LEVEL_OK,
         is_tiny    ? "30x8 at least"
         : is_small ? "80x24 shows all panels, 200x50 two columns of them"
                    : NULL,
         "%dx%d", size.ws_col, size.ws_row);
}

static void check_colours(struct doctor *doctor)
{
    const char *color = doctor->cli->color;
    int colours = doctor->facts.colours;
    if (strcmp(color, "never") == 0)
        TELL(doctor, LEVEL_OK, NULL, "none: --color=never");
    else if (strcmp(color, "always") != 0 && *variable("NO_COLOR"))
        TELL(doctor, LEVEL_OK, NULL, "none: NO_COLOR is set; --color=always overrules it");
    else if (!doctor->has_facts)
        TELL(doctor, LEVEL_NOTE, NULL, "not known");
    else if (colours < 8)
        TELL(doctor, LEVEL_NOTE, "export TERM=xterm-256color if the terminal has some",
             "none by terminfo: theme mono");
    else if (colours < 256)
        TELL(doctor, LEVEL_NOTE, "export TERM=xterm-256color if the terminal has 256",
             "%d by terminfo: each theme's eight", colours);
    else
        TELL(doctor, LEVEL_OK, NULL, "256, theme %s",
             doctor->cli->theme ? doctor->cli->theme : "dark");
}

static void check_mouse(struct doctor *doctor)
{
    if (doctor->cli->no_mouse)
        TELL(doctor, LEVEL_OK, NULL, "left to the terminal: --no-mouse; :mouse takes it");
    else if (doctor->facts.has_mouse)
        TELL(doctor, LEVEL_OK, NULL,
             "wheel, click, double click, drag; :mouse leaves it to the terminal");
    else
        TELL(doctor, LEVEL_NOTE, "every action has a key", "none by terminfo");
}

static void check_clipboard(struct doctor *doctor)
{
    struct clipboard clipboard = clipboard_find(getenv);
    char limit[FORMAT_SIZE];
    format_bytes(limit, MAX_CLIPBOARD_BYTES);
    if (clipboard.sure == CLIPBOARD_NONE)
        TELL(doctor, LEVEL_NOTE, "or `:copy FILE`", "%s has none: :copy writes files",
             clipboard.who);
    else
        TELL(doctor, LEVEL_OK, clipboard.advice,
             "%s %s a text by OSC 52, up to %s; nothing answers whether it did", clipboard.who,
             clipboard.sure == CLIPBOARD_SURE ? "takes" : "may take", limit);
}

// ---- configuration -----------------------------------------------------------------------------

struct doctor_keys_context {
    const char *path;
    struct arena *arena;
    struct keymap keymap;
};

static bool keys_body(void *context, struct error *error)
{
    struct doctor_keys_context *keys = context;
    return keymap_read(keys->arena, keys->path, &keys->keymap, error);
}

// Returns the path of a configuration file; `named` is given by an option. Returns NULL and
// prints a line if there is none.
static const char *config_file(struct doctor *doctor, const char *named, const char *name)
{
    const char *path = named ? named : xdg_path(doctor->arena, XDG_CONFIG, name);
    if (named || (path && access(path, F_OK) == 0))
        return path;
    TELL(doctor, LEVEL_OK, NULL, "%s",
         path ? arena_format(doctor->arena, "no %s", path)
              : "no folder: neither XDG_CONFIG_HOME nor HOME is set");
    return NULL;
}

static void check_keys(struct doctor *doctor)
{
    struct doctor_keys_context keys = {.path = config_file(doctor, doctor->cli->keys, "keys.yaml"),
                                       .arena = doctor->arena};
    struct error error = {0};
    if (!keys.path)
        return;
    if (!arena_run(doctor->arena, keys_body, &keys, &error)) {
        TELL(doctor, LEVEL_WRONG, "until then the keys of the program hold", "%s", error.message);
        return;
    }
    TELL(doctor, LEVEL_OK, NULL, "%s: %zu of its actions taken", keys.path, keys.keymap.changed);
    for (size_t i = 0; i < keys.keymap.note_count; i++)
        TELL(doctor, LEVEL_WRONG, NULL, "%s", keys.keymap.notes[i]);
}

static void check_config(struct doctor *doctor)
{
    const char *path = config_file(doctor, doctor->cli->config, "config.yaml");
    struct cli cli = {.color = "auto"};
    struct error error = {0};
    if (!path)
        return;
    if (!cli_read_config(&cli, path, doctor->arena, &error))
        TELL(doctor, LEVEL_WRONG, "see --list=options", "%s", error.message);
    else
        TELL(doctor, LEVEL_OK, NULL, "%s", path);
    if (cli.theme && !doctor->cli->theme) {
        struct theme theme;
        if (!theme_load(doctor->arena, cli.theme, &theme, &error))
            TELL(doctor, LEVEL_WRONG, "see --list=themes", "%s", error.message);
    }
}

static void check_rules(struct doctor *doctor)
{
    const char *path;
    struct error error = {0};
    bool renames;
    if (!cli_find_rules(doctor->cli, doctor->arena, &path, &error) ||
        !rules_use(path, &renames, &error))
        TELL(doctor, LEVEL_WRONG, NULL, "%s", error.message);
    else if (path && access(path, F_OK) == 0)
        TELL(doctor, LEVEL_OK, NULL, "%s", path);
    else
        TELL(doctor, LEVEL_OK, NULL, "those built in");
}

// Returns true if files can be created in a folder, which may not exist yet.
static bool is_writable_folder(struct arena *arena, const char *path)
{
    char *folder = arena_copy(arena, path, strlen(path));
    while (access(folder, F_OK) != 0 && errno == ENOENT && strrchr(folder, '/') > folder)
        *strrchr(folder, '/') = 0;
    return access(folder, W_OK | X_OK) == 0;
}

static void check_folder(struct doctor *doctor, enum xdg_folder folder, const char *hint,
                         const char *without)
{
    const char *path = xdg_path(doctor->arena, folder, "");
    if (!path)
        TELL(doctor, LEVEL_NOTE, "set HOME", "no folder: %s", without);
    else if (is_writable_folder(doctor->arena, path))
        TELL(doctor, LEVEL_OK, NULL, "%s", path);
    else
        TELL(doctor, LEVEL_NOTE, hint, "%s cannot be written: %s", path, without);
}

static void check_state(struct doctor *doctor)
{
    check_folder(doctor, XDG_STATE, "set XDG_STATE_HOME to a folder that can be written",
                 "columns and history are forgotten at the end");
}

static void check_cache(struct doctor *doctor)
{
    check_folder(doctor, XDG_CACHE, "set XDG_CACHE_HOME to a folder that can be written",
                 ".nsys-rep files cannot be opened, nor large files faster the next time");
}

// ---- profile -----------------------------------------------------------------------------------

static void check_nsys(struct doctor *doctor)
{
    char path[NSYS_PATH_BYTES], version[200];
    if (!nsys_find(path))
        TELL(doctor, LEVEL_NOTE, "where it is: " HOW_TO_EXPORT,
             "not on the PATH: SQLite exports can be opened, .nsys-rep cannot; nothing can be "
             "captured");
    else if (!nsys_version(path, version, sizeof version))
        TELL(doctor, LEVEL_NOTE, "run it yourself", "%s does not tell its version", path);
    else
        TELL(doctor, LEVEL_OK, NULL, "%s: %s", path, version);
}

static void check_profile(struct doctor *doctor)
{
    const struct cli *cli = doctor->cli;
    struct load_request request = {.path = cli->path,
                                   .paths = cli->paths,
                                   .path_count = cli->path_count,
                                   .mode = cli->mode,
                                   .domain = cli->domain,
                                   .file_window = cli_excerpt(cli),
                                   .ignore_journal = cli->ignore_journal,
                                   .threads = cli->threads};
    struct error error = {0};
    if (!cli->path)
        return;
    struct profile *profile = profile_load(&request, &error);
    if (!profile) {
        TELL(doctor, LEVEL_WRONG, NULL, "%s", error.message);
        return;
    }
    char work[FORMAT_SIZE], calls[FORMAT_SIZE], ranges[FORMAT_SIZE];
    bool has_work = profile->work.count > 0;
    size_t warnings = 0;
    format_counted(work, profile->work.count, "piece");
    if (profile->lacks_times)
        snprintf(calls, sizeof calls, "no times");
    else
        format_counted(calls, profile->api.count, "API call");
    format_counted(ranges, profile->ranges.count, "range");
    for (size_t i = 0; i < profile->note_count; i++)
        warnings += profile->notes[i].level == NOTE_WARNING;
    const char *more = profile->source_count > 1
                           ? arena_format(doctor->arena, " and %u more", profile->source_count - 1)
                           : "";
    const char *remedy = has_work ? NULL
                         : recorder_of(profile) == RECORDER_NSYS
                             ? "was it captured with -t cuda,nvtx?  " HOW_TO_PROFILE
                             : recorder_lack_text(profile, LACKS_WORK);
    profile_free(profile);
    TELL(doctor, has_work ? LEVEL_OK : LEVEL_NOTE, remedy, "%s%s: %s of GPU work, %s, %s",
         cli->path, more, work, calls, ranges);
    if (warnings > 0)
        TELL(doctor, LEVEL_NOTE, "--print=trust, or 0 on the screen, says which",
             "%zu doubts about its rows", warnings);
}

static const struct {
    const char *name;
    void (*run)(struct doctor *doctor);
} checks[] = {
    {"locale", check_locale},   {"terminal", check_terminal}, {"size", check_size},
    {"colours", check_colours}, {"mouse", check_mouse},       {"clipboard", check_clipboard},
    {"keys", check_keys},       {"config", check_config},     {"rules", check_rules},
    {"state", check_state},     {"cache", check_cache},       {"nsys", check_nsys},
    {"profile", check_profile},
};

static bool doctor_body(void *context, struct error *error)
{
    struct doctor *doctor = context;
    (void)error;
    doctor->is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    doctor->has_facts = term_describe(&doctor->facts);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        doctor->name = checks[i].name;
        checks[i].run(doctor);
    }
    return true;
}

bool cli_run_doctor(const struct cli *cli, FILE *file, struct arena *arena)
{
    struct doctor doctor = {.cli = cli, .file = file, .arena = arena};
    bool is_done = arena_run(arena, doctor_body, &doctor, NULL);
    if (!is_done)
        fprintf(file, "%-6s %-10s out of memory\n", level_words[LEVEL_WRONG], doctor.name);
    rules_use_builtin();
    return is_done && !doctor.is_wrong;
}
