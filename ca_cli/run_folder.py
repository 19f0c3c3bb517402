"""The folder of a run: how it is named and made, and its `run.json`.

ca-runs/train-20260401-093000/
  run.json       `ca_engine.schema.RunFile`
  exit_code      there once the process ends in order; one byte, written by the C library at the
                 very end (see `ca_engine.boot`)
  trace/         torch's structured trace, one file per process
  seal           says that it was recorded here: `ca_reports.run.seal`
  source.json    the program's files that findings are about: `write_source`
  report.html
"""

from __future__ import annotations

import itertools
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ca_cli import writing
from ca_cli.errors import UsageError
from ca_engine.schema import SCHEMA_VERSION
from ca_engine.source_redaction import redact_source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from ca_engine.schema import RunFile
    from ca_reports.program.files import RecordedSource

RUNS = "ca-runs"
RUN_FILE = "run.json"
EXIT_CODE = "exit_code"
SOURCE = "source.json"
TRACE = "trace"
REPORT = "report.html"
# In characters; of what is beyond, the hash alone is kept.
MAX_SOURCE = 2_000_000
_LONGEST_NAME = 80  # file systems allow 255 bytes; people read fewer


def create(output: Path | None, name: str, now: datetime, script_folder: str | None = None) -> Path:
    """Make the folder of a new run, with `TRACE` in it, and return its absolute path.

    `output` must be new or empty, since nothing that a user has may be overwritten.
    Without one, the folder is ``ca-runs/<name>-<time>``, with -2, -3 … where that exists. Source
    below the current folder and `script_folder` may be read for it later.
    Raises `UsageError` if it cannot be made.
    """
    try:
        folder = _unused(name, now) if output is None else _as_named(output)
        (folder / TRACE).mkdir()
    except OSError as error:
        raise UsageError(f"cannot make the run folder {error.filename}: {error.strerror}") from None
    from ca_reports.run import seal

    seal.write(folder, str(Path.cwd()), *([script_folder] if script_folder else []))
    return Path(os.path.abspath(folder))  # noqa: PTH100 -- links in it stay as the user named them


def write_run_file(folder: Path, run: RunFile) -> None:
    """Write `run.json` of a run folder."""
    text = json.dumps(run, indent=2, ensure_ascii=False)
    writing.replace(folder / RUN_FILE, text + "\n")


def read_run_file(folder: Path) -> RunFile:
    """Read `run.json` of a run folder. Raises `UsageError` if it is none of ours."""
    path = folder / RUN_FILE
    try:
        run = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}") from None
    if not isinstance(run, dict):
        raise UsageError(f"{path} does not describe a run")
    return cast("RunFile", run)


def write_source(
    folder: Path, files: Mapping[str, RecordedSource], secrets: Sequence[str], *, keep: bool
) -> None:
    """Write the program's files and their hashes, without the literals of secrets.

    Unless to be kept, and beyond `MAX_SOURCE` characters in all, a file is its hash alone.
    """
    rows = []
    left = MAX_SOURCE
    for name, file in files.items():
        text = file.text if keep and file.text is not None and len(file.text) <= left else None
        left -= len(text or "")
        kept = None if text is None else redact_source(text, secrets)
        rows.append({"file": name, "hash": file.digest, "text": kept})
    document = {"schema_version": SCHEMA_VERSION, "files": rows}
    writing.replace(folder / SOURCE, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def _as_named(output: Path) -> Path:
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output} is a file: -o names the folder of the run")
    if output.exists() and any(output.iterdir()):
        raise UsageError(f"{output} is not empty: choose a new or empty folder")
    output.mkdir(parents=True, exist_ok=True)
    return output


def _unused(name: str, now: datetime) -> Path:
    safe = re.sub(r"[^\w.-]+", "_", name)[:_LONGEST_NAME].strip("._-") or "run"
    stem = f"{safe}-{now:%Y%m%d-%H%M%S}"
    for number in itertools.count(1):
        folder = Path(RUNS, stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if not folder.is_dir() and not Path(RUNS).is_dir():
                raise
        else:
            return folder
    raise AssertionError("count() has no end")
