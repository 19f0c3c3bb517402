"""Names that a file imports under others: `from torch.utils.data import DataLoader as Loader`.

What they are called where they come from is noted at each place where they are used, so that
whoever asks what a call makes (`syntax.last_name`) need not know of it.
"""

from __future__ import annotations

import ast

from ca_reports.program.positions import nodes_of
from ca_reports.program.scopes import bound_by

_ORIGINAL = "ca_original"


def note(tree: ast.Module) -> None:
    """Note the original name at each use of what ``tree`` imports under another one.

    Of a name that the file gives to something else as well, nothing is noted.
    """
    renamed: dict[str, str] = {}
    nodes = nodes_of(tree)
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            renamed |= {each.asname: each.name for each in node.names if each.asname}
    if not renamed:
        return
    for node in nodes:
        for name in () if isinstance(node, ast.alias) else bound_by(node):
            renamed.pop(name, None)
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in renamed:
            setattr(node, _ORIGINAL, renamed[node.id])


def original(name: ast.Name) -> str:
    """Return what a variable is called where it is imported from, else its own name."""
    found = getattr(name, _ORIGINAL, name.id)
    assert isinstance(found, str)
    return found
