// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_words.h"

#include <stdio.h>
#include <string.h>

#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "base/embedded.h"
#include "cli/cli.h"
#include "ui/state/view.h"

const char *cli_report_word(size_t i)
{
    return i < report_count ? reports[i]->name : NULL;
}

const char *cli_dlprof_word(size_t i)
{
    if (i == 0)
        return "all";
    for (size_t r = 0; r < report_count; r++)
        if (reports[r]->is_dlprof && --i == 0)
            return reports[r]->name;
    return NULL;
}

const char *cli_format_word(size_t i)
{
    return i < export_format_count ? export_formats[i]->name : NULL;
}

const char *cli_mode_word(size_t i)
{
    return i < MODE_COUNT ? mode_names[i] : NULL;
}

const char *cli_cache_word(size_t i)
{
    static const char *const words[] = {
        [CACHE_ON] = "on", [CACHE_OFF] = "off", [CACHE_FILL] = "fill"};
    return i < sizeof words / sizeof *words ? words[i] : NULL;
}

const char *cli_name_form_word(size_t i)
{
    return i < NAME_FORM_COUNT ? name_form_names[i] : NULL;
}

const char *cli_view_word(size_t i)
{
    return i < view_name_count() ? view_name(i) : NULL;
}

// Enumerates the built-in themes; user themes are found at run time.
const char *cli_theme_word(size_t i)
{
    static char word[64]; // valid until the next call
    for (size_t file = 0; file < embedded_file_count; file++) {
        const char *name = embedded_files[file].name;
        if (strncmp(name, "themes/", 7) != 0 || i-- > 0)
            continue;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(name + 7, "."), name + 7);
        return word;
    }
    return NULL;
}

const char *cli_color_word(size_t i)
{
    static const char *const words[] = {"auto", "never", "always", NULL};
    return words[i];
}

const char *cli_shell_word(size_t i)
{
    static const char *const words[] = {"bash", "zsh", "fish", NULL};
    return words[i];
}

const char *cli_verbosity_word(size_t i)
{
    static const char *const words[] = {"quiet",    "minimal",    "normal",
                                        "detailed", "diagnostic", NULL};
    return words[i];
}
