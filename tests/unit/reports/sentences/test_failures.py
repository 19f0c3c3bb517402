"""Exceptions out of compiles in words."""

from __future__ import annotations

from typing import Any

import pytest

from ca_reports.run.model import Failure
from ca_reports.sentences.failures import in_full, in_one_line, raised, went_on


def failure(text: str = "IndexError: tuple index out of range", **more: Any) -> Failure:
    return Failure(**{"stage": "compile", "text": text, "seen": "", "file": "t.log", **more})


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"function": "step"}, "compiling `step`"),
        ({}, "a compile"),
        ({"function": "step", "in_backward": True}, "compiling the backward of `step`"),
        ({"in_backward": True}, "compiling a backward"),
        ({"capture": 3, "in_backward": True}, "compiling captured backward !3"),
        ({"stage": "capture", "capture": 3}, "capturing backward !3"),
        ({"stage": "capture"}, "capturing a backward"),
        ({"stage": "graph"}, "compiled code"),
        ({"stage": "graph", "capture": 3, "in_backward": True}, "running captured backward !3"),
        ({"stage": "graph", "in_backward": True}, "running a compiled backward"),
    ],
)
def test_what_raised(more: dict[str, Any], expected: str) -> None:
    assert raised(failure(**more)) == f"{expected} raised IndexError"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IndexError: tuple index out of range\n\nfrom user code:", "tuple index out of range"),
        (
            "BackendCompilerFailed: backend='x' raised:\nKeyError: 1.\n\nSet TORCH",
            "backend='x' raised: KeyError: 1",
        ),
        (
            "TorchRuntimeError: RuntimeError when making fake tensor call\n  Explanation: Dynamo "
            "failed to run FX node with fake tensors: f(*(1, 2), **{}): got RuntimeError('a X b.')",
            "RuntimeError('a X b.')",
        ),
        ("AssertionError", ""),
    ],
)
def test_the_message_in_one_line(text: str, expected: str) -> None:
    assert in_one_line(failure(text)) == expected


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("ended", ""),
        ("unknown", ""),
        ("caught", "the program caught it"),
        ("suppressed", "suppress_errors leaves `step` uncompiled"),
    ],
)
def test_what_became_of_it(outcome: Any, expected: str) -> None:
    found = failure(function="step", outcome=outcome)
    assert went_on(found) == expected
    assert expected in in_full(found)
    assert ("it ended the run" in in_full(found)) is (outcome == "ended")
