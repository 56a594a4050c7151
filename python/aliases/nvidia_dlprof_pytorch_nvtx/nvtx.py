# SPDX-License-Identifier: Apache-2.0
"""init() and wrap() as DLProf has them; what init() is told there has no meaning here."""
import dlprof_tui_markers
from dlprof_tui_markers import wrap

__all__ = ["init", "wrap"]


def init(*_words, **_options):
    dlprof_tui_markers.init()
