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


# What programs configure for Python's loggers, whose formatters know nothing of torch's heads.
_LOGGER = "torch._dynamo.guards.__recompiles"
HEADS = {
    "basicConfig with a space": f"DEBUG:{_LOGGER}: ",
    "Python's documentation": f"2026-11-28 02:14:38,123 - {_LOGGER} - DEBUG - ",
    "level first": f"2026-11-28 02:14:38,123 DEBUG {_LOGGER}: ",
    "a thread": f"2026-11-28 02:14:38,123 MainThread 4711 DEBUG {_LOGGER} ",
    "Hydra": f"[2026-11-28 02:14:38,123][{_LOGGER}][DEBUG] - ",
    "brackets": f"[2026-11-28 02:14:38] [DEBUG] [{_LOGGER}] ",
    "loguru": "2026-11-28 02:14:38.123 | DEBUG    | torch._dynamo.guards:log:5396 - ",
    "absl": "I1128 02:14:38.123456 140123456789 guards.py:5396] ",
    "vLLM": "DEBUG 11-28 02:14:38 [guards.py:5396] ",
    "Transformers": "[DEBUG|guards.py:5396] 2026-11-28 02:14:38,123 >> ",
    "Accelerate": f"11/28/2026 02:14:38 - DEBUG - {_LOGGER} - ",
    "Lightning": f"[rank: 0] DEBUG:{_LOGGER}:",
    "pytest": f"DEBUG    {_LOGGER}:guards.py:5396 ",
    "structlog": "2026-11-28 02:14:38 [debug    ] ",
    "coloured": f"\x1b[32m2026-11-28 02:14:38,123\x1b[0m {_LOGGER} DEBUG ",
}
LAUNCHERS = ["", "[default0]:", "Nov 28 02:14:38 gpu7 python[1234]: ", "(train pid=7) "]
TORCHS = "V1128 02:14:38.000000 7 torch/_dynamo/guards.py:5396] "


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("is_repeated", [False, True])
def test_a_head_of_the_programs_loggers(
    tmp_path: Path, head: str, launcher: str, is_repeated: bool
) -> None:
    # GIVEN recompiles, each with its head before the first line, or before each
    more = RECOMPILE.replace("3/1", "3/2").replace("3/0", "3/1")
    lines = [line for message in (RECOMPILE, more) for line in message.splitlines()]
    begins = [is_repeated or not line.startswith(" ") for line in lines]
    text = "".join(
        f"{launcher}{head if begin else ''}{line}\n"
        for line, begin in zip(lines, begins, strict=True)
    )
    run = load(tmp_path, f"epoch 1\n{text}{launcher}epoch 2\n")
    # THEN both are read with all of their guards
    assert [found.compile_id for found in run.recompiles] == ["3/2", "3/3"]
    reasons = [found.recompile_reason or "" for found in run.recompiles]
    assert [reason.count("size mismatch") for reason in reasons] == [2, 2]


def test_a_limit_behind_a_head_without_ids(tmp_path: Path) -> None:
    head = TORCHS.replace("guards.py", "convert_frame.py").replace("V", "W")
    text = "".join(f"{head}{line}\n" for line in LIMIT.splitlines())
    (compiled,) = load(tmp_path, text).processes[0].compiles
    assert compiled.compile_id == "0/8"
    assert compiled.is_refused


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
