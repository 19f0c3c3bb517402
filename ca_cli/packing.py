"""``ca caches --pack``: what the caches of this machine still hold of a run, in a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from ca_cli import writing
from ca_cli.console import say
from ca_cli.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

# Torch's names of the caches whose entries lie below its folder by their keys.
_KINDS = {"fx": "inductor", "aot": "aot_autograd"}
# After the last record of a run; libraries that are made later are another program's.
_LATER = 1.0


def pack(run: Run, output: Path, *, force: bool) -> None:
    """Write the file for `ca run --cache FILE`. Raises `UsageError` where nothing can be packed."""
    writing.refuse(output, force=force)
    # A log names the folder, and only what was recorded here may name one.
    if not run.source_roots:
        raise UsageError("--pack needs a run that was recorded on this machine by this user")
    lookups = [lookup for process in run.processes for lookup in process.cache_lookups]
    folder = next((lookup.folder for lookup in lookups if lookup.folder), None)
    keys = {
        kind: sorted({one.key for one in lookups if one.cache == cache and one.key})
        for cache, kind in _KINDS.items()
    }
    if folder is None or not any(keys.values()):
        raise UsageError("nothing to pack: this run asked no cache")
    ends = [process.last for process in run.processes if process.last is not None]
    made = _packed(output, folder, {"keys": keys, "until": max(ends, default=0.0) + _LATER})
    if not made["bytes"]:
        raise UsageError(f"nothing to pack: {folder} holds nothing of this run any more")
    from ca_reports.words.numbers import counted, megabytes

    told = f"{counted(made['entries'], 'entry')} and {counted(made['libraries'], 'C++ library')}"
    say(f"wrote {output}: {told}, {megabytes(made['bytes'])}", sys.stderr)


def _packed(output: Path, folder: str, wanted: dict[str, Any]) -> dict[str, int]:
    """Pack in a process of its own: this one does without torch."""
    done = subprocess.run(
        [sys.executable, "-m", "ca_engine.pack", str(output)],
        input=json.dumps(wanted),
        env=os.environ | {"TORCHINDUCTOR_CACHE_DIR": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        made: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = (done.stderr.strip() or "no output").splitlines()[-1]
        raise UsageError(f"cannot pack: {last}") from None
    return made
