"""A notebook's cells, as the recorder has them from IPython."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.logs.fields import items, mapping, text
from ca_reports.words.places import is_cell

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_CELLS = 2_000
MAX_CHARACTERS = 200_000  # of one cell


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as IPython ran it: ``file`` is what Python calls it, ``name`` what its user does."""

    file: str
    name: str
    text: str


def read_cells(raw: Mapping[str, object]) -> list[Cell]:
    """Return the cells of a ``ca_source`` record; none of those that are not whole."""
    found = []
    for entry in map(mapping, items(raw.get("cells"))[:MAX_CELLS]):
        file, name, code = text(entry.get("file")), text(entry.get("name")), entry.get("text")
        if file and name and is_cell(name) and isinstance(code, str):
            found.append(Cell(file, name, code[:MAX_CHARACTERS]))
    return found
