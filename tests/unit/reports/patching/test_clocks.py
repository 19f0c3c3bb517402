"""CA804: a clock is not asked where Dynamo traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.patching import clocks
from ca_reports.patching.patches import RefusedError
from tests.unit.reports.patching.programs import (
    finding_of,
    line_of,
    patched,
    program_of,
    refusal,
)

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import time
from time import perf_counter, perf_counter_ns

import torch


def forward(self, x):
    began = {first}
    x = torch.tanh(x)
    spent = {second}
    return x


def outside():
    return perf_counter()
"""
ZERO = "0.0 if torch.compiler.is_compiling() else"


@pytest.mark.parametrize(
    ("clock", "first", "second"),
    [
        ("perf_counter()", f"{ZERO} perf_counter()", f"({ZERO} perf_counter()) - began"),
        ("time.time()", f"{ZERO} time.time()", f"({ZERO} time.time()) - began"),
        (
            "perf_counter_ns()",
            "0 if torch.compiler.is_compiling() else perf_counter_ns()",
            "(0 if torch.compiler.is_compiling() else perf_counter_ns()) - began",
        ),
    ],
)
def test_each_clock_of_the_function_is_0(
    tmp_path: Path, clock: str, first: str, second: str
) -> None:
    source = SOURCE.format(first=clock, second=f"{clock} - began")
    changed = patched("CA804", tmp_path, source, "began = ")
    assert changed == SOURCE.format(first=first, second=second)


HANDED_ON = """\
import time

import torch


class Watch:
    def add(self, began):
        self.spent = time.time() - began


def forward(self, x):
    began = time.time()
    self.watch.add(began)
    return torch.tanh(x)
"""


@pytest.mark.parametrize("line", ["began = ", "self.spent = "])
def test_two_clocks_of_one_time_are_0_together(tmp_path: Path, line: str) -> None:
    zero = f"{ZERO} time.time()"
    wanted = HANDED_ON.replace("began = time.time()", f"began = {zero}")
    wanted = wanted.replace("time.time() - began", f"({zero}) - began")
    assert patched("CA804", tmp_path, HANDED_ON, line) == wanted


ENTERED = """\
import time

import torch


class timed:
    def __enter__(self):
        self.at = time.time()
        return self

    def __exit__(self, *error):
        self.spent = time.time() - self.at


class Other:
    def since(self):
        return time.time() - self.start
"""


@pytest.mark.parametrize("line", ["self.at = ", "self.spent = "])
def test_a_time_that_an_object_keeps_is_0_where_it_is_subtracted(tmp_path: Path, line: str) -> None:
    zero = f"{ZERO} time.time()"
    wanted = ENTERED.replace("at = time.time()", f"at = {zero}")
    wanted = wanted.replace("time.time() - self.at", f"({zero}) - self.at")
    assert patched("CA804", tmp_path, ENTERED, line) == wanted


@pytest.mark.parametrize(
    ("kept", "is_offered"),
    [
        ("timers[self.name].append(spent)", False),
        ("self.every.append(spent)", False),
        ("every = []\n        every.append(spent)", True),
        ("self.spent = spent", True),
    ],
)
def test_no_clock_is_0_whose_time_goes_into_what_grows(
    tmp_path: Path, kept: str, *, is_offered: bool
) -> None:
    source = ENTERED.replace(
        "self.spent = time.time() - self.at", f"spent = time.time() - self.at\n        {kept}"
    )
    program = program_of(tmp_path, {"train.py": source})
    found = finding_of("CA804", tmp_path, ("train.py", line_of(source, "self.at = ")))
    if is_offered:
        assert clocks.zero(found, program)
    else:
        with pytest.raises(RefusedError, match="is longer after each call"):
            clocks.zero(found, program)


def test_what_is_no_clock_is_left(tmp_path: Path) -> None:
    source = SOURCE.format(first="read()", second="began")
    assert "a patch would change what is computed" in refusal("CA804", tmp_path, source, "began = ")
