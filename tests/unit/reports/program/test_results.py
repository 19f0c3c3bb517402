"""Results of calls that a program drops, or uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.program.files import SourceFiles
from ca_reports.program.results import dropped_at
from ca_reports.program.stack import Frame
from ca_reports.program.syntax import Program

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
class Pipeline:
    def __call__(self, ids):
        return self.predict(ids)

    def predict(self, ids):
        return self.model(ids)

    def kept(self, ids):
        out = self.model(ids)
        return out


def main(pipe):
    pipe.predict(ids)
    pipe(ids)
    scores.append(pipe.predict(ids))
    scores.extend(map(pipe.predict, batches))
    score = pipe(ids)
    pipe.kept(ids)
"""
RETURNED = ((3, "__call__"), (6, "predict"))


@pytest.mark.parametrize(
    ("stack", "line"),
    [
        (((14, "main"), (6, "predict")), 14),
        (((15, "main"), *RETURNED), 15),
        # Something else gets it.
        (((16, "main"), (6, "predict")), None),
        (((17, "main"), (6, "predict")), None),
        (((18, "main"), *RETURNED), None),
        # It is kept before it is returned.
        (((19, "main"), (9, "kept")), None),
        # Of a line with one call or several: which of them is it?
        (((14, "main"),), None),
        (((3, "gone.py"),), None),
        ((), None),
    ],
)
def test_what_functions_return_is_dropped_where_their_caller_does_nothing_with_it(
    stack: tuple[tuple[int, str], ...], line: int | None, tmp_path: Path
) -> None:
    file = tmp_path / "main.py"
    file.write_text(SOURCE)
    program = Program(SourceFiles([tmp_path]), [str(file)])
    found = dropped_at([Frame(str(file), at, name, "") for at, name in stack], program)
    assert (None if found is None else found.line) == line
