"""Where a part of a key was set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.costs.caches.components import THREADS, component
from ca_reports.costs.caches.settings import ProgramSettings, Variable
from ca_reports.program.files import SourceFiles
from ca_reports.run.model import Frame
from tests.unit.reports.made import compiled, run_of

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch
from torch._inductor import config as inductor

torch.set_num_threads(1)
inductor.config.max_autotune = True
inductor.config.triton.cudagraphs = False
other.max_autotune_gemm = True
with inductor.config.patch({"shape_padding": False}):
    f = torch.compile(g, mode="max-autotune")
h = torch.compile(g, options={"permute_fusion": True})
with torch.autocast("cpu"):
    f(x)
"""


def settings(folder: Path) -> ProgramSettings:
    file = folder / "train.py"
    file.write_text(PROGRAM)
    place = Frame(str(file), 9, "main", "")
    return ProgramSettings(
        SourceFiles([folder]), run_of(compiles=(compiled("0/0", location=place),))
    )


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("cpp_runtime_thread_count", [4]),
        ("inductor_config[max_autotune]", [5, 9]),
        ("inductor_config[coordinate_descent_tuning]", [9]),
        ("inductor_config[triton.cudagraphs]", [6, 9]),
        ("inductor_config[shape_padding]", [8]),
        ("inductor_config[permute_fusion]", [10]),
        ("inductor_config[max_autotune_gemm]", []),
        ("autocast_state[cpu]", [11]),
        ("gm", []),
    ],
)
def test_the_lines_that_set_it(tmp_path: Path, name: str, lines: list[int]) -> None:
    origin = settings(tmp_path).origin(name, component(name), {}, {})
    assert [frame.line for frame in origin.lines] == lines


def test_a_variable_that_differs_comes_before_lines(tmp_path: Path) -> None:
    origin = settings(tmp_path).origin(
        THREADS, component(THREADS), {"HOME": "/a"}, {"OMP_NUM_THREADS": "1", "HOME": "/b"}
    )
    assert origin.variables == (Variable("OMP_NUM_THREADS", None, "1"),)
    assert origin.lines == ()
