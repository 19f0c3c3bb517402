"""The files that settings are in: ``[tool.ca]`` of a pyproject.toml, or ca.toml.

A recording reads them too, for the names of secrets, so nothing heavy is imported here.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ca_reports.errors import CaError
from ca_reports.logs.regular import read_regular
from ca_reports.words.editors import find_editor
from ca_reports.words.numbers import memory

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.words.editors import Editor

CA_TOML = "ca.toml"
PYPROJECT = "pyproject.toml"
TABLE = "[tool.ca]"
_MOST_DOTS = 1_000
_MAX_BYTES = 4 << 20
SECRETS = "secrets"
SOURCE = "keep-source"
EDITOR = "editor"


class ConfigError(CaError):
    """A setting that cannot be meant. The message says where it is and what is allowed."""


class Found(NamedTuple):
    """Our table and the file it is in; ``unread`` is one beside it that it comes before."""

    table: Mapping[str, Any]
    file: Path
    unread: Path | None


def find(folder: Path, file: Path | None = None) -> Found | None:
    """Return the settings for ``folder``: of ``file``, else of the nearest file that has any.

    In each folder from ``folder`` up to the root of the repository (the one with ``.git``),
    ca.toml comes before the ``[tool.ca]`` of pyproject.toml. Raises ``ConfigError`` for a file
    that cannot be read.
    """
    if file is not None:
        table = _table_of(file)
        if table is None:
            raise ConfigError(f"{file} has no table {TABLE}")
        return Found(table, file, None)
    for parent in (folder, *folder.parents):
        for name in (CA_TOML, PYPROJECT):
            candidate = parent / name
            if candidate.is_file() and (table := _table_of(candidate)) is not None:
                return Found(table, candidate, _unread(candidate))
        if (parent / ".git").exists():
            break
    return None


def place(file: Path) -> str:
    """Name the place of a key of ``file``, for messages."""
    return f"{file}: {TABLE}" if file.name == PYPROJECT else str(file)


def secret_names(table: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """Read names that a project adds to those of `ca_engine.redaction`. Raises ``ConfigError``."""
    names = table.get(SECRETS, [])
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise ConfigError(
            f'{where} {SECRETS} must be a list of names such as ["*_pin"], not {shown(names)}'
        )
    return tuple(names)


def keeps_source(table: Mapping[str, Any], where: str) -> bool:
    """Return whether a run folder may hold the program's source. Raises ``ConfigError``."""
    kept = table.get(SOURCE, True)
    if not isinstance(kept, bool):
        raise ConfigError(f"{where} {SOURCE} must be true or false, not {shown(kept)}")
    return kept


def editor(table: Mapping[str, Any], where: str) -> Editor | None:
    """Return the editor that links open; None without the key. Raises ``ConfigError``."""
    wanted = table.get(EDITOR)
    if wanted is None:
        return None
    try:
        return find_editor(
            wanted if isinstance(wanted, str) else shown(wanted), f"{where} {EDITOR}"
        )
    except CaError as error:
        raise ConfigError(str(error)) from None


def shown(value: object) -> str:
    """Return a value as TOML has it, not Python, shortened."""
    from ca_reports.words.clean import shorten

    written = str(value).lower() if isinstance(value, bool) else repr(value)
    return shorten(written, 60)


def _unread(file: Path) -> Path | None:
    """Return the pyproject.toml that ca.toml comes before, if it has settings, too."""
    other = file.with_name(PYPROJECT)
    if file.name == PYPROJECT or not other.is_file():
        return None
    try:
        return None if _table_of(other) is None else other
    except ConfigError:
        return None  # damaged, and nothing of it was wanted


def _table_of(file: Path) -> Mapping[str, Any] | None:
    """Our table of a TOML file; None for a pyproject.toml without one."""
    try:
        data = read_regular(file, _MAX_BYTES + 1, pipe=True)
        if len(data) > _MAX_BYTES:
            raise ConfigError(f"{file} has more than {memory(_MAX_BYTES)}, too much for settings")
        text = data.decode("utf-8")
        # A key of so many parts takes the parser time in the square of them, or worse.
        if any(line.count(".") > _MOST_DOTS for line in text.splitlines()):
            raise ConfigError(f"{file} has a line of {_MOST_DOTS:,} dots, too many for settings")
        document = tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from None
    except ValueError as error:  # TOMLDecodeError and UnicodeDecodeError
        raise ConfigError(f"{file} is not valid TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{file} is nested too deeply for a file of settings") from None
    if file.name != PYPROJECT:
        return document
    tool = document.get("tool")
    table = tool.get("ca") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{file}: tool.ca must be a table: {TABLE}")
    return table
