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


NO_MODE, REDUCED = frozenset[str](), frozenset(("triton.cudagraphs",))
TUNED = frozenset(("max_autotune", "coordinate_descent_tuning"))


def settings_of(folder: Path, program: str) -> ProgramSettings:
    file = folder / "train.py"
    file.write_text(program)
    place = Frame(str(file), 1, "main", "")
    return ProgramSettings(
        SourceFiles([folder]), run_of(compiles=(compiled("0/0", location=place),))
    )


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ('f = torch.compile(g, mode="reduce-overhead")\n', [1]),
        ('MODE = os.environ.get("MODE")\nf = torch.compile(g, mode=MODE)\n', [1]),
        ('how = {"mode": "reduce-overhead"}\nf = torch.compile(g, **how)\n', [1]),
        # What a file says is given to `torch.compile` where nothing else of it is to be seen.
        (
            'cfg = json.load(open("c.json"))\nf = torch.compile(\n    g,\n    mode=cfg["m"],\n)\n',
            [4],
        ),
        ('f = torch.compile(g, **yaml.safe_load(text)["compile"])\n', [1]),
        ('def how():\n    return json.load(f)["m"]\nf = torch.compile(g, mode=how())\n', [2]),
        # A library's own call.
        ("model.generate(x)\n", []),
    ],
)
def test_a_mode_is_found_where_a_person_chooses_it(
    tmp_path: Path, program: str, lines: list[int]
) -> None:
    found = settings_of(tmp_path, program).mode(["triton.cudagraphs"], NO_MODE, REDUCED)
    assert found is not None
    assert (found.before, found.after) == ("default", "reduce-overhead")
    assert [frame.line for frame in found.lines] == lines


@pytest.mark.parametrize(
    ("program", "before", "after"),
    [
        ("config.triton.cudagraphs = True\n", NO_MODE, REDUCED),
        ('f = torch.compile(g, options={"triton.cudagraphs": True})\n', NO_MODE, REDUCED),
        ('with config.patch({"triton.cudagraphs": True}):\n    f(x)\n', NO_MODE, REDUCED),
        ('o = {"triton.cudagraphs": True}\nf = torch.compile(g, options=o)\n', NO_MODE, REDUCED),
        # No mode has just these on.
        ("f = torch.compile(g)\n", NO_MODE, REDUCED | {"max_autotune"}),
        ("f = torch.compile(g)\n", frozenset(("max_autotune",)), TUNED | REDUCED),
    ],
)
def test_a_setting_that_is_set_by_its_name_is_no_mode(
    tmp_path: Path, program: str, before: frozenset[str], after: frozenset[str]
) -> None:
    assert settings_of(tmp_path, program).mode([*(before ^ after)], before, after) is None


def test_a_pass_is_told_by_the_method_that_names_its_version(tmp_path: Path) -> None:
    program = """\
from torch._inductor import config
class Drop(CustomGraphPass):
    def uuid(self):
        return get_hash_for_files((__file__,))
config.post_grad_custom_post_pass = Drop()
"""
    name = "post_grad_custom_post_pass"
    origin = settings_of(tmp_path, program).origin(name, component(name), {}, {})
    assert [frame.line for frame in origin.lines] == [3, 5]
