"""Packs what a machine's caches still hold of a run: ``python -m ca_engine.pack FILE``.

Reads ``{"keys": {"inductor": […], "aot_autograd": […]}, "until": TIME}`` from stdin. The folder of
the caches is torch's, or what ``TORCHINDUCTOR_CACHE_DIR`` names. Prints what was packed, as JSON.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# As torch writes them: nothing else becomes a part of a path.
_KEY = re.compile(r"[a-z0-9]{10,100}")
# All libraries of a folder that many programs share would be too many.
_MOST_LIBRARIES = 256 << 20


def main() -> None:
    """Write the file that the command line names."""
    wanted: dict[str, Any] = json.load(sys.stdin)
    print(json.dumps(pack(Path(sys.argv[1]), wanted["keys"], wanted["until"])))


def pack(path: Path, keys: Mapping[str, list[str]], until: float) -> dict[str, int]:
    """Write the entries under ``keys``, and the libraries made before ``until``, newest first.

    Returns how many ``entries`` and ``libraries`` that were, and ``bytes`` (0: nothing was left).
    """
    import torch

    from ca_engine import cache_file
    from ca_engine.compat import autograd_cache, cache_artifacts

    safe = {kind: [key for key in found if _KEY.fullmatch(key)] for kind, found in keys.items()}
    made = cache_artifacts.bundle_of(safe)
    if made is None:
        return {"entries": 0, "libraries": 0, "bytes": 0}
    artifacts, packed = made
    libraries: dict[str, bytes] = {}
    left = _MOST_LIBRARIES
    folder = Path(autograd_cache.folder())
    found = [(file.stat().st_mtime, file) for file in folder.glob("??/*.so")]
    for time, file in sorted(found, reverse=True):
        name = file.relative_to(folder).as_posix()
        if time <= until and file.stat().st_size <= left and cache_file.LIBRARY.fullmatch(name):
            libraries[name] = file.read_bytes()
            left -= len(libraries[name])
    version, vectors = str(torch.__version__), cache_artifacts.vectors()
    contents = cache_file.CacheFile(version, artifacts, libraries, packed, vectors=vectors)
    size = cache_file.write(path, contents)
    entries = sum(map(len, packed.values()))
    return {"entries": entries, "libraries": len(libraries), "bytes": size}


if __name__ == "__main__":
    main()
