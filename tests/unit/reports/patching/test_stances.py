"""A stance around a call."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.patching.passed import proposed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("def run(rows):\n    return score(rows, 2)\n\n\nanswer = torch.compile(run)\n", "itself"),
        ("@torch.compile\ndef run(rows):\n    return score(rows, 2)\n", "itself"),
        ("made = list(score(rows, 2) for rows in data())\n", "several times in one line"),
    ],
)
def test_no_stance_is_set_in_what_is_compiled_or_for_a_part_of_a_line(
    tmp_path: Path, run: str, words: str
) -> None:
    source = f"import torch\nfrom model import score\n\n\n{run}"
    guard = Guard("rank", "rank", "0/0", expected="2", actual="1")
    sites = ["score(rows, 2)"] * 2
    proposal, _ = proposed(tmp_path, {"train.py": source}, "CA710", "rows", sites, guard)
    assert words in proposal.refusal


@pytest.mark.parametrize(
    ("outer", "both"),
    [
        ('"default" if len(x) == 2 else "force_eager"', 'len(x) == 2 and mode == "fast"'),
        ('"default" if a or b else "force_eager"', ""),
        ('"force_eager"', ""),
    ],
)
def test_where_a_stance_is_set_it_asks_for_both(tmp_path: Path, outer: str, both: str) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n"
        f"for x in data():\n    with torch.compiler.set_stance({outer}):\n        net(x, mode)\n"
    )
    guard = Guard("scale == 'fast'", "value", "0/0", expected="'fast'")
    sites = ["net(x, mode)"] * 2
    _, changed = proposed(tmp_path, {"train.py": source}, "CA703", "scale", sites, guard)
    if both:
        asked = f'"default" if {both} else "force_eager"'
        expected = source.replace(outer, asked)
        assert ast.dump(ast.parse(changed["train.py"])) == ast.dump(ast.parse(expected))
    else:
        assert changed == {}


def test_no_stance_is_set_in_a_function_that_a_graph_break_left_to_be_compiled(
    tmp_path: Path,
) -> None:
    source = (
        "import torch\nfrom model import score\n\n\ndef outer(x):\n    rows = x.flip(0)\n"
        "    return score(rows, 2)\n\n\nouter(data())\n"
    )
    guard = Guard("rank", "rank", "0/0", expected="2", actual="1")
    files, sites = {"train.py": source}, ["return score(rows, 2)"] * 2
    rest = Compile("1/0", 0, None, None, None, location=Frame("train.py", 5, "outer", ""))
    proposal, _ = proposed(tmp_path, files, "CA710", "rows", sites, guard, beside=[rest])
    assert "is compiled itself" in proposal.refusal
    # A module of torch's own is compiled where the function calls it, and the function is not.
    of_torch = replace(rest, code=Frame("/lib/torch/nn/modules/container.py", 250, "forward", ""))
    proposal, _ = proposed(tmp_path, files, "CA710", "rows", sites, guard, beside=[of_torch])
    assert "is compiled itself" not in proposal.refusal


def test_the_stance_is_set_around_what_calls_the_function_in_compiled_code(
    tmp_path: Path,
) -> None:
    source = (
        "import torch\nfrom model import score\n\n\ndef outer(table):\n    return score(table, 2)\n"
        "\n\ndef eager(table):\n    return score(table, 2)\n\n\nbatch = data()\nouter(batch)\n"
    )
    guard = Guard("rank", "rank", "0/0", expected="2", actual="1")
    files, sites = {"train.py": source}, ["outer(batch) > return score(table, 2)"] * 2
    rest = Compile("1/0", 0, None, None, None, location=Frame("train.py", 5, "outer", ""))
    _, changed = proposed(tmp_path, files, "CA709", "rows", sites, guard, beside=[rest])
    stance = 'with torch.compiler.set_stance("default" if batch.ndim == 2 else "force_eager"):'
    expected = source.replace("\nouter(batch)", f"\n{stance}\n    outer(batch)")
    assert ast.dump(ast.parse(changed["train.py"])) == ast.dump(ast.parse(expected))
    # What the function changes before the call is not what it was given.
    other = source.replace("outer(table):\n", "outer(table):\n    table = table[0]\n")
    proposal, _ = proposed(
        tmp_path, {"train.py": other}, "CA709", "rows", sites, guard, beside=[rest]
    )
    assert not proposal.patches
