"""Messages of torch's loggers whose heads were cut off."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.errors import NothingReadable

if TYPE_CHECKING:
    from ca_reports.run.model import Run

PASTED = Path(__file__).parents[4] / "fixtures" / "pasted"
RECOMPILE = """Recompiling function step in /t/train.py:7
    triggered by the following guard failure(s):
    - 3/1: tensor 'x' size mismatch at index 0. expected 10, actual 100
    - 3/0: tensor 'x' size mismatch at index 0. expected 4, actual 100
"""
LIMIT = """torch._dynamo hit config.recompile_limit (8)
   function: 'step' (/t/train.py:4)
   last reason: 0/7: n == 7
"""
MISS = "Cache miss due to new autograd node: PowBackward0 (NodeCall 2) with key size 47\n"


def load(folder: Path, text: str) -> Run:
    path = folder / "pasted.txt"
    path.write_text(text)
    return ca_reports.load([path])


def test_a_break(tmp_path: Path) -> None:
    (found,) = load(tmp_path, (PASTED / "break_without_heads.txt").read_text()).graph_breaks
    assert found.reason == "Data-dependent branching"
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("/home/ana/rl/policy.py", 21)


@pytest.mark.parametrize("before", ["", "> ", "16:20:4% job | ", "[__recompiles] "])
def test_a_recompile_has_the_number_after_the_newest_guards(tmp_path: Path, before: str) -> None:
    lines = RECOMPILE.splitlines()
    text = "".join(f"{before.replace('%', str(at))}{line}\n" for at, line in enumerate(lines))
    (found,) = load(tmp_path, f"epoch 1\n{text}epoch 2\n").recompiles
    assert (found.compile_id, found.location and found.location.function) == ("3/2", "step")
    assert (found.recompile_reason or "").count("size mismatch") == 2


@pytest.mark.parametrize("before", ["torch._dynamo.exc.RecompileError: ", "RecompileError: "])
def test_a_recompile_that_is_forbidden_is_the_text_of_an_exception(
    tmp_path: Path, before: str
) -> None:
    first, triggered, _, reason = RECOMPILE.replace("expected 4", "expected 1").splitlines()
    run = load(tmp_path, f"{before}{first}\n{triggered}\n{reason}\n")
    (found,) = run.recompiles
    assert (found.compile_id, found.location and found.location.line) == ("3/1", 7)
    # Nothing was compiled: the size did not become dynamic, and it is no information.
    (finding,) = analyze(run).diagnosis.findings
    assert (finding.code, finding.severity) == ("CA103", "warning")


def test_a_limit_with_and_without_its_first_line(tmp_path: Path) -> None:
    for text in (LIMIT, LIMIT.partition("\n")[2]):
        (process,) = load(tmp_path, text).processes
        (compiled,) = process.compiles
        assert compiled.is_refused
        assert compiled.compile_id == "0/8"
        assert compiled.location is not None
        assert (compiled.location.file, compiled.location.line) == ("/t/train.py", 4)


def test_misses_are_captures(tmp_path: Path) -> None:
    captures = load(tmp_path, MISS * 3).captures
    assert [one.node.name for one in captures if one.node] == ["PowBackward0"] * 3
    assert [one.id for one in captures] == [0, 1, 2]


def test_messages_follow_each_other_without_a_gap(tmp_path: Path) -> None:
    run = load(tmp_path, RECOMPILE + RECOMPILE.replace("3/", "4/") + LIMIT)
    (process,) = run.processes
    assert [one.compile_id for one in process.compiles] == ["3/2", "4/2", "0/8"]


@pytest.mark.parametrize(
    "text",
    [
        "print('Recompiling function step in ', place)\n",
        "we saw Graph break in user code at a.py:3 in the log\n",
        "and then Graph break in user code at a.py:3\nwhat is that?\n",
        RECOMPILE.partition("\n")[0] + "\n",
    ],
)
def test_a_text_about_them_is_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(NothingReadable):
        load(tmp_path, text)


@pytest.mark.parametrize(
    ("warned", "name"),
    [
        ("Graph break due to unsupported builtin fast_cuda.PyCapsule.fwd. This", "fast_cuda.fwd"),
        ("Dynamo does not know how to trace the builtin `fast_cuda.PyCapsule.fwd.` This",
         "fast_cuda.fwd"),
    ],
)  # fmt: skip
def test_the_warning_of_a_builtin_is_a_break(tmp_path: Path, warned: str, name: str) -> None:
    text = f"/t/torch/_dynamo/variables/functions.py:663: UserWarning: {warned} function is either"
    run = load(tmp_path, f"epoch 1\n{text} a Python builtin\n  warnings.warn(msg)\n")
    (found,) = analyze(run).diagnosis.findings
    assert found.code == "CA804"
    assert found.message == f"`{name}` splits the compiled function"
    with pytest.raises(NothingReadable):
        load(tmp_path, "a.py:3: UserWarning: something else\n")
