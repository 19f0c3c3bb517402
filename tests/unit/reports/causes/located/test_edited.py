"""The line that a remedy edits, where another one makes the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.causes.findings import GuardedValue, MadeAgain
from tests.unit.reports.causes.located.test_located import all_marked, located, project

if TYPE_CHECKING:
    from pathlib import Path

RATE = GuardedValue("rate", "rate", "variable", ("0.5", "0.25"))
OF_A_NUMBER = {"reason": "0/0: rate == 0.5", "detail": RATE, "edit": "tensor_number"}
OF_A_LIMIT = {"reason": "0/0: mode == 'a'", "edit": "limit_of_compile"}

EDITED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a number that a helper computes, in the call that hands it over": (
        "CA702",
        """
        # file: rates.py
        def rate_at(step):
            return 0.5 / (1 + step)
        # file: train.py
        import torch
        from rates import rate_at
        @torch.compile
        def scaled(x, rate):  # compiled
            return x * rate
        for step, x in enumerate(loader):
            scaled(x, rate_at(step))  # step, change
        """,
        OF_A_NUMBER,
    ),
    "one that is bound before the call": (
        "CA702",
        """
        # file: train.py
        from functools import partial
        import torch
        from rates import rate_at
        @torch.compile
        def scaled(x, rate):  # compiled
            return x * rate
        for epoch in range(4):
            bound = partial(scaled, rate=rate_at(epoch))  # change
            for x in loader:
                bound(x)  # step
        """,
        OF_A_NUMBER,
    ),
    "what the caller computes itself, for as many calls as it makes": (
        "CA702",
        """
        # file: train.py
        import torch
        from rates import rate_at
        @torch.compile
        def scaled(x, rate):  # compiled
            return x * rate
        for step, x in enumerate(loader):
            rate = 0.5 / (1 + step)  # change
            scaled(x, rate)  # step
            scaled(x + 1, rate)
        """,
        OF_A_NUMBER,
    ),
    "a limit of another thread, at the decorator": (
        "CA703",
        """
        # file: train.py
        import torch
        torch._dynamo.config.recompile_limit = 32
        other = torch.compile(len)
        @torch.compile  # change
        def step(x, mode):  # compiled
            return x
        for x in loader:
            step(x, mode)  # step
        """,
        OF_A_LIMIT,
    ),
    "a limit of another thread, at the only call": (
        "CA703",
        """
        # file: train.py
        import re
        import torch
        words = re.compile("a+")
        class Net(torch.nn.Module):
            def forward(self, x, mode):  # compiled
                return x
        net = torch.compile(Net())  # change
        for x in loader:
            net(x, mode)  # step
        """,
        OF_A_LIMIT,
    ),
    "a class that a function defines, at its definition": (
        "CA707",
        """
        # file: train.py
        import torch
        def holder_of(x):
            class Holder:  # change
                data = x
            return Holder()
        @torch.compile
        def step(holder):  # compiled
            return holder.data + 1
        for x in loader:
            step(holder_of(x))  # step
        """,
        {
            "reason": "0/0: type(holder) == Holder",
            "detail": MadeAgain("Holder"),
            "edit": "class_once",
        },
    ),
}


@pytest.mark.parametrize("name", EDITED)
def test_the_line_is_the_one_that_the_remedy_edits(name: str, tmp_path: Path) -> None:
    code, text, known = EDITED[name]
    files = project(tmp_path, text)
    (expected,) = all_marked(files, "change")

    found = located(files, tmp_path, code, **known)

    assert found.is_located
    assert found.location is not None
    assert (found.location.file, found.location.line) == (expected.file, expected.line)


def test_what_an_object_has_is_not_handed_over(tmp_path: Path) -> None:
    text = """
        # file: train.py
        import torch
        @torch.compile
        def scaled(x, state):  # compiled
            return x * state.rate
        for step, x in enumerate(loader):
            state.rate = 0.5 / (1 + step)  # change
            scaled(x, state)  # step
    """
    files = project(tmp_path, text)
    held = GuardedValue("state.rate", "state.rate", "attribute", ("0.5", "0.25"))

    found = located(
        files, tmp_path, "CA704", reason="0/0: state.rate == 0.5", detail=held,
        edit="tensor_number",
    )  # fmt: skip

    assert found.location is not None
    assert found.location.line == all_marked(files, "change")[0].line
