# SPDX-License-Identifier: Apache-2.0
"""The names that scripts for DLProf import, forwarded to dlprof_tui_markers."""
from . import nvtx
from .nvtx import init, wrap

__all__ = ["init", "nvtx", "wrap"]
