"""Several functions whose wrappers are compiled, and share one code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.causes.located.test_located import located, project

if TYPE_CHECKING:
    from pathlib import Path

RULES = "the fix of the rule"
WRAPPED = """
# file: scope.py
import torch
def stage(name):
    def decorate(fn):
        def scoped(*args):  # compiled
            with torch.profiler.record_function(name):
                return fn(*args)
        return torch.compile(scoped, backend="eager")
    return decorate
# file: train.py
from scope import stage
@stage("gravity")
def gravity(p):
    return p - 1
@stage("drag")
def drag(p):
    return p * 2
for x in loader:
    drag(gravity(x))  # step
"""
PLAIN = """
# file: train.py
import torch
def timed(fn):
    @torch.compile
    def inner(x):  # compiled
        return fn(x)
    return inner
def gravity(p):
    return p - 1
def drag(p):
    return p * 2
pull = timed(gravity)
slow = timed(drag)
for x in loader:
    slow(pull(x))  # step
"""


def _fix(tmp_path: Path, text: str) -> str:
    reason = "0/0: ___check_obj_id(fn.__code__, 1), type=<class 'code'>"
    files = project(tmp_path, text)
    return located(files, tmp_path, "CA706", reason=reason, key="fn.__code__", fix=RULES).fix


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (WRAPPED, "before `decorate` wraps it, and leave `scoped` uncompiled (scope.py:7): 2 func"),
        (PLAIN, "before `timed` wraps it, and leave `inner` uncompiled (train.py:3): 2 functions"),
    ],
)
def test_the_function_is_compiled_and_not_its_wrapper(tmp_path: Path, text: str, told: str) -> None:
    assert _fix(tmp_path, text).startswith(f"compile `fn` itself {told}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("slow = timed(drag)", "slow = drag"),  # one function: its code changes otherwise
        ("def inner(x)", "def inner(x, fn=None)"),
        ("slow = timed(drag)", "slow = timed(make())"),
    ],
)
def test_where_one_function_is_wrapped_the_rule_says_what_to_do(
    tmp_path: Path, old: str, new: str
) -> None:
    assert _fix(tmp_path, PLAIN.replace(old, new)) == RULES
