"""Files that a log names, as its run kept them; else where the user or a run of theirs allows it.

A log comes from anywhere and names what it likes: `settings.py` with its keys, `/proc/kmsg`,
a FIFO that never ends. So nothing is read but Python files, regular and of a bounded size,
that lie below a *root*: a folder named by ``--source-root``, or the working folder of a run
that was recorded here (`source.roots`). What leads out of a root by ``..`` or a link lies outside.
"""

from __future__ import annotations

import ast
import hashlib
import io
import os
import stat
import tokenize
import warnings
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_engine.source_redaction import redact_source
from ca_reports.program import partials, renaming
from ca_reports.words.places import is_cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MAX_BYTES = 1_000_000
_SUFFIX = ".py"
# A link or a FIFO in the place of a file must not be followed, or waited for.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
# Without the word no import renames anything.
_RENAMES = expression(r"\bas\b")
# How many folders above a file are tried for one recorded elsewhere.
_MAX_PARTS = 30


@dataclass(frozen=True, slots=True)
class RecordedSource:
    """A file of the program as it was: its hash, and its text unless it is not kept."""

    digest: str
    text: str | None


class HasSource(Protocol):
    """A run, with the folders below which files may be read for it and what it has kept of them."""

    @property
    def source_roots(self) -> tuple[str, ...]:
        """Return the folders."""

    @property
    def source(self) -> Mapping[str, RecordedSource]:
        """Return what is kept, by the file's name."""


class SourceFiles:
    """The text of files as the log names them: kept by the run, or below some folders."""

    def __init__(
        self,
        roots: Sequence[str | os.PathLike[str]],
        kept: Mapping[str, RecordedSource] | None = None,
        secrets: Sequence[str] = (),
    ) -> None:
        """Read below ``roots`` what is not ``kept``; without one nothing is read.

        ``secrets`` are names beside those of `ca_engine.redaction`.
        """
        self._roots = tuple(Path(root).resolve() for root in roots)
        self._kept = kept or {}
        self._secrets = secrets
        self._known: dict[tuple[str, bool], RecordedSource | None] = {}
        self._shown: dict[str, str] = {}  # by the digest of the text
        self._trees: dict[str, ast.Module | None] = {}  # by the text

    @classmethod
    def of(cls, run: HasSource, secrets: Sequence[str] = ()) -> SourceFiles:
        """Return the files that may be read for ``run``."""
        return cls(run.source_roots, run.source, secrets)

    def text(self, file: str, *, moved: bool = True) -> str | None:
        """Return the text of ``file`` as it ran, as far as is known, or None if there is none.

        Bytes that are not UTF-8 are replaced, and so are literals that name themselves secrets.
        A file that was recorded elsewhere is looked for by the end of its path, unless
        ``moved`` is False: `/home/ci/job/src/train.py` may be `src/train.py` below a root.
        """
        kept = self._kept.get(file)
        if kept is not None and kept.text is not None:
            return kept.text
        found = self._on_disk(file, moved=moved)
        if found is None or found.text is None:
            return None
        if found.digest not in self._shown:
            self._shown[found.digest] = self.shown(found.text)
        return self._shown[found.digest]

    def has(self, file: str, *, moved: bool = True) -> bool:
        """Return whether `text` has one for ``file``."""
        kept = self._kept.get(file)
        if kept is not None and kept.text is not None:
            return True
        found = self._on_disk(file, moved=moved)
        return found is not None and found.text is not None

    def shown(self, text: str) -> str:
        """Return source as it may be shown: literals that name themselves secrets are replaced."""
        return redact_source(text, self._secrets)

    def current(self, file: str) -> RecordedSource | None:
        """Return ``file`` as it is now, unredacted; None if there is none."""
        return self._on_disk(file, moved=True)

    def kept_whole(self, file: str) -> str | None:
        """Return the text that the run has kept of ``file``, if it is all that ran; unredacted."""
        kept = self._kept.get(file)
        if kept is None or kept.text is None or digest_of(kept.text.encode()) != kept.digest:
            return None
        return kept.text

    def digest(self, file: str) -> str | None:
        """Return the hash that ``file`` had when it ran; None if the run has not kept it."""
        kept = self._kept.get(file)
        return None if kept is None else kept.digest

    def tree(self, text: str) -> ast.Module | None:
        """Return the syntax tree of a file's ``text``, parsed once; None if it is no Python."""
        if text not in self._trees:
            self._trees[text] = parsed(text)
        return self._trees[text]

    @property
    def cells(self) -> list[str]:
        """Return the names of the notebook's cells that the run has kept, as their numbers go."""
        return sorted(filter(is_cell, self._kept), key=lambda name: (len(name), name))

    @property
    def seen(self) -> dict[str, RecordedSource]:
        """Return the files that were read so far, by the name that the log has for them."""
        return {file: found for (file, _), found in self._known.items() if found is not None}

    def _on_disk(self, file: str, *, moved: bool) -> RecordedSource | None:
        key = file, moved
        if key not in self._known:
            found = (self._read(path) for path in self._candidates(file, moved=moved))
            self._known[key] = next((one for one in found if one is not None), None)
        return self._known[key]

    def line(self, file: str, number: int) -> str:
        """Line ``number`` (one-based) of ``file``; empty if it cannot be had."""
        return _line(self.text(file), number)

    def line_now(self, file: str, number: int) -> str:
        """Return the same of the file as it is now, unredacted."""
        found = self.current(file)
        return _line(None if found is None else found.text, number)

    def _candidates(self, file: str, *, moved: bool) -> Iterator[Path]:
        if not file.endswith(_SUFFIX) or "\0" in file:
            return
        for root in self._roots:
            yield root / file  # an absolute name stays what it is
            if not moved:
                continue
            parts = PurePosixPath(file.replace("\\", "/")).parts[-_MAX_PARTS:]
            for first in range(1, len(parts)):
                yield root.joinpath(*parts[first:])

    def _read(self, path: Path) -> RecordedSource | None:
        try:
            if not path.exists():  # most are not, and `resolve` asks for each part of the path
                return None
            path = path.resolve()
            if path.suffix != _SUFFIX or not any(map(path.is_relative_to, self._roots)):
                return None
            with os.fdopen(os.open(path, _FLAGS), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
                    return None
                data = file.read(MAX_BYTES)
                return RecordedSource(digest_of(data), _decoded(data))
        except (OSError, ValueError, RuntimeError):  # RuntimeError: links that go in a circle
            return None


def _decoded(data: bytes) -> str:
    """Return a file's text in the encoding that it names (PEP 263); what is not in it replaced."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding, "replace")
    except (SyntaxError, LookupError, UnicodeError):  # none, none of text, none that replaces
        return data.decode("utf-8", "replace")


def _line(text: str | None, number: int) -> str:
    lines = (text or "").splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else ""


def digest_of(text: str | bytes) -> str:
    """Return the hash by which a file is known again."""
    data = text.encode() if isinstance(text, str) else text
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def parsed(text: str) -> ast.Module | None:
    """Return the syntax tree of ``text``; None if it is no Python, or too much of it.

    Names that imports rename are noted in it (`renaming`); calls of a `partial` made on the spot
    are those of its function (`partials`).
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the user's own escapes, for one
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if _RENAMES.search(text):
        renaming.note(tree)
    if partials.NAME in text:
        partials.join(tree)
    return tree
