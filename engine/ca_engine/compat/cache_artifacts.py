"""Torch's bundle of all that its caches took and gave in this process (Mega-Cache)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import torch
from torch.compiler import config as compiler_config
from torch.compiler._cache import CacheArtifact, CacheArtifactManager

# Each with torch's name of its kind.
Artifacts = list[tuple[str, CacheArtifact]]

_MAPS = Path("/proc/self/maps")
_BEGAN = time.time()


def vectors() -> str:
    """Return the vector instructions that inductor writes code for here: ``AVX2``."""
    return str(torch.backends.cpu.get_cpu_capability())


def restore(artifacts: bytes) -> dict[str, list[str]] | None:
    """Put a bundle into this machine's caches; return its keys by kind, None if it is none."""
    found = torch.compiler.load_cache_artifacts(artifacts)
    return None if found is None else {kind: list(keys) for kind, keys in found.artifacts.items()}


def unpacked(artifacts: bytes) -> Artifacts:
    """Return the parts of a bundle; none if torch can't read it."""
    kinds = CacheArtifactManager.deserialize(artifacts) if artifacts else None
    return [] if kinds is None else _by_kind(kinds)


def own() -> Artifacts:
    """Return what this process's caches took and gave."""
    return _by_kind(CacheArtifactManager._new_cache_artifacts)


def _by_kind(kinds: Mapping[str, Iterable[CacheArtifact]]) -> Artifacts:
    return [(kind, artifact) for kind, found in kinds.items() for artifact in found]


def bundle(earlier: Artifacts) -> tuple[bytes, dict[str, list[str]]] | None:
    """Return what this process's caches took and gave with their keys, and what ``earlier`` has.

    None if that is nothing.
    """
    new = {(kind, artifact.key) for kind, artifact in own()}
    for kind, artifact in earlier:
        if (kind, artifact.key) not in new:
            CacheArtifactManager._new_cache_artifacts[kind].append(artifact)
    made = torch.compiler.save_cache_artifacts()
    if made is None:
        return None
    content, info = made
    return content, {kind: sorted(set(keys)) for kind, keys in info.artifacts.items()}


def libraries(folder: Path) -> dict[str, Path]:
    """Return the libraries below the cache's ``folder`` that this process made or loaded.

    Inductor's bundle has the source of kernels for a CPU, and not what the compiler made of it.
    """
    try:
        loaded = {line.split(maxsplit=5)[-1] for line in _MAPS.read_text().splitlines()}
    except OSError:  # no Linux
        loaded = set()
    return {
        path.relative_to(folder).as_posix(): path
        for path in folder.glob("??/*.so")
        if str(path) in loaded or path.stat().st_mtime >= _BEGAN - 1
    }


def put_libraries(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write libraries where inductor looks for them, but for those that are there."""
    for name, content in contents.items():
        path = folder / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{path.name}.{time.time_ns()}")
            part.write_bytes(content)
            part.chmod(0o755)
            part.replace(path)


def keep_profile(name: str) -> None:
    """Let PGO keep which sizes vary under ``name``, unless the program has named its job."""
    if compiler_config.job_id is None:
        compiler_config.job_id = name


def bundle_of(keys: Mapping[str, Iterable[str]]) -> tuple[bytes, dict[str, list[str]]] | None:
    """Return a bundle of what this machine's caches hold under ``keys``, by kind; None if nothing.

    For a process that compiles nothing itself.
    """
    # Not at the top: a program may import one of these first, which then imports Dynamo and us.
    from torch._functorch._aot_autograd.autograd_cache import AOTAutogradCache
    from torch._inductor.codecache import FxGraphCache

    folders: dict[str, Callable[[str], str]] = {
        "inductor": FxGraphCache._get_tmp_dir_for_key,
        "aot_autograd": AOTAutogradCache._get_tmp_dir_for_key,
    }
    for kind, folder_of in folders.items():
        for key in keys.get(kind, ()):
            for entry in sorted(Path(folder_of(key)).glob("[!.]*")):
                CacheArtifactManager.record_artifact(kind, key, entry.read_bytes())
    return bundle([])
