"""CA112, CA205: a setting that changes is followed to where its value is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import SharedSetting
from ca_reports.patching.propose import propose_for
from tests.unit.reports.patching.programs import every, finding_of, program_of, refusal

if TYPE_CHECKING:
    from pathlib import Path

HELPER = """\
from contextlib import contextmanager

import torch


@contextmanager
def reproducible(on, threads=1):
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(on or before)
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


def switch(model, on):
    model.train(on)


for step in range(9):
    {line}
    model(x).backward()
"""


@pytest.mark.parametrize(
    ("code", "key", "line", "expected"),
    [
        (
            "CA112",
            "deterministic_algorithms",
            "with reproducible(step % 4 == 0): pass",
            ["with reproducible(True): pass", "with reproducible(False): pass"],
        ),
        (
            "CA112",
            "num_threads",
            "with reproducible(True, threads=4 if step else 1): pass",
            [
                "with reproducible(True, threads=4): pass",
                "with reproducible(True, threads=1): pass",
            ],
        ),
        (
            "CA112",
            "autocast",
            "with torch.autocast('cpu') if step > 4 else nullcontext(): pass",
            ["with torch.autocast('cpu'): pass", "with nullcontext(): pass"],
        ),
        (
            "CA112",
            "grad_mode",
            "with torch.set_grad_enabled(step != 3): pass",
            ["with torch.set_grad_enabled(True): pass"],
        ),
        (
            "CA112",
            "allow_tf32",
            "torch.set_float32_matmul_precision(names[loss > 0.1])",
            [
                'torch.set_float32_matmul_precision("highest")',
                'torch.set_float32_matmul_precision("high")',
            ],
        ),
        (
            "CA205",
            "mode",
            "switch(model, step < 3)",
            ["switch(model, True)", "switch(model, False)"],
        ),
    ],
)
def test_one_value_where_it_is_written(
    tmp_path: Path, code: str, key: str, line: str, expected: list[str]
) -> None:
    source = HELPER.format(line=line)
    found = every(code, tmp_path, {"train.py": source}, detail=SharedSetting((key,)))
    assert [one["train.py"] for one in found] == [HELPER.format(line=one) for one in expected]


@pytest.mark.parametrize(
    ("key", "line", "words"),
    [
        (
            "default_dtype",
            "torch.set_default_dtype(pick())",
            "default_dtype is pick() at train.py:22",
        ),
        ("num_threads", "n = torch.set_num_threads(count())", "does more than set num_threads"),
        ("default_dtype", "pass", "can't find what changes it"),
        ("torch_function", "pass", "no function of torch sets torch_function"),
    ],
)
def test_what_it_cannot_know_it_names(tmp_path: Path, key: str, line: str, words: str) -> None:
    source, detail = HELPER.format(line=line), SharedSetting((key,))
    assert words in refusal("CA112", tmp_path, source, key=key, detail=detail)


def test_a_number_of_threads_that_is_computed_is_set_in_no_step(tmp_path: Path) -> None:
    source = HELPER.format(line="torch.set_num_threads(count())")
    detail = SharedSetting(("num_threads",))
    (changed,) = every("CA112", tmp_path, {"train.py": source}, detail=detail)
    lines = changed["train.py"].splitlines()
    assert lines == [one for one in source.splitlines() if "set_num_threads" not in one]


RESTORED = """\
import contextlib


@contextlib.contextmanager
def deterministic(model):
    was = model.training
    model.eval()
    yield
    model.train({was})


for step in range(9):
    with deterministic(model) if step % 4 else contextlib.nullcontext():
        loss = model(step)
    loss.backward()
"""


@pytest.mark.parametrize("was", ["was", "model.training"])
def test_a_mode_that_is_put_back_is_none_to_choose(tmp_path: Path, was: str) -> None:
    source = RESTORED.format(was=was)
    assert refusal("CA205", tmp_path, source, key="mode-flip")


LATE = """\
import torch


def validate(model):
    {line}
    return model.score()


for step in range(9):
    model(step).backward()
    validate(model)
"""


def test_what_an_evaluation_leaves_behind_is_set_at_the_beginning(tmp_path: Path) -> None:
    source = LATE.format(line="torch.use_deterministic_algorithms(True)")
    detail = SharedSetting(("deterministic_algorithms",))
    (found,) = every("CA112", tmp_path, {"train.py": source}, detail=detail)
    first = "import torch\n\ntorch.use_deterministic_algorithms(True)\n"
    assert found["train.py"] == source.replace("import torch\n", first, 1)


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("deterministic_algorithms", "torch.use_deterministic_algorithms(model.is_exact)"),
        ("deterministic_algorithms", "x = torch.use_deterministic_algorithms(True)"),
        ("default_dtype", "torch.set_default_dtype(torch.float64)"),
        ("grad_mode", "torch.set_grad_enabled(False)"),
    ],
)
def test_a_setting_that_may_be_another_one_before_is_not_set_first(
    tmp_path: Path, key: str, line: str
) -> None:
    found = propose_for(
        finding_of("CA112", tmp_path, ("train.py", 11), detail=SharedSetting((key,))),
        program_of(tmp_path, {"train.py": LATE.format(line=line)}),
    )
    assert not any("after the imports" in patch.what for patch in found.patches)


def test_settings_that_change_together_are_one_patch(tmp_path: Path) -> None:
    source = (
        "import torch\n\n\ndef setup():\n"
        '    torch.set_float32_matmul_precision("high")\n'
        "    torch.use_deterministic_algorithms(True)\n\n\n"
        "model(x)\nsetup()\nmodel(x).backward()\n"
    )
    both = SharedSetting(("deterministic_algorithms", "allow_tf32"))
    (changed,) = every("CA112", tmp_path, {"train.py": source}, detail=both)
    head = changed["train.py"].partition("def setup")[0]
    assert "torch.use_deterministic_algorithms(True)\ntorch.set_float32_matmul" in head
    # One of them alone saves nothing.
    chosen = source.replace('"high"', "chosen()")
    assert "change together" in refusal("CA112", tmp_path, chosen, detail=both)
