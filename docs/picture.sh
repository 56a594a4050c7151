#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of README.md: what the program (DLPROF_TUI) shows of the demo profile (DEMO), in
# the colours of the dark theme. Into docs/, or the folder named. ./dev docs runs it; a test sees
# that README has each and that what they show is still shown.
set -eu
folder=${1:-$(cd "$(dirname "$0")" && pwd)}

# picture NAME KEY...: the screen after these keys and commands.
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
