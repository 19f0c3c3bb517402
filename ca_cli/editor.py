"""The editor that links to source open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_cli.console import tell

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.words.editors import Editor


def choose_editor(wanted: str | None, folder: Path) -> Editor | None:
    """Return the editor that is `wanted`, else the one in the settings for `folder`.

    Raises `CaError` for a `wanted` that is none. Settings that cannot be read are said, and leave
    the links to the system: whoever asks why a run was slow is not asked for better settings.
    """
    from ca_reports.gates import files
    from ca_reports.words.editors import find_editor

    if wanted is not None:
        return find_editor(wanted, "--editor")
    try:
        found = files.find(folder)
        return None if found is None else files.editor(found.table, files.place(found.file))
    except files.ConfigError as error:
        tell(f"{error} (ignored)")
        return None
