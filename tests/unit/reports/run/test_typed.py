"""Programs in no file get the names that their user knows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import ca_reports
from tests.unit.logwriter import START, LogWriter, frame, run_file

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

CELL = "/tmp/ipykernel_12/345.py"
CODE = """import torch
def f(x):
    return x * 2
f(1)
"""


def loaded(folder: Path, log: LogWriter, **source: str) -> Run:
    log.write(folder / "trace" / "a.log")
    (folder / "run.json").write_text(json.dumps(run_file()))
    files = [{"file": name, "hash": "0", "text": text} for name, text in source.items()]
    (folder / "source.json").write_text(json.dumps({"schema_version": 1, "files": files}))
    return ca_reports.load([folder])


def log_of(*stack: dict[str, object], cells: list[dict[str, str]] | None = None) -> LogWriter:
    log = LogWriter()
    log.ca_run()
    if cells is not None:
        log.own("ca_cells", cells=cells)
    log.ca_capture(0, stack=list(stack))
    log.ca_end(START + 9, 1, 1)
    return log


def places(run: Run) -> list[str]:
    return [f"{one.file}:{one.line}" for one in run.captures[0].stack]


def test_a_cell_has_the_number_that_stands_beside_it(tmp_path: Path) -> None:
    cells = [
        {"file": CELL, "name": "In[3]", "text": CODE},
        {"file": CELL, "name": "In[7]", "text": CODE},  # run again
        {"file": "/home/user/train.py", "name": "train", "text": "no cell"},
    ]
    stack = frame(CELL, 4, "<module>", "f(1)"), frame("/home/user/train.py", 3, "g", "")
    run = loaded(tmp_path, log_of(*stack, cells=cells))
    assert places(run) == ["In[7]:4", "/home/user/train.py:3"]
    assert run.source["In[7]"].text == CODE
    assert set(run.source) == {"In[7]"}


def test_what_a_program_makes_is_none_of_the_text_after_c(tmp_path: Path) -> None:
    stack = (
        frame("<string>", 4, "<module>", ""),
        frame("<string>", 3, "f", ""),
        frame("<string>", 2, "__init__", ""),  # of a dataclass
        frame("<string>", 99, "<module>", ""),  # of an exec
    )
    run = loaded(tmp_path, log_of(*stack), **{"-c": CODE})
    assert places(run) == ["-c:4", "-c:3", "<string>:2", "<string>:99"]
    without = tmp_path / "without"
    without.mkdir()
    assert set(places(loaded(without, log_of(*stack)))) == {
        "<string>:4", "<string>:3", "<string>:2", "<string>:99"
    }  # fmt: skip
