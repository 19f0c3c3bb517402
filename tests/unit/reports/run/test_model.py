"""Which line of a stack is the user's to change."""

from __future__ import annotations

import pytest

from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile, Frame, own_frame

MAIN = Frame("/home/user/train.py", 40, "<module>", "main()")
STEP = Frame("/home/user/train.py", 12, "step", "accelerator.backward(loss)")
PACKAGE = Frame("/venv/lib/python3.11/site-packages/accelerate/accelerator.py", 2861, "backward",
                "loss.backward(**kwargs)")  # fmt: skip
WINDOWS = Frame(r"C:\Python\Lib\site-packages\lightning\x.py", 3, "run", "loss.backward()")


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ((MAIN, STEP), STEP),
        ((MAIN, STEP, PACKAGE), STEP),
        ((MAIN, STEP, PACKAGE, WINDOWS), STEP),
        ((MAIN, PACKAGE, STEP), STEP),  # the package calls back
        ((PACKAGE,), PACKAGE),  # a program that is a package itself
        ((), None),
    ],
)
def test_the_innermost_line_of_the_users_own(
    stack: tuple[Frame, ...], expected: Frame | None
) -> None:
    assert own_frame(stack) == expected


@pytest.mark.parametrize(("capture", "is_of_evaluation"), [(None, True), (0, False)])
def test_a_captured_graph_is_of_no_evaluation_though_its_compile_keeps_no_gradients(
    capture: int | None, is_of_evaluation: bool
) -> None:
    held = RecordedGuards(gradients=False)

    compiled = Compile("!0/0/1", 0, None, 1, capture, held=held)

    assert compiled.is_of_evaluation is is_of_evaluation
