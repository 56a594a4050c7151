#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The markers for PyTorch: what they say of networks, and what the program makes of it.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # made by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"

export PYTHONPATH=$SOURCE_DIR/python PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
here=$SOURCE_DIR/tests/python

# A Python that has PyTorch: the one on the PATH, or the system's.
python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import torch.overrides; torch.overrides.TorchFunctionMode' 2>/dev/null &&
        python=$candidate && break
done
if [ -z "$python" ]; then
    echo "skip: no Python with PyTorch 1.13 or later (python3-torch)"
    exit 77
fi

# Those of unittest, a line each.
cases() {
    "$python" -W ignore "$here/test_markers.py" -v >"$work/cases" 2>&1
    sed -n 's/^\(test_[a-z_0-9]*\) (__main__\.\([A-Za-z]*\).*[. ]ok$/ok \2: \1/p
            s/^\(test_[a-z_0-9]*\) (__main__\.\([A-Za-z]*\).*skipped.*/skip \2: \1/p
            s/^\(FAIL\|ERROR\): \(test_[a-z_0-9]*\) .*/not ok \2/p' "$work/cases"
    grep -q '^OK' "$work/cases" || { grep -v '\.\.\. ok$' "$work/cases" | tail -n 40 | sed 's/^/# /'; failed=1; }
}
cases

finish
