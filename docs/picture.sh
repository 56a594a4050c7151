#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes the pictures of README.md, screens of the demo profile (DEMO) shown by the program
# (DLPROF_TUI) in the dark theme, to docs/ or the given folder. Run by ./dev docs. A test checks
# that README has each picture and that the pictures are up to date.
set -eu
folder=${1:-$(cd "$(dirname "$0")" && pwd)}

# picture NAME KEY...: saves the screen after these keys and commands.
picture() {
    local file=$folder/$1.svg
    shift
    rm -f "$file"
    printf '%s\n' "$@" ":save $file" |
        LC_ALL=C.UTF-8 "$DLPROF_TUI" --script=- --theme=dark --color=always --size=100x30 "$DEMO"
    test -s "$file"
}

picture summary ':view summary'
picture tree ':view tree' ':row layers.* x24' l
picture steps ':17'
picture timeline 6 + + +
picture expert 5
