"""Reads a run folder's files beside the traces: ``run.json``, ``exit_code``, ``source.json``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from ca_reports.logs import remote
from ca_reports.logs.fields import impossible_times, items, mapping, read_fields, text
from ca_reports.logs.names import shown
from ca_reports.logs.opening import is_url
from ca_reports.logs.regular import read_regular
from ca_reports.program.files import RecordedSource
from ca_reports.run.model import Recorded

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from ca_reports.logs.damage import DamageLog

SOURCE = "source.json"
_MAX_BYTES = 1 << 24
_MAX_SOURCES = 1_000
MAX_SOURCE = 1_000_000  # characters of one file


def read_run(folder: str | os.PathLike[str], damage: DamageLog) -> Recorded:
    """Read what ``folder`` (a path or URL) says about its run; what is missing stays None."""
    raw: dict[str, object] = {}
    data = _read(folder, "run.json", _MAX_BYTES, damage, "the run folder has no run.json")
    path = _beside(folder, "run.json")
    if data is not None:
        try:
            decoded = orjson.loads(data)
            raw = mapping(decoded)
            if not isinstance(decoded, dict):
                damage.add(path, 0, "bad_record", "run.json is not a JSON object")
        except orjson.JSONDecodeError as error:
            damage.add(path, 0, "bad_json", f"run.json is cut or broken: {error}")
    code = raw.get("exit_code")
    exit_code = code if type(code) is int and abs(code) < 2**32 else None
    for name in impossible_times(raw):
        damage.add(path, 0, "bad_record", f"{name} is no possible time")
    written = _exit_code(folder, damage)
    return Recorded(
        folder=shown(folder),
        **read_fields(Recorded, raw),
        exit_code=exit_code if written is None else written,
        traces=len(items(raw.get("processes"))),
    )


def read_source(
    folders: Sequence[str | os.PathLike[str]], damage: DamageLog
) -> dict[str, RecordedSource]:
    """Return the source that runs have kept, by the file's name; not a file that two saw unlike."""
    found: dict[str, RecordedSource] = {}
    unlike: set[str] = set()
    for folder in folders:
        data = _read(folder, SOURCE, _MAX_BYTES, damage)
        if data is None:
            continue
        try:
            files = items(mapping(orjson.loads(data)).get("files"))
        except orjson.JSONDecodeError as error:
            damage.add(_beside(folder, SOURCE), 0, "bad_json", f"it is cut or broken: {error}")
            continue
        for raw in map(mapping, files[:_MAX_SOURCES]):
            file, digest, kept = text(raw.get("file")), text(raw.get("hash")), raw.get("text")
            if file is None or digest is None:
                continue
            is_short = isinstance(kept, str) and len(kept) <= MAX_SOURCE
            one = RecordedSource(digest, kept if is_short else None)
            if found.setdefault(file, one) != one:
                unlike.add(file)
    return {file: one for file, one in found.items() if file not in unlike}


def _exit_code(folder: str | os.PathLike[str], damage: DamageLog) -> int | None:
    data = _read(folder, "exit_code", 2, damage)
    if data is not None and len(data) > 1:
        damage.add(
            _beside(folder, "exit_code"), 0, "bad_record",
            "the file exit_code holds more than one byte",
        )  # fmt: skip
        return None
    return data[0] if data else None


def _beside(folder: str | os.PathLike[str], name: str) -> str:
    if isinstance(folder, str) and is_url(folder):
        return shown(remote.join(folder, name))
    return shown(Path(folder, name))


def _read(
    folder: str | os.PathLike[str],
    name: str,
    size: int,
    damage: DamageLog,
    missing: str | None = None,
) -> bytes | None:
    """Return the beginning of a file of the run folder; None if it cannot be had, noted as damage.

    That it does not exist is damage only if ``missing`` says in which words.
    """
    try:
        if isinstance(folder, str) and is_url(folder):
            return remote.read_bytes(remote.join(folder, name), size)
        return read_regular(Path(folder, name), size)
    except FileNotFoundError:
        if missing is not None:
            damage.add(_beside(folder, name), 0, "missing", missing)
    except OSError as error:
        damage.add(_beside(folder, name), 0, "unreadable", error.strerror or str(error))
    except Exception as error:  # a remote file system raises what it likes
        damage.add(_beside(folder, name), 0, "unreadable", remote.why(error))
    return None
