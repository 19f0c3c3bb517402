"""Keeps what torch alone counted of programs and patched programs, in `counts.json.zst`.

A count stands for one run of `count.py` on a program's sources with its options. It is found again
by a digest of those, so a patch that changes leaves no count behind that could pass for its own.
All counts of the file are of one torch and of one `count.py`: of another torch, or after a change
of what is counted, the file is empty and everything has to be counted again. Nothing of `ca` is in
it: neither the engine nor the reports can make a count stale.

Only what a verdict reads is kept: no seconds. Programs run in forks of a warm Python, which count
what a process of its own counts, but for ``skipped``: what torch skips of its libraries where they
are imported first. That decides only where all else is equal, between two forks.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import json
import os
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import zstandard

from tests.corpus import score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.corpus.truth import Program

ARCHIVE = Path(__file__).with_name("counts.json.zst")
_LEVEL = 19
# Printed by a program that is killed or prints a table in every step: the rest is not compared.
_PRINTED = 20_000
Count = dict[str, Any]


@dataclass
class Counts:
    """The counts of one torch and one counter: program → digest of its sources → each run."""

    made_by: str
    of: dict[str, dict[str, list[Count]]] = field(default_factory=dict)

    def get(
        self, program: Program, sources: Mapping[str, str], *, once_more: bool = False
    ) -> Count | None:
        """Return what torch counted of ``sources``, of a second run if ``once_more``."""
        runs = self.of.get(program.name, {}).get(digest(program, sources), [])
        return runs[once_more] if len(runs) > once_more else None

    def count(
        self, program: Program, sources: Mapping[str, str], *, once_more: bool = False
    ) -> Count:
        """Return the same, and run what has no count.

        A program that ends with an exception has a count, ``failed``, with what it ended with.
        Raises RuntimeError if it dies without one, and subprocess.TimeoutExpired.
        """
        while (found := self.get(program, sources, once_more=once_more)) is None:
            self.add(program, sources, score.measured(program, dict(sources), may_fail=True))
        return found

    def add(self, program: Program, sources: Mapping[str, str], counted: Mapping[str, Any]) -> None:
        """Keep a count, beside those that ``sources`` have."""
        kept = {name: value for name, value in counted.items() if name != "seconds"}
        kept["printed"] = kept["printed"][:_PRINTED]
        runs = self.of.setdefault(program.name, {})
        runs.setdefault(digest(program, sources), []).append(kept)

    def merge(self, other: Counts) -> None:
        """Take the counts of another file that are missing here.

        Raises ValueError if another torch or counter made them.
        """
        if other.made_by != self.made_by:
            raise ValueError(f"counted by {other.made_by}, not by {self.made_by}")
        for name, runs in other.of.items():
            own = self.of.setdefault(name, {})
            for key, found in runs.items():
                if len(found) > len(own.get(key, ())):
                    own[key] = found

    def keep_only(self, program: Program, digests: set[str]) -> None:
        """Forget counts of sources of ``program`` that nothing asks for any more."""
        runs = self.of.get(program.name, {})
        for key in [key for key in runs if key not in digests]:
            del runs[key]

    def pack(self) -> bytes:
        """Return the bytes of the file; the same for the same counts."""
        told = {"made_by": self.made_by, "counts": {k: v for k, v in self.of.items() if v}}
        plain = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return zstandard.ZstdCompressor(level=_LEVEL).compress(plain.encode())

    def save(self, file: Path = ARCHIVE) -> None:
        """Write the file, whole or not at all."""
        part = file.with_name(f".{file.name}.{os.getpid()}")
        part.write_bytes(self.pack())
        part.replace(file)


def unpack(data: bytes) -> Counts:
    """Return what `pack` packed."""
    told = json.loads(zstandard.ZstdDecompressor().decompress(data))
    return Counts(told["made_by"], told["counts"])


def read(file: Path = ARCHIVE) -> Counts:
    """Return the counts of the file; none if it is absent, or made by another counter or torch."""
    if file.is_file():
        found = unpack(file.read_bytes())
        if found.made_by == counter():
            return found
    return Counts(counter())


@cache
def counter() -> str:
    """Return what counts: torch's version, and a digest of `count.py` without its comments."""
    tree = ast.parse(score.COUNT.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(
            node
        ):
            node.body[0] = ast.Pass()
    code = hashlib.blake2b(ast.unparse(tree).encode(), digest_size=8).hexdigest()
    version = importlib.metadata.version("torch").partition("+")[0]
    return f"torch {version}, count.py {code}"


def digest(program: Program, sources: Mapping[str, str]) -> str:
    """Return what a count of ``sources``, with the options of ``program``, is found by."""
    about = [program.script, program.enabled_backend, dict(sources)]
    return hashlib.blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=10).hexdigest()
