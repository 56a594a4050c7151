#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# corpus.sh PROGRAM: holds the program's figures of all real profiles against their raw rows.
set -u
here=$(dirname "${BASH_SOURCE[0]}")
corpus=${DLPROF_CORPUS:-$here/../../../shared/corpus}
[ -d "$corpus" ] || { echo "skipped: no corpus at $corpus"; exit 77; }
exec python3 -B "$here/recompute.py" --verbose "$1" "$(realpath "$corpus")"
