"""Several `torch.compile` of one code share its cache and its limit, and the finding says so."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from ca_reports.causes.findings import Finding
from ca_reports.causes.located.shared_cache import with_shared_cache
from ca_reports.causes.located.trail import Trail
from ca_reports.causes.remedies import remedy
from ca_reports.causes.rules import all_rules
from ca_reports.program.names import Names
from ca_reports.program.syntax import Module, Program
from tests.unit.reports.causes.rules.recompiled import compiled

OFTEN = """
import torch
def f(x): return x
class Forecaster:
    def __init__(self):
        self.run = torch.compile(f, dynamic=False)
every = [Forecaster() for _ in range(9)]
"""
LOOP = """
import torch
for layer in layers:
    torch.compile(layer)
"""
ONCE = """
import torch
def f(x): return x
run = torch.compile(f)
"""
OTHER = """
import torch
def g(x): return x
runs = [torch.compile(g) for _ in range(9)]
"""


def told(source: str, function: str = "f", *, refused: bool = True) -> str:
    name = next(rule for rule in all_rules() if rule.code == "CA102").about()
    last = compiled(8, "tensor 'x' size mismatch at index 0. expected 8, actual 9")
    assert last.location is not None
    last = replace(
        last,
        code=replace(last.location, function=function),
        fail_reason="recompile limit exceeded" if refused else None,
    )
    finding = Finding(
        rule=name, severity="warning", message="m", remedy=remedy("pad"), events=(last,),
        captures=(), compile_ids=("0/8",), key="x",
    )  # fmt: skip
    program = Program.of({"/work/train.py": Module("/work/train.py", source, ast.parse(source))})
    return with_shared_cache(finding, Trail(finding, Names(program, ()), {})).fix


@pytest.mark.parametrize(("source", "function"), [(OFTEN, "f"), (LOOP, "forward")])
def test_a_compile_that_runs_often_has_one_limit(source: str, function: str) -> None:
    assert "`isolate_recompiles=True`" in told(source, function)


def test_one_that_runs_once_or_of_another_function_has_its_own() -> None:
    assert told(ONCE) == "pad"
    assert told(OTHER) == "pad"
    assert told(LOOP, "helper") == "pad"


def test_without_a_limit_there_is_nothing_to_say() -> None:
    assert told(OFTEN, refused=False) == "pad"
