"""The output formats, one module each: what is in this package is a format of the commands.

A module is imported only where its format is asked for, or where all are listed. One that serves
several commands names its renderers (`later`), so that none imports what only another needs.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ca_reports.output.format import Format, Kind


def names() -> tuple[str, ...]:
    """Return the name of every format: its module's, with hyphens."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


def find(name: str, kind: Kind) -> Format | None:
    """Find the format of that name; None if there is none, or it does not write that ``kind``."""
    if name not in names():
        return None
    found: Format = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return found if found.writes(kind) else None


def offered(kind: Kind) -> tuple[Format, ...]:
    """Return every format that writes that ``kind``, by name."""
    return tuple(found for name in names() if (found := find(name, kind)) is not None)
