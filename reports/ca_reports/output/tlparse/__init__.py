"""tlparse, run on each trace of a run, where it is installed.

``tlparse DIR`` fails, and so do two logs of one rank: it is therefore started once for each
file, with a folder per file. It is given our copy of the log (``rewriting``), and may write
nowhere else (``confinement``).
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_engine.redaction import REDACTED
from ca_reports.errors import CaError
from ca_reports.logs.damage import DamageLog
from ca_reports.logs.opening import Unpacking, open_log
from ca_reports.output.tlparse import confinement
from ca_reports.output.tlparse.rewriting import MAX_BYTES, TooLarge, rewrite
from ca_reports.sentences.processes import process_labels
from ca_reports.words.numbers import memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.run.model import Run

# How a folder of ours is told from a folder of the user's.
MARKER = ".written-by-ca"
TIMEOUT = 3_600
# What tlparse adds to the names of its files.
_NUMBERED = expression(r"(?:_\d{1,9})?\.[a-z]{1,5}\Z")
_KEY = expression(r"^\[(?P<id>!?[\d/]+?)(?:_\d+)?\]$")


class TlparseError(CaError):
    """tlparse is missing, or cannot be run on this log."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages that tlparse wrote. Paths are relative to ``folder``'s parent, with ``/``.

    ``processes``: its index page by process; ``compiles``: a page by process and compile
    id; ``files``: every file by process and compile id, each with its name; ``failed``: why a
    file has none.
    """

    folder: Path
    processes: dict[int, str]
    compiles: dict[tuple[int, str], str]
    files: dict[tuple[int, str], tuple[tuple[str, str], ...]]
    failed: tuple[str, ...]


def find_program() -> str:
    """Find tlparse in this environment, else on PATH. Raises ``TlparseError`` if there is none."""
    found = _program()
    if found is None:
        raise TlparseError("tlparse is not installed: pip install tlparse")
    return found


def installed() -> bool:
    """Return whether there is a tlparse to run."""
    return _program() is not None


def run_on(run: Run, folder: Path, back: str | None = None, *, force: bool = False) -> Pages:
    """Run tlparse on each trace of ``run``, into folders in ``folder``, which is replaced.

    The index of all of it is left to `render.tlparse_index`. ``back`` is the page, beside
    ``folder``, that tlparse's pages shall link to. A folder that is not ours is not touched
    unless ``force``. Raises ``TlparseError``.
    """
    program = find_program()
    if folder.exists():
        ours = (folder / MARKER).is_file()
        if not ours and not force and (not folder.is_dir() or any(folder.iterdir())):
            raise TlparseError(f"{folder} exists and was not written by ca: --force replaces it")
        if folder.is_dir():
            shutil.rmtree(folder.resolve())
    folder.resolve().mkdir(parents=True)  # a link to it stays
    (folder / MARKER).touch()
    labels = process_labels(run)
    by_file: dict[str, list[int]] = {}
    for process in run.processes:
        # A process whose trace was continued in another file is one process of two files.
        for file in dict.fromkeys([process.file, *(one.file for one in process.captures)]):
            by_file.setdefault(file, []).append(process.index)
    pages = Pages(folder, {}, {}, {}, ())
    failed = []
    for number, (file, indices) in enumerate(by_file.items()):
        name = re.sub(r"\W+", "-", labels[indices[0]]).strip("-") or "trace"
        target = folder / f"{number}-{name}"
        problem = _run_one(program, file, target, back)
        if problem is not None:
            failed.append(f"{file}: {problem}")
            continue
        relative = f"{quote(folder.name)}/{quote(target.name)}"
        compiles = _compile_pages(target)
        for index in indices:
            pages.processes.setdefault(index, f"{relative}/index.html")
            for id, urls in compiles.items():
                named = tuple((_file_name(url), f"{relative}/{quote(url)}") for url in urls)
                pages.files.setdefault((index, id), named)
                pages.compiles.setdefault((index, id), f"{relative}/{quote(_best(urls))}")
    return replace(pages, failed=tuple(failed))


def _program() -> str | None:
    beside = Path(sys.executable).with_name("tlparse")
    return str(beside) if beside.is_file() else shutil.which("tlparse")


def _run_one(program: str, file: str, target: Path, back: str | None) -> str | None:
    """Run it on one file; returns why there is no page, None if there is one.

    It sees the log as we write it again, in a folder that is all it may write to; what it
    leaves there is moved to ``target`` as far as it is files.
    """
    if REDACTED in file:
        return "its URL held a password, which is not kept: download the log"
    # Absolute, because tlparse is started in it.
    with tempfile.TemporaryDirectory(prefix=".ca-", dir=target.parent.absolute()) as private:
        log, pages = Path(private, "trace.log"), Path(private, "pages")
        try:
            with open_log(file) as stream, log.open("wb") as out:
                rewritten = rewrite(file, stream.read, out, DamageLog())
        except TooLarge:
            return f"it holds more than {memory(MAX_BYTES)}, which tlparse would keep in memory"
        except (OSError, Unpacking) as error:
            return str(error)
        if not rewritten:
            return "no record in it could be read"
        command = [sys.executable, "-I", "-S", confinement.__file__, str(MAX_BYTES), private]
        command += [program, "--no-browser", "-o", str(pages)]
        if back is not None:
            link = escape(quote(back), quote=True)
            command += ["--custom-header-html", f'<p><a href="../../{link}">ca report</a></p>']
        try:
            done = subprocess.run(
                [*command, str(log)],
                cwd=private,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"tlparse did not run: {error}"
        if done.returncode != 0 or not (pages / "index.html").is_file():
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            return f"tlparse failed: {said[-1] if said else f'exit code {done.returncode}'}"
        _move_files(pages, target)
    return None


def _move_files(source: Path, target: Path) -> None:
    """Move the regular files below ``source``, and nothing else that may be there."""
    for here, _, names in os.walk(source):  # which follows no links
        folder = target / Path(here).relative_to(source)
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            file = Path(here, name)
            status = file.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
                file.rename(folder / name)


def _compile_pages(target: Path) -> dict[str, tuple[str, ...]]:
    """Return the files of each compile id, as tlparse lists them."""
    try:
        directory = orjson.loads((target / "compile_directory.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for key, entry in directory.items() if isinstance(directory, dict) else ():
        match = _KEY.match(key)
        if match is None or not isinstance(entry, dict):
            continue
        urls = tuple(url for one in entry.get("artifacts") or () if (url := _url(one)))
        if urls:
            # A compile that was attempted again has an entry for each attempt.
            found[match["id"]] = (*found.get(match["id"], ()), *urls)
    return found


def _best(urls: Sequence[str]) -> str:
    """Return the page of a compile: its metrics if tlparse wrote them, else its first file."""
    metrics = (url for url in reversed(urls) if "compilation_metrics" in url)
    return next(metrics, urls[0])


def _file_name(url: str) -> str:
    """Return ``compilation_metrics_3.html`` → ``compilation metrics``."""
    name = _NUMBERED.sub("", url.rpartition("/")[2])
    return name if "." in name else name.replace("_", " ")  # a module's name stays as it is


def _url(entry: Any) -> str | None:
    url = entry.get("url") if isinstance(entry, dict) else None
    return url if isinstance(url, str) and ".." not in url and ":" not in url else None
