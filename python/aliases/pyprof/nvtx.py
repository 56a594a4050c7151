# SPDX-License-Identifier: Apache-2.0
"""init() and wrap() with the interface of PyProf; arguments of init() are ignored."""
import dlprof_tui_markers
from dlprof_tui_markers import wrap

__all__ = ["init", "wrap"]


def init(*_words, **_options):
    dlprof_tui_markers.init()
