"""``run.json`` and the file ``exit_code`` beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from ca_reports.model import Recorded
from ca_reports.read.fields import items, mapping, number, text, texts, versions
from ca_reports.read.sources import shown

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.read.damage import DamageLog

_MAX_BYTES = 1 << 24


def read_run(folder: Path, damage: DamageLog) -> Recorded:
    """What ``folder`` says about its run; whatever is missing or broken stays None."""
    path = folder / "run.json"
    raw: dict[str, object] = {}
    try:
        with path.open("rb") as stream:
            data = stream.read(_MAX_BYTES)
        decoded = orjson.loads(data)
        raw = mapping(decoded)
        if not isinstance(decoded, dict):
            damage.add(shown(path), 0, "bad_record", "run.json is not a JSON object")
    except FileNotFoundError:
        damage.add(shown(path), 0, "missing", "the run folder has no run.json")
    except OSError as error:
        damage.add(shown(path), 0, "unreadable", error.strerror or str(error))
    except orjson.JSONDecodeError as error:
        damage.add(shown(path), 0, "bad_json", f"run.json is cut or broken: {error}")
    code = raw.get("exit_code")
    exit_code = code if type(code) is int and abs(code) < 2**32 else None
    written = _exit_code(folder, damage)
    return Recorded(
        folder=shown(folder),
        command=texts(raw.get("command")),
        script=text(raw.get("script")),
        cwd=text(raw.get("cwd")),
        host=text(raw.get("host")),
        executable=text(raw.get("executable")),
        versions=versions(raw.get("versions")),
        engine=text(raw.get("engine")),
        start=number(raw.get("start")),
        end=number(raw.get("end")),
        exit_code=exit_code if written is None else written,
        traces=len(items(raw.get("processes"))),
    )


def _exit_code(folder: Path, damage: DamageLog) -> int | None:
    path = folder / "exit_code"
    try:
        with path.open("rb") as stream:
            data = stream.read(2)
    except FileNotFoundError:
        return None
    except OSError as error:
        damage.add(shown(path), 0, "unreadable", error.strerror or str(error))
        return None
    if len(data) == 1:
        return data[0]
    damage.add(shown(path), 0, "bad_record", "the file exit_code does not hold one byte")
    return None
