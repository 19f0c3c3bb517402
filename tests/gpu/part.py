"""One part, in the process that is there for it alone."""

from __future__ import annotations

import importlib
import os
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.gpu.result import LeftOutError, Result, Settings

if TYPE_CHECKING:
    from pathlib import Path


def run_part(part: str, settings: Settings, path: Path, output: Path) -> None:
    """Run a part. An error within it is its result, which ends up in ``path``.

    What it prints goes to the file ``output``.
    """
    with output.open("wb") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    result = Result(part, path=path)
    name, _, share = part.partition("/")
    settings = replace(settings, share=share)
    try:
        importlib.import_module(f"tests.gpu.part_{name}").run(settings, result)
    except LeftOutError as reason:
        result.left_out = str(reason)
    except Exception:
        result.error = traceback.format_exc()[-3000:]
    result.write()
