"""Addresses that open a line of source in the reader's editor."""

from __future__ import annotations

import re
from urllib.parse import quote

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.errors import CaError


@dataclass(frozen=True, slots=True)
class Editor:
    """An editor: its name, and the template of its addresses.

    In ``template``, ``{file}`` stands for the absolute path, percent-encoded and with its leading
    slash, and ``{line}`` for the number of the line.
    """

    name: str
    template: str

    def link(self, file: str, line: int) -> str | None:
        """Return the address of a line; None for a ``file`` that is no absolute path."""
        if not file.startswith("/"):
            return None
        return self.template.replace("{line}", str(line)).replace("{file}", quote(file))


# What a terminal makes of it is the terminal's affair; a browser shows the file.
PLAIN = Editor("the terminal's own", "file://{file}#{line}")
# Visual Studio Code documents its scheme, and those made of it keep the form; JetBrains' IDEs
# register `open` for theirs.
EDITORS = {
    "vscode": Editor("VS Code", "vscode://file{file}:{line}"),
    "vscodium": Editor("VSCodium", "vscodium://file{file}:{line}"),
    "cursor": Editor("Cursor", "cursor://file{file}:{line}"),
    "pycharm": Editor("PyCharm", "pycharm://open?file={file}&line={line}"),
    "idea": Editor("IntelliJ IDEA", "idea://open?file={file}&line={line}"),
}
_TEMPLATE = expression(
    r"\A(?P<scheme>[a-z][a-z0-9+.-]*)://[^\s<>\"'`\x00-\x1f\x7f]+", re.IGNORECASE
)
# A page must not run what a file of settings says.
_REFUSED = frozenset(("javascript", "data", "vbscript", "blob"))


def find_editor(wanted: str, where: str) -> Editor:
    """Return the editor of that name, or one with that template.

    Raises ``CaError``, with ``where`` as its subject, for anything else.
    """
    known = EDITORS.get(wanted.lower())
    if known is not None:
        return known
    found = _TEMPLATE.fullmatch(wanted)
    placeholders = set(re.findall(r"\{[^{}]*\}", wanted))
    if (
        found is None
        or found["scheme"].lower() in _REFUSED
        or "{file}" not in placeholders
        or placeholders - {"{file}", "{line}"}
    ):
        raise CaError(
            f"{where} must be {', '.join(EDITORS)} or a template such as "
            f"vscode://file{{file}}:{{line}}, not {wanted!r}"
        )
    return Editor("your editor", wanted)
