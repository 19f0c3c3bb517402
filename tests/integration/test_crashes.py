"""Real programs in which a compile raises: what is said of the run, by the gate and by `ca fix`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.oracle import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

BACKEND = """
import torch

def refuse(graph, inputs):
    raise NotImplementedError("no kernel for sin")

def wave(x):
    return torch.sin(x) + 1

fast = torch.compile(wave, backend=refuse)
x = torch.ones(4)
"""
FELL_BACK = """
for _ in range(3):
    try:
        y = fast(x)
    except Exception:
        y = wave(x)
"""
REWORDED = """
try:
    fast(x)
except Exception as error:
    raise SystemError("the model could not be run") from error
"""
SUPPRESSED = "torch._dynamo.config.suppress_errors = True\nfast(x)\n"
OWN = "\nrows = [1, 2]\nrows[5]\n"
FULLGRAPH = """
import torch

def step(x):
    if x.sum() > 0:
        return x + 1
    return x - 1

torch.compile(step, backend="eager", fullgraph=True)(torch.ones(3))
"""
LIMIT = """
import torch

def scale(x, k):
    return x * k

fast = torch.compile(scale, backend="eager", fullgraph=True, dynamic=False)
for k in range(12):
    fast(torch.ones(3), k)
"""
SHAPES = """
import torch

fast = torch.compile(lambda x, w: x @ w, backend="eager")
fast(torch.ones(3, 4), torch.ones(3, 4))
"""
GRAPH = """
import torch

fast = torch.compile(lambda table, i: table[i] * 2, backend="aot_eager")
fast(torch.ones(5), torch.tensor([9]))
"""
MARKED = (SAMPLES / "ca611_marked_dynamic_bad.py").read_text()
HOOK = """
import torch

w = torch.ones(3, requires_grad=True)
def hook(grad):
    raise ValueError("refused")
w.register_hook(hook)
with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
    (w * 2).sum().backward()
"""
RAISED = "compiling `wave` raised BackendCompilerFailed"
long = pytest.mark.long


@pytest.mark.parametrize(
    ("program", "headline", "code"),
    [
        pytest.param(BACKEND + "fast(x)\n", f"Crashed: {RAISED}", "CA610"),
        pytest.param(BACKEND + REWORDED, f"Crashed: {RAISED}", "CA610", marks=long),
        pytest.param(FULLGRAPH, "Crashed: compiling `step` raised Unsupported", "CA801"),
        pytest.param(
            LIMIT, "Crashed: compiling `scale` raised FailOnRecompileLimitHit", "CA612", marks=long
        ),
        pytest.param(
            SHAPES, "Crashed: compiling `<lambda>` raised TorchRuntimeError", "CA610", marks=long
        ),
        pytest.param(GRAPH, "Crashed: compiled code raised IndexError", "CA610", marks=long),
        pytest.param(
            MARKED,
            "Crashed: compiling captured backward !0 raised ConstraintViolationError",
            "CA611",
            marks=long,
        ),
    ],
)
def test_a_run_that_a_compile_ended(
    work: Path,
    warm_ca: Runner,
    ca: Runner,
    run_folder: Path,
    program: str,
    headline: str,
    code: str,
) -> None:
    # GIVEN a program that ends with an exception out of a compile
    script = work / "train.py"
    script.write_text(program)

    # WHEN it is recorded
    done = warm_ca("--no-report", script)

    # THEN what is said of it begins with the crash, and the script's exit code is kept
    assert done.code == 1
    assert ca("explain-recompiles", run_folder).stdout.startswith(headline)
    # AND the gate is red, even if its only budget holds
    for options in ((), ("--max-seconds-lost", "900"), ("--max-recompiles", "90")):
        checked = ca("check", run_folder, *options)
        assert checked.code == 1, checked.stderr
        assert "raised" in checked.stdout
    # AND what `ca fix` says is not that there is nothing
    fixed = ca("fix", run_folder)
    assert "nothing to fix" not in fixed.stderr
    assert "the run crashed: " in fixed.stderr
    # AND the finding is an error, with the exception as a field
    document = explained(ca, run_folder)
    assert document["summary"]["crash"]["outcome"] == "ended"
    first = document["findings"][0]
    assert (first["code"], first["severity"]) == (code, "error")
    assert first["failure"] == document["summary"]["crash"]


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        pytest.param(BACKEND + FELL_BACK, "caught"),
        pytest.param(BACKEND + SUPPRESSED, "suppressed", marks=long),
        pytest.param(BACKEND + FELL_BACK + OWN, "caught", marks=long),
    ],
)
def test_a_compile_that_failed_and_ended_nothing(
    work: Path, warm_ca: Runner, ca: Runner, run_folder: Path, program: str, outcome: str
) -> None:
    script = work / "train.py"
    script.write_text(program)

    done = warm_ca("--no-report", script)
    document = explained(ca, run_folder)

    assert done.code == (1 if OWN in program else 0)
    assert "Crashed" not in ca("explain-recompiles", run_folder).stdout
    assert document["summary"]["crash"] is None
    assert [one["outcome"] for one in document["failures"]] == [outcome]
    assert [(one["code"], one["severity"]) for one in document["findings"]] == [
        ("CA610", "warning")
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    "program", [BACKEND.replace("backend=refuse", 'backend="eager"') + "fast(x)" + OWN, HOOK]
)
def test_an_exception_of_the_programs_own_is_no_crash_of_a_compile(
    work: Path, warm_ca: Runner, ca: Runner, run_folder: Path, program: str
) -> None:
    script = work / "train.py"
    script.write_text(program)

    done = warm_ca("--no-report", script)
    document = explained(ca, run_folder)

    assert done.code == 1
    assert document["failures"] == []
    assert document["processes"][0]["error"] in ("IndexError", "ValueError")


def explained(ca: Runner, folder: Path) -> dict[str, Any]:
    told = ca("explain-recompiles", folder, "--format", "json")
    document: dict[str, Any] = json.loads(told.stdout)
    return document
