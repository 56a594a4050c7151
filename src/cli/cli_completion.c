// SPDX-License-Identifier: Apache-2.0
// Shell completions, generated from the table of options and the possible values in it. The
// scripts need no completion library.
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_words.h"

// The kind of a value (file, folder, list) follows from its name in the table.
static bool is_file(const struct cli_option *option)
{
    return option->value &&
           strncmp(option->value, "FILE", strlen("FILE")) == 0; // also "FILE|-", "FILE|FOLDER"
}

static bool is_folder(const struct cli_option *option)
{
    return option->value && strcmp(option->value, "DIR") == 0;
}

static bool is_list(const struct cli_option *option)
{
    return option->value && strcmp(option->value, "LIST") == 0;
}

// Returns true if an earlier word is equal to word `at`: a view may have the name of its report.
static bool is_repeated(const struct cli_option *option, size_t at)
{
    char word[64];
    snprintf(word, sizeof word, "%s", option->word(at));
    for (size_t i = 0; i < at; i++)
        if (strcmp(option->word(i), word) == 0)
            return true;
    return false;
}

static void print_words(const struct cli_option *option, FILE *file)
{
    for (size_t i = 0; option->word(i); i++)
        if (!is_repeated(option, i))
            fprintf(file, "%s%s", i ? " " : "", option->word(i));
}

// ---- bash --------------------------------------------------------------------------------------

// Prints the spellings of an option: "--reports|--report".
static void bash_spellings(const struct cli_option *option, FILE *file)
{
    fprintf(file, "        --%s", option->name);
    if (option->other)
        fprintf(file, "|--%s", option->other);
    if (option->letter)
        fprintf(file, "|-%c", option->letter);
    fputs(") ", file);
}

static void bash_print(FILE *file)
{
    fputs(
        "# bash completion of dlprof-tui, made from its table of options.\n"
        "# `=` is a word of its own to readline, and what stands after it is completed alone.\n"
        "_dlprof_tui() {\n"
        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} option words=\n"
        "    local kind=words before=\n"
        "    COMPREPLY=()\n"
        "    option=$prev\n"
        "    if [[ $cur == = ]]; then cur=\n"
        "    elif [[ $prev == = ]]; then option=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "    elif [[ $cur == --*=* ]]; then option=${cur%%=*} cur=${cur#*=}\n"
        "    elif [[ $cur == -* ]]; then option=; fi\n"
        "    case $option in\n",
        file);
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        if (!option->value || option->flags & OPTION_HIDDEN)
            continue;
        bash_spellings(option, file);
        if (is_file(option))
            fputs("kind=files ;;\n", file);
        else if (is_folder(option))
            fputs("kind=folders ;;\n", file);
        else if (option->word) {
            fputs("words='", file);
            print_words(option, file);
            fputs(is_list(option) ? "' kind=list ;;\n" : "' ;;\n", file);
        } else {
            fputs("return ;;\n", file);
        }
    }
    fputs("        *)\n"
          "            if [[ $cur == -* ]]; then kind=options words='",
          file);
    for (size_t i = 0; i < cli_option_count; i++)
        if (!(cli_options[i].flags & OPTION_HIDDEN))
            fprintf(file, "%s--%s%s", i ? " " : "", cli_options[i].name,
                    cli_options[i].value ? "=" : "");
    fputs("'\n"
          "            else kind=files; fi ;;\n"
          "    esac\n"
          "    case $kind in\n"
          "        list) before=${cur%\"${cur##*,}\"} cur=${cur##*,} ;;\n"
          "        files) compopt -o filenames 2>/dev/null ;;\n"
          "        folders) compopt -o filenames 2>/dev/null ;;\n"
          "    esac\n"
          "    local IFS=$'\\n'\n"
          "    case $kind in\n"
          "        files) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
          "        folders) COMPREPLY=($(compgen -d -- \"$cur\")) ;;\n"
          "        *) COMPREPLY=($(compgen -P \"$before\" -W \"${words// /$'\\n'}\" -- \"$cur\")) "
          ";;\n"
          "    esac\n"
          "    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then\n"
          "        compopt -o nospace 2>/dev/null\n"
          "    fi\n"
          "}\n"
          "complete -F _dlprof_tui dlprof-tui\n",
          file);
}

// ---- zsh ---------------------------------------------------------------------------------------

// Prints a description for [...] inside '...', without the characters that would end either.
static void zsh_text(const char *text, FILE *file)
{
    for (; *text && !(text[0] == '.' && text[1] == ' '); text++)
        if (!strchr("'[]:\\`$\"", *text))
            fputc(*text, file);
}

static void zsh_action(const struct cli_option *option, FILE *file)
{
    fprintf(file, ":%s:", option->value);
    if (is_file(option))
        fputs("_files", file);
    else if (is_folder(option))
        fputs("_files -/", file);
    else if (option->word) {
        fputs(is_list(option) ? "_values -s , words " : "(", file);
        print_words(option, file);
        fputs(is_list(option) ? "" : ")", file);
    } else {
        fputc(' ', file);
    }
}

static void zsh_option(const struct cli_option *option, const char *dashes, const char *name,
                       const char *joint, FILE *file)
{
    fprintf(file, "    '%s%s%s[", dashes, name, option->value ? joint : "");
    zsh_text(option->doc, file);
    fputc(']', file);
    if (option->value)
        zsh_action(option, file);
    fputs("' \\\n", file);
}

static void zsh_print(FILE *file)
{
    fputs("#compdef dlprof-tui\n"
          "# zsh completion of dlprof-tui, made from its table of options.\n"
          "_arguments -S \\\n",
          file);
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        const char letter[2] = {option->letter, 0};
        if (option->flags & OPTION_HIDDEN)
            continue;
        zsh_option(option, "--", option->name, "=", file);
        if (option->other)
            zsh_option(option, "--", option->other, "=", file);
        if (option->letter)
            zsh_option(option, "-", letter, "+", file);
    }
    fputs("    '*:profile:_files'\n", file);
}

// ---- fish --------------------------------------------------------------------------------------

static void fish_text(const char *text, FILE *file)
{
    for (; *text && !(text[0] == '.' && text[1] == ' '); text++)
        if (!strchr("'\\", *text))
            fputc(*text, file);
}

static void fish_print(FILE *file)
{
    fputs("# fish completion of dlprof-tui, made from its table of options.\n", file);
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        if (option->flags & OPTION_HIDDEN)
            continue;
        fprintf(file, "complete -c dlprof-tui -l %s", option->name);
        if (option->letter)
            fprintf(file, " -s %c", option->letter);
        if (option->value)
            fputs(is_file(option) || is_folder(option) ? " -r" : " -x", file);
        if (is_folder(option))
            fputs(" -a '(__fish_complete_directories)'", file);
        if (option->word) {
            fputs(is_list(option) ? " -a '(__fish_append , " : " -a '", file);
            print_words(option, file);
            fputs(is_list(option) ? ")'" : "'", file);
        }
        fputs(" -d '", file);
        fish_text(option->doc, file);
        fputs("'\n", file);
    }
}

void cli_print_completion(const char *shell, FILE *file)
{
    static void (*const prints[])(FILE * file) = {bash_print, zsh_print, fish_print};
    for (size_t i = 0; i < sizeof prints / sizeof *prints; i++)
        if (strcmp(cli_shell_word(i), shell) == 0)
            prints[i](file);
}
