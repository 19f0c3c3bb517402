"""The functions of compiles, in words."""

from __future__ import annotations

from dataclasses import replace

from ca_reports.run.model import Compile, Frame
from ca_reports.sentences.compiles import are_compiled, function_of

FORWARD = Frame("/work/net.py", 3, "forward", "def forward(self, x):")


def compiled(id: str, location: Frame | None = FORWARD) -> Compile:
    return Compile(id, 0, None, 1, None, location=location)


def test_a_function_is_counted_once() -> None:
    assert are_compiled([compiled("0/1"), compiled("0/2")]) == "`forward` is compiled"
    several = [compiled("0/1"), compiled("1/1"), compiled("2/1")]
    assert are_compiled(several) == "`forward` and 2 more functions are compiled"


def test_what_has_no_name_is_a_model() -> None:
    generator = replace(FORWARD, function="<genexpr>")
    assert (
        function_of(compiled("0/0", generator)) == function_of(compiled("0/0", None)) == "a model"
    )
