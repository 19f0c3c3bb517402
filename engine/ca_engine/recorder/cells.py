"""The cells of a notebook: their code is in no file, and IPython forgets it with the kernel."""

from __future__ import annotations

import linecache
import sys
from typing import Any

from ca_engine import schema, trace
from ca_engine.settings import Settings
from ca_engine.source_redaction import redact_source

# Characters of a cell, and cells that are kept.
MAX_CHARACTERS = 200_000
MAX_CELLS = 2_000


class Cells:
    """Writes the cells that ran before what is compiled of them; outside of IPython nothing."""

    def __init__(self) -> None:
        self._written: dict[str, int] = {}

    def forget(self) -> None:
        """Write all of them again, into another recording."""
        self._written = {}

    def write(self, settings: Settings) -> None:
        """Write those that ran since the last time."""
        if not settings.source or not trace.is_listening():
            return
        numbers = _numbers()
        new = {file: one for file, one in numbers.items() if self._written.get(file) != one}
        cells: list[schema.CellRecord] = []
        for file, number in new.items():
            if len(self._written) >= MAX_CELLS:
                break
            self._written[file] = number
            text = _text(file)
            if text is not None and len(text) <= MAX_CHARACTERS:
                code = redact_source(text, settings.secrets)
                cells.append({"file": file, "name": f"In[{number}]", "text": code})
        if cells:
            record: schema.CellsRecord = {
                "schema_version": schema.SCHEMA_VERSION,
                "cells": cells,
            }
            trace.compact_artifact(schema.CELLS_RECORD, lambda: record)


def _numbers() -> dict[str, int]:
    """Return the file names of the cells that ran, with the number of each."""
    ipython = sys.modules.get("IPython")
    shell: Any = getattr(ipython, "get_ipython", lambda: None)()
    # What IPython looks up to write ``Cell In[3], line 5`` into a traceback.
    found = getattr(getattr(shell, "compile", None), "_filename_map", None)
    return dict(found) if isinstance(found, dict) else {}


def _text(file: str) -> str | None:
    entry: Any = linecache.cache.get(file)
    return "".join(entry[2]) if entry is not None and len(entry) > 2 else None
