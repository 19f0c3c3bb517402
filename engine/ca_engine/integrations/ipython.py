"""The cell magic ``%%ca``, after ``%load_ext ca_engine``."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime
from typing import Any

import torch
from IPython.core.error import UsageError
from IPython.core.magic import register_cell_magic
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from ca_engine import api


@magic_arguments()
@argument("folder", nargs="?", help="Where to record; a new folder in ca-runs if left out.")
@argument("--enable", action="store_true", help="Turn compiled autograd on for the cell.")
@argument("--backend", default="inductor", help="With --enable: what compiles the backward.")
def ca(line: str, cell: str) -> None:
    """Record what a cell does, and show what was recompiled and why."""
    asked = parse_argstring(ca, line)
    with ExitStack() as stack:
        folder = asked.folder or f"ca-runs/notebook-{datetime.now():%Y%m%d-%H%M%S-%f}"
        recording = stack.enter_context(api.record(folder))
        if asked.enable:
            stack.enter_context(api.enable(torch.compile(backend=asked.backend)))
        # A line in the place of the magic's own, so that lines have the numbers that they have in
        # the notebook, and that reads as it in a traceback; another magic has to stay first.
        begin = "" if cell.lstrip().startswith("%%") else f"# %%ca {line}".rstrip() + "\n"
        counted = _shell.execution_count
        _shell.execution_count = len(_shell.user_ns["In"]) - 1  # this cell's, which is shown
        try:
            outcome = _shell.run_cell(begin + cell)
        finally:
            _shell.execution_count = counted
    display(recording)
    if not outcome.success:
        raise UsageError("the cell failed, see above")  # or "run all" would go on


_shell: Any = None


def load(shell: Any) -> None:
    """Register the magic with an `InteractiveShell`."""
    global _shell
    _shell = shell
    register_cell_magic(ca)
