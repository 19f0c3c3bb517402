"""A file of compiled graphs that goes from one start to the next (`ca run --cache FILE`).

``ca-cache``, a line of JSON that describes what follows, and that: torch's own bundle of cached
graphs, and the libraries that inductor's C++ compiler made, which are no part of that bundle.
Standard library only. What such a file can do stands in docs/security.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FORMAT = 1
MAGIC = b"ca-cache\n"
_MAX_HEADER = 1 << 24
# Stands among torch's names of caches.
LIBRARIES = "libraries"
# As inductor names them below its cache's folder; nothing else is written there.
LIBRARY = re.compile(r"[a-z0-9]{2}/[a-z0-9]{1,100}(?:\.main)?\.so")


class CacheFileError(Exception):
    """Why a file can't be used, in a few words for the user."""


class ForeignFileError(CacheFileError):
    """The file holds something else, and is to stay as it is."""


@dataclass(frozen=True)
class CacheFile:
    """Contents of a file: torch's ``artifacts``, and ``libraries`` by their place in the cache.

    ``keys`` are those of the artifacts by torch's name of their kind. ``used`` has by the same
    names, and of libraries under `LIBRARIES`, the days since 1970 on which a start last took or
    gave each. ``vectors`` is torch's name of the vector instructions that the graphs' code for a
    CPU was written for; empty if unknown.
    """

    torch: str
    artifacts: bytes = b""
    libraries: Mapping[str, bytes] = field(default_factory=dict)
    keys: Mapping[str, list[str]] = field(default_factory=dict)
    used: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    vectors: str = ""


def read(path: Path, torch: str, vectors: str = "") -> CacheFile | None:
    """Read the file at ``path``; None if there is none yet. Raises `CacheFileError`.

    ``torch`` is the version that will use it, ``vectors`` are this machine's vector instructions.
    Libraries for another kind of CPU are left out. Code that was written for other vector
    instructions is turned away: torch's keys do not tell them apart (2.11.0 to 2.15.0), and what
    was taken then would not compile, or read beyond its inputs.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CacheFileError(error.strerror or str(error)) from None
    return parse(data, torch, vectors)


def parse(data: bytes, torch: str, vectors: str = "") -> CacheFile:
    """Return what a file holds, for this ``torch`` and CPU. Raises `CacheFileError`."""
    if MAGIC.startswith(data):  # an empty one among them
        raise CacheFileError("it is damaged")
    if not data.startswith(MAGIC):
        raise ForeignFileError("it is not a cache file of ca, and is left as it is")
    line, found, _ = data[len(MAGIC) : len(MAGIC) + _MAX_HEADER].partition(b"\n")
    header = _header(line) if found else None
    if header is None:
        raise CacheFileError("it is damaged")
    if header.get("format") != FORMAT:
        raise CacheFileError("a newer version of ca has written it")
    if header.get("torch") != torch:
        raise CacheFileError(f"it was made with torch {header.get('torch')}, and this is {torch}")
    sections = _sections(header, memoryview(data)[len(MAGIC) + len(line) + 1 :])
    artifacts = sections.pop("", b"")
    own = str(header.get("vectors", ""))
    if sections and vectors and own and own != vectors:
        raise ForeignFileError(
            f"it has code for a CPU with {own}, and this one has {vectors}; it is left as it is"
        )
    is_same_cpu = header.get("cpu") == cpu()
    return CacheFile(
        torch,
        artifacts,
        {name: content for name, content in sections.items() if is_same_cpu},
        _keys(header),
        _used(header),
        own or vectors,
    )


def _header(line: bytes) -> dict[str, Any] | None:
    try:
        header = json.loads(line)
    except ValueError:
        return None
    return header if isinstance(header, dict) else None


def _sections(header: Mapping[str, Any], data: memoryview) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    at = 0
    try:
        for name, size, digest in header["sections"]:
            content = bytes(data[at : at + size])
            at += size
            if hashlib.sha256(content).hexdigest() != digest:
                raise CacheFileError("it is damaged")
            if name and not LIBRARY.fullmatch(name):
                raise CacheFileError("it is damaged")
            found[name] = content
    except (KeyError, TypeError, ValueError):
        raise CacheFileError("it is damaged") from None
    return found


def _keys(header: Mapping[str, Any]) -> dict[str, list[str]]:
    keys = header.get("keys")
    if not isinstance(keys, dict):
        return {}
    return {kind: [str(key) for key in found] for kind, found in keys.items()}


def _used(header: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    used = header.get("used")
    if not isinstance(used, dict):
        return {}
    return {
        kind: {key: day for key, day in found.items() if type(day) is int}
        for kind, found in used.items()
        if isinstance(found, dict)
    }


def write(path: Path, contents: CacheFile) -> int:
    """Put ``contents`` at ``path`` in one step, and return its size. Raises OSError."""
    sections = {"": contents.artifacts, **contents.libraries}
    header = {
        "format": FORMAT,
        "torch": contents.torch,
        "cpu": cpu(),
        "vectors": contents.vectors,
        "keys": contents.keys,
        "used": contents.used,
        "sections": [
            [name, len(content), hashlib.sha256(content).hexdigest()]
            for name, content in sections.items()
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + json.dumps(header).encode() + b"\n")
            for content in sections.values():
                file.write(content)
            size = file.tell()
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return size


def cpu() -> str:
    """Return what tells apart machines that can't run each other's compiled code."""
    flags = ""
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.lower().startswith(("flags", "features")):
                flags = " ".join(sorted(line.partition(":")[2].split()))
                break
    except OSError:
        flags = platform.processor()
    digest = hashlib.sha256(flags.encode()).hexdigest()[:16]
    return f"{platform.system()} {platform.machine()} {digest}"
