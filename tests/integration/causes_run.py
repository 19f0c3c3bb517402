"""Run programs, each in a forked child that finds torch imported: `causes_run.py FILE …`.

Prints the process id of each beside its name.
"""

from __future__ import annotations

import atexit
import os
import random
import sys
from pathlib import Path

import torch
from torch import nn  # noqa: F401 -- imported once for all
from torch.utils import checkpoint, data  # noqa: F401


def child_of(paths: list[Path]) -> Path | None:
    """Fork for each program; which one this child is to run, None in the parent."""
    for path in paths:
        pid = os.fork()
        if not pid:
            return path
        print(f"{path.stem} {pid}", flush=True)
        os.waitpid(pid, 0)
    return None


def main() -> None:
    path = child_of([Path(name) for name in sys.argv[1:]])
    if path is None:
        return
    torch.manual_seed(0)
    random.seed(0)
    try:
        # Not in the loop above, which would be taken for the one that takes the steps.
        exec(compile(path.read_bytes(), path, "exec"), vars(sys.modules["__main__"]))
    finally:
        # `os._exit` skips what the recorder writes at the end.
        atexit._run_exitfuncs()
        os._exit(0)


if __name__ == "__main__":
    main()
