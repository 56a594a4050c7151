// SPDX-License-Identifier: Apache-2.0
// Possible values of options: each function returns the i-th value, NULL after the last.
#ifndef CLI_CLI_WORDS_H
#define CLI_CLI_WORDS_H

#include <stddef.h>

const char *cli_report_word(size_t i);
const char *cli_dlprof_word(size_t i);
const char *cli_format_word(size_t i);
const char *cli_mode_word(size_t i);
const char *cli_cache_word(size_t i); // enum cache_use
const char *cli_name_form_word(size_t i);
const char *cli_view_word(size_t i);
const char *cli_theme_word(size_t i);
const char *cli_color_word(size_t i);
const char *cli_shell_word(size_t i);
const char *cli_verbosity_word(size_t i);

#endif
