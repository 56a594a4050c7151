# SPDX-License-Identifier: Apache-2.0
# A script that says what it was given and ends with that status.
import sys

print(*sys.argv[1:], __name__)
sys.exit(int(sys.argv[2]))
