# SPDX-License-Identifier: Apache-2.0
"""Differences that the manual defines: (part of the path, of the figure, the manual's sentence, a test of the
difference or None for all)."""

DEFINED = []


def reason(path, difference):
    for part, figure, why, applies in DEFINED:
        if part in path and figure in difference.figure and (applies is None or applies(difference)):
            return why
    return None
