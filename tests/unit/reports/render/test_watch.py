"""The screen of a run in progress."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from ca_reports.model import Compile, Frame, Process, Run
from ca_reports.render.watch import view

CODE = Frame("/work/train.py", 4, "forward", "def forward(self, x):")


def compiled(number: int, reason: str | None = None, seconds: float = 2.0) -> Compile:
    return Compile(
        f"0/{number}", 0, None, 1, None, recompile_reason=reason, location=CODE, seconds=seconds,
        time=100.0 + number,
    )  # fmt: skip


def screen(*compiles: Compile) -> str:
    process = Process(
        index=0,
        file="log",
        rank=None,
        pid=1,
        records=9,
        recorded=True,
        compiles=compiles,
        last=105.0,
    )
    console = Console(width=150, record=True, file=StringIO())
    console.print(view(Run(paths=("run",), files=("log",), processes=(process,)), now=110.0))
    return console.export_text()


def test_a_run_without_compiled_autograd_is_about_its_forwards() -> None:
    # GIVEN an evaluation variant, which is inherent, and a recompile that is not
    told = screen(
        compiled(0),
        compiled(1, "0/0: GLOBAL_STATE changed: grad_mode"),
        compiled(2, "0/1: mode == 'a'", seconds=3.0),
    )

    # THEN compiles are told, not backwards, and only the second counts
    assert "captured" not in told
    head, row = told.splitlines()[1:4:2]
    assert " ".join(head.split()) == (
        "process compiles recompiles graph breaks compiling lost last record"
    )
    assert " ".join(row.split()) == "pid 1 3 1 0 7.0 s 3.0 s 5 s ago"
    assert "mode == 'a'" in told
    assert "grad_mode" not in told
    assert "3 compiles of 1 function in 7.0 s; 1 recompile" in told


def test_inherent_recompiles_alone_are_no_trouble() -> None:
    told = screen(compiled(0), compiled(1, "0/0: GLOBAL_STATE changed: grad_mode"))
    assert "No forward was recompiled without need so far." in told
    assert "no recompiles" in told
