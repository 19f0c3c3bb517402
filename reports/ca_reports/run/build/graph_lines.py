"""The program's line that made each value of a graph, from torch's ``dynamo_output_graph``."""

from __future__ import annotations

from ca_engine.lazy_expressions import expression
from ca_reports.run.model import Frame

MAX_LINES = 5_000
_PLACE = expression(
    r"# File: (?P<file>[^\n]{1,1024}?):(?P<line>\d{1,9}) in (?P<function>[^\n,]{0,300}), "
    r"code: (?P<code>[^\n]{0,500})"
)
# ``h: "f32[3, 12]" = torch.relu(x)``, and without types ``h = …``.
_VALUE = expression(r"(?P<name>\w{1,200})(?:: \"[^\"\n]{0,1000}\")? = ")


def graph_lines(code: str) -> dict[str, Frame]:
    """Return the user's line that each name of the graph's ``code`` was made at."""
    found: dict[str, Frame] = {}
    place: Frame | None = None
    for line in code.split("\n"):
        text = line.strip()
        if not text:
            place = None
        elif (match := _PLACE.match(text)) is not None:
            place = Frame(match["file"], int(match["line"]), match["function"], match["code"])
        elif place is not None and (value := _VALUE.match(text)) is not None:
            found.setdefault(value["name"], place)
            if len(found) == MAX_LINES:
                break
    return found
