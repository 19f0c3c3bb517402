"""Which line of a stack is the user's to change."""

from __future__ import annotations

import pytest

from ca_reports.model import Frame, own_frame

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
