"""Grad mode and the mode of modules: what is an evaluation, and what flips within a step.

``grad_modes.py`` has a function for each way. Two of a program's phases are CA715, a note; a step
that flips is CA112, with what to do; a part of the model that stops to train is CA703.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ca_reports import load
from ca_reports.diagnosis.analysis import analyze

if TYPE_CHECKING:
    from tests.integration.conftest import Runner

SCRIPT = Path(__file__).with_name("grad_modes.py")
FOUND = {
    # Another line calls without gradients: the finding names it, and how one compile would do.
    "probed": ("CA715", "info", "`.detach()` what it returns"),
    "averaged": ("CA715", "info", "`.detach()` what it returns"),
    "sampled": ("CA715", "info", "`.detach()` what it returns"),
    "validated": ("CA715", "info", "nothing: each mode is compiled once"),
    "labelled": ("CA715", "info", "nothing: each mode is compiled once"),
    "recomputed": ("CA112", "warning", "use_reentrant=False"),
    "flipped": ("CA112", "warning", "keep one grad mode around this call"),
    "frozen": ("CA703", "warning", ""),
    "attacked": ("CA708", "warning", "`.detach()`"),
}


@pytest.mark.long
def test_each_way_is_told_for_what_it_is(run_folder: Path, warm_ca: Runner) -> None:
    done = warm_ca("--no-report", SCRIPT)
    assert done.code == 0, done.stderr[-3000:]

    analysis = analyze(load([run_folder]))

    functions = {one.compile_id: one.code.function for one in analysis.run.compiles if one.code}
    told = {
        functions[compile_id]: (found.code, found.severity, found.fix)
        for found in analysis.diagnosis.findings
        for compile_id in found.compile_ids
    }
    assert {name: one[:2] for name, one in told.items()} == {
        name: one[:2] for name, one in FOUND.items()
    }
    assert all(fix in told[name][2] for name, (_, _, fix) in FOUND.items())
    of_evaluation = [told[name][2] for name in ("validated", "labelled")]
    assert not any("`.detach()`" in one for one in of_evaluation)
