# SPDX-License-Identifier: Apache-2.0
from dlprof_tui_markers import init, wrap

__all__ = ["init", "wrap"]
